"""Turns texts into vectors with OpenVINO GenAI's ``TextEmbeddingPipeline``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from app.core.errors import DataFault, UserError
from app.engine.admission import refuse_giant_text
from app.engine.backends.base import Control, Vector
from app.engine.native_failure import translate
from app.engine.outcome import FinishReason
from app.engine.spec import LoadSpec
from app.models.artifact import OpenVinoFolder

# Texts in one native call, between which a stop is heard.
_BATCH: Final = 8

_POOLING_FILE: Final = Path("1_Pooling", "config.json")


class _Pooling(Struct, frozen=True):
    """The fields of a sentence-transformers pooling module that the library can do."""

    pooling_mode_cls_token: bool = False
    pooling_mode_mean_tokens: bool = False
    pooling_mode_lasttoken: bool = False


class OpenVinoEmbedder:
    """One loaded model that embeds.

    Args:
        genai: the module ``openvino_genai``.
        spec: what to load; its context is the most tokens that one text may have.
        folder: the checked folder.

    Raises:
        DataFault: ``model_damaged``: its pooling is unknown.
        NativeFailure: the library failed.
    """

    def __init__(self, genai: Any, spec: LoadSpec, folder: OpenVinoFolder) -> None:
        self._limit = min(spec.context_tokens, folder.context_tokens)
        pooling = _pooling(genai.TextEmbeddingPipeline.PoolingType, folder.path)
        try:
            self._tokenizer = genai.Tokenizer(spec.model_path)
            self._pipeline = genai.TextEmbeddingPipeline(
                spec.model_path, spec.device, pooling_type=pooling, normalize=True
            )
        except (RuntimeError, MemoryError) as error:
            raise translate(error) from error

    def embed(self, texts: Sequence[str], control: Control) -> tuple[Vector, ...] | FinishReason:
        """Returns a vector of length 1 for each text, or why it was stopped.

        Raises:
            UserError: ``text_empty`` or ``context_overflow``, before anything is computed.
            NativeFailure: the computation failed.
        """
        counts: list[int] = []
        for text in texts:
            reason = control.stop_reason()
            if reason is not None:
                return reason
            counts.append(self._count(text))
        vectors: list[Vector] = []
        for start in range(0, len(texts), _BATCH):
            reason = control.stop_reason()
            if reason is not None:
                return reason
            with control.uninterruptible(sum(counts[start : start + _BATCH])):
                vectors += self._compute(list(texts[start : start + _BATCH]))
            control.prefill_progress(sum(counts[: len(vectors)]), sum(counts), 0)
        return tuple(vectors)

    def close(self) -> None:
        """Frees the model. Idempotent."""
        self._pipeline = None
        self._tokenizer = None

    def _compute(self, texts: list[str]) -> list[Vector]:
        try:
            return [tuple(vector) for vector in self._pipeline.embed_documents(texts)]
        except (RuntimeError, MemoryError) as error:
            raise translate(error) from error

    def _count(self, text: str) -> int:
        """Counts a text's tokens: the pipeline would read past the model's last position."""
        if not text.strip():
            raise UserError("text_empty", "There is no text to embed.", "Leave empty texts out.")
        refuse_giant_text(text, self._limit)
        try:
            tokens = int(self._tokenizer.encode(text).input_ids.shape[1])
        except RuntimeError as error:
            raise translate(error) from error
        if tokens > self._limit:
            raise UserError(
                "context_overflow",
                f"A text has {tokens:,} tokens; the model reads at most {self._limit:,}.",
                "Cut the text into shorter ones.",
            )
        return tokens


def _pooling(types: Any, folder: Path) -> Any:
    """How the model's files say that token vectors become one; CLS, as the library, if they don't.

    Raises:
        DataFault: ``model_damaged``.
    """
    try:
        said = msgspec.json.decode((folder / _POOLING_FILE).read_bytes(), type=_Pooling)
    except FileNotFoundError:
        return types.CLS
    except (msgspec.MsgspecError, OSError) as error:
        raise _unknown(str(error)) from error
    match said:
        case _Pooling(True, False, False):
            return types.CLS
        case _Pooling(False, True, False):
            return types.MEAN
        case _Pooling(False, False, True):
            return types.LAST_TOKEN
    raise _unknown("it is neither CLS, mean nor last token")


def _unknown(reason: str) -> DataFault:
    return DataFault(
        "model_damaged",
        f"The file {_POOLING_FILE.as_posix()} names no pooling that can be done ({reason}).",
        "Choose another embedding model.",
    )
