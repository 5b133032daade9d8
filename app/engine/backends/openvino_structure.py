"""Holds an answer to the form of tool calls with GenAI's structural tags.

What is no call stays unconstrained: the grammar sets in when the model writes ``<tool_call>``.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from app.engine.chat import ToolSpec
from app.engine.native_failure import NativeFailure
from app.engine.tool_calls import CLOSING, OPENING
from app.engine.tool_schema import call_schema, invalid

# The grammar compiler's messages have nothing in common but the name of its source files
# (seen on openvino-genai 2026.4.1).
_COMPILER: Final = "xgrammar"


def structure_for(genai: Any, tools: Sequence[ToolSpec], *, must_call: bool = False) -> Any:
    """Returns a ``StructuredOutputConfig`` for ``GenerationConfig.structured_output_config``.

    Args:
        genai: the module ``openvino_genai``.
        tools: at least one; checked by ``check_tools``.
        must_call: the answer has to be a call. What the product offers is the choice.

    Raises:
        UserError: ``tool_schema_invalid``.
    """
    structured = genai.StructuredOutputConfig
    tags = [
        structured.Tag(
            begin=f"{OPENING}\n",
            content=structured.JSONSchema(json.dumps(call_schema(tool), ensure_ascii=False)),
            end=f"\n{CLOSING}",
        )
        for tool in tools
    ]
    triggered = structured.TriggeredTags(
        triggers=[OPENING], tags=tags, at_least_one=must_call, stop_after_first=False
    )
    return structured(structural_tags_config=triggered)


@contextmanager
def schema_refusals() -> Iterator[None]:
    """Around the native call of an answer with tools: a refused schema is the caller's error.

    The library refuses it before it computes anything, and the pipeline lives on.

    Raises:
        UserError: ``tool_schema_invalid``, with the grammar compiler's own words.
    """
    try:
        yield
    except NativeFailure as failure:
        if _COMPILER not in failure.detail:
            raise
        words = " ".join(failure.detail.splitlines()[-1].split())
        raise invalid(
            f"A tool's schema can't be turned into a grammar ({_reason(words)})"
        ) from failure


def _reason(words: str) -> str:
    """Takes the path of the source file and the time before it off."""
    _, _, reason = words.rpartition(".cc:")
    return (reason.partition(": ")[2] or words)[:300]
