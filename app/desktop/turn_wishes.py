"""What a turn is asked with: the chat's own settings, and what this answer needs beside them."""

from typing import Final

import msgspec

from app.chats.records import ChatSettings, SamplingFields
from app.desktop.conversation import AnswerStamp, Message
from app.desktop.services import ModelEntry
from app.engine.manifest import condensed, to_json
from app.engine.outcome import ContextReport
from app.engine.protocol import Generate
from app.hardware.readings import DeviceReading

_LIVELY_TEMPERATURE: Final = 0.7
_LIVELY_PENALTY: Final = 1.1


def wishes_for(answer: Message, own: SamplingFields, *, varied: bool) -> SamplingFields:
    """The wishes for one answer.

    Args:
        answer: the message that is begun or goes on.
        own: the chat's.
        varied: the answer shall not become the one that there is.
    """
    wishes = _varied(own) if varied else own
    if answer.thinking and not answer.text:  # it has thought; now it shall answer
        return msgspec.structs.replace(wishes, max_thinking_tokens=0)
    return wishes


def begun(stamp: AnswerStamp, request: Generate, report: ContextReport | None) -> AnswerStamp:
    """The stamp of an answer whose request is made and counted."""
    spec = request.spec
    manifest = "" if report is None else to_json(condensed(report.manifest))
    return msgspec.structs.replace(
        stamp, device=spec.device, digest=spec.model_digest, manifest=manifest
    )


def with_choice(
    settings: ChatSettings, model: ModelEntry, device: DeviceReading | None
) -> ChatSettings:
    """A chat stays with the model and the device that answered it last."""
    return msgspec.structs.replace(
        settings,
        model_name=model.name,
        backend=model.backend,
        device=None if device is None else device.id,
    )


def _varied(wishes: SamplingFields) -> SamplingFields:
    """Other chances for the same question: after an answer that went round in circles."""
    return msgspec.structs.replace(
        wishes,
        temperature=max(wishes.temperature or 0.0, _LIVELY_TEMPERATURE),
        repetition_penalty=max(wishes.repetition_penalty or 1.0, _LIVELY_PENALTY),
        seed=None,
    )
