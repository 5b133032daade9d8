"""No repository with eyes or ears passes, no half one, and every curated one does."""

import json
from pathlib import Path

import pytest

from app.models.catalog import Backend, load_catalog
from app.models.text_only import (
    Refusal,
    RefusalReason,
    judge_config,
    judge_folder,
    judge_gguf_architecture,
    judge_gguf_files,
    judge_ir,
    judge_openvino_files,
)

RUNTIME = "2026.4.1"
TEXT = [
    ".gitattributes",
    "README.md",
    "chat_template.jinja",
    "config.json",
    "generation_config.json",
    "openvino_config.json",
    "openvino_detokenizer.bin",
    "openvino_detokenizer.xml",
    "openvino_model.bin",
    "openvino_model.xml",
    "openvino_tokenizer.bin",
    "openvino_tokenizer.xml",
    "tokenizer.json",
    "tokenizer_config.json",
]
SUB_MODELS = [
    f"openvino_{part}.{kind}"
    for part in ("language_model", "text_embeddings_model", "vision_embeddings_model")
    for kind in ("bin", "xml")
]
SHARED = [name for name in TEXT if not name.startswith("openvino_model")]
GEMMA_4_E4B = [
    *SHARED,
    *SUB_MODELS,
    "openvino_text_embeddings_per_layer_model.bin",
    "openvino_text_embeddings_per_layer_model.xml",
    "preprocessor_config.json",
    "processor_config.json",
]
INTERNVL2_1B = [
    *SHARED,
    *SUB_MODELS,
    "configuration_internvl_chat.py",
    "configuration_intern_vit.py",
    "preprocessor_config.json",
]
CONFIG = {"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3"}
IR = (
    b'<?xml version="1.0"?>\n<net name="Model0" version="11">'
    b'<layer id="0" name="input_ids" type="Parameter" />'
    b'<rt_info><info name="OpenVINO Runtime" value="2026.4.1-22982-e213a147257" /></rt_info></net>'
)


def _reason(refusal: Refusal | None) -> RefusalReason | None:
    return None if refusal is None else refusal.reason


@pytest.mark.parametrize("files", [GEMMA_4_E4B, INTERNVL2_1B], ids=["gemma-4-e4b", "internvl2-1b"])
def test_a_vision_repository_is_refused_by_its_list(files: list[str]) -> None:
    refusal = judge_openvino_files(files)
    assert refusal is not None
    assert refusal.reason is RefusalReason.UNSUPPORTED_PIPELINE
    assert refusal.error().code == "unsupported_pipeline"


@pytest.mark.parametrize(
    "extra",
    [
        "openvino_vision_embeddings_model.xml",
        "openvino_language_model.xml",
        "openvino_text_embeddings_model.xml",
        "openvino_resampler_model.xml",
        "openvino_audio_embeddings_model.xml",
        "openvino_encoder_model.xml",
        "openvino_decoder_model.xml",
        "preprocessor_config.json",
        "processor_config.json",
        "video_preprocessor_config.json",
        "model_index.json",
        "mmproj-model-f16.gguf",
        "sub/Preprocessor_Config.JSON",
    ],
)
def test_one_telling_file_beside_a_text_model_is_enough(extra: str) -> None:
    refusal = judge_openvino_files([*TEXT, extra])
    assert _reason(refusal) is RefusalReason.UNSUPPORTED_PIPELINE


@pytest.mark.parametrize("missing", [n for n in TEXT if n.startswith("openvino_") and "to" in n])
def test_a_missing_tokenizer_part_is_incomplete(missing: str) -> None:
    refusal = judge_openvino_files([name for name in TEXT if name != missing])
    assert refusal is not None
    assert refusal.reason is RefusalReason.INCOMPLETE
    assert missing in refusal.sentence


def test_an_ordinary_text_repository_passes() -> None:
    assert judge_openvino_files(TEXT) is None


def test_every_pinned_list_of_the_catalogue_passes() -> None:
    judged = 0
    for _, variant in load_catalog().rows():
        names = [file.path for file in variant.files]
        if variant.backend is Backend.LLAMA:
            assert judge_gguf_files(names, names[0]) is None
            judged += 1
        elif len(names) > 1:
            assert judge_openvino_files(names) is None
            judged += 1
    assert judged > 20


def test_a_list_of_twenty_thousand_files_is_refused() -> None:
    files = [*TEXT, *(f"shard-{number:05}.json" for number in range(20_000))]
    assert _reason(judge_openvino_files(files)) is RefusalReason.TOO_MANY_FILES


def test_a_list_with_a_hostile_name_is_refused() -> None:
    refusal = judge_openvino_files([*TEXT, "../evil"])
    assert _reason(refusal) is RefusalReason.UNSAFE_FILE_NAME


def test_a_gguf_repository_with_a_projector_is_refused() -> None:
    files = ["gemma-4-E2B-it-Q8_0.gguf", "mmproj-gemma-4-E2B-it-Q8_0.gguf"]
    assert _reason(judge_gguf_files(files, files[0])) is RefusalReason.UNSUPPORTED_PIPELINE
    assert judge_gguf_files(files[:1], files[0]) is None
    assert _reason(judge_gguf_files(files[:1], "other.gguf")) is RefusalReason.INCOMPLETE


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({}, None),
        ({"vision_config": {}}, RefusalReason.UNSUPPORTED_PIPELINE),
        ({"vision_config": None}, None),
        ({"audio_config": {"d": 1}}, RefusalReason.UNSUPPORTED_PIPELINE),
        ({"thinker_config": {"d": 1}}, RefusalReason.UNSUPPORTED_PIPELINE),
        ({"model_type": "internvl_chat"}, RefusalReason.UNSUPPORTED_PIPELINE),
        ({"model_type": "Gemma4"}, RefusalReason.UNSUPPORTED_PIPELINE),
        ({"model_type": "qwen2_5_vl"}, RefusalReason.UNSUPPORTED_PIPELINE),
        ({"model_type": "qwen3_moe"}, None),
        ({"model_type": "gemma3_text"}, None),
        (
            {"architectures": ["Gemma4ForConditionalGeneration"]},
            RefusalReason.UNSUPPORTED_ARCHITECTURE,
        ),
        ({"architectures": ["BertModel"]}, RefusalReason.UNSUPPORTED_ARCHITECTURE),
        (
            {"architectures": ["XLMRobertaForSequenceClassification"]},
            RefusalReason.UNSUPPORTED_ARCHITECTURE,
        ),
        ({"architectures": []}, RefusalReason.UNSUPPORTED_ARCHITECTURE),
        ({"architectures": "Qwen3ForCausalLM"}, RefusalReason.UNSUPPORTED_ARCHITECTURE),
        ({"architectures": ["GPT2LMHeadModel"]}, None),
    ],
)
def test_the_configuration_decides(change: dict[str, object], reason: RefusalReason | None) -> None:
    assert _reason(judge_config(json.dumps(CONFIG | change).encode())) is reason


@pytest.mark.parametrize("text", [b"", b"[1]", b"{oops", b"\xff\xfe", b"[" * 100_000])
def test_a_broken_configuration_is_refused_not_raised(text: bytes) -> None:
    assert _reason(judge_config(text)) is RefusalReason.CONFIG_UNREADABLE


@pytest.mark.parametrize(
    ("version", "reason"),
    [
        (b"2026.4.1", None),
        (b"2025.1.0", None),
        (b"2026.5.0", RefusalReason.NEWER_RUNTIME),
        (b"2027.0.0", RefusalReason.NEWER_RUNTIME),
    ],
)
def test_a_model_of_a_newer_runtime_is_refused(
    version: bytes, reason: RefusalReason | None
) -> None:
    assert _reason(judge_ir(IR.replace(b"2026.4.1", version), RUNTIME)) is reason
    old_form = IR.replace(b'info name="OpenVINO Runtime"', b"Runtime_version")
    assert _reason(judge_ir(old_form.replace(b"2026.4.1", version), RUNTIME)) is reason


def test_a_page_in_place_of_a_model_is_refused() -> None:
    assert _reason(judge_ir(b"<html>Sign in</html>", RUNTIME)) is RefusalReason.INCOMPLETE


def test_a_language_part_that_takes_embeddings_is_refused() -> None:
    xml = IR.replace(b'name="input_ids"', b'name="inputs_embeds"')
    assert _reason(judge_ir(xml, RUNTIME)) is RefusalReason.UNSUPPORTED_PIPELINE


@pytest.mark.parametrize(
    ("architecture", "reason"),
    [
        ("llama", None),
        ("qwen3moe", None),
        ("clip", RefusalReason.UNSUPPORTED_PIPELINE),
        ("qwen2vl", RefusalReason.UNSUPPORTED_PIPELINE),
        ("nomic-bert", RefusalReason.UNSUPPORTED_ARCHITECTURE),
    ],
)
def test_the_architecture_of_a_gguf_decides(
    architecture: str, reason: RefusalReason | None
) -> None:
    assert _reason(judge_gguf_architecture(architecture)) is reason


def _folder(tmp_path: Path) -> Path:
    for name in TEXT:
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    (tmp_path / "openvino_model.xml").write_bytes(IR)
    return tmp_path


def test_a_whole_folder_passes_with_our_own_files_in_it(tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    (folder / "manifest.json").write_text("{}")
    (folder / "contenox-openvino.json").write_text("{}")
    assert judge_folder(folder, RUNTIME) is None


def test_a_folder_is_judged_by_its_configuration_and_its_ir(tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    (folder / "openvino_model.xml").write_bytes(IR.replace(b"2026.4.1", b"2026.9.0"))
    assert _reason(judge_folder(folder, RUNTIME)) is RefusalReason.NEWER_RUNTIME
    (folder / "config.json").write_text(json.dumps(CONFIG | {"vision_config": {"x": 1}}))
    assert _reason(judge_folder(folder, RUNTIME)) is RefusalReason.UNSUPPORTED_PIPELINE


def test_a_folder_that_is_gone_is_incomplete(tmp_path: Path) -> None:
    assert _reason(judge_folder(tmp_path / "gone", RUNTIME)) is RefusalReason.INCOMPLETE
