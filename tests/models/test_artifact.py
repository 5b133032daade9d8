"""No damaged folder reaches the native library."""

import random
from pathlib import Path

import pytest

from app.core.errors import DataFault
from app.models.artifact import check_openvino_folder
from tests.support.openvino_folders import write_ir, write_json, write_openvino_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_openvino_folder(tmp_path / "mein Modell é漢")


def _refusal(folder: Path) -> DataFault:
    with pytest.raises(DataFault) as caught:
        check_openvino_folder(folder)
    return caught.value


def test_a_whole_folder_tells_what_the_engine_needs(folder: Path) -> None:
    facts = check_openvino_folder(folder)
    assert facts.context_tokens == 8192
    assert facts.chat_template == "{{ messages }}"
    assert facts.stop_token_ids == (2, 3)
    assert facts.has_sdpa
    assert facts.weights_bytes == 32


@pytest.mark.parametrize(
    "name",
    [
        f"openvino_{part}.{kind}"
        for part in ("model", "tokenizer", "detokenizer")
        for kind in ("xml", "bin")
    ]
    + ["config.json"],
)
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    refusal = _refusal(folder)
    assert refusal.code == "model_incomplete"
    assert name in refusal.message


@pytest.mark.parametrize("part", ["model", "tokenizer", "detokenizer"])
@pytest.mark.parametrize("content", [b"", b"version https://git-lfs", bytes(31)])
def test_weights_shorter_than_the_xml_says_are_named(
    folder: Path, part: str, content: bytes
) -> None:
    path = folder / f"openvino_{part}.bin"
    path.write_bytes(content)
    refusal = _refusal(folder)
    assert refusal.code == "model_damaged"
    assert path.name in refusal.message
    assert str(len(content)) in refusal.message


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html></html>",
        b"<net></net>",
        b'<?xml version="1.0"?><net><layers><layer id="0" type="Parameter"',
        b'<!DOCTYPE net [<!ENTITY a "aaa">]><net><layers><layer/></layers></net>',
        b'<net><layers><layer type="Const"><data offset="-4" size="4"/></layer></layers></net>',
        b'<net><layers><layer type="Const"><data size="4"/></layer></layers></net>',
        b"version https://git-lfs.github.com/spec/v1",
        b"\xff\xfe\x00",
    ],
)
def test_a_broken_xml_is_named(folder: Path, content: bytes) -> None:
    (folder / "openvino_model.xml").write_bytes(content)
    refusal = _refusal(folder)
    assert refusal.code == "model_damaged"
    assert "openvino_model.xml" in refusal.message


def test_every_cut_of_the_xml_is_refused(folder: Path) -> None:
    path = folder / "openvino_model.xml"
    whole = path.read_bytes().rstrip()
    chance = random.Random(1)
    for length in [chance.randrange(len(whole)) for _ in range(200)]:
        path.write_bytes(whole[:length])
        assert _refusal(folder).code == "model_damaged"


@pytest.mark.parametrize(
    "name", ["config.json", "generation_config.json", "tokenizer_config.json", "chat_template.json"]
)
@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff", b"[" * 100_000])
def test_broken_json_is_named(folder: Path, name: str, content: bytes) -> None:
    (folder / name).write_bytes(content)
    refusal = _refusal(folder)
    assert refusal.code == "model_damaged"
    assert name in refusal.message


@pytest.mark.parametrize("ids", ["2", [], [2, "3"], -1, 1.5, True])
def test_a_bad_end_token_is_refused(folder: Path, ids: object) -> None:
    write_json(folder / "generation_config.json", eos_token_id=ids)
    assert "generation_config.json" in _refusal(folder).message


def test_end_tokens_are_looked_for_in_three_places(folder: Path) -> None:
    (folder / "generation_config.json").unlink()
    assert check_openvino_folder(folder).stop_token_ids == (7,)
    write_json(folder / "config.json", max_position_embeddings=10)
    assert check_openvino_folder(folder).stop_token_ids == ()
    write_ir(folder, "openvino_tokenizer", rt_info='<eos_token_id value="5" />')
    assert check_openvino_folder(folder).stop_token_ids == (5,)


def test_templates_are_looked_for_where_the_library_does(folder: Path) -> None:
    write_json(folder / "tokenizer_config.json")
    refusal = _refusal(folder)
    assert refusal.code == "model_incomplete"
    assert "chat template" in refusal.message
    (folder / "chat_template.jinja").write_text("from jinja é", "utf-8")
    assert check_openvino_folder(folder).chat_template == "from jinja é"
    write_json(folder / "chat_template.json", chat_template="from json")
    assert check_openvino_folder(folder).chat_template == "from json"
    named = [{"name": "tool_use", "template": "no"}, {"name": "default", "template": "from list"}]
    write_json(folder / "tokenizer_config.json", chat_template=named)
    assert check_openvino_folder(folder).chat_template == "from list"
    write_ir(folder, "openvino_tokenizer", rt_info='<chat_template value="a&#10;b" />')
    assert check_openvino_folder(folder).chat_template == "a\nb"


def test_an_embedding_model_needs_no_detokenizer_and_no_template(folder: Path) -> None:
    (folder / "openvino_detokenizer.xml").unlink()
    write_json(folder / "tokenizer_config.json")
    assert check_openvino_folder(folder, chats=False).chat_template is None


def test_the_context_of_a_composed_model_is_found(folder: Path) -> None:
    write_json(folder / "config.json", text_config={"max_position_embeddings": 4096})
    assert check_openvino_folder(folder).context_tokens == 4096


@pytest.mark.parametrize("context", [0, -1, "8192", 1.5, True, None, 1 << 60])
def test_an_implausible_context_is_refused(folder: Path, context: object) -> None:
    write_json(folder / "config.json", max_position_embeddings=context)
    assert "config.json" in _refusal(folder).message


def test_a_model_without_the_attention_operation_is_recognised(folder: Path) -> None:
    write_ir(folder, "openvino_model", attention="MatMul")
    assert not check_openvino_folder(folder).has_sdpa


def test_a_missing_folder_is_said_to_be_missing(tmp_path: Path) -> None:
    assert _refusal(tmp_path / "nowhere").code == "model_incomplete"
