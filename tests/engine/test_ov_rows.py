"""The rules OV-1 to OV-5, OV-7, OV-8 and the exact-token refusal, row by row.

``PROOFS`` names the tests of each row, which are where their subject is tested; this module adds
what belongs to the engine's border. ``pytest -m ov`` runs all of them.
"""

import importlib
import inspect
from typing import Any, Final

import pytest

from app.engine.backends.raw_control import raw_control
from app.engine.protocol import Failed, Finished
from app.models.library import InstalledModel
from tests.engine.backends.conftest import openvino_spec
from tests.engine.conftest import Engine, ask

PAGED: Final = "tests.engine.backends.test_openvino_paged"
OVERFLOW: Final = "tests.engine.backends.test_overflow_count"
PIPELINES: Final = "tests.engine.backends.test_openvino_pipelines"
WORDS: Final = "tests.engine.backends.test_native_words"
CACHE: Final = "tests.hardware.test_kv_cache"
BUDGET: Final = "tests.hardware.test_budget"
SELECTOR: Final = "tests.hardware.test_selector"
SELECTION: Final = "tests.hardware.test_selection"
HERE: Final = "tests.engine.test_ov_rows"

PROOFS: Final = {
    "OV-1: an exhausted or corrupted pool ends the session, and nothing is met in silence": (
        f"{PAGED}.test_ov1_the_end_of_the_pool_is_foreseen",
        f"{PAGED}.test_ov1_a_prompt_larger_than_the_pool_is_refused_with_the_sum",
        f"{PAGED}.test_ov1_an_exhausted_pool_that_nobody_foresaw_ends_the_session",
        f"{WORDS}.test_what_the_library_says_is_classified",
        f"{HERE}.test_ov1_a_fatal_fault_evicts_the_model_and_the_next_load_is_fresh",
    ),
    "OV-2: the derived pool is between 1 and 4 GiB, an explicit one is kept": (
        f"{CACHE}.test_ov2_scheduler_cache",
        f"{CACHE}.test_ov2_a_derived_cache_is_between_1_and_4_and_has_a_quarter_to_spare",
        f"{CACHE}.test_ov2_bytes_per_token_are_what_the_library_measured_on_the_starter",
    ),
    "OV-3: a shared GPU without free memory has the machine's, up to its total": (
        f"{BUDGET}.test_ov3_a_shared_gpu_without_free_memory_has_the_hosts_capped_at_its_total",
        f"{BUDGET}.test_ov3_a_discrete_gpu_without_telemetry_is_an_error",
        f"{SELECTION}.test_ov3_discrete_gpu_without_telemetry_is_skipped_under_automatic",
    ),
    "OV-4: automatic sparse attention retries dense, required one fails hard": (
        f"{PIPELINES}.test_ov4_automatic_retries_dense_wherever_the_refusal_comes",
        f"{PIPELINES}.test_ov4_required_sparse_attention_fails_hard_with_one_attempt",
        f"{PIPELINES}.test_ov4_another_failure_is_no_reason_to_retry",
        f"{PIPELINES}.test_ov4_the_words_of_a_refusal",
        f"{PIPELINES}.test_ov4_xattention_on_a_cpu_is_refused_when_required_and_dense_when_automatic",
    ),
    "OV-5: the NPU and composites are refused before anything is constructed": (
        f"{SELECTOR}.test_ov5_the_npu_is_refused_with_the_reason_in_every_spelling",
        f"{SELECTOR}.test_ov5_a_composite_is_refused",
        f"{SELECTION}.test_ov5_every_source_is_refused_before_anything_native",
        f"{SELECTION}.test_ov5_the_npu_in_the_priority_is_refused_with_the_reason",
        f"{HERE}.test_ov5_the_engine_constructs_nothing_on_an_npu_or_a_composite",
    ),
    "OV-7: a total length in the model's files caps nothing": (
        f"{PAGED}.test_ov7_a_total_length_in_the_model_s_file_caps_nothing",
    ),
    "OV-8: tokens are counted by ids and the library's counters": (
        f"{HERE}.test_ov8_product_and_control_count_the_same_ids",
    ),
    "the exact-token refusal": (
        f"{OVERFLOW}.test_one_token_less_than_the_context_is_answered",
        f"{OVERFLOW}.test_the_refusal_has_the_true_number",
        "tests.engine.backends.test_llama"
        ".test_a_prompt_that_fills_the_context_is_refused_and_one_token_less_is_not",
    ),
}


def _marks(owner: Any) -> set[str]:
    marks = getattr(owner, "pytestmark", [])
    return {one.name for one in (marks if isinstance(marks, list) else [marks])}


@pytest.mark.ov
@pytest.mark.parametrize("row", list(PROOFS))
def test_each_row_has_its_tests_and_the_marker_selects_them(row: str) -> None:
    for proof in PROOFS[row]:
        module_name, name = proof.rsplit(".", 1)
        module = importlib.import_module(module_name)
        test = getattr(module, name)
        assert inspect.isfunction(test)
        assert "ov" in _marks(test) | _marks(module), proof


@pytest.mark.ov
@pytest.mark.real_model
@pytest.mark.parametrize(
    ("device", "code"),
    [
        ("NPU", "npu_not_supported"),
        ("npu.0", "npu_not_supported"),
        ("AUTO:NPU", "npu_not_supported"),
        ("HETERO:NPU,CPU", "npu_not_supported"),
        ("BATCH:NPU", "npu_not_supported"),
        ("AUTO:GPU,CPU", "composite_device"),
        ("MULTI:CPU", "composite_device"),
    ],
)
def test_ov5_the_engine_constructs_nothing_on_an_npu_or_a_composite(
    engine: Engine, starter_openvino: InstalledModel, device: str, code: str
) -> None:
    recorder = engine.send(ask(openvino_spec(starter_openvino, device=device), "x"))
    end = recorder.end()
    assert isinstance(end, Failed)
    assert end.error.code == code
    assert recorder.events == [end], "nothing was begun"


@pytest.mark.ov
@pytest.mark.real_model
def test_ov1_a_fatal_fault_evicts_the_model_and_the_next_load_is_fresh(
    engine: Engine, starter_openvino: InstalledModel
) -> None:
    # A value that only the library refuses, in its own words.
    spec = openvino_spec(starter_openvino, kv_cache_precision="q99")
    refused = engine.send(ask(spec, "x")).end()
    assert isinstance(refused, Failed)
    assert (refused.error.code, refused.fatal) == ("setting_refused", True)
    good = engine.send(ask(openvino_spec(starter_openvino), "Hello", max_tokens=2)).end()
    assert isinstance(good, Finished)
    assert good.generation > refused.generation


@pytest.mark.ov
@pytest.mark.real_model
def test_ov8_product_and_control_count_the_same_ids(
    engine: Engine, starter_openvino: InstalledModel
) -> None:
    question = "What is the capital of France?"
    spec = openvino_spec(starter_openvino)
    end = engine.send(ask(spec, question, max_tokens=40)).end()
    assert isinstance(end, Finished)
    # The starter's own template, spelled out: the control shares no code with the product.
    prompt = (
        "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face"
        f"<|im_end|>\n<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n"
    )
    with raw_control("openvino", spec.model_path, "CPU") as control:
        run = control.run(prompt, 40)
    assert run.prompt_tokens == end.usage.prompt_tokens
    assert run.completion_tokens == end.usage.completion_tokens
