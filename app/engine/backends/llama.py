"""Runs GGUF models with llama.cpp on the CPU; see docs/decisions/0020."""

from pathlib import Path
from typing import Final

from app.core.errors import ContenoxError, UserError
from app.engine.backends.base import Control, heed
from app.engine.backends.llama_context import check_memory
from app.engine.backends.llama_embedding import LlamaEmbedder
from app.engine.backends.llama_native import Native, load_native
from app.engine.backends.llama_session import LlamaSession
from app.engine.backends.llama_vocabulary import LlamaPromptTokenizer
from app.engine.outcome import BackendReport
from app.engine.spec import LlamaRuntime, LoadSpec
from app.models.gguf import GgufModel, read_gguf

_DEVICE: Final = "CPU"


class LlamaBackend:
    """llama.cpp through the ctypes layer of llama-cpp-python; see docs/decisions/0020."""

    name = "llama"

    def open_session(self, spec: LoadSpec, control: Control) -> LlamaSession:
        native, gguf = _prepare(spec, control)
        return LlamaSession(native, gguf, spec, control)

    def open_embedder(self, spec: LoadSpec, control: Control) -> LlamaEmbedder:
        """Loads a model that turns texts into vectors; raises what ``open_session`` raises."""
        native, gguf = _prepare(spec, control)
        return LlamaEmbedder(native, gguf, spec, control)

    def open_tokenizer(self, spec: LoadSpec, control: Control) -> LlamaPromptTokenizer:
        """Loads the vocabulary alone; raises what ``open_session`` raises."""
        control.load_progress("checking")
        gguf = read_gguf(Path(spec.model_path))
        return LlamaPromptTokenizer(load_native(), gguf, control)

    def report(self) -> BackendReport:
        try:
            native = load_native()
        except ContenoxError as error:
            return BackendReport(name=self.name, error=error.record())
        return BackendReport(
            name=self.name,
            version=native.library_version,
            components={
                "llama-cpp-python": native.binding_version,
                "llama.cpp": native.library_version,
                "ggml": native.ggml_version,
                "cpu": native.system_info,
            },
        )


def _prepare(spec: LoadSpec, control: Control) -> tuple[Native, GgufModel]:
    """Everything that can be refused before the native reader sees the file."""
    runtime = spec.runtime
    assert isinstance(runtime, LlamaRuntime)
    if runtime.device != _DEVICE:
        raise UserError(
            "device_unavailable",
            f"The llama backend runs models on the CPU only, not on {runtime.device}.",
            "Choose CPU, or the model's OpenVINO variant.",
        )
    control.load_progress("checking")
    # The native reader ends the process on some damaged files; ours never does.
    gguf = read_gguf(Path(spec.model_path))
    check_memory(gguf, spec.context_tokens, runtime.kv_cache_type)
    native = load_native()
    heed(control)
    return native, gguf
