"""What the system and a terminal send to end a program, as a wish to quit."""

import signal
import socket
from typing import Final

from PySide6.QtCore import QObject, QSocketNotifier, Signal, Slot

# The end of a session or a service, a terminal's Ctrl-C, a terminal that is closed.
_NAMES: Final = ("SIGTERM", "SIGINT", "SIGHUP")


class QuitSignals(QObject):
    """Hears the signals on the GUI thread; a second one ends the process as it does any other.

    Python runs a handler between two of its own steps, and an idle event loop has none. So the
    interpreter writes a byte for each signal, and Qt waits for that.
    """

    quit_asked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._near, self._far = socket.socketpair()
        for end in (self._near, self._far):
            end.setblocking(False)
        self._wakeup_before = signal.set_wakeup_fd(self._far.fileno(), warn_on_full_buffer=False)
        numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
        # What is ignored stays so: a program started with nohup outlives its terminal.
        heard = [one for one in numbers if signal.getsignal(one) is not signal.SIG_IGN]
        self._before = {one: signal.signal(one, lambda *_: None) for one in heard}
        self._notifier = QSocketNotifier(self._near.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_signal)

    @Slot()
    def _on_signal(self) -> None:
        self._near.recv(64)
        for number in self._before:
            signal.signal(number, signal.SIG_DFL)
        self.quit_asked.emit()

    def close(self) -> None:
        """Hears nothing any more."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._wakeup_before)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._near.close()
        self._far.close()
