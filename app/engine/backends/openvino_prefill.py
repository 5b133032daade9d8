"""One prompt on its way into the paged pool: what was expected, what was computed, in which calls.

Physical prefill, in calls of its own, is the normal way: only between calls can it be cancelled.
``CONTENOX_OPENVINO_DEFER_PREFILL`` leaves it to the answer's call; see docs/decisions/0093.
"""

import os
import time
from dataclasses import dataclass, field
from typing import Final

from app.engine.outcome import Usage

DEFER_VARIABLE: Final = "CONTENOX_OPENVINO_DEFER_PREFILL"
_YES: Final = frozenset({"1", "true", "yes", "on"})


def prefill_deferred() -> bool:
    """Whether the environment asks to compute a prompt in the answer's own call."""
    return os.environ.get(DEFER_VARIABLE, "").strip().lower() in _YES


@dataclass(slots=True)
class PromptWork:
    """The work on one prompt. ``measured`` is the reuse that the library's counters bear out."""

    ids: list[int]
    predicted: int
    deferred: bool
    measured: int | None = None
    native_calls: int = 0
    physical_calls: int = 0
    physical_tokens: int = 0
    done: int = 0
    started: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        self.done = self.predicted

    @property
    def reused(self) -> int:
        return self.predicted if self.measured is None else self.measured

    def computed(self, until: int) -> None:
        """Notes a physical call that computed the prompt up to ``until``."""
        self.physical_calls += 1
        self.physical_tokens += until - self.done
        self.done = until

    def usage(self) -> Usage:
        """The counts of the prompt so far; those of the answer are 0."""
        deferred = len(self.ids) - self.done if self.deferred and self.native_calls else 0
        return Usage(
            prompt_tokens=len(self.ids),
            reused_tokens=self.reused,
            predicted_reused_tokens=self.predicted,
            reuse_measured=self.measured is not None,
            physical_prefill_calls=self.physical_calls,
            physical_prefill_tokens=self.physical_tokens,
            deferred_prefill_calls=1 if deferred else 0,
            deferred_prefill_tokens=deferred,
        )
