"""The starter's files, read by the library that runs them."""

import json
import subprocess
import sys
from typing import Any

import pytest

from app.models.artifact import check_openvino_folder
from app.models.catalog import load_catalog
from app.models.gguf import read_gguf
from app.models.library import InstalledModel
from app.models.starter import STARTER, STARTER_ALIASES, STARTER_NAME

pytestmark = pytest.mark.real_model

_PROBE = """
import json, sys
from app.core.telemetry import block_telemetry
block_telemetry()
import openvino_genai
tokenizer = openvino_genai.Tokenizer(sys.argv[1])
question = {"role": "user", "content": "What is 12345?"}
system = {"role": "system", "content": "Be brief."}
def render(*messages):
    text = tokenizer.apply_chat_template(list(messages), add_generation_prompt=True)
    ids = tokenizer.encode(text, add_special_tokens=False).input_ids.data.tolist()[0]
    return {"text": text, "ids": ids}
print(json.dumps({
    "plain": render(question),
    "with_system": render(system, question),
    "eos": tokenizer.get_eos_token_id(),
    "bos": tokenizer.get_bos_token_id(),
    "pad": tokenizer.get_pad_token_id(),
    "generation_eos": openvino_genai.GenerationConfig(
        sys.argv[1] + "/generation_config.json").eos_token_id,
    "generation_max_length": openvino_genai.GenerationConfig(
        sys.argv[1] + "/generation_config.json").max_length,
}))
"""


@pytest.fixture(scope="module")
def probe(starter_openvino: InstalledModel) -> dict[str, Any]:
    """What GenAI's tokenizer makes of the files, asked in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", _PROBE, starter_openvino.path],
        capture_output=True,
        check=True,
        timeout=90,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_the_header_gives_the_published_figures(starter_gguf: InstalledModel) -> None:
    model = read_gguf(starter_gguf.path)
    assert (model.architecture, model.block_count, model.embedding_length) == ("llama", 30, 576)
    assert (model.head_count, model.kv_head_count, model.head_dim) == (9, 3, 64)
    assert (model.context_length, model.tokenizer.token_count) == (8192, 49_152)
    assert (model.quantisation, model.licence) == ("Q4_1", "apache-2.0")
    control = {token.text for token in model.special_tokens() if token.is_control}
    assert {"<|im_start|>", "<|im_end|>", "<|endoftext|>"} <= control


def test_the_folder_passes_the_check_before_a_load(starter_openvino: InstalledModel) -> None:
    facts = check_openvino_folder(starter_openvino.path)
    assert facts.context_tokens == 8192
    assert facts.stop_token_ids == (2,)
    assert facts.has_sdpa
    assert facts.chat_template is not None


def test_the_template_adds_its_system_text_only_where_there_is_none(probe: dict[str, Any]) -> None:
    turn = "<|im_start|>user\nWhat is 12345?<|im_end|>\n<|im_start|>assistant\n"
    default = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
    assert probe["plain"]["text"] == f"<|im_start|>system\n{default}<|im_end|>\n{turn}"
    assert probe["with_system"]["text"] == f"<|im_start|>system\nBe brief.<|im_end|>\n{turn}"


def test_turn_marks_are_single_tokens(probe: dict[str, Any]) -> None:
    ids = probe["with_system"]["ids"]
    assert ids.count(1) == 3
    assert ids.count(2) == 2
    assert (probe["bos"], probe["eos"], probe["pad"]) == (1, 2, 2)


def test_the_generation_settings_end_at_the_turns_end_and_cap_nothing(
    probe: dict[str, Any],
) -> None:
    assert probe["generation_eos"] == 2
    assert probe["generation_max_length"] == 2**64 - 1


def test_the_catalogue_and_the_starter_name_the_same_bytes() -> None:
    model = load_catalog().model(STARTER_NAME)
    for backend in ("openvino", "llama"):
        variant = model.variant(backend)
        assert variant is not None
        (pin,) = variant.files
        assert (pin.path, pin.size_bytes, pin.sha256) == (
            STARTER.gguf.path,
            STARTER.gguf.size_bytes,
            STARTER.gguf.sha256,
        )
    assert set(model.aliases) == set(STARTER_ALIASES)
