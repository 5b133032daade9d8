"""Nothing calls home, also where no variable ``CI`` hides that it would."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Counts each attempt to open a socket or to resolve a name, then loads the native libraries.
_PROGRAM = """
import sys
seen = []
def hook(event, args):
    if event.startswith("socket.") and event not in ("socket.__new__", "socket.gethostname"):
        seen.append((event, str(args)))
sys.addaudithook(hook)
import app.engine.process
import openvino, openvino_genai, openvino_tokenizers, huggingface_hub
assert sys.modules["openvino_telemetry"] is None, "telemetry is importable"
loaded = [name for name in sys.modules if "telemetry" in name and sys.modules[name] is not None]
print(loaded, seen)
"""


@pytest.mark.real_model
def test_importing_everything_native_sends_nothing_with_ci_unset(tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "CI"}
    environment |= {"HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _PROGRAM],
        env=environment, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    loaded, _, seen = done.stdout.strip().partition("] ")
    assert seen == "[]", done.stdout
    assert "openvino_telemetry" not in loaded
    assert not list(tmp_path.rglob("*cid*")), "a client id was written"


def test_the_block_is_in_force_wherever_app_is_imported() -> None:
    import app

    assert app.__version__
    assert sys.modules["openvino_telemetry"] is None
