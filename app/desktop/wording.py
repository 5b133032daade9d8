"""What happens, as sentences. Every sentence goes through Qt's translation."""

import math
from typing import Final

from PySide6.QtCore import QCoreApplication, QLocale

from app.core.errors import ErrorRecord
from app.desktop.amounts import format_bytes, format_duration
from app.desktop.conversation import AnswerStamp, FailedRun, Message
from app.desktop.lifecycle import TurnState
from app.desktop.phrases import phrase
from app.desktop.services import FetchProgress
from app.desktop.turn_records import SUMMARISING, Activity
from app.engine.outcome import FinishReason, Timings, Usage

# Makers write their names in ways that no rule gives back from a file name.
_NAMES: Final = {
    "smollm2": "SmolLM2",
    "smollm3": "SmolLM3",
    "qwen2.5": "Qwen2.5",
    "qwen3": "Qwen3",
    "tinyllama": "TinyLlama",
    "deepseek": "DeepSeek",
    "r1": "R1",
    "gpt": "GPT",
    "oss": "OSS",
}
# Qt's extractor knows this name.
translate = QCoreApplication.translate

_LEFT_OUT: Final = frozenset({"instruct", "chat", "it"})


def number(value: int) -> str:
    """Writes a count as the person's language does: 3,900 or 3.900."""
    return QLocale().toString(value)


def rate(value: float) -> str:
    return QLocale().toString(float(value), "f", 1)


def two_digits(value: float) -> str:
    """Writes an estimate: 0.42, 4.2, 42, 420, 4,200."""
    if value <= 0:
        return QLocale().toString(0)
    places = 1 - math.floor(math.log10(value))
    return QLocale().toString(round(value, places), "f", min(max(places, 0), 3))


def model_title(name: str) -> str:
    """``smollm2-135m-instruct`` as people write it: SmolLM2 135M."""
    words = [word for word in name.split("-") if word.lower() not in _LEFT_OUT]
    return " ".join(_word(word) for word in words) or name


def _word(word: str) -> str:
    known = _NAMES.get(word.lower())
    if known is not None:
        return known
    if word[:1].isdigit():
        return word.upper()
    return word[:1].upper() + word[1:]


def activity_sentence(activity: Activity, elapsed_s: float) -> str:
    """What is happening now, with a number; empty when nothing is."""
    seconds = _seconds(elapsed_s)
    match activity.state:
        case TurnState.LOOKING:
            return translate("wording", "Looking for models")
        case TurnState.NO_MODEL:
            return translate("wording", "No model yet")
        case TurnState.FETCHING:
            return translate("wording", "Getting the first model")
        case TurnState.PREPARING:
            return _with(_preparing(activity), seconds)
        case TurnState.LOADING:
            return _loading(activity, seconds)
        case TurnState.READING:
            return _reading(activity)
        case TurnState.ANSWERING:
            return _with(translate("wording", "Answering"), seconds)
        case TurnState.STOPPING:
            return translate("wording", "Stopping")
        case _:
            return ""


def _seconds(elapsed_s: float) -> str:
    """Whole seconds, so that the line doesn't flicker; nothing in the first one."""
    if elapsed_s < 1:
        return ""
    return f"{elapsed_s:.0f} s" if elapsed_s < 60 else format_duration(elapsed_s)


def _with(sentence: str, figure: str) -> str:
    return f"{sentence}, {figure}" if figure else sentence


def _preparing(activity: Activity) -> str:
    if activity.stage == SUMMARISING:
        return translate("wording", "Summarising the {count} oldest messages").format(
            count=number(activity.total_tokens)
        )
    return translate("wording", "Starting the engine")


def _loading(activity: Activity, seconds: str) -> str:
    sentence = translate("wording", "Loading {model}").format(model=model_title(activity.model))
    if activity.fraction is not None:
        sentence = _with(sentence, f"{activity.fraction:.0%}")
    return _with(sentence, seconds)


def _reading(activity: Activity) -> str:
    if activity.reused_tokens and activity.done_tokens <= activity.reused_tokens:
        return translate("wording", "{reused} of {total} tokens already read").format(
            reused=number(activity.reused_tokens), total=number(activity.total_tokens)
        )
    return translate("wording", "Reading {total} tokens, {done} done").format(
        total=number(activity.total_tokens), done=number(activity.done_tokens)
    )


def fetch_sentence(progress: FetchProgress) -> str:
    """How far the first model is, such as "Downloading, 23 MB of 98 MB"."""
    steps = {
        "download": translate("wording", "Downloading"),
        "unpack": translate("wording", "Unpacking"),
        "convert": translate("wording", "Converting, this happens once"),
        "hash": translate("wording", "Checking every byte"),
    }
    sentence = steps.get(progress.step, "")
    if not progress.total_bytes:
        return sentence
    amount = translate("wording", "{done} of {total}").format(
        done=format_bytes(progress.done_bytes), total=format_bytes(progress.total_bytes)
    )
    return _with(sentence, amount)


def figures(usage: Usage, timings: Timings) -> str:
    """How much was written and how fast, such as "42 tokens, 61.2 tokens/s"."""
    if not usage.completion_tokens:
        return ""
    if usage.completion_tokens == 1:
        counted = translate("wording", "1 token")
    else:
        counted = translate("wording", "{count} tokens").format(
            count=number(usage.completion_tokens)
        )
    if timings.decode_tokens_per_s is None:
        return counted
    return _with(
        counted,
        translate("wording", "{rate} tokens/s").format(rate=rate(timings.decode_tokens_per_s)),
    )


def ending(reason: FinishReason | None) -> str:
    """Why an answer ended, where it isn't the ordinary end; empty for that one."""
    sentences = {
        FinishReason.LENGTH: translate("wording", "Ended at the length limit"),
        FinishReason.CANCELLED: translate("wording", "Stopped"),
        FinishReason.DEADLINE: translate("wording", "Ended: it took too long"),
        FinishReason.REPETITION: translate(
            "wording", "Ended: the answer was going round in circles"
        ),
        FinishReason.STALLED: translate("wording", "Ended: no word came any more"),
        FinishReason.CONTEXT_FULL: translate("wording", "Ended: the model's context is full"),
        FinishReason.POOL_EXHAUSTED: translate(
            "wording", "Ended: the memory set aside for the answer is full"
        ),
    }
    return "" if reason is None else sentences.get(reason, "")


def deleted(count: int) -> str:
    """How much a deletion took."""
    if count == 1:
        return translate("wording", "The message was deleted.")
    return translate("wording", "{count} messages were deleted.").format(count=number(count))


def imported(count: int) -> str:
    """How much an import brought."""
    return translate("wording", "{count} chats were imported.").format(count=number(count))


def went_in_circles() -> tuple[str, str]:
    """Why an answer was stopped, and what to do, as a headline and a sentence."""
    return (
        translate("wording", "The answer was going round in circles and was stopped."),
        translate(
            "wording",
            "What was written stays. Trying again leaves the model more freedom, with other words.",
        ),
    )


def early_end(stamp: AnswerStamp, message: Message | None = None) -> str:
    """Why an answer ended before its end; empty for one that is whole."""
    if message is not None and message.thinking and not message.text and stamp.error is None:
        return translate("wording", "The model thought, but did not answer")
    if stamp.error is not None or stamp.reason is None:
        return translate("wording", "Interrupted")
    return ending(stamp.reason)


def fell_back(stamp: AnswerStamp) -> str:
    """That another device failed before; empty for an answer that was written where it began."""
    if stamp.before is None:
        return ""
    return translate("wording", "Written on the {device} after {other} had failed").format(
        device=stamp.device, other=stamp.before.device
    )


def retried(before: FailedRun) -> tuple[str, str]:
    """That the CPU goes on with an answer, and why, as a headline and a sentence."""
    headline = translate("wording", "{device} failed. The CPU took over this answer.")
    sentence = translate("wording", "{error} What was written before stays.")
    return (
        headline.format(device=before.device),
        sentence.format(error=error_sentences(before.error)[0]),
    )


def answer_summary(stamp: AnswerStamp) -> str:
    """How an answer went: its end if that was early, its length and its speed."""
    parts = (early_end(stamp), fell_back(stamp), figures(stamp.usage, stamp.timings))
    return " · ".join(part for part in parts if part)


def answer_details(stamp: AnswerStamp) -> tuple[tuple[str, str], ...]:
    """Everything known about an answer, as pairs of a name and a value."""
    usage, timings = stamp.usage, stamp.timings
    rows = _who_answered(stamp)
    if stamp.seed is not None:
        rows.append((translate("wording", "Seed"), str(stamp.seed)))
    if usage.prompt_tokens:
        rows.append((translate("wording", "Prompt"), _prompt(usage)))
    if usage.completion_tokens:
        rows.append((translate("wording", "Answer"), figures(usage, Timings())))
    if timings.load_s:
        rows.append((translate("wording", "Loading"), format_duration(timings.load_s)))
    if timings.ttft_s is not None:
        rows.append((translate("wording", "First word after"), format_duration(timings.ttft_s)))
    for name, value in (
        (translate("wording", "Reading speed"), timings.prefill_tokens_per_s),
        (translate("wording", "Writing speed"), timings.decode_tokens_per_s),
    ):
        if value is not None:
            rows.append((name, translate("wording", "{rate} tokens/s").format(rate=rate(value))))
    if stamp.error is not None:
        rows.append((translate("wording", "Ended"), _told(stamp.error)))
    elif stamp.reason is not None:
        rows.append(
            (
                translate("wording", "Ended"),
                ending(stamp.reason) or translate("wording", "By itself"),
            )
        )
    return tuple(rows)


def _who_answered(stamp: AnswerStamp) -> list[tuple[str, str]]:
    rows = [(translate("wording", "Model"), stamp.model)]
    if stamp.digest:
        rows.append((translate("wording", "Revision"), stamp.digest[:19]))
    if stamp.device:
        rows.append((translate("wording", "Device"), f"{stamp.device} · {stamp.backend}"))
    if stamp.before is not None:
        failure = f"{stamp.before.device} · {_told(stamp.before.error)}"
        rows.append((translate("wording", "Failed before"), failure))
    return rows


def _prompt(usage: Usage) -> str:
    counted = translate("wording", "{count} tokens").format(count=number(usage.prompt_tokens))
    if not usage.reused_tokens:
        return counted
    if usage.reuse_measured and usage.predicted_reused_tokens != usage.reused_tokens:
        return translate(
            "wording", "{counted}, {reused} of them reused ({predicted} were predicted)"
        ).format(
            counted=counted,
            reused=number(usage.reused_tokens),
            predicted=number(usage.predicted_reused_tokens),
        )
    return translate("wording", "{counted}, {reused} of them reused").format(
        counted=counted, reused=number(usage.reused_tokens)
    )


def error_sentences(error: ErrorRecord, *, kept_text: bool = False) -> tuple[str, str]:
    """An error as a headline and what to do, in the person's language where it has one for it."""
    if error.code == "engine_died":
        headline = translate("wording", "The engine stopped unexpectedly.")
        if kept_text:
            return headline, translate(
                "wording", "What was written is safe. You can go on from here."
            )
        return headline, translate("wording", "Your message is safe. You can try again.")
    translated = _translated(error)
    return (error.message, error.remedy) if translated is None else translated


def error_line(error: ErrorRecord) -> str:
    """An error in one line of text."""
    return " ".join(error_sentences(error))


def error_code(error: ErrorRecord) -> str:
    """What whoever helps needs: the code, and the figures that a translation leaves out."""
    return error.code if _translated(error) is None else f"{error.code}: {phrase(error.message)}"


def _told(error: ErrorRecord) -> str:
    return f"{error_sentences(error)[0]} ({error.code})"


def _translated(error: ErrorRecord) -> tuple[str, str] | None:
    """Translations go by the code: one line says what happened, the next one what to do."""
    text = translate("errors", error.code)
    if text == error.code:
        return None
    headline, _, remedy = text.partition("\n")
    return headline, remedy


def backend_title(backend: str) -> str:
    """A backend's name as its makers write it."""
    return {"openvino": "OpenVINO", "llama": "llama.cpp"}.get(backend, backend)


def context_size(tokens: int) -> str:
    return translate("wording", "{count} tokens of context").format(count=number(tokens))
