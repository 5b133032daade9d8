"""Whether a model fits on a device of this machine: the same sum for the list and the installed.

The sum itself is ``hardware/capacity.fit``. Here it gets its figures: from the catalogue's row, or
from the files of an installed model, which know better. What no source tells stays unknown, and
says so.
"""

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from app.core.errors import ContenoxError, DataFault, ErrorRecord
from app.core.paths import profiles_dir
from app.core.units import format_bytes
from app.engine.spec import LlamaRuntime
from app.hardware.budget import MemoryBudget
from app.hardware.capacity import WORKING_BYTES, ContextRequest, Fit, KvPlan, fit
from app.hardware.kv_cache import CPU_BLOCK_TOKENS, GPU_BLOCK_TOKENS, KvPrecision
from app.hardware.model_shape import ModelShape
from app.hardware.readings import CPU
from app.models.catalog import Backend, Model, Variant
from app.models.gguf import read_gguf
from app.models.library import InstalledModel
from app.models.profile import (
    LLAMA_PROFILE,
    OPENVINO_PROFILE,
    LlamaProfile,
    OpenVinoProfile,
    PipelineChoice,
    Profile,
)
from app.models.profile_files import profile_of, read_profile
from app.workflows.observed_peaks import ObservedPeak

LIST_CONTEXT_TOKENS: Final = 8192
"""The context that rows are compared at: some 6,000 words, a long conversation."""

_LLAMA_PRECISION: Final = LlamaRuntime().kv_cache_type


class FitVerdict(StrEnum):
    """As ``capacity.Verdict``, and ``UNKNOWN`` where a figure is missing."""

    FITS = "fits"
    TIGHT = "tight"
    DOES_NOT_FIT = "does_not_fit"
    UNKNOWN = "unknown"


class FitHere(Struct, frozen=True, kw_only=True):
    """The answer for one row. ``sentence`` has the sum, or why there is none.

    ``context_tokens`` is what was asked about; ``largest_context_tokens`` what would fit, up to
    what the model was trained for. ``spare_bytes`` decides: what is left over, or missing if it is
    negative. ``observed_peak_bytes`` is the most that was really seen in use here. ``problem``: why
    there are no figures.
    """

    verdict: FitVerdict
    device: str
    sentence: str
    context_tokens: int | None = None
    largest_context_tokens: int | None = None
    weights_bytes: int | None = None
    kv_bytes: int | None = None
    working_bytes: int | None = None
    usable_bytes: int | None = None
    spare_bytes: int | None = None
    observed_peak_bytes: int | None = None
    problem: ErrorRecord | None = None


class FitFigures(Struct, frozen=True, kw_only=True):
    """What a model brings into the sum, on any device."""

    shape: ModelShape
    weights_bytes: int
    profile: Profile


class Unknown(Struct, frozen=True, kw_only=True):
    """Why there are no figures."""

    reason: ErrorRecord


def figures_of_row(model: Model, variant: Variant) -> FitFigures | Unknown:
    """The figures of a catalogue row; its shipped profile decides how the KV cache is kept."""
    memory = model.memory
    head_dim = memory.head_dim
    if head_dim is None and memory.hidden_size and memory.attention_heads:
        head_dim = memory.hidden_size // memory.attention_heads
    kv_heads = memory.kv_heads or memory.attention_heads
    if not memory.layers or not kv_heads or not head_dim:
        return _unknown(f"No public source tells the size of {model.title}'s KV cache")
    shape = ModelShape.from_figures(
        kv_heads=(kv_heads,) * memory.layers,
        key_dim=head_dim,
        window_tokens=memory.sliding_window_tokens,
        windowed_layers=memory.windowed_layers or 0,
        trained_context_tokens=model.trained_context_tokens,
    )
    weights = (file.size_bytes for file in variant.files if _is_weights(file.path))
    known = next((size for size in weights if size), None)
    try:
        profile = _shipped_profile(model.name, variant.backend)
    except ContenoxError as error:
        return Unknown(reason=error.record())
    return FitFigures(shape=shape, weights_bytes=known or variant.size_bytes, profile=profile)


def figures_of_installed(model: InstalledModel) -> FitFigures | Unknown:
    """The figures of an installed model, out of its own files."""
    try:
        profile = profile_of(model)
        shape, weights = shape_of(model)
    except ContenoxError as error:
        return Unknown(reason=error.record())
    except (OSError, msgspec.MsgspecError) as error:
        return _unknown(f"The files of {model.full_name} can't be read ({error})")
    return FitFigures(shape=shape, weights_bytes=weights, profile=profile)


def shape_of(model: InstalledModel) -> tuple[ModelShape, int]:
    """The shape and the bytes of weights that the files of ``model`` tell.

    Raises:
        DataFault: ``model_shape_unknown``, or the file is damaged.
        OSError, msgspec.MsgspecError: a file can't be read.
    """
    if model.backend == Backend.LLAMA:
        header = read_gguf(model.path)
        shape = ModelShape.from_figures(
            kv_heads=header.kv_head_counts,
            key_dim=header.head_dim,
            value_dim=header.value_head_dim,
            window_tokens=header.sliding_window,
            trained_context_tokens=header.context_length,
        )
        return shape, header.size_bytes
    content = (model.path / "config.json").read_bytes()
    shape = ModelShape.from_config(msgspec.json.decode(content, type=dict[str, Any]))
    shape = msgspec.structs.replace(shape, trained_context_tokens=model.context_tokens)
    return shape, (model.path / "openvino_model.bin").stat().st_size


def kv_plan(profile: Profile, device: str) -> KvPlan:
    """How the backend of ``profile`` keeps the KV cache on ``device``.

    Raises:
        UserError: ``unknown_kv_precision``.
    """
    if isinstance(profile, LlamaProfile):
        named = profile.runtime.kv_cache_type.value or _LLAMA_PRECISION
        return KvPlan(precision=KvPrecision.parse(named), paged=False)
    assert isinstance(profile, OpenVinoProfile)
    return KvPlan(
        precision=KvPrecision.parse(profile.genai.kv_cache_precision.value),
        paged=profile.genai.pipeline is not PipelineChoice.STATEFUL,
        block_tokens=CPU_BLOCK_TOKENS if device == CPU else GPU_BLOCK_TOKENS,
        cache_gib=profile.genai.cache_size or None,
    )


def judge(
    figures: FitFigures | Unknown,
    budget: MemoryBudget,
    context_tokens: int | None = None,
    peaks: Iterable[ObservedPeak] = (),
) -> FitHere:
    """Does the sum. What was observed here in a real load corrects it upwards.

    Args:
        context_tokens: ``None`` takes ``LIST_CONTEXT_TOKENS``; at most what the model was trained
            for counts.
        peaks: of this model on this device.
    """
    if isinstance(figures, Unknown):
        reason = figures.reason
        return FitHere(
            verdict=FitVerdict.UNKNOWN,
            device=budget.device,
            sentence=f"It is unknown whether it fits: {reason.message}",
            problem=reason,
        )
    trained = figures.shape.trained_context_tokens
    wanted = min(context_tokens or LIST_CONTEXT_TOKENS, trained or LIST_CONTEXT_TOKENS)
    try:
        plan = kv_plan(figures.profile, budget.device)
        seen = tuple(peaks) if budget.device == CPU else ()
        working = _working_bytes(figures, plan, budget, seen)
        result = _fit(figures, plan, budget, wanted, working)
        widest = _fit(figures, plan, budget, trained or wanted, working)
    except ContenoxError as error:
        return judge(Unknown(reason=error.record()), budget)
    peak = max((one.peak_bytes for one in seen), default=None)
    return _answer(result, wanted, widest.largest_context_tokens, peak)


def _fit(
    figures: FitFigures, plan: KvPlan, budget: MemoryBudget, context: int, working: int
) -> Fit:
    request = ContextRequest(context)
    return fit(figures.shape, figures.weights_bytes, plan, budget, request, working_bytes=working)


def _working_bytes(
    figures: FitFigures, plan: KvPlan, budget: MemoryBudget, peaks: tuple[ObservedPeak, ...]
) -> int:
    """The working space: what was estimated, or more where more was seen.

    Never less: a peak that was seen is the least that a longer prompt will take.
    """
    working = WORKING_BYTES
    for peak in peaks:
        context = min(peak.context_tokens, figures.shape.trained_context_tokens or 1 << 24)
        kv_bytes = _fit(figures, plan, budget, context, 0).kv_bytes
        working = max(working, peak.peak_bytes - figures.weights_bytes - kv_bytes)
    return working


def _answer(result: Fit, asked: int, largest: int, peak: int | None) -> FitHere:
    sentence = result.sentence
    if peak is not None:
        sentence += f" In use here it took up to {format_bytes(peak)}."
    return FitHere(
        verdict=FitVerdict(result.verdict.value),
        device=result.device,
        sentence=sentence,
        context_tokens=asked,
        largest_context_tokens=largest,
        weights_bytes=result.weights_bytes,
        kv_bytes=result.kv_bytes,
        working_bytes=result.working_bytes,
        usable_bytes=result.usable_bytes,
        spare_bytes=result.spare_bytes,
        observed_peak_bytes=peak,
    )


def _shipped_profile(name: str, backend: str) -> Profile:
    is_llama = backend == Backend.LLAMA
    path: Path = profiles_dir() / name / (LLAMA_PROFILE if is_llama else OPENVINO_PROFILE)
    if path.is_file():
        return read_profile(path)
    return LlamaProfile() if is_llama else OpenVinoProfile()


def _is_weights(path: str) -> bool:
    return path.endswith(".gguf") or path == "openvino_model.bin"


def _unknown(sentence: str) -> Unknown:
    return Unknown(
        reason=DataFault(
            "model_shape_unknown",
            f"{sentence}.",
            "It can be got all the same; before a load its own files are asked.",
        ).record()
    )
