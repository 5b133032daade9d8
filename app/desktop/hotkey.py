"""Keys that work from anywhere. Windows gives them to programs; elsewhere there are none."""

import sys
from typing import Any, Final, Protocol

from PySide6.QtCore import QAbstractNativeEventFilter, QByteArray, QCoreApplication, QObject, Signal

_WM_HOTKEY: Final = 0x0312
_ID: Final = 0x0C0E
_NO_REPEAT: Final = 0x4000
_MODIFIERS: Final = {"alt": 0x0001, "ctrl": 0x0002, "shift": 0x0004, "win": 0x0008}
_KEYS: Final = {"space": 0x20, "tab": 0x09, "return": 0x0D}


class Hotkey(Protocol):
    """One combination of keys for the whole system."""

    def set_keys(self, keys: str | None) -> bool:
        """Listens to ``keys``, such as ``Ctrl+Alt+Space``, in place of others; ``None`` to none.

        Returns whether the system gave them; another program may have them already.
        """


class HotkeySignals(QObject):
    """What a hotkey tells."""

    pressed = Signal()


class NoHotkey:
    """A system that gives programs no keys."""

    supported = False

    def __init__(self) -> None:
        self.signals = HotkeySignals()

    def set_keys(self, keys: str | None) -> bool:
        return keys is None


class WindowsHotkey(QAbstractNativeEventFilter):
    """``RegisterHotKey`` for the GUI thread; the key arrives as a message of that thread."""

    supported = True

    def __init__(self) -> None:
        super().__init__()
        self.signals = HotkeySignals()
        self._registered = False
        app = QCoreApplication.instance()
        assert app is not None, "needs the application"
        app.installNativeEventFilter(self)

    def set_keys(self, keys: str | None) -> bool:
        if sys.platform == "win32":
            import ctypes

            user32 = ctypes.windll.user32
            if self._registered:
                user32.UnregisterHotKey(None, _ID)
                self._registered = False
            if keys is None:
                return True
            modifiers, key = parse_keys(keys)
            self._registered = bool(user32.RegisterHotKey(None, _ID, modifiers | _NO_REPEAT, key))
        return self._registered

    def nativeEventFilter(  # noqa: N802  Qt's name
        self, event_type: QByteArray | bytes | bytearray | memoryview, message: int
    ) -> Any:
        if sys.platform == "win32" and bytes(event_type) == b"windows_dispatcher_MSG":
            from ctypes.wintypes import MSG

            if MSG.from_address(int(message)).message == _WM_HOTKEY:
                self.signals.pressed.emit()
        return False, 0


def parse_keys(keys: str) -> tuple[int, int]:
    """Returns Windows' modifiers and virtual key of ``Ctrl+Alt+Space``.

    Raises:
        ValueError: an unknown key, or no modifier.
    """
    *modifiers, key = (word.strip().lower() for word in keys.split("+"))
    mask = 0
    for modifier in modifiers:
        if modifier not in _MODIFIERS:
            raise ValueError(f"unknown modifier in {keys!r}")
        mask |= _MODIFIERS[modifier]
    code = _KEYS.get(key) or (ord(key.upper()) if len(key) == 1 and key.isalnum() else None)
    if code is None or not mask:
        raise ValueError(f"{keys!r} is no combination of keys")
    return mask, code


def system_hotkey() -> WindowsHotkey | NoHotkey:
    """The keys of the system that this runs on."""
    return WindowsHotkey() if sys.platform == "win32" else NoHotkey()
