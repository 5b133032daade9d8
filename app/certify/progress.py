"""What a certification has finished, kept after each step, so that it can go on another time."""

import logging
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from app.certify.certificate import (
    CancelLatency,
    CertificateKey,
    CheckResult,
    DepthFigures,
    LoadFigures,
    PowerState,
    WarmReuse,
)
from app.certify.plan import Plan
from app.core.files import write_atomic

_log = logging.getLogger(__name__)

_KEPT: Final = timedelta(hours=12)


class Finished(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The finished steps; what is absent or too short is still to be done.

    ``answers`` are those of the first load, ``power`` the state at the beginning.
    """

    key: CertificateKey
    plan: Plan
    app_version: str
    started: str
    power: PowerState
    load: LoadFigures | None = None
    answers: tuple[str, ...] = ()
    checks: tuple[CheckResult, ...] = ()
    first_control_rate: float | None = None
    depths: tuple[DepthFigures, ...] = ()
    warm: WarmReuse | None = None
    cancel: CancelLatency | None = None


class ProgressFile:
    """One file for each key; another plan or version, or an old one, begins anew.

    Args:
        folder: where certificates lie.
        key: what is being certified.
    """

    def __init__(self, folder: Path, key: CertificateKey) -> None:
        self._path = folder / f"{key.slug}.unfinished"

    def load(self, fresh: Finished, now: datetime) -> Finished:
        """What is finished of ``fresh``'s plan, or ``fresh``."""
        try:
            found = msgspec.json.decode(self._path.read_bytes(), type=Finished)
        except FileNotFoundError:
            return fresh
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            _log.warning("an unfinished certification can't be read and is begun anew: %s", error)
            return fresh
        same = (found.key, found.plan, found.app_version)
        if same != (fresh.key, fresh.plan, fresh.app_version):
            return fresh
        try:
            age = now - datetime.fromisoformat(found.started)
        except (ValueError, TypeError):
            return fresh
        return found if timedelta(0) <= age < _KEPT else fresh

    def save(self, finished: Finished) -> None:
        """Stores it; raises ``EnvironmentFault`` if that can't be."""
        write_atomic(self._path, msgspec.json.encode(finished))

    def clear(self) -> None:
        """Forgets it: the certificate is written."""
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("a finished certification's progress can't be removed: %s", error)
