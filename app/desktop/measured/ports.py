"""What the window of measurements is given to work with."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from app.certify.certificate import Certificate
from app.workflows.automatic import AutomaticChoice
from app.workflows.certified import Candidate, FailedDevice, Measured

if TYPE_CHECKING:
    from app.certify.certifier import Step


class Certify(Protocol):
    """Measures one candidate; blocks for minutes, on a worker thread."""

    def __call__(
        self,
        candidate: Candidate,
        *,
        quick: bool,
        report: "Callable[[Step], None]",
        stop: Callable[[], bool],
    ) -> Certificate:
        """Stores and returns the certificate.

        Raises:
            Stopped: ``stop`` said so; the next run goes on from there.
            ContenoxError: a step failed.
        """


class ExpectedSeconds(Protocol):
    def __call__(self, candidate: Candidate, *, quick: bool) -> float | None:
        """About how long a run takes; ``None`` where nothing was measured yet."""


@dataclass(frozen=True, slots=True)
class MeasureServices:
    """All of them block. ``offer`` names a GPU that a model (by its name and backend) should be
    checked on, after its first load; ``why`` tells what numbers chose for it,
    ``failed`` where it failed its checks.
    """

    survey: Callable[[], tuple[Measured, ...]]
    candidates: Callable[[], tuple[Candidate, ...]]
    expected_s: ExpectedSeconds
    certify: Certify
    offer: Callable[[str, str], Candidate | None]
    failed: Callable[[str, str], tuple[FailedDevice, ...]] = lambda _model, _backend: ()
    why: Callable[[str, str], tuple[AutomaticChoice, ...]] = lambda _model, _backend: ()
