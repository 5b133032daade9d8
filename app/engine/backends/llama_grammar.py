"""Holds an answer of llama.cpp to the form of tool calls.

The grammar is in force between ``<tool_call>`` and ``</tool_call>`` only; what is no call stays
unconstrained. The library's own lazy grammars are not used: they replay text that is there already,
and what doesn't fit ends the process (an exception that leaves a C function).
"""

import json
from collections.abc import Sequence
from typing import Any, Final

from app.engine.answer_stream import AnswerStream
from app.engine.backends.llama_sampler import Sampler
from app.engine.chat import ToolSpec
from app.engine.tool_calls import CLOSING
from app.engine.tool_schema import call_schema, invalid

_START: Final = "call"

# WORKAROUND(llama-cpp-python 0.3.36): its converter lets line breaks and other control characters
# into strings, which JSON forbids.
_LAX_CHARACTER: Final = r'char ::= [^"\\] |'
_CHARACTER: Final = r'char ::= [^"\\\x00-\x1F\x7F] |'


def call_grammar(tools: Sequence[ToolSpec]) -> str:
    """Returns the GBNF grammar of what follows ``<tool_call>``, the closing tag included.

    Raises:
        UserError: ``tool_schema_invalid``: a schema says what the binding's converter can't.
    """
    from llama_cpp.llama_grammar import json_schema_to_gbnf

    calls = {
        f"tool{i}": call_schema(tool, f"#/definitions/tool{i}") for i, tool in enumerate(tools)
    }
    document = {
        "oneOf": [{"$ref": f"#/definitions/{name}"} for name in calls],
        "definitions": calls,
    }
    try:
        rules: str = json_schema_to_gbnf(json.dumps(document))
    except Exception as error:  # the converter asserts and stumbles over what it doesn't know
        words = str(error).splitlines()[:1] or [type(error).__name__]
        raise invalid(
            f"A tool's schema can't be turned into a grammar ({words[0][:200]})"
        ) from error
    rules = rules.replace(_LAX_CHARACTER, _CHARACTER).rstrip()
    return f'{rules}\n{_START} ::= "\\n"? root "\\n"? "{CLOSING}"\n'


class CallSampler:
    """A sampler that lets a grammar choose along while the answer is inside a call.

    Args:
        api: the binding's module.
        vocabulary: the native vocabulary of the model.
        sampler: chooses; closed with this object.
        stream: knows where the answer is.
        grammar: see ``call_grammar``.

    Raises:
        UserError: ``tool_schema_invalid``: the library can't read the grammar.
    """

    def __init__(
        self, api: Any, vocabulary: Any, sampler: Sampler, stream: AnswerStream, grammar: str
    ) -> None:
        self._api = api
        self._vocabulary = vocabulary
        self._sampler = sampler
        self._stream = stream
        self._grammar = grammar.encode()
        self._holds = False
        api.llama_sampler_free(self._native())

    def sample(self, context: Any) -> int:
        """Returns the next token after the last computed one of the native ``context``."""
        payload = self._stream.open_call
        if self._holds and payload is None:
            self._sampler.release()
            self._holds = False
        elif not self._holds and payload is not None and not payload.strip():
            # A call that began otherwise, in the same token as the tag, is read as it comes.
            self._sampler.constrain(self._native())
            self._holds = True
        return self._sampler.sample(context)

    def close(self) -> None:
        """Frees the sampler. Idempotent."""
        self._sampler.close()

    def _native(self) -> Any:
        made = self._api.llama_sampler_init_grammar(
            self._vocabulary, self._grammar, _START.encode()
        )
        if not made:
            raise invalid("A tool's schema makes a grammar that llama.cpp can't read")
        return made
