"""``packaging/`` is no Python package, since it would hide one of that name; its code is found
through the path."""

import sys
from pathlib import Path

PACKAGING = str(Path(__file__).resolve().parents[2] / "packaging")
if PACKAGING not in sys.path:
    sys.path.append(PACKAGING)
