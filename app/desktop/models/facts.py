"""What is known about a model, as short sentences. Every sentence goes through Qt's translation."""

from typing import Final

from PySide6.QtCore import QCoreApplication

from app.desktop import wording
from app.desktop.amounts import format_bytes, format_duration
from app.desktop.models.ports import FitFacts, ModelRow, Source, StoreFacts, Verdict
from app.desktop.models.row_state import ON_ITS_WAY, Line, Press, RowState
from app.hardware.expected_speed import SpeedRange

# Qt's extractor knows this name.
translate = QCoreApplication.translate

NOTHING: Final = "\u2013"
_SHORTEST_DIGEST: Final = 12


def size(row: ModelRow) -> str:
    """``4.9 GB``, or ``≈ 4.9 GB`` where the list only estimates it."""
    amount = format_bytes(row.size_bytes)
    return amount if row.size_is_exact else f"≈ {amount}"


def context(row: ModelRow) -> str:
    if row.context_tokens is None:
        return NOTHING
    return wording.number(row.context_tokens)


def speed(row: ModelRow) -> str:
    """Tokens per second, once somebody measured them here; before that, what can be expected."""
    if row.tokens_per_s is not None:
        return wording.rate(row.tokens_per_s)
    if row.expected is None:
        return translate("models", "not measured")
    return translate("models", "expected {range}").format(range=_range(row.expected.decode))


def prefill_speed(row: ModelRow) -> str:
    """What can be expected while a prompt is read; empty where nothing can."""
    if row.expected is None or row.expected.prefill is None:
        return ""
    return translate("models", "expected {range}").format(range=_range(row.expected.prefill))


def _range(speed: SpeedRange) -> str:
    """Both ends with two digits: an estimate has no more."""
    return f"{wording.two_digits(speed.low)}\u2013{wording.two_digits(speed.high)}"


def second_line(row: ModelRow) -> str:
    """Who made these files, and how small they are squeezed."""
    if row.source is Source.IMPORT:
        return translate("models", "imported, not curated")
    return " · ".join(part for part in (row.publisher, row.quantisation) if part)


def verdict(which: Verdict) -> str:
    return {
        Verdict.FITS: translate("models", "fits"),
        Verdict.TIGHT: translate("models", "tight"),
        Verdict.DOES_NOT_FIT: translate("models", "does not fit"),
        Verdict.UNKNOWN: translate("models", "unknown"),
    }[which]


def fit_headline(fit: FitFacts) -> str:
    return {
        Verdict.FITS: translate("models", "Fits on this computer"),
        Verdict.TIGHT: translate("models", "Fits, with little to spare"),
        Verdict.DOES_NOT_FIT: translate("models", "Does not fit on this computer"),
        Verdict.UNKNOWN: translate("models", "Not known whether it fits"),
    }[fit.verdict]


def fit_sentence(fit: FitFacts) -> str:
    """The sum as a sentence, or why there is none."""
    return fit_note(fit) or f"{fit_headline(fit)}: {fit_sum(fit)}"


def fit_note(fit: FitFacts) -> str:
    """What the figures don't say: why there are none, or that the pool is what is too small."""
    if fit.problem is not None:
        return wording.error_sentences(fit.problem)[0]
    if fit.verdict is Verdict.DOES_NOT_FIT and fit.needed_bytes <= fit.usable_bytes:
        return translate(
            "models",
            "{count} tokens need a KV cache of {kv}, and the pool that the program or the profile"
            " sets is smaller.",
        ).format(count=wording.number(fit.context_tokens), kv=format_bytes(fit.kv_bytes))
    return ""


def fit_sum(fit: FitFacts) -> str:
    """The sum in one line; why there is none where there are no figures."""
    if not fit.usable_bytes:
        return fit_note(fit)
    return translate(
        "models",
        "{weights} weights + {context} context + {working} working space = {needed}, "
        "{usable} can be used",
    ).format(
        weights=format_bytes(fit.weights_bytes),
        context=format_bytes(fit.kv_bytes),
        working=format_bytes(fit.working_bytes),
        needed=format_bytes(fit.needed_bytes),
        usable=format_bytes(fit.usable_bytes),
    )


def fit_rows(fit: FitFacts) -> tuple[tuple[str, str], ...]:
    """The sum as rows of a small table; empty where there are no figures."""
    if not fit.usable_bytes:
        return ()
    tokens = translate("models", "Context, {count} tokens").format(
        count=wording.number(fit.context_tokens)
    )
    return (
        (translate("models", "Weights"), format_bytes(fit.weights_bytes)),
        (
            tokens if fit.context_tokens else translate("models", "Context"),
            format_bytes(fit.kv_bytes),
        ),
        (translate("models", "Working space"), format_bytes(fit.working_bytes)),
        (translate("models", "Together"), format_bytes(fit.needed_bytes)),
        (translate("models", "Can be used here"), format_bytes(fit.usable_bytes)),
    )


def state(line: Line) -> str:
    """What a row is doing, in a word or two, with the share that is done."""
    words = {
        RowState.ABSENT: "",
        RowState.QUEUED: translate("models", "Queued"),
        RowState.WAITING: translate("models", "Waiting"),
        RowState.RUNNING: translate("models", "Downloading"),
        RowState.VERIFYING: translate("models", "Checking"),
        RowState.PAUSED: translate("models", "Paused"),
        RowState.FAILED: translate("models", "Failed"),
        RowState.INSTALLED: translate("models", "Installed"),
        RowState.CHECKING: translate("models", "Checking"),
        RowState.DAMAGED: translate("models", "Damaged"),
        RowState.AWAY: translate("models", "Drive not there"),
    }
    amount = line.amount
    word = words[line.state]
    if amount is None or (line.state is RowState.QUEUED and not amount.done_bytes):
        return word
    return f"{word} {amount.fraction:.0%}"


def progress(line: Line) -> str:
    """How far it is: bytes, speed and the time that is left."""
    amount = line.amount
    if amount is None:
        return ""
    parts = [
        translate("models", "{done} of {total}").format(
            done=format_bytes(amount.done_bytes), total=format_bytes(amount.total_bytes)
        )
    ]
    download = line.download
    if line.state is RowState.RUNNING and download is not None:
        if download.bytes_per_s is not None:
            parts.append(f"{format_bytes(round(download.bytes_per_s))}/s")
        if download.eta_s is not None:
            parts.append(translate("models", "{time} left").format(time=_rough(download.eta_s)))
    return " · ".join(parts)


def _rough(seconds: float) -> str:
    """A time left is a guess: whole seconds, whole minutes above ten of them."""
    if seconds < 600:
        return format_duration(max(round(seconds), 10)) if seconds >= 10 else f"{seconds:.0f} s"
    return format_duration(round(seconds / 60) * 60).removesuffix(" 0 s")


def why(line: Line) -> tuple[str, str]:
    """Why it waits, failed or is damaged, and what to do; both empty where nothing is wrong."""
    if line.state in ON_ITS_WAY and line.download is not None:
        reason = line.download.reason
        if reason is not None:
            return wording.error_sentences(reason)
        if line.state is RowState.QUEUED:
            return translate("models", "It starts when the downloads before it are done."), ""
    elif line.row.problem is not None:
        return wording.error_sentences(line.row.problem)
    elif line.state is RowState.AWAY:
        return (
            translate("models", "The drive that holds this model isn't connected."),
            translate("models", "Connect it; the model is there again then."),
        )
    return "", ""


def press(which: Press, line: Line) -> str:
    """What a button says. The one that deletes says how much that frees."""
    again = line.state is RowState.DAMAGED
    return {
        Press.GET: translate("models", "Get it again")
        if again
        else translate("models", "Get, {size}").format(size=size(line.row)),
        Press.PAUSE: translate("models", "Pause"),
        Press.RESUME: _resume(line),
        Press.CANCEL: translate("models", "Cancel"),
        Press.CHAT: translate("models", "Chat"),
        Press.VERIFY: translate("models", "Verify"),
        Press.STOP_VERIFY: translate("models", "Stop"),
        Press.OPEN_FOLDER: translate("models", "Open folder"),
        Press.DELETE: translate("models", "Delete, frees {size}").format(
            size=format_bytes(line.row.size_bytes)
        ),
    }[which]


def _resume(line: Line) -> str:
    if wants_consent(line):
        return translate("models", "Take the new version")
    if line.state in (RowState.FAILED, RowState.WAITING):
        return translate("models", "Try again")
    return translate("models", "Resume")


def wants_consent(line: Line) -> bool:
    """Whether a download waits for a person to agree that other bytes replace the installed."""
    reason = line.download.reason if line.download is not None else None
    return reason is not None and reason.code == "revision_changed"


def trust(row: ModelRow) -> str:
    """How it is known that the bytes are the right ones, in plain words."""
    if row.source is Source.IMPORT:
        return translate("models", "You brought these files; nobody else vouches for them.")
    if row.trust == "pinned":
        return translate(
            "models", "Pinned: the list knows every byte, and other bytes are refused."
        )
    return translate(
        "models",
        "First use: what the first download brings is recorded, and other bytes are refused "
        "ever after.",
    )


def ability(name: str) -> str:
    return {
        "chat": translate("models", "Chat"),
        "tools": translate("models", "Tools"),
        "thinking": translate("models", "Thinking"),
        "embeddings": translate("models", "Embeddings"),
    }.get(name, name)


def evidence(source: str) -> str:
    """How it is known whether a model can do something, as its profile says it."""
    return translate("evidence", source)


def use(which: str) -> str:
    return {
        "chat": translate("models", "Chat"),
        "coding": translate("models", "Coding"),
        "reasoning": translate("models", "Reasoning"),
        "smoke": translate("models", "First try"),
    }.get(which, which)


def short(digest: str | None) -> str:
    """The beginning of a digest, which is enough to compare two by eye."""
    if not digest:
        return NOTHING
    return digest.removeprefix("sha256:")[:_SHORTEST_DIGEST]


def disk(store: StoreFacts) -> str:
    return translate(
        "models", "Models {models} · {free} free, {reserve} of them stay in reserve"
    ).format(
        models=format_bytes(store.models_bytes),
        free=format_bytes(store.free_bytes),
        reserve=format_bytes(store.reserve_bytes),
    )
