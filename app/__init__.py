"""Contenox Desktop: chat with a local model; nothing leaves the machine.

Importing any part of ``app`` runs this file first, in the window, on the console and in every child
process. That is why the telemetry block is called here and nowhere else.
"""

from app.core.telemetry import block_telemetry

__version__ = "0.1.0"

block_telemetry()
