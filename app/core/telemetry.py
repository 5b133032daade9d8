"""Keeps every dependency from calling home.

``import openvino`` sends an event to an analytics service unless the module ``openvino_telemetry``
can't be imported (seen in 2026.4.1; the variable ``CI=true`` hides it, so a green build proves
nothing). huggingface_hub reads its switches once, when it is first imported.
"""

import os
import sys
from typing import Final

_ENVIRONMENT: Final = {
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    # Tokens that another tool stored belong to that tool.
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    # Xet can hang for minutes and has no fallback to plain HTTP.
    "HF_HUB_DISABLE_XET": "1",
}


def block_telemetry() -> None:
    """Makes ``openvino_telemetry`` unimportable and sets the libraries' own opt-outs.

    Idempotent. Must run before the first import of openvino or huggingface_hub in a process.
    """
    # OpenVINO falls back to a stub of its own when this import fails.
    sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]
    os.environ.update(_ENVIRONMENT)
