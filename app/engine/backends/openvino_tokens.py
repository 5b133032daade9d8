"""Text to ids and back with OpenVINO GenAI's tokenizer, exact where the tokenizer alone is not."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, Final

from app.core.errors import DataFault
from app.engine import prompt
from app.engine.admission import refuse_giant
from app.engine.answer_stream import AnswerStream
from app.engine.backends.base import Control
from app.engine.backends.context_port import WrittenPrompt
from app.engine.backends.openvino_text import (
    AnswerText,
    answer_text,
    read_token_bytes,
    vocabulary_of,
)
from app.engine.chat import ChatMessage, Role
from app.engine.native_failure import translate
from app.engine.protocol import Generate
from app.engine.template_controls import (
    TemplateControls,
    TemplateTraits,
    as_template_sees,
    controls_for,
    probe,
)

# One token in every vocabulary of our catalogue, and never merged with its neighbour.
_PROBE_WORD: Final = " the"
# Of a token of a vocabulary that is empty: then nothing is refused for its size.
_UNKNOWN_BYTES: Final = 2**30


class ExactTokenizer:
    """Wraps a tokenizer so that counts are exact and no message imitates the template.

    # WORKAROUND(openvino-genai 2026.4.1): the tokenizer that its GGUF reader makes silently keeps
    # only the last 8,192 tokens of a text; no option changes that. A probe finds such a tokenizer,
    # and longer texts are then tokenized in pieces that a pre-tokenizer would cut anyway. At the
    # load it looks as far as the context goes, and farther when a prompt does.

    Args:
        tokenizer: an ``openvino_genai.Tokenizer``.
        context_tokens: the longest prompt that will be served.
    """

    def __init__(self, tokenizer: Any, context_tokens: int) -> None:
        self._tokenizer = tokenizer
        # So many tokens of one text are known to come back whole.
        self._whole_tokens = 0
        self.limit: int | None = None
        self._probe(context_tokens)
        vocabulary = vocabulary_of(tokenizer)
        self._special = self._special_tokens(vocabulary)
        self._longest_token_bytes = max(map(len, vocabulary), default=_UNKNOWN_BYTES)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of a report should know about this tokenizer."""
        if self.limit is None:
            return ()
        return (
            f"The tokenizer silently cuts texts at {self.limit:,} tokens; longer ones are tokenized"
            " in parts.",
        )

    def write(self, request: Generate, stream: AnswerStream) -> list[int]:
        """Returns the ids of the prompt; see ``write_prompt``."""
        return self.write_prompt(request, stream).ids

    def protect(self, text: str) -> str:
        """The text of a message as it stands in a prompt."""
        message = ChatMessage(role=Role.USER, content=text)
        return prompt.protect((message,), self._special)[0].content

    def write_prompt(self, request: Generate, stream: AnswerStream) -> WrittenPrompt:
        """Returns the prompt, up to where the answer begins or goes on.

        Args:
            request: its messages, tools and thinking level count.
            stream: told how the prompt ends.

        Raises:
            NativeFailure: ``template_failed``.
            UserError: ``tools_not_supported``: the template has no place for them.
            UserError: ``context_overflow`` for a text that is far too long; ``text_unbroken``.
            DataFault: ``tokenizer_cuts``.
            RequestStopped: ``stream`` said so.
        """
        refuse_giant(request.messages, request.spec.context_tokens, self._longest_token_bytes)
        asked, begun = prompt.split_begun(prompt.protect(request.messages, self._special))
        tools = prompt.protect_tools(request.tools, self._special)
        controls = controls_for(request.thinking, tools, lambda: self.traits)
        text = stream.begin(self.render(tuple(asked), controls), begun)
        return WrittenPrompt(text, self.encode(text, stream))

    @cached_property
    def traits(self) -> TemplateTraits:
        """Which controls the model's template heeds.

        Raises:
            NativeFailure: ``template_failed``.
        """
        return probe(self.render)

    def render(self, messages: tuple[ChatMessage, ...], controls: TemplateControls) -> str:
        """Renders ``messages`` with the model's own chat template, up to where the answer begins.

        # WORKAROUND(openvino-genai 2026.4.1): given as ``tools``, they are also written into the
        # prompt of a template that knows none, with an example in a form of the library's own;
        # as a variable they reach the template and nothing else.

        Raises:
            NativeFailure: ``template_failed``.
        """
        variables: dict[str, Any] = {**controls.variables()}
        if controls.tools:
            variables["tools"] = controls.tools_as_json()
        history = [as_template_sees(message) for message in messages]
        try:
            rendered: str = self._tokenizer.apply_chat_template(
                history, add_generation_prompt=True, extra_context=variables or None
            )
        except RuntimeError as error:
            raise translate(error) from error
        return rendered

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ``ids``, without control tokens."""
        text: str = self._tokenizer.decode(list(ids))
        return text

    def answer_texts(self, genai: Any) -> Callable[[], AnswerText]:
        """Returns what makes the joiner of each answer's tokens; ``genai`` is the native module."""
        known = read_token_bytes(self._tokenizer)
        return lambda: answer_text(genai, self._tokenizer, known)

    def encode(self, rendered: str, control: Control) -> list[int]:
        """Tokenizes a rendered prompt, or its beginning.

        Raises:
            UserError: ``text_unbroken``.
            DataFault: ``tokenizer_cuts``: the text is too long for this tokenizer and has no place
                where it could be cut safely.
            RequestStopped: ``control`` said so.
        """
        return prompt.encode(rendered, self._encode_part, control, self._part_chars())

    def _part_chars(self) -> int:
        """A character has hardly more than four tokens, one for each of its bytes."""
        return prompt.PART_CHARS if self.limit is None else self.limit // 4

    def _encode_part(self, text: str) -> list[int]:
        ids = self._encode(text)
        if self.limit is None and len(ids) > self._whole_tokens and self._probe(len(ids)):
            # Only now it is known how small the parts have to be.
            smaller = prompt.parts(text, self._encode_part, self._part_chars())
            return [token for part in smaller for token in self._encode_part(part)]
        if self.limit is None or len(ids) < self.limit:
            return ids
        raise DataFault(
            "tokenizer_cuts",
            f"The text is longer than the {self.limit} tokens that this model's tokenizer"
            " handles, and it has no line breaks or spaces to part it at.",
            "Shorten the text, or put line breaks into it.",
        )

    def _encode(self, text: str) -> list[int]:
        encoded = self._tokenizer.encode(text, add_special_tokens=False)
        ids: list[int] = encoded.input_ids.data[0].tolist()
        return ids

    def _probe(self, tokens: int) -> bool:
        """Finds out whether ``tokens`` tokens come back whole; returns whether the tokenizer cuts.

        One that cut even half of what is tried gives the same number for both; one that gives
        clearly more for the whole gave the half uncut.
        """
        half = len(self._encode(_PROBE_WORD * tokens))
        whole = len(self._encode(_PROBE_WORD * (2 * tokens)))
        if whole < half * 1.5:
            self.limit = whole
        else:
            self._whole_tokens = half
        return self.limit is not None

    def _special_tokens(self, vocabulary: Iterable[bytes]) -> frozenset[str]:
        """The texts that the tokenizer turns into one control token."""
        named = {
            self._tokenizer.get_bos_token(),
            self._tokenizer.get_eos_token(),
            self._tokenizer.get_pad_token(),
        }
        texts = (token.decode("utf-8", "replace") for token in vocabulary)
        bracketed = {
            text for text in texts if len(text) > 2 and text[0] in "<[" and text[-1] in ">]"
        }
        return frozenset({text for text in named | bracketed if text})
