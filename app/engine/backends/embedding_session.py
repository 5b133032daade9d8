"""A loaded model that turns texts into vectors, in the place of one that answers."""

from collections.abc import Sequence

from app.core.errors import UserError
from app.engine.backends.base import Control, Embedder, Outcome, Vector
from app.engine.outcome import FinishReason, SessionReport
from app.engine.protocol import Generate
from app.engine.spec import LoadSpec


def embeddings_not_supported(spec: LoadSpec) -> UserError:
    """The error for a model whose profile doesn't say that it embeds."""
    return UserError(
        "embeddings_not_supported",
        f"The profile of {spec.model_name} doesn't say that it makes embeddings.",
        "Choose an embedding model.",
    )


class EmbeddingSession:
    """Lets the slot hold an embedder like any session.

    Args:
        spec: what was loaded.
        embedder: the backend's.
    """

    pipeline = "embedding"

    def __init__(self, spec: LoadSpec, embedder: Embedder) -> None:
        self._spec = spec
        self._embedder = embedder

    def embed(self, texts: Sequence[str], control: Control) -> tuple[Vector, ...] | FinishReason:
        """See ``Embedder``."""
        return self._embedder.embed(texts, control)

    def generate(self, request: Generate, control: Control) -> Outcome:
        raise UserError(
            "chat_not_supported",
            f"{self._spec.model_name} is loaded to make embeddings; it answers nothing.",
            "Choose a chat model.",
        )

    def describe(self) -> SessionReport:
        return SessionReport(pipeline=self.pipeline, asked={"device": self._spec.device})

    def close(self) -> None:
        self._embedder.close()
