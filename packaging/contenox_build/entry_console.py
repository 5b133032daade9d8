"""What ``contenox.exe`` runs."""

import sys

from app.__main__ import console

if __name__ == "__main__":
    sys.exit(console())
