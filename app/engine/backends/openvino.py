"""The OpenVINO GenAI backend: checks the files, builds a pipeline, warms it up.

A load tries, in order: the paged pipeline with the sparse attention that was asked for, the paged
pipeline with dense attention, the stateful pipeline. It goes on to the next only for the one reason
that the next one mends, and only if the choice was left to it.
"""

import logging
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from app.core.errors import EnvironmentFault, UserError
from app.engine.backends.base import Control, Session
from app.engine.backends.openvino_embeddings import OpenVinoEmbedder
from app.engine.backends.openvino_paged import PagedSession
from app.engine.backends.openvino_prompt import OpenVinoPromptTokenizer
from app.engine.backends.openvino_sparse import (
    apply_sparse,
    is_refusal,
    plan_sparse,
    warm_up_tokens,
)
from app.engine.backends.openvino_stateful import StatefulSession
from app.engine.compiled_cache import compiled_cache
from app.engine.faults import fault
from app.engine.native_failure import NATIVE_ERRORS, NativeFailure, native_errors, translate
from app.engine.outcome import BackendReport
from app.engine.spec import LoadSpec, OpenVinoRuntime, Pipeline, SparseAttention
from app.hardware.selector import Selector
from app.models.artifact import check_openvino_folder

_log = logging.getLogger(__name__)

RELEASE_TRAIN: Final = {
    "openvino": "2026.4.1",
    "openvino-genai": "2026.4.1.0",
    "openvino-tokenizers": "2026.4.1.0",
}
"""The distributions that work together, as pinned in pyproject.toml."""

# The block size is the library's own and can't be asked for (observed on the CPU; the GPU's is in
# the library's source).
_BLOCK_TOKENS_CPU: Final = 32
_BLOCK_TOKENS_GPU: Final = 16

_FALLBACK_NOTE: Final = (
    "The model's graph has no attention operation that can be paged, so the stateful pipeline runs"
    " it: without prefix reuse."
)


class OpenVinoBackend:
    """See the module's text.

    Args:
        genai: a stand-in for the module ``openvino_genai``; for tests with recorded words of
            devices that this machine doesn't have.
    """

    name = "openvino"

    def __init__(self, genai: Any = None) -> None:
        self._genai = genai

    def open_session(self, spec: LoadSpec, control: Control) -> Session:
        runtime = spec.runtime
        assert isinstance(runtime, OpenVinoRuntime)
        _check(runtime)
        control.load_progress("checking files")
        # Natively, a missing detokenizer would end the process at the first streamed token.
        folder = check_openvino_folder(Path(spec.model_path))
        control.load_progress("starting OpenVINO")
        genai = self._genai or import_genai()
        control.load_progress("loading the model")
        with native_errors(), control.uninterruptible():
            if runtime.pipeline is Pipeline.STATEFUL:
                return _open_stateful(genai, spec, runtime, ())
            if not folder.has_sdpa:
                return _without_paging(genai, spec, runtime)
            try:
                return _open_paged(genai, spec, runtime)
            except NativeFailure as failure:
                if failure.fault.code != "paged_attention_not_supported":
                    raise
                return _without_paging(genai, spec, runtime)

    def open_embedder(self, spec: LoadSpec, control: Control) -> OpenVinoEmbedder:
        """Loads a model that turns texts into vectors; raises what ``open_session`` raises."""
        runtime = spec.runtime
        assert isinstance(runtime, OpenVinoRuntime)
        _check(runtime)
        control.load_progress("checking files")
        folder = check_openvino_folder(Path(spec.model_path), chats=False)
        control.load_progress("starting OpenVINO")
        genai = self._genai or import_genai()
        control.load_progress("loading the model")
        with native_errors(), control.uninterruptible():
            return OpenVinoEmbedder(genai, spec, folder)

    def open_tokenizer(self, spec: LoadSpec, control: Control) -> OpenVinoPromptTokenizer:
        """Loads the tokenizer alone; raises what ``open_session`` raises."""
        runtime = spec.runtime
        assert isinstance(runtime, OpenVinoRuntime)
        control.load_progress("checking files")
        folder = check_openvino_folder(Path(spec.model_path))
        genai = self._genai or import_genai()
        block_tokens = _block_tokens(runtime.device)
        return OpenVinoPromptTokenizer(genai, folder, spec.context_tokens, block_tokens)

    def report(self) -> BackendReport:
        try:
            genai = import_genai()
            components = _train()
        except EnvironmentFault as failure:
            return BackendReport(name=self.name, error=failure.record())
        return BackendReport(
            name=self.name, version=str(genai.get_version()), components=components
        )


def import_genai() -> Any:
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


def _train() -> dict[str, str]:
    """The versions of the release train that are installed.

    Raises:
        EnvironmentFault: ``version_mismatch``: one isn't what this program was tested with.
    """
    found = {name: metadata.version(name) for name in RELEASE_TRAIN}
    wrong = [
        f"{name} is {found[name]} instead of {wanted}"
        for name, wanted in RELEASE_TRAIN.items()
        if found[name] != wanted
    ]
    if wrong:
        raise EnvironmentFault(
            "version_mismatch",
            f"OpenVINO's parts don't belong together: {'; '.join(wrong)}.",
            "Install the program again.",
        )
    return found


def _check(runtime: OpenVinoRuntime) -> None:
    """Refuses what must never reach the library, whoever made the spec."""
    try:
        Selector.parse(runtime.device)
    except UserError as error:
        # An unknown name is the library's to refuse; these two it would try.
        if error.code in ("npu_not_supported", "composite_device"):
            raise
    if (runtime.cache_size_gib is None) == (runtime.num_kv_blocks is None):
        raise UserError(
            "profile_invalid",
            "The profile must set exactly one of cache_size and num_kv_blocks.",
            "Remove one of the two from the model's profile.",
        )


def _without_paging(genai: Any, spec: LoadSpec, runtime: OpenVinoRuntime) -> StatefulSession:
    if runtime.pipeline is Pipeline.PAGED:
        refused = fault("paged_attention_not_supported")
        raise NativeFailure(refused, "the paged pipeline was required")
    _log.warning("%s: %s", spec.model_name, _FALLBACK_NOTE)
    return _open_stateful(genai, spec, runtime, (_FALLBACK_NOTE,))


def _open_paged(genai: Any, spec: LoadSpec, runtime: OpenVinoRuntime) -> PagedSession:
    plan = plan_sparse(runtime)
    refusals: list[str] = []
    for number, sparse in enumerate(plan.attempts, start=1):
        try:
            return _build_paged(genai, spec, runtime, sparse, (plan.reason, *refusals))
        except NativeFailure as failure:
            if number == len(plan.attempts) or not is_refusal(failure.detail):
                raise
            words = failure.detail.splitlines()[0]
            _log.warning("%s: dense attention after: %s", runtime.device, words)
            refusals.append(f"{runtime.device} refused it: {words}")
    raise AssertionError("a plan has at least one attempt")


def _build_paged(
    genai: Any,
    spec: LoadSpec,
    runtime: OpenVinoRuntime,
    sparse: SparseAttention | None,
    notes: tuple[str, ...],
) -> PagedSession:
    """Constructs the pipeline and warms it up: a refusal may come at either."""
    scheduler = genai.SchedulerConfig()
    scheduler.cache_size = runtime.cache_size_gib or 0
    scheduler.num_kv_blocks = runtime.num_kv_blocks or 0
    scheduler.max_num_batched_tokens = runtime.max_num_batched_tokens
    scheduler.dynamic_split_fuse = runtime.dynamic_split_fuse
    scheduler.enable_prefix_caching = runtime.enable_prefix_caching
    apply_sparse(genai, scheduler, sparse)
    # On the CPU this pipeline writes the blob anew at each load and gains nothing.
    helps = runtime.device.startswith("GPU")
    with compiled_cache(_cache_folder(runtime) if helps else None) as cache:
        try:
            pipeline = genai.ContinuousBatchingPipeline(
                spec.model_path, scheduler, runtime.device, _properties(runtime, cache)
            )
        except NATIVE_ERRORS as error:
            raise translate(error) from error
    return PagedSession(
        genai,
        pipeline,
        runtime,
        context_tokens=spec.context_tokens,
        block_tokens=_block_tokens(runtime.device),
        warm_up_tokens=warm_up_tokens(sparse),
        scheduler_words=scheduler.to_string(),
        notes=notes,
    )


def _open_stateful(
    genai: Any, spec: LoadSpec, runtime: OpenVinoRuntime, notes: tuple[str, ...]
) -> StatefulSession:
    with compiled_cache(_cache_folder(runtime)) as cache:
        try:
            pipeline = genai.LLMPipeline(
                spec.model_path,
                runtime.device,
                ATTENTION_BACKEND="SDPA",
                **_properties(runtime, cache),
            )
        except NATIVE_ERRORS as error:
            raise translate(error) from error
    return StatefulSession(
        genai, pipeline, runtime, context_tokens=spec.context_tokens, notes=notes
    )


def _cache_folder(runtime: OpenVinoRuntime) -> Path | None:
    return Path(runtime.compiled_cache_dir) if runtime.compiled_cache_dir else None


def _properties(runtime: OpenVinoRuntime, compiled: Path | None) -> dict[str, str]:
    properties = {"KV_CACHE_PRECISION": runtime.kv_cache_precision}
    if runtime.kv_cache_precision == "f32":
        # The library accepts an f32 cache only where it also computes in f32.
        properties["INFERENCE_PRECISION_HINT"] = "f32"
    if compiled is not None:
        properties["CACHE_DIR"] = str(compiled)
    return properties


def _block_tokens(device: str) -> int:
    return _BLOCK_TOKENS_GPU if device.startswith("GPU") else _BLOCK_TOKENS_CPU
