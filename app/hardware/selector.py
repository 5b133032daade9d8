"""Reads what a person, a variable, a profile, a setting or an old chat says about the device.

Everything that becomes a device name passes through here, before anything native is constructed.
OpenVINO would accept far more (``AUTO``, ``HETERO:GPU,CPU``, ``NPU``): a composite hides which
device answers, and so which memory is counted and which certificate holds; the NPU can't run the
paged-attention path.
"""

import difflib
import re
from dataclasses import dataclass
from typing import Final, Self

from app.core.errors import UserError
from app.hardware.readings import CPU, GPU

AUTOMATIC: Final = "automatic"

NPU_REASON: Final = (
    "the NPU can't run models here, because their paged attention has no NPU implementation"
)

_GPU_WITH_INDEX: Final = re.compile(r"GPU\.(0|[1-9][0-9]?)")
_WORD: Final = re.compile(r"[A-Z]+")
_COMPOSITES: Final = frozenset({"AUTO", "MULTI", "HETERO", "BATCH"})
_KNOWN: Final = (CPU, GPU, "GPU.0", "GPU.1", AUTOMATIC)


@dataclass(frozen=True, slots=True)
class Selector:
    """A device by name, or ``None`` for the automatic choice. Only ``parse`` makes named ones."""

    device: str | None

    @classmethod
    def parse(cls, text: str, *, said_by: str = "the device choice") -> Self:
        """Reads ``text`` in any case; ``said_by`` names its source in the errors.

        Raises:
            UserError: ``npu_not_supported``, ``composite_device`` or ``unknown_device``.
        """
        word = text.strip()
        if word.isascii():
            upper = word.upper()
            if upper == AUTOMATIC.upper():
                return cls(None)
            if upper in (CPU, GPU) or _GPU_WITH_INDEX.fullmatch(upper):
                return cls(upper)
        raise _refusal(word, said_by)

    def __str__(self) -> str:
        return self.device or AUTOMATIC


def npu_refusal(said_by: str) -> UserError:
    """The refusal of the NPU, wherever it was asked for."""
    return UserError(
        "npu_not_supported",
        f"{_sentence_start(said_by)} names the NPU, and {NPU_REASON}.",
        f"Choose {CPU}, {GPU} or {AUTOMATIC}.",
    )


def _sentence_start(text: str) -> str:
    """``text`` with a capital; ``str.capitalize`` would lower a variable's name."""
    return text[:1].upper() + text[1:]


def _refusal(word: str, said_by: str) -> UserError:
    words = set(_WORD.findall(word.upper()))
    if "NPU" in words:
        return npu_refusal(said_by)
    shown = word if len(word) <= 40 else word[:39] + "…"
    if words & _COMPOSITES or ":" in word or "," in word:
        return UserError(
            "composite_device",
            f"{_sentence_start(said_by)} is “{shown}”, and only single devices are used here, "
            "so that it is always known which one answers.",
            f"Choose {AUTOMATIC}, or one device: {CPU}, {GPU} or {GPU}.1.",
        )
    return UserError(
        "unknown_device",
        f"{_sentence_start(said_by)} is “{shown}”, and no device has that name.",
        f"Did you mean {_nearest(word)}? `contenox devices` lists what this machine has.",
    )


def _nearest(word: str) -> str:
    by_folded = {known.casefold(): known for known in _KNOWN}
    if word.casefold().startswith(CPU.casefold()):
        return CPU  # CPU.0: OpenVINO numbers GPUs only
    close = difflib.get_close_matches(word.casefold().rstrip("."), by_folded, n=1, cutoff=0.6)
    return by_folded[close[0]] if close else AUTOMATIC
