"""Skips where the llama backend is not installed, and fails where it has to be."""

import os

import pytest

from app.core.errors import ContenoxError
from app.engine.backends.llama_native import load_native
from app.engine.spec import LlamaRuntime, LoadSpec
from app.models.library import InstalledModel

REQUIRE_VARIABLE = "CONTENOX_REQUIRE_LLAMA"


def require_llama() -> None:
    """Skips the test with the reason, or fails it if ``CONTENOX_REQUIRE_LLAMA`` is 1."""
    try:
        load_native()
    except ContenoxError as error:
        reason = f"{error.message} {error.remedy}"
        if os.environ.get(REQUIRE_VARIABLE) == "1":
            pytest.fail(reason)
        pytest.skip(reason)


def llama_spec(
    model: InstalledModel,
    *,
    context_tokens: int = 1024,
    path: str | None = None,
    runtime: LlamaRuntime | None = None,
) -> LoadSpec:
    """The starter on llama.cpp."""
    return LoadSpec(
        model_name=model.name,
        model_path=path or str(model.path),
        model_digest=model.digest,
        context_tokens=context_tokens,
        runtime=runtime or LlamaRuntime(),
    )
