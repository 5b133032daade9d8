"""Chooses between the window and the console; everything is built in ``app.composition``.

``python -m app`` is the window without arguments (or with ``--in-tray`` or ``--quit``) and the
console with others. Spawned engine processes import this module too, so it imports nothing heavy
and does nothing at import.
"""

import multiprocessing
import sys
from typing import Final

IN_TRAY: Final = "--in-tray"
"""What autostart adds: the computer has just started, nobody asked for a window."""
QUIT: Final = "--quit"
"""Ends the window that runs, and waits for it: for installers, and before files are moved."""


def window() -> int:
    """Opens the window."""
    multiprocessing.freeze_support()
    from app.composition import end_window, run_window

    if QUIT in sys.argv[1:]:
        return end_window()
    return run_window(in_tray=IN_TRAY in sys.argv[1:])


def console() -> int:
    """Runs a console command."""
    multiprocessing.freeze_support()
    from app.cli.main import main
    from app.composition import build_services

    return main(sys.argv[1:], build_services)


if __name__ == "__main__":
    sys.exit(window() if sys.argv[1:] in ([], [IN_TRAY], [QUIT]) else console())
