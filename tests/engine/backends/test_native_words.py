"""The words that the real library says here, produced by the repro script, tell their fault."""

import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from app.engine.faults import classify
from app.models.library import InstalledModel

pytestmark = pytest.mark.real_model

SCRIPT: Final = Path(__file__).parents[3] / "docs" / "upstream" / "repro.py"

WORDS: Final = {
    "no_attention_operation": "paged_attention_not_supported",
    "absent_gpu": "device_unavailable",
    "bad_kv_precision": "setting_refused",
    "pool_exhausted_in_words": "pool_exhausted",
    "max_length_inherited": "length_capped",
    "earlier_request_left_behind": "pipeline_busy",
    "cut_weights": "model_damaged",
    "broken_generation_config": "model_damaged",
    "failing_template": "template_failed",
    # Last: from then on the process gets no more memory.
    "allocation_failure": "out_of_memory",
}
MORE_WORDS: Final = {
    "unknown_device": "device_unavailable",
    "bad_property": "setting_refused",
    "pool_larger_than_memory": "out_of_memory",
    "blocks_larger_than_memory": "out_of_memory",
    "batch_smaller_than_prompt": "prompt_too_long",
    "missing_weights": "model_damaged",
    "cut_graph": "model_damaged",
    "empty_graph": "model_damaged",
    "missing_graph": "model_damaged",
}


def run(folder: Path, *cases: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *cases, str(folder)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.ov
@pytest.mark.skipif(sys.platform != "linux", reason="sets an address-space limit")
@pytest.mark.parametrize(
    "expected", [WORDS, pytest.param(MORE_WORDS, marks=pytest.mark.soak)], ids=["words", "more"]
)
def test_what_the_library_says_is_classified(
    starter_openvino: InstalledModel, expected: dict[str, str]
) -> None:
    ran = run(starter_openvino.path, *expected)
    parts = re.split(r"^== ", ran.stdout, flags=re.MULTILINE)[1:]  # the words have "==" too
    said = dict(part.split("\n", 1) for part in parts)
    assert list(said) == list(expected), ran.stderr
    assert {case: classify(words).code for case, words in said.items()} == expected


@pytest.mark.soak
@pytest.mark.skipif(sys.platform != "linux", reason="looks at signals")
@pytest.mark.parametrize("case", ["streamer_raises", "ids_then_history", "detokenizer_missing"])
def test_what_crashes_the_library_still_does(starter_openvino: InstalledModel, case: str) -> None:
    """A workaround whose crash is gone can be taken out."""
    ended = run(starter_openvino.path, case).returncode
    assert -ended in (signal.SIGABRT, signal.SIGSEGV, signal.SIGFPE)


@pytest.mark.soak
def test_an_exhausted_pool_is_still_met_in_silence(starter_openvino: InstalledModel) -> None:
    ran = run(starter_openvino.path, "pool_exhausted_in_silence")
    assert ran.stdout.split("\n")[1].endswith("of 200 tokens, GenerationFinishReason.NONE")


@pytest.mark.soak
def test_a_stateful_pipeline_still_leaves_a_thread(starter_openvino: InstalledModel) -> None:
    assert "grows" in run(starter_openvino.path, "stateful_leaves_a_thread").stdout


@pytest.mark.soak
def test_the_converted_tokenizer_still_cuts(starter_openvino: InstalledModel) -> None:
    ran = run(starter_openvino.path, "tokenizer_cuts")
    assert "16000 words, 8192 tokens" in ran.stdout
