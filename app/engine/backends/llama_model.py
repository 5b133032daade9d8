"""A model's weights and vocabulary in llama.cpp."""

import codecs
import ctypes
import os
import time
from collections.abc import Sequence
from typing import Any, Final

from app.engine.backends.base import Control, heed
from app.engine.backends.llama_native import Native
from app.engine.native_failure import translate_log
from app.models.gguf import GgufModel

# The library reports each tensor; a person needs a few updates a second.
_PROGRESS_INTERVAL_S: Final = 0.05

_FIRST_PIECE_BYTES: Final = 128


class LlamaModel:
    """The loaded weights. ``handle`` is the native model.

    Args:
        native: the loaded library.
        gguf: the checked header of the file.
        control: hears the progress and may stop the load inside the native call.
        vocabulary_only: no weights; such a model can count and nothing else.

    Raises:
        RequestStopped: ``control`` said so.
        NativeFailure: the library refused the file or ran out of memory.
    """

    def __init__(
        self, native: Native, gguf: GgufModel, control: Control, *, vocabulary_only: bool = False
    ) -> None:
        self._api = native.api
        self._vocabulary_only = vocabulary_only
        self.handle = self._load(native, gguf, control)
        self._vocabulary = self._api.llama_model_get_vocab(self.handle)
        self._piece = ctypes.create_string_buffer(_FIRST_PIECE_BYTES)
        self.token_count: int = self._api.llama_vocab_n_tokens(self._vocabulary)

    def _load(self, native: Native, gguf: GgufModel, control: Control) -> Any:
        api = native.api
        reported = 0.0

        def on_progress(fraction: float, _data: object) -> bool:
            nonlocal reported
            now = time.monotonic()
            if fraction >= 1 or now - reported >= _PROGRESS_INTERVAL_S:
                reported = now
                control.load_progress("loading", min(max(fraction, 0.0), 1.0))
            return control.stop_reason() is None

        parameters = api.llama_model_default_params()
        parameters.n_gpu_layers = 0
        # Finds weights that are no numbers, which would answer with garbage.
        parameters.check_tensors = not self._vocabulary_only
        parameters.vocab_only = self._vocabulary_only
        callback = api.llama_progress_callback(on_progress)
        parameters.progress_callback = callback
        if not self._vocabulary_only:
            # That one is loaded on another thread and must not take the words of this one.
            native.log.clear()
        handle = api.llama_model_load_from_file(os.fsencode(gguf.path), parameters)
        if not handle:
            heed(control)
            raise translate_log(native.log.text(), "llama_model_load_from_file")
        return handle

    def tokenize(self, text: str) -> list[int]:
        """Returns the ids of ``text``; special tokens in it are recognised, none is added."""
        return self._tokenize(text, add_special=False, parse_special=True)

    def tokenize_document(self, text: str) -> list[int]:
        """Returns the ids of a text to embed: the model's own frame around it, all else is text."""
        return self._tokenize(text, add_special=True, parse_special=False)

    def _tokenize(self, text: str, *, add_special: bool, parse_special: bool) -> list[int]:
        data = text.encode("utf-8", "replace")
        room = len(data) + 8
        while True:
            ids = (self._api.llama_token * room)()
            count = self._api.llama_tokenize(
                self._vocabulary, data, len(data), ids, room, add_special, parse_special
            )
            if count >= 0:
                return list(ids[:count])
            room = -count

    def piece(self, token: int) -> bytes:
        """Returns the bytes of ``token``; none for a control token."""
        while True:
            size = self._api.llama_token_to_piece(
                self._vocabulary, token, self._piece, len(self._piece), 0, False
            )
            if size >= 0:
                return self._piece.raw[:size]
            self._piece = ctypes.create_string_buffer(-size)

    def text(self, tokens: Sequence[int]) -> str:
        """Returns what ``tokens`` say; a character that is cut at their end is left out."""
        return codecs.getincrementaldecoder("utf-8")("replace").decode(
            b"".join(map(self.piece, tokens))
        )

    def is_end(self, token: int) -> bool:
        """Whether ``token`` ends an answer."""
        return bool(self._api.llama_vocab_is_eog(self._vocabulary, token))

    @property
    def begin_token(self) -> int | None:
        """The token that each prompt must begin with, if the model wants one."""
        if not self._api.llama_vocab_get_add_bos(self._vocabulary):
            return None
        token: int = self._api.llama_vocab_bos(self._vocabulary)
        return token if token >= 0 else None

    def token_text(self, token: int | None) -> str:
        """How a special token is written, or nothing if there is none."""
        if token is None or not 0 <= token < self.token_count:
            return ""
        text: bytes = self._api.llama_vocab_get_text(self._vocabulary, token)
        return text.decode("utf-8", "replace")

    def description(self) -> str:
        """The library's own words for the model, such as ``llama 135M Q4_1``."""
        words = ctypes.create_string_buffer(_FIRST_PIECE_BYTES)
        self._api.llama_model_desc(self.handle, words, len(words))
        return words.value.decode("utf-8", "replace")

    def close(self) -> None:
        """Frees the weights. Idempotent."""
        handle, self.handle = self.handle, None
        if handle:
            self._api.llama_model_free(handle)
