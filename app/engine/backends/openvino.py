"""The OpenVINO GenAI backend: checks the files, builds a pipeline, warms it up."""

from importlib import metadata
from pathlib import Path
from typing import Any, Final

from app.core.errors import EnvironmentFault, UserError
from app.engine.backends.base import Control
from app.engine.backends.openvino_paged import PagedSession
from app.engine.faults import translate
from app.engine.protocol import BackendReport, LoadSpec, OpenVinoRuntime
from app.models.artifact import check_openvino_folder

_DISTRIBUTIONS: Final = ("openvino", "openvino-genai", "openvino-tokenizers")

# The block size is the library's own and can't be asked for (observed on the CPU; the GPU's is in
# the library's source).
_BLOCK_TOKENS_CPU: Final = 32
_BLOCK_TOKENS_GPU: Final = 16


class OpenVinoBackend:
    """See the module's text."""

    name = "openvino"

    def open_session(self, spec: LoadSpec, control: Control) -> PagedSession:
        runtime = spec.runtime
        assert isinstance(runtime, OpenVinoRuntime)
        control.load_progress("checking files")
        # Natively, a missing detokenizer would end the process at the first streamed token.
        check_openvino_folder(Path(spec.model_path))
        control.load_progress("starting OpenVINO")
        genai = _import_genai()
        control.load_progress("loading the model")
        with control.uninterruptible():
            pipeline = _build_pipeline(genai, spec, runtime)
            control.load_progress("warming up")
            return PagedSession(
                genai,
                pipeline,
                runtime,
                context_tokens=spec.context_tokens,
                block_tokens=_block_tokens(runtime.device),
            )

    def report(self) -> BackendReport:
        try:
            genai = _import_genai()
        except EnvironmentFault as fault:
            return BackendReport(name=self.name, error=fault.record())
        return BackendReport(
            name=self.name,
            version=str(genai.get_version()),
            components={name: metadata.version(name) for name in _DISTRIBUTIONS},
        )


def _import_genai() -> Any:
    """Imports the native library.

    Raises:
        EnvironmentFault: ``backend_missing``.
    """
    try:
        import openvino_genai
        import openvino_tokenizers  # noqa: F401 - its native part is looked for beside it
    except (ImportError, OSError) as error:
        raise EnvironmentFault(
            "backend_missing",
            f"OpenVINO GenAI can't be loaded ({error}).",
            "Install the program again.",
        ) from error
    return openvino_genai


def _build_pipeline(genai: Any, spec: LoadSpec, runtime: OpenVinoRuntime) -> Any:
    scheduler = genai.SchedulerConfig()
    if (runtime.cache_size_gib is None) == (runtime.num_kv_blocks is None):
        raise UserError(
            "profile_invalid",
            "The profile must set exactly one of cache_size and num_kv_blocks.",
            "Remove one of the two from the model's profile.",
        )
    scheduler.cache_size = runtime.cache_size_gib or 0
    scheduler.num_kv_blocks = runtime.num_kv_blocks or 0
    scheduler.max_num_batched_tokens = runtime.max_num_batched_tokens
    scheduler.dynamic_split_fuse = runtime.dynamic_split_fuse
    scheduler.enable_prefix_caching = runtime.enable_prefix_caching
    properties = {"KV_CACHE_PRECISION": runtime.kv_cache_precision}
    try:
        return genai.ContinuousBatchingPipeline(
            spec.model_path, scheduler, runtime.device, properties
        )
    except (RuntimeError, MemoryError) as error:
        raise translate(error) from error


def _block_tokens(device: str) -> int:
    return _BLOCK_TOKENS_GPU if device.startswith("GPU") else _BLOCK_TOKENS_CPU
