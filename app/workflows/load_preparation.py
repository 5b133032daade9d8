"""What is settled before a load: that the model fits, with how much context, what is kept of it."""

from importlib import metadata
from pathlib import Path

import msgspec

from app.core.errors import ContenoxError
from app.engine.compiled_cache import compiled_cache_folder
from app.engine.spec import LoadSpec, OpenVinoRuntime
from app.hardware.budget import MemoryBudget, memory_budget
from app.hardware.capacity import ContextRequest, KvPlan, fit
from app.hardware.host import HostMemory
from app.hardware.model_shape import ModelShape
from app.hardware.readings import DeviceReading
from app.models.catalog import Backend
from app.models.gguf import read_gguf
from app.models.library import InstalledModel
from app.models.profile import OpenVinoProfile, Profile
from app.models.text_only import judge_folder, judge_gguf_architecture
from app.workflows.context_ceiling import context_ceiling
from app.workflows.model_fit import kv_plan, shape_of


def budget_for_load(reading: DeviceReading, host: HostMemory, held_bytes: int) -> MemoryBudget:
    """The memory that a load can have: the model that is loaded now is closed before.

    Args:
        held_bytes: the private memory of the engine process.
    """
    available = min(host.total_bytes, host.available_bytes + held_bytes)
    return memory_budget(reading, msgspec.structs.replace(host, available_bytes=available))


def fitting_context(
    model: InstalledModel,
    profile: Profile,
    budget: MemoryBudget,
    asked: int | None,
    proven_tokens: int = 0,
) -> int | None:
    """The context to load ``model`` with, or ``None`` if its files don't tell what a token takes.

    Args:
        asked: what a person asked for, which is kept or refused; never what came out of here.
        proven_tokens: see ``context_ceiling``.

    Raises:
        EnvironmentFault: ``does_not_fit``, with the sum.
        UserError: ``context_too_large`` for what the model wasn't trained for.
    """
    try:
        shape, weights_bytes = shape_of(model)
    except (ContenoxError, OSError, msgspec.MsgspecError):
        # The files are checked again at the load, which tells what is wrong with them.
        return None
    limit = context_ceiling(model, profile, proven_tokens)
    plan = kv_plan(profile, budget.device)
    blocks = profile.genai.num_kv_blocks if isinstance(profile, OpenVinoProfile) else 0
    if blocks:
        # A pool of so many blocks is allocated, whatever the context is.
        pool = blocks * plan.block_tokens
        exact = KvPlan(precision=plan.precision, paged=False, block_tokens=plan.block_tokens)
        endless = msgspec.structs.replace(shape, trained_context_tokens=None)
        fit(endless, weights_bytes, exact, budget, ContextRequest(pool)).require()
        return min(asked or limit, max(pool - plan.block_tokens, 1))
    bounded: ModelShape = msgspec.structs.replace(shape, trained_context_tokens=limit)
    fitting = fit(bounded, weights_bytes, plan, budget, ContextRequest(asked))
    fitting.require()
    return int(fitting.context_tokens)


def keep_compiled(spec: LoadSpec, root: Path, reading: DeviceReading) -> LoadSpec:
    """Names the folder below ``root`` that holds the compiled form of what ``spec`` loads."""
    runtime = spec.runtime
    if not isinstance(runtime, OpenVinoRuntime):
        return spec
    folder = compiled_cache_folder(
        root,
        model_digest=spec.model_digest,
        device=f"{runtime.device} {reading.full_name}",
        driver=reading.driver_version or "",
        runtime_version=_openvino_version(),
    )
    kept = msgspec.structs.replace(runtime, compiled_cache_dir=str(folder))
    return msgspec.structs.replace(spec, runtime=kept)


def _openvino_version() -> str:
    try:
        return metadata.version("openvino")
    except metadata.PackageNotFoundError:
        return ""


def require_text_model(model: InstalledModel) -> None:
    """Judges an installed model by its content as a download and an import are judged.

    Raises:
        DataFault: it isn't a text model, or it was made for a newer runtime; the code says which.
    """
    if model.backend == Backend.OPENVINO:
        refusal = judge_folder(model.folder, _openvino_version())
    else:
        refusal = judge_gguf_architecture(read_gguf(model.path).architecture)
    if refusal is not None:
        raise refusal.error()
