"""Chooses between the window and the console; everything is built in ``app.composition``.

``python -m app`` opens the window without arguments (or with ``--in-tray``) and is the console with
others. Spawned engine processes import this module too, so it imports nothing heavy and does
nothing at import.
"""

import multiprocessing
import sys
from typing import Final

IN_TRAY: Final = "--in-tray"
"""What autostart adds: the computer has just started, nobody asked for a window."""


def window() -> int:
    """Opens the window."""
    multiprocessing.freeze_support()
    from app.composition import run_window

    return run_window(in_tray=IN_TRAY in sys.argv[1:])


def console() -> int:
    """Runs a console command."""
    multiprocessing.freeze_support()
    from app.cli.main import main
    from app.composition import build_services

    return main(sys.argv[1:], build_services)


if __name__ == "__main__":
    sys.exit(window() if sys.argv[1:] in ([], [IN_TRAY]) else console())
