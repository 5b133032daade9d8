"""Where things lie. The only module that knows about a frozen bundle and an installed wheel."""

import errno
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import platformdirs

from app.core.errors import EnvironmentFault

DATA_ROOT_VARIABLE: Final = "CONTENOX_DATA_ROOT"
PORTABLE_FLAG: Final = "portable.flag"
"""A file of this name beside a packaged program keeps everything beside it, on a stick say."""


def _shipped_root() -> Path:
    """The folder that holds ``profiles/`` and ``resources/``."""
    bundle = getattr(sys, "_MEIPASS", None)
    if bundle is not None:
        return Path(bundle)
    package = Path(__file__).resolve().parent.parent
    installed = package / "_data"
    return installed if installed.is_dir() else package.parent


def profiles_dir() -> Path:
    """The folder of the catalogue and the model profiles that come with the program."""
    return _shipped_root() / "profiles"


def resources_dir() -> Path:
    """The folder of icons, style sheet, translations and licence texts."""
    return _shipped_root() / "resources"


@dataclass(frozen=True, slots=True)
class DataRoot:
    """The folder tree that belongs to one user. Nothing is created before it is needed."""

    path: Path

    @classmethod
    def from_environment(cls) -> Self:
        """``CONTENOX_DATA_ROOT`` if set, else the platform's folder for local user data.

        A portable program has ``data`` beside it instead of the latter.
        """
        chosen = os.environ.get(DATA_ROOT_VARIABLE)
        if chosen:
            return cls(Path(chosen).expanduser().absolute())
        program = Path(sys.executable).absolute().parent
        if hasattr(sys, "_MEIPASS") and (program / PORTABLE_FLAG).is_file():
            return cls(program / "data")
        return cls(Path(platformdirs.user_data_dir("Contenox", appauthor=False)))

    @property
    def settings_file(self) -> Path:
        return self.path / "settings.json"

    @property
    def models(self) -> Path:
        """The default model store; the setting ``model_store`` can name another."""
        return self.path / "models"

    @property
    def downloads(self) -> Path:
        """Wheels and other raw files that a model is made from."""
        return self.path / "downloads"

    @property
    def cache(self) -> Path:
        """What can be made again at any time, such as compiled models."""
        return self.path / "cache"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def chats(self) -> Path:
        return self.path / "chats"

    def require(self) -> None:
        """Looks whether the folder can be read and written, or be made where it isn't there yet.

        A full disk is no reason to stop: what is there can be read, and deleting makes room.

        Raises:
            EnvironmentFault: ``data_root_unwritable`` or ``data_root_is_file``.
        """
        try:
            there = next(one for one in (self.path, *self.path.parents) if one.exists())
            if there == self.path:
                next(there.iterdir(), None)
            with tempfile.TemporaryFile(dir=there):
                pass
        except OSError as error:
            if error.errno not in _DISK_FULL:
                raise unwritable(self.path, error) from error

    def ensure(self, folder: Path) -> Path:
        """Creates ``folder`` (this root or a folder below it) and returns it.

        Raises:
            EnvironmentFault: ``data_root_unwritable``.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(folder, error) from error
        return folder


_DISK_FULL: Final = (errno.ENOSPC, errno.EDQUOT)
"""The first is also what Windows' ERROR_DISK_FULL is mapped to."""


def unwritable(path: Path, error: OSError) -> EnvironmentFault:
    """The fault for a folder or file that can't be written: full disk, no permission, a file in
    the place of a folder.
    """
    if error.errno in _DISK_FULL:
        return EnvironmentFault(
            "disk_full",
            f"The disk that holds {path} is full.",
            "Free some space, or choose another data folder with " + DATA_ROOT_VARIABLE + ".",
        )
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        in_the_way = next((one for one in (path, *path.parents) if one.is_file()), path)
        return EnvironmentFault(
            "data_root_is_file",
            f"{in_the_way} is a file, and a folder is needed there.",
            f"Move the file away, or choose another folder with {DATA_ROOT_VARIABLE}.",
        )
    return EnvironmentFault(
        "data_root_unwritable",
        f"{path} can't be written ({error.strerror or error}).",
        f"Choose a folder you may write to with {DATA_ROOT_VARIABLE}, or mend its permissions.",
    )
