"""What the import linter can't see: what an import really loads."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("module", "forbidden"),
    [
        (
            "app.desktop.application",
            ("openvino", "openvino_genai", "llama_cpp", "numpy", "pyqtgraph"),
        ),
        ("app.desktop.application", ("httpx2", "huggingface_hub", "pygments", "pypdf")),
        ("app.desktop.application", ("app.certify.certifier", "app.workflows.certification")),
        ("app.composition", ("openvino", "openvino_genai", "llama_cpp", "PySide6", "numpy")),
        ("app.composition", ("httpx2", "huggingface_hub")),
        ("app.engine.process", ("PySide6", "openvino", "openvino_genai", "llama_cpp")),
        ("app.engine.client", ("PySide6", "openvino", "openvino_genai", "llama_cpp")),
        ("app.__main__", ("PySide6", "openvino", "openvino_genai", "llama_cpp")),
    ],
)
def test_an_import_loads_only_what_its_layer_may(module: str, forbidden: tuple[str, ...]) -> None:
    program = (
        f"import {module}, sys; print([m for m in {forbidden!r} if sys.modules.get(m) is not None])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
