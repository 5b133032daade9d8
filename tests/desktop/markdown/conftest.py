"""Runs without a screen, unless one was asked for."""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
