"""Takes the files of a variant away: those that its manifest lists, and nothing of a person's."""

import contextlib
from pathlib import Path

from app.core.paths import unwritable
from app.models.identity import Manifest
from app.models.stamp import STAMP_NAME
from app.models.variant import MANIFEST_NAME, read_manifest


def delete_listed(folder: Path) -> None:
    """Deletes what the manifest in ``folder`` lists, and the folders that are empty then.

    The manifest goes first, so that an interrupted deletion leaves no model that looks whole.

    Raises:
        DataFault: there is no manifest that could be trusted.
        EnvironmentFault: a file can't be deleted.
    """
    manifest = read_manifest(folder)
    try:
        for path in own_files(folder, manifest):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from error
    remove_empty(folder)


def own_files(folder: Path, manifest: Manifest) -> list[Path]:
    """All files of a variant that this program wrote: manifest and stamp first."""
    listed = [folder / file.path for file in manifest.files]
    return [folder / MANIFEST_NAME, folder / STAMP_NAME, *listed]


def freed_bytes(folder: Path) -> int:
    """What deleting the variant in ``folder`` gives back to the disk.

    A file that was imported by a hard link lives on under its first name, and frees nothing.

    Raises:
        DataFault: there is no manifest that could be trusted.
    """
    freed = 0
    for path in own_files(folder, read_manifest(folder)):
        with contextlib.suppress(OSError):
            status = path.stat()
            freed += status.st_size if status.st_nlink < 2 else 0
    return freed


def remove_empty(folder: Path) -> None:
    """Removes ``folder``, what is empty in it, and its parent if that is empty too."""
    for path in sorted((p for p in folder.rglob("*") if p.is_dir()), reverse=True):
        with contextlib.suppress(OSError):
            path.rmdir()
    for path in (folder, folder.parent):
        with contextlib.suppress(OSError):
            path.rmdir()
