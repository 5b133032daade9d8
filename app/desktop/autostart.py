"""Whether the program starts with the computer. Off until a person asks for it."""

import os
import sys
from pathlib import Path
from typing import Final, Protocol

from app.core.errors import EnvironmentFault
from app.core.files import write_atomic

_NAME: Final = "Contenox"
_RUN_KEY: Final = r"Software\Microsoft\Windows\CurrentVersion\Run"
IN_TRAY: Final = "--in-tray"


class Autostart(Protocol):
    """The system's own list is the only record; there is no setting beside it."""

    def enabled(self) -> bool:
        """Whether the program is in the list."""

    def set_enabled(self, enabled: bool) -> None:
        """Puts the program in the list or takes it out.

        Raises:
            EnvironmentFault: the system refused.
        """


class XdgAutostart:
    """A desktop entry in the user's autostart folder."""

    def __init__(self, command: tuple[str, ...], config_home: Path | None = None) -> None:
        home = config_home or Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
        self._command = command
        self._file = home / "autostart" / "contenox-desktop.desktop"

    def enabled(self) -> bool:
        return self._file.is_file()

    def set_enabled(self, enabled: bool) -> None:
        if not enabled:
            self._file.unlink(missing_ok=True)
            return
        command = " ".join(_quoted(word) for word in self._command)
        entry = f"[Desktop Entry]\nType=Application\nName={_NAME}\nExec={command}\n"
        write_atomic(self._file, entry.encode("utf-8"))


class WindowsAutostart:
    """A value of the user's Run key; no administrator is needed."""

    def __init__(self, command: tuple[str, ...]) -> None:
        self._command = command

    def enabled(self) -> bool:
        if sys.platform == "win32":
            import winreg

            try:
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, _RUN_KEY) as key:
                    winreg.QueryValueEx(key, _NAME)
            except OSError:
                return False
            return True
        return False

    def set_enabled(self, enabled: bool) -> None:
        if sys.platform == "win32":
            import winreg
            from subprocess import list2cmdline

            user, access = winreg.HKEY_CURRENT_USER, winreg.KEY_SET_VALUE
            try:
                with winreg.CreateKeyEx(user, _RUN_KEY, 0, access) as key:
                    if enabled:
                        line = list2cmdline(self._command)
                        winreg.SetValueEx(key, _NAME, 0, winreg.REG_SZ, line)
                    elif self.enabled():
                        winreg.DeleteValue(key, _NAME)
            except OSError as error:
                raise EnvironmentFault(
                    "autostart_refused",
                    "Windows did not let the program change what starts with the computer.",
                    "Ask who manages this computer, or use the task manager's Startup page.",
                ) from error


def own_command() -> tuple[str, ...]:
    """How this program was started, so that the system can start it the same way."""
    if getattr(sys, "frozen", False):
        return sys.executable, IN_TRAY
    return sys.executable, "-m", "app", IN_TRAY


def system_autostart() -> Autostart:
    """The list of the system that this runs on."""
    if sys.platform == "win32":
        return WindowsAutostart(own_command())
    return XdgAutostart(own_command())


def _quoted(word: str) -> str:
    """Quotes one argument as the Desktop Entry Specification asks."""
    escaped = word
    for special in ("\\", '"', "`", "$"):
        escaped = escaped.replace(special, "\\" + special)
    # A percent sign begins a field code there.
    return '"' + escaped.replace("%", "%%") + '"'
