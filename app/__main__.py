"""Chooses between the window and the console; everything is built in ``app.composition``.

``python -m app`` is the window without arguments (or with ``--in-tray`` or ``--quit``) and the
console with others. Spawned engine processes import this module too, so it imports nothing heavy
and does nothing at import.
"""

import multiprocessing
import os
import sys
from typing import Final

IN_TRAY: Final = "--in-tray"
"""What autostart adds: the computer has just started, nobody asked for a window."""
QUIT: Final = "--quit"
"""Ends the window that runs, and waits for it: for installers, and before files are moved."""

_DISPLAYS: Final = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


def window() -> int:
    """Opens the window."""
    multiprocessing.freeze_support()
    from app.composition import end_window, run_window

    if QUIT in sys.argv[1:]:
        return end_window()
    if sys.platform == "linux" and not any(os.environ.get(name) for name in _DISPLAYS):
        from app.core.errors import EnvironmentFault

        nowhere = EnvironmentFault(
            "no_display",
            "There is no display to open a window on.",
            "Start it in a desktop session, or use the console: contenox chat.",
        )
        print(f"contenox: {nowhere.record().line}", file=sys.stderr)
        return 1
    return run_window(in_tray=IN_TRAY in sys.argv[1:])


def console() -> int:
    """Runs a console command."""
    multiprocessing.freeze_support()
    try:
        from app.cli.main import main
        from app.composition import build_services
    except KeyboardInterrupt:  # Ctrl-C before there was anything to stop
        return 130
    return main(sys.argv[1:], build_services)


if __name__ == "__main__":
    sys.exit(window() if sys.argv[1:] in ([], [IN_TRAY], [QUIT]) else console())
