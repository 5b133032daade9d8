"""Certificates and measurements as words. Every sentence goes through Qt's translation."""

import html
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QLocale

from app.certify.certificate import Certificate, Level, MachineFacts, Pace
from app.desktop import wording
from app.desktop.amounts import format_duration
from app.desktop.phrases import phrase
from app.workflows.automatic import AutomaticChoice
from app.workflows.certified import NOT_INSTALLED, Candidate, Measured

if TYPE_CHECKING:
    from app.certify.certifier import Step

# Qt's extractor knows this name.
translate = QCoreApplication.translate

NOTHING: Final = "\u2013"


def level(one: Measured) -> str:
    """What a certificate is worth, also where it doesn't hold any more."""
    return {
        Level.CERTIFIED: translate("measured", "Certified"),
        Level.PROVISIONAL: translate("measured", "Provisional"),
        Level.FAILED: translate("measured", "Failed"),
    }[one.certificate.level]


def holds(one: Measured) -> str:
    """Whether it holds today, and if not, what changed since."""
    if one.stale is None:
        return translate("measured", "Holds")
    return translate("measured", "Outdated: {reason}").format(reason=stale_reason(one.stale))


def stale_reason(field: str) -> str:
    """The field of the key that differs today, for a person."""
    known = {
        "model_digest": translate("measured", "the model's files are others now"),
        "profile_digest": translate("measured", "the model's profile changed"),
        "backend": translate("measured", "another library runs it now"),
        "runtime": translate("measured", "the library was updated"),
        "device": translate("measured", "the device is another one"),
        "device_name": translate("measured", "the device is gone, or another one"),
        "driver": translate("measured", "the driver changed"),
        "pipeline": translate("measured", "another pipeline runs it now"),
        NOT_INSTALLED: translate("measured", "the model isn't installed"),
    }
    return known.get(field, field)


def reasons(one: Measured) -> str:
    """Whether it holds and what was held against a better result, a line each."""
    return "\n".join((holds(one), *against(one.certificate)))


def against(certificate: Certificate) -> tuple[str, ...]:
    """What was held against a better result. A failed check has the words of the model."""
    failed = (failed_check(text) for text in certificate.quality.reasons)
    return (*failed, *(phrase(text) for text in certificate.throughput.reasons))


def failed_check(reason: str) -> str:
    """A reason of a failed certificate: the check by its name, and what was asked and seen, which
    is the model's and so isn't translated.
    """
    name, _, detail = reason.partition(": ")
    return translate("measured", "The check “{check}” failed: {detail}").format(
        check=check_name(name), detail=detail
    )


def check_name(name: str) -> str:
    """What a check of the answers looks at."""
    return {
        "known_answers": translate("measured", "known answers"),
        "ends_by_itself": translate("measured", "ends by itself"),
        "no_prompt_echo": translate("measured", "no echo of the question"),
        "no_loops": translate("measured", "no circles"),
        "clean_text": translate("measured", "clean text"),
        "honest_counters": translate("measured", "honest counters"),
        "thinking_split": translate("measured", "thinking apart from the answer"),
        "tool_call": translate("measured", "call of a tool"),
        "exact_echo": translate("measured", "repeats a line exactly"),
        "unicode_round_trip": translate("measured", "letters of other languages"),
        "marker_recall": translate("measured", "finds a number in a long text"),
        "cached_agreement": translate("measured", "the same from the cache"),
        "cpu_agreement": translate("measured", "the same as the CPU"),
    }.get(name, name.replace("_", " "))


def model(full_name: str) -> str:
    """``SmolLM2 135M · gguf``."""
    name, _, variant = full_name.partition("/")
    return f"{wording.model_title(name)} · {variant}"


def candidate(one: Candidate) -> str:
    """A model and where it would run."""
    return translate("measured", "{model} on {device}").format(
        model=model(one.model), device=one.device
    )


def machine(facts: MachineFacts, certificate: Certificate) -> str:
    """The machine in one line: what each picture needs to be true."""
    cores = translate("measured", "{count} cores").format(count=facts.physical_cores)
    parts = [facts.cpu, cores]
    if facts.gpu:
        parts.append(facts.gpu)
    names = ("openvino-genai", "llama.cpp")
    parts += [f"{name} {facts.versions[name]}" for name in names if name in facts.versions]
    parts += [facts.system.partition(" ")[0], f"Contenox {certificate.app_version}"]
    return " · ".join(parts)


def legend(rows: tuple[Measured, ...], series: list[str]) -> str:
    """The colours of the pictures as rich text; a model's name is never read as markup."""
    parts = [
        f'<span style="color:{colour}">●</span>&nbsp;'
        + html.escape(f"{model(one.title)}, {one.certificate.key.device}")
        for one, colour in zip(rows, series, strict=True)
    ]
    return "&nbsp;&nbsp;&nbsp; ".join(parts)


def rate(pace: Pace | None) -> str:
    return NOTHING if pace is None else wording.rate(pace.product.median)


def rates(choice: AutomaticChoice) -> str:
    """The numbers that decided, the fastest first."""
    figures = ", ".join(f"{name} {wording.rate(rate)}" for name, rate in choice.rates)
    return translate(
        "measured", "The program chose it by what was measured here, in tokens/s: {figures}."
    ).format(figures=figures)


def ratio(pace: Pace | None) -> str:
    if pace is None or pace.ratio is None:
        return NOTHING
    return QLocale().toString(pace.ratio.median, "f", 3)


def short_count(tokens: float) -> str:
    """128, 2k, 8k: for the axis of a picture."""
    if tokens < 1000:
        return f"{tokens:.0f}"
    return f"{round(tokens / 1024) or 1}k"


def button(text: str, seconds: float | None) -> str:
    """A button's text with how long it takes, where that can be told."""
    if seconds is None:
        return text
    duration = translate("measured", "about {time}").format(time=about(seconds))
    return f"{text} ({duration})"


def about(seconds: float) -> str:
    """Rounded as an estimate deserves."""
    if seconds < 60:
        return format_duration(max(10, 10 * round(seconds / 10)))
    return translate("measured", "{count} min").format(count=round(seconds / 60))


def step(one: "Step") -> str:
    """What is being done now."""
    kind, _, rest = one.name.partition(": ")
    if kind == "check":
        return translate("measured", "Checking the answers: {name}").format(name=check_name(rest))
    if kind == "measure" and rest[:1].isdigit():
        return translate("measured", "Measuring with {count} tokens").format(
            count=wording.number(int(rest.partition(" ")[0]))
        )
    return {
        "load": translate("measured", "Loading the model"),
        "estimate": translate("measured", "Finding out how long it takes"),
        "measure: reuse": translate("measured", "Measuring what is reused"),
        "measure: cancel": translate("measured", "Measuring how fast a stop is"),
        "control again": translate("measured", "Looking whether the machine stayed the same"),
    }.get(one.name, one.name)
