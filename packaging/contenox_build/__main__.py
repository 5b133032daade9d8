"""Started as a folder: ``python packaging/contenox_build COMMAND``; see ``--help``."""

import sys
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent
# Its modules are reached as a package only, so that none of them hides one of Python's own.
sys.path[:] = [str(_FOLDER.parent), *(entry for entry in sys.path if entry != str(_FOLDER))]

from contenox_build.command_line import main  # noqa: E402 - the path comes first

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
