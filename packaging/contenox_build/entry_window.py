"""What ``contenox-desktop.exe`` runs."""

import sys

from app.__main__ import window

if __name__ == "__main__":
    sys.exit(window())
