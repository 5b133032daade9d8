"""The window on a disk that hangs, asked to quit. Run by a test in a process of its own."""

import sys
import time
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.desktop.application import Desktop
from tests.desktop.rooms import Room


def hang() -> int:
    time.sleep(600)
    return 0


def main() -> None:
    app = QApplication([])
    room = Room(Path(sys.argv[1]))
    desktop = Desktop(app, room.services)
    desktop.start()

    def starve() -> None:
        # All three threads that write hang, as on a network drive that is gone.
        room.store._owner.run(lambda _: hang())
        room.store._owner.run_beside(lambda _: hang())
        desktop._keeper.run(lambda: room.store.data_version().result())
        desktop._clerk.run(hang)
        print(time.monotonic(), flush=True)
        desktop.quit()

    QTimer.singleShot(500, starve)
    app.exec()
    desktop.close()


if __name__ == "__main__":
    main()
