"""The curated list: strict, canonical, and true to the sources it was gathered from."""

from pathlib import Path

import pytest

from app.core.errors import DataFault, UserError
from app.models.catalog import (
    Backend,
    LicenceKind,
    Origin,
    Trust,
    canonical_bytes,
    catalog_path,
    load_catalog,
    parse_catalog,
)
from app.models.catalog_lines import _places, line_of_error
from app.models.profile import LLAMA_PROFILE, OPENVINO_PROFILE, capabilities
from app.models.profile_files import read_profile

OPENVINO_TEXT_REPOSITORIES = {
    "OpenVINO/Qwen2.5-Coder-0.5B-Instruct-int4-ov": 348_761_603,
    "OpenVINO/Qwen2.5-Coder-1.5B-Instruct-int4-ov": 941_408_897,
    "OpenVINO/Qwen2.5-Coder-3B-Instruct-int4-ov": 1_835_241_153,
    "OpenVINO/Qwen2.5-Coder-7B-Instruct-int4-ov": 4_508_507_072,
    "OpenVINO/Qwen2.5-Coder-14B-Instruct-int4-ov": 8_453_145_650,
    "OpenVINO/TinyLlama-1.1B-Chat-v1.0-int4-ov": 636_000_000,
    "OpenVINO/Phi-4-mini-instruct-int4-ov": 2_388_940_940,
    "OpenVINO/Qwen3-4B-int4-ov": 2_290_768_181,
    "OpenVINO/Qwen3-8B-int4-ov": 4_882_865_352,
    "OpenVINO/Qwen3-14B-int4-ov": 9_731_519_596,
    "OpenVINO/Qwen3-30B-A3B-int4-ov": 16_344_043_009,
    "OpenVINO/Qwen3-Coder-30B-A3B-Instruct-int4-ov": 16_344_057_522,
    "OpenVINO/DeepSeek-R1-Distill-Qwen-7B-int4-ov": 4_503_931_427,
    "OpenVINO/gpt-oss-20b-int4-ov": 12_623_951_367,
}


def _shipped() -> bytes:
    return catalog_path().read_bytes()


def test_the_shipped_file_is_written_canonically() -> None:
    assert canonical_bytes(parse_catalog(_shipped())) == _shipped()


def test_canonical_bytes_do_not_depend_on_the_order_of_models() -> None:
    catalog = load_catalog()
    shuffled = type(catalog)(
        format=catalog.format, serial=catalog.serial, models=catalog.models[::-1]
    )
    assert canonical_bytes(shuffled) == _shipped()


def test_all_fourteen_openvino_text_repositories_are_rows() -> None:
    sizes = {
        variant.repository: variant.size_bytes
        for _, variant in load_catalog().rows()
        if variant.backend is Backend.OPENVINO and variant.origin is Origin.HUB
    }
    assert OPENVINO_TEXT_REPOSITORIES.items() <= sizes.items()


def test_no_row_is_a_vision_model() -> None:
    for _, variant in load_catalog().rows():
        name = (variant.repository or "").casefold()
        assert not any(word in name for word in ("gemma-4", "internvl", "-vl-", "vision"))


def test_qwen3_8b_is_one_model_with_two_backends() -> None:
    model = load_catalog().model("qwen3-8b")
    assert {variant.backend for variant in model.variants} == {Backend.OPENVINO, Backend.LLAMA}
    _, variant = load_catalog().find("qwen3-8b-ov", "openvino")
    assert variant.trust is Trust.PINNED
    assert variant.revision == "5c47abf4b8e12ebe8e99745bb0c1ec17e0c0abcc"
    assert len(variant.files) == 18
    assert not variant.provenance.held_against_hub


@pytest.mark.parametrize("name", ["qwen2.5-3b-instruct", "llama-3.2-1b-instruct", "codestral-22b"])
def test_a_licence_that_restricts_is_marked(name: str) -> None:
    assert load_catalog().model(name).licence.kind is LicenceKind.RESTRICTED


@pytest.mark.parametrize("name", ["Qwen3-8B", "qwen3", "qwen3-8", "qwen3-8b:latest", ""])
def test_a_name_that_is_nearly_right_is_refused(name: str) -> None:
    with pytest.raises(UserError) as caught:
        load_catalog().model(name)
    assert caught.value.code == "model_not_curated"


def test_a_backend_that_a_model_lacks_is_refused_with_what_there_is() -> None:
    with pytest.raises(UserError) as caught:
        load_catalog().find("codestral-22b", "openvino")
    assert caught.value.code == "variant_not_curated"
    assert "gguf" in caught.value.remedy


def test_variants_are_found_by_backend_and_by_name() -> None:
    catalog = load_catalog()
    assert catalog.find("qwen3-4b", "openvino-int8")[1].quantisation == "INT8_ASYM"
    assert catalog.find("qwen3-4b", "llama")[1].name == "gguf"
    assert catalog.find("qwen3-4b")[1].name == "openvino"


def _line_of(needle: bytes) -> int:
    return _shipped()[: _shipped().index(needle)].count(b"\n") + 1


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (b'"title": "Qwen3 8B"', b'"titel": "Qwen3 8B"', "titel"),
        (b'"parameters": 8190735360', b'"parameters": "many"', ".parameters"),
        (b'"trained_context_tokens": 2048', b'"trained_context_tokens": -1', "_tokens"),
        (b'"backend": "openvino"', b'"backend": "onnx"', ".backend"),
    ],
)
def test_a_wrong_field_is_named_with_its_path_and_line(
    before: bytes, after: bytes, said: str
) -> None:
    with pytest.raises(DataFault) as caught:
        parse_catalog(_shipped().replace(before, after, 1), "list.json")
    assert caught.value.code == "catalog_invalid"
    assert said in caught.value.message
    assert f"list.json, line {_line_of(before)}:" in caught.value.message


def test_the_line_of_every_field_is_found() -> None:
    data = _shipped()
    lines = data.decode().splitlines()
    for place, offset in _places(data.decode()):
        key = place.rpartition(".")[2] if not place.endswith("]") else ""
        line = line_of_error(data, f"Wrong - at `{place}`") if len(place) < 22 else None
        assert line in (None, data[:offset].count(b"\n") + 1)
        assert key in lines[data[:offset].count(b"\n")] or place == "$"


def test_text_that_is_no_json_is_named_with_its_line() -> None:
    with pytest.raises(DataFault, match=r"line 3:"):
        parse_catalog(b'{\n "format": 1,\n "serial": oops\n}')


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (b'"name": "qwen3-8b"', b'"name": "qwen3-4b"', "belongs to two models"),
        (b'"path": "openvino_model.bin"', b'"path": "../openvino_model.bin"', "refused"),
        (b'"size_bytes": 4882865352', b'"size_bytes": 4882865353', "add up"),
        (b'"revision": "5c47', b'"revision": "zc47', "revision"),
        (b'"repository": "OpenVINO/Qwen3-8B-int4-ov"', b'"repository": null', "repository"),
    ],
)
def test_a_contradiction_between_fields_is_refused(before: bytes, after: bytes, said: str) -> None:
    with pytest.raises(DataFault, match=said) as caught:
        parse_catalog(_shipped().replace(before, after, 1))
    assert "line" in caught.value.message


def test_a_missing_file_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataFault) as caught:
        load_catalog(tmp_path / "none.json")
    assert caught.value.code == "catalog_invalid"


def test_each_curated_model_has_a_profile_for_each_of_its_backends() -> None:
    for model, variant in load_catalog().rows():
        file = LLAMA_PROFILE if variant.backend is Backend.LLAMA else OPENVINO_PROFILE
        profile = read_profile(catalog_path().parent / model.name / file)
        assert profile.context_length == model.trained_context_tokens
        # Tools are offered only by a profile that somebody verified with this very model.
        assert not capabilities(profile).tools


def test_no_profile_is_left_of_a_model_that_is_not_in_the_list() -> None:
    names = {model.name for model in load_catalog().models}
    folders = {path.parent.name for path in catalog_path().parent.glob("*/contenox-*.json")}
    assert folders - {"schema"} == names
