"""The certificates of this machine: one file for each key, below ``<data root>/certificates``."""

import logging
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from app.certify.certificate import (
    Certificate,
    CertificateKey,
    decode_certificate,
    encode_certificate,
    stale_because,
)
from app.core.files import replace, write_atomic
from app.core.paths import unwritable

_log = logging.getLogger(__name__)

FOLDER: Final = "certificates"
_SET_ASIDE: Final = ".broken"


class BrokenCertificate(Struct, frozen=True, kw_only=True):
    """A file that is no certificate. ``path`` is where it lies now, ``reason`` what is wrong."""

    path: Path
    reason: str


class Standing(Struct, frozen=True, kw_only=True):
    """A certificate and whether it still holds: ``stale`` names the field that changed."""

    certificate: Certificate
    stale: str | None = None


class CertificateStore:
    """Reads and writes certificates. Nothing is created before one is stored.

    Args:
        folder: where they lie.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, certificate: Certificate) -> Path:
        """Stores ``certificate`` in place of an older one of the same key.

        One beyond the trained context lies beside the ordinary one, in place of its like.

        Raises:
            EnvironmentFault: ``disk_full`` or ``data_root_unwritable``; the older one stays.
        """
        path = self._path(certificate)
        write_atomic(path, encode_certificate(certificate))
        return path

    def all(self) -> tuple[Certificate, ...]:
        """The certificates that can be read, by file name."""
        return self.survey()[0]

    def survey(self) -> tuple[tuple[Certificate, ...], tuple[BrokenCertificate, ...]]:
        """Both: what can be read, and what was set aside now.

        A file that is no certificate is renamed, so that it is named once and never read again.
        """
        found: list[Certificate] = []
        broken: list[BrokenCertificate] = []
        for path in sorted(self.folder.glob("*.json")):
            try:
                found.append(decode_certificate(path.read_bytes()))
            except OSError as error:
                broken.append(BrokenCertificate(path=path, reason=error.strerror or str(error)))
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                broken.append(BrokenCertificate(path=_set_aside(path), reason=str(error)))
        return tuple(found), tuple(broken)

    def standing(self, model: str, now: CertificateKey) -> Standing | None:
        """The certificate of ``model`` with the backend and on the device of ``now``.

        One that holds, else the newest one that doesn't any more; ``None`` if there is none.

        Args:
            model: the full name, as in ``InstalledModel``.
        """
        candidates = [
            Standing(certificate=one, stale=stale_because(one, now))
            for one in self.all()
            if f"{one.model.name}/{one.model.variant}" == model
            and (one.key.backend, one.key.device) == (now.backend, now.device)
            and not one.beyond_trained
        ]
        holding = [one for one in candidates if one.stale is None]
        return max(holding or candidates, key=lambda one: one.certificate.date, default=None)

    def _path(self, certificate: Certificate) -> Path:
        longer = f"-{certificate.context_tokens}" if certificate.beyond_trained else ""
        return self.folder / f"{certificate.key.slug}{longer}.json"

    def drop(self, certificate: Certificate) -> None:
        """Removes a certificate that isn't true any more; a missing one is no error.

        Raises:
            EnvironmentFault: ``data_root_unwritable``.
        """
        path = self._path(certificate)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(path, error) from error


def _set_aside(path: Path) -> Path:
    target = path.with_name(path.name + _SET_ASIDE)
    try:
        replace(path, target)
    except OSError as error:
        _log.warning("%s is no certificate and can't be set aside: %s", path.name, error)
        return path
    _log.warning("%s is no certificate; it was set aside", path.name)
    return target
