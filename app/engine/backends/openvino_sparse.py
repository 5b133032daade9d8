"""Sparse attention: what to ask the library for, and when to go back to dense (rules OV-4, T8).

The measured facts: XATTENTION on a CPU is accepted by 2026.4.1 and answers garbage; TRISHAPE there
is sound. GPU drivers that can't do XATTENTION say so, at construction or at the first generation.
"""

from dataclasses import dataclass
from typing import Any

from app.core.errors import UserError
from app.engine.faults import classify
from app.engine.spec import OpenVinoRuntime, SparseAttention, SparseMode


@dataclass(frozen=True, slots=True)
class SparsePlan:
    """What to try, in order; ``None`` is dense. ``reason`` says why, in a sentence."""

    attempts: tuple[SparseAttention | None, ...]
    reason: str


def plan_sparse(runtime: OpenVinoRuntime) -> SparsePlan:
    """Decides the attempts for one load.

    Raises:
        UserError: ``sparse_attention_unsupported``: XATTENTION was required on a CPU.
    """
    sparse = runtime.sparse_attention
    on_cpu = not runtime.device.startswith("GPU")
    xattention = sparse.mode is SparseMode.XATTENTION
    match runtime.use_sparse_attention:
        case False:
            return SparsePlan((None,), "The profile asks for dense attention.")
        case True if on_cpu and xattention:
            raise UserError(
                "sparse_attention_unsupported",
                "The model's profile requires XATTENTION, which gives wrong answers on a CPU.",
                "Remove use_sparse_attention from the profile, or choose a GPU.",
            )
        case True:
            return SparsePlan((sparse,), f"The profile requires {sparse.mode}.")
    if on_cpu:
        return SparsePlan(
            (None,), "Automatic means dense on a CPU: XATTENTION gives wrong answers there."
        )
    return SparsePlan((sparse, None), f"{sparse.mode} is tried on a GPU, and dense after it.")


def is_refusal(message: str) -> bool:
    """Whether the library's words say that the device has no such sparse attention."""
    return classify(message).code == "sparse_attention_unsupported"


def apply_sparse(genai: Any, scheduler: Any, sparse: SparseAttention | None) -> None:
    """Writes the controls into a ``SchedulerConfig``."""
    scheduler.use_sparse_attention = sparse is not None
    if sparse is None:
        return
    config = genai.SparseAttentionConfig()
    config.mode = getattr(genai.SparseAttentionMode, sparse.mode.name)
    config.num_last_dense_tokens_in_prefill = sparse.num_last_dense_tokens_in_prefill
    config.xattention_threshold = sparse.xattention_threshold
    config.xattention_block_size = sparse.xattention_block_size
    config.xattention_stride = sparse.xattention_stride
    scheduler.sparse_attention_config = config


def warm_up_tokens(sparse: SparseAttention | None) -> int:
    """A first prompt long enough to run the sparse kernel, so that a refusal comes in the load."""
    if sparse is None:
        return 0
    return 4 * sparse.xattention_block_size + sparse.num_last_dense_tokens_in_prefill
