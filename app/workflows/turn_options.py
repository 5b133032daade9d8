"""From what a chat asks for to what the engine is told."""

from typing import Final

import msgspec

from app.chats.records import SamplingFields
from app.engine.protocol import Sampling
from app.workflows.services import TurnOptions

_SAMPLED: Final = frozenset(Sampling.__struct_fields__) & frozenset(
    SamplingFields.__struct_fields__
)


def turn_options(wishes: SamplingFields, *, device: str | None = None) -> TurnOptions:
    """What is wished; everything else stays the program's default."""
    asked = {name: value for name in _SAMPLED if (value := getattr(wishes, name)) is not None}
    options = TurnOptions(device=device, sampling=Sampling(**asked))
    if wishes.max_answer_tokens is None:
        return options
    return msgspec.structs.replace(options, max_tokens=wishes.max_answer_tokens)
