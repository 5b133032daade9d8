"""From what a chat asks for to what the engine is told."""

from typing import Final

import msgspec

from app.chats.records import SamplingFields
from app.engine.chat import Sampling, ThinkingLevel
from app.workflows.services import TurnOptions

_SAMPLED: Final = frozenset(Sampling.__struct_fields__) & frozenset(
    SamplingFields.__struct_fields__
)


def turn_options(wishes: SamplingFields, *, device: str | None = None) -> TurnOptions:
    """What is wished; everything else stays the program's default.

    A wish for no thinking switches it off; a model that can't do without keeps its budget.
    """
    asked = {name: value for name in _SAMPLED if (value := getattr(wishes, name)) is not None}
    options = TurnOptions(device=device, sampling=Sampling(**asked))
    if wishes.max_thinking_tokens == 0:
        options = msgspec.structs.replace(options, thinking=ThinkingLevel.OFF)
    elif wishes.max_thinking_tokens is not None:
        options = msgspec.structs.replace(options, max_thinking_tokens=wishes.max_thinking_tokens)
    if wishes.max_answer_tokens is None:
        return options
    return msgspec.structs.replace(options, max_tokens=wishes.max_answer_tokens)
