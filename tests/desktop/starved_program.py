"""The window on a disk that hangs, asked to quit. Run by a test in a process of its own."""

import sys
import time
from pathlib import Path

from PySide6.QtCore import QTimer, Slot

from app.desktop import application
from app.desktop.application import Desktop
from tests.desktop.rooms import Room


def hang() -> int:
    time.sleep(600)
    return 0


class Starving(Desktop):
    """Quits half a second after its start, when everything that writes hangs."""

    def start(self, *, in_tray: bool = False) -> None:
        super().start(in_tray=in_tray)
        QTimer.singleShot(500, self, self._starve)

    @Slot()
    def _starve(self) -> None:
        # All three threads that write hang, as on a network drive that is gone.
        store = self._around.store
        assert store is not None
        store._owner.run(lambda _: hang())
        store._owner.run_beside(lambda _: hang())
        self._keeper.run(lambda: store.data_version().result())
        self._clerk.run(hang)
        print(time.monotonic(), flush=True)
        self.quit()


if __name__ == "__main__":
    application.Desktop = Starving  # type: ignore[misc]
    sys.exit(application.run(Room(Path(sys.argv[1])).services))
