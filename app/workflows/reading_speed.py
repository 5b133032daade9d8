"""How fast a model reads here, so that a turn that will take long says so before it begins.

In the order of trust: what the loaded model has just measured, its certificate, its last long
answer on this machine; and where nothing was measured yet, what the processor lets expect.
"""

import contextlib
import logging
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct

from app.core.errors import ContenoxError
from app.core.files import write_atomic
from app.engine.outcome import ContextReport, Timings, Usage
from app.engine.spec import LoadSpec
from app.hardware.expected_speed import SpeedRange
from app.hardware.readings import CPU
from app.models.library import InstalledModel
from app.models.profile_files import profile_of

if TYPE_CHECKING:
    from app.workflows.services import Services

_log = logging.getLogger(__name__)

SLOW_PREFILL_S: Final = 60.0
"""A turn that takes longer to read says so first."""

SPEEDS_FILE: Final = "reading-speeds.json"
_KEPT: Final = 200
# Fewer tokens say more about the beginning of a reading than about its speed.
_TELLING_TOKENS: Final = 256
# A shorter text is read within a minute by anything; it isn't worth two seconds of probing.
_WORTH_PROBING_CHARACTERS: Final = 4_000


class SpeedSource(StrEnum):
    """Where a speed is from. Only ``ESTIMATED`` was never measured with the model."""

    CERTIFIED = "certified"
    MEASURED = "measured"
    ESTIMATED = "estimated"


class ReadingSpeed(Struct, frozen=True, kw_only=True):
    """Tokens/s of prefill; both ends of the range are the same where it was measured."""

    range: SpeedRange
    source: SpeedSource


class SlowReading(Struct, frozen=True, kw_only=True):
    """How long a turn takes to read, in seconds from the least to the most."""

    least_s: float
    most_s: float
    source: SpeedSource


def slow_reading(report: ContextReport, speed: ReadingSpeed | None) -> SlowReading | None:
    """How long a turn takes to read, if that is more than ``SLOW_PREFILL_S``.

    Of an estimate the geometric middle decides: its ends lie several times apart.

    Args:
        report: its count.
        speed: for a model that isn't loaded, or hasn't read yet.
    """
    found: SlowReading | None = None
    seconds = report.predicted_prefill_s
    if seconds is not None:
        found = SlowReading(least_s=seconds, most_s=seconds, source=SpeedSource.MEASURED)
    elif speed is not None:
        found = SlowReading(
            least_s=report.unread_tokens / speed.range.high,
            most_s=report.unread_tokens / speed.range.low,
            source=speed.source,
        )
    if found is None or found.least_s * found.most_s <= SLOW_PREFILL_S**2:
        return None
    return found


class _Noted(Struct, frozen=True, kw_only=True):
    digest: str
    device: str
    tokens_per_s: float

    @property
    def key(self) -> tuple[str, str]:
        return self.digest, self.device


class ReadingSpeeds:
    """What is known of each model. Every method may block; any one thread.

    Args:
        path: where the speeds of answers are kept; one that can't be written stops nothing.
        certified: the rate of a certificate that holds.
        expected: what can be expected; the second argument allows two seconds of probing.
    """

    def __init__(
        self,
        path: Path,
        certified: Callable[[LoadSpec], float | None] = lambda _: None,
        expected: Callable[[LoadSpec, bool], SpeedRange | None] = lambda _, __: None,
    ) -> None:
        self._path = path
        self._certified = certified
        self._expected = expected
        self._noted: dict[tuple[str, str], _Noted] | None = None

    def note(self, digest: str, device: str, usage: Usage, timings: Timings) -> None:
        """Keeps how fast a model read for an answer, if it read enough to tell."""
        speed = timings.prefill_tokens_per_s
        if not speed or usage.prompt_tokens - usage.reused_tokens < _TELLING_TOKENS:
            return
        noted = self._load()
        one = _Noted(digest=digest, device=device, tokens_per_s=speed)
        noted.pop(one.key, None)
        noted[one.key] = one
        kept = tuple(noted.values())[-_KEPT:]
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(self._path, msgspec.json.encode(kept))
        except (OSError, ContenoxError) as error:
            _log.warning("how fast a model read isn't kept: %s", error)

    def of(self, spec: LoadSpec, characters: int) -> ReadingSpeed | None:
        """How fast ``spec`` reads, by what is trusted most.

        Args:
            characters: of what is to be read.
        """
        with contextlib.suppress(ContenoxError):  # a turn is never stopped for this
            certified = self._certified(spec)
            if certified:
                return _measured(certified, SpeedSource.CERTIFIED)
        noted = self._load().get((spec.model_digest, spec.device))
        if noted is not None:
            return _measured(noted.tokens_per_s, SpeedSource.MEASURED)
        with contextlib.suppress(ContenoxError):
            expected = self._expected(spec, characters >= _WORTH_PROBING_CHARACTERS)
            if expected is not None:
                return ReadingSpeed(range=expected, source=SpeedSource.ESTIMATED)
        return None

    def _load(self) -> dict[tuple[str, str], _Noted]:
        if self._noted is None:
            try:
                found = msgspec.json.decode(self._path.read_bytes(), type=tuple[_Noted, ...])
            except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
                found = ()
            self._noted = {one.key: one for one in found if one.tokens_per_s > 0}
        return self._noted


def reading_speeds(services: "Services") -> ReadingSpeeds:
    """What is known on this machine."""

    def find(spec: LoadSpec) -> InstalledModel | None:
        installed = services.library.installed()
        return next((one for one in installed if one.digest == spec.model_digest), None)

    def certified(spec: LoadSpec) -> float | None:
        model = find(spec)
        if model is None:
            return None
        return services.certified.prefill(model, profile_of(model), spec.device)

    def expected(spec: LoadSpec, may_probe: bool) -> SpeedRange | None:
        model = find(spec)
        if model is None or spec.device != CPU:
            return None
        if may_probe:
            services.models.rates.require()
        speed = services.models.expected(model)
        return None if speed is None else speed.prefill

    return ReadingSpeeds(services.data_root.cache / SPEEDS_FILE, certified, expected)


def _measured(tokens_per_s: float, source: SpeedSource) -> ReadingSpeed:
    return ReadingSpeed(range=SpeedRange(low=tokens_per_s, high=tokens_per_s), source=source)
