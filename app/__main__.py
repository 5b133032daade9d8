"""Chooses between the window and the console; everything is built in ``app.composition``.

``python -m app`` opens the window without arguments and is the console with some. Spawned engine
processes import this module too, so it imports nothing heavy and does nothing at import.
"""

import multiprocessing
import sys


def window() -> int:
    """Opens the window."""
    multiprocessing.freeze_support()
    from app.composition import run_window

    return run_window()


def console() -> int:
    """Runs a console command."""
    multiprocessing.freeze_support()
    from app.cli.main import main
    from app.composition import build_services

    return main(sys.argv[1:], build_services)


if __name__ == "__main__":
    sys.exit(console() if len(sys.argv) > 1 else window())
