"""Imports: judged like a download, digests recorded, and never taken for a curated model."""

import hashlib
import json
import os
from pathlib import Path

import msgspec
import pytest

from app.core.errors import ContenoxError, DataFault, UserError
from app.models.carry import carry
from app.models.catalog import Backend, Catalog, FilePin, Trust, load_catalog
from app.models.identity import Stopped
from app.models.import_model import import_source
from app.models.import_source import find_sources
from app.models.library import InstalledModel, Library
from app.models.variant import read_manifest
from tests.support.gguf_files import GgufDraft
from tests.support.model_files import openvino_files, tiny_catalog
from tests.support.openvino_folders import write_json

RUNTIME = "2026.4.1"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "store é漢")


def _openvino(tmp_path: Path, name: str = "My Model 7B (int4)") -> Path:
    folder = tmp_path / "made" / name
    files = openvino_files(folder)
    for path, content in files.items():
        (folder / path).write_bytes(content)
    (folder / "picture.png").unlink()
    return folder


def _gguf(tmp_path: Path, draft: GgufDraft | None = None, name: str = "My.Model-Q4_K_M") -> Path:
    folder = tmp_path / "downloads"
    folder.mkdir(exist_ok=True)
    return (draft or GgufDraft()).write(folder / f"{name}.gguf")


def _take(
    library: Library, path: Path, name: str | None = None, catalog: Catalog | None = None
) -> InstalledModel:
    (source,) = find_sources(path, RUNTIME)
    return import_source(library, source, catalog or load_catalog(), name)


def test_a_gguf_file_is_linked_checked_and_marked(library: Library, tmp_path: Path) -> None:
    path = _gguf(tmp_path)
    model = _take(library, path)
    assert model.full_name == "my.model-q4-k-m/gguf"
    assert (model.backend, model.context_tokens, model.imported) == ("llama", 128, True)
    assert model.path.stat().st_ino == path.stat().st_ino
    assert (
        read_manifest(model.folder).files[0].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    )
    library.verify(model)
    library.delete(model)
    assert path.exists()


def test_an_openvino_folder_is_imported_without_what_is_not_part_of_it(
    library: Library, tmp_path: Path
) -> None:
    folder = _openvino(tmp_path)
    (folder / ".cache" / "huggingface").mkdir(parents=True)
    (folder / ".cache" / "huggingface" / "x.lock").write_bytes(b"")
    model = _take(library, folder)
    assert model.full_name == "my-model-7b-int4/openvino"
    assert model.path == model.folder
    assert not (model.folder / ".cache").exists()
    library.verify(model)


def test_without_links_the_files_are_copied(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(18, "another device")

    monkeypatch.setattr(os, "link", refuse)
    path = _gguf(tmp_path)
    model = _take(library, path)
    assert model.path.stat().st_ino != path.stat().st_ino
    library.verify(model)


def test_a_change_of_the_original_is_noticed_before_a_load(
    library: Library, tmp_path: Path
) -> None:
    path = _gguf(tmp_path)
    model = _take(library, path)
    with path.open("r+b") as file:
        file.seek(-8, os.SEEK_END)
        file.write(b"tampered")
    os.utime(path, ns=(1, 1))
    with pytest.raises(DataFault, match=r"My\.Model-Q4_K_M\.gguf"):
        library.check(model)


def test_a_folder_of_the_hub_cache_gives_its_models_name(library: Library, tmp_path: Path) -> None:
    blob = _gguf(tmp_path)
    snapshot = tmp_path / "models--acme--Some-Model-GGUF" / "snapshots" / ("a" * 40)
    snapshot.mkdir(parents=True)
    (snapshot / "some-model.gguf").symlink_to(blob)
    model = _take(library, snapshot)
    assert model.name == "some-model"
    assert not model.path.is_symlink()
    library.verify(model)


@pytest.mark.parametrize(
    ("draft", "code"),
    [
        (GgufDraft().with_metadata({"general.architecture": "clip"}), None),
        (GgufDraft().without("tokenizer.chat_template"), "incomplete"),
    ],
)
def test_a_gguf_that_is_no_text_model_is_refused(
    library: Library, tmp_path: Path, draft: GgufDraft, code: str | None
) -> None:
    with pytest.raises(ContenoxError) as caught:
        _take(library, _gguf(tmp_path, draft))
    assert code in (None, caught.value.code)
    assert library.survey() == ((), ())


def test_a_projector_beside_the_file_means_a_vision_model(library: Library, tmp_path: Path) -> None:
    path = _gguf(tmp_path)
    (path.parent / "mmproj-model-f16.gguf").write_bytes(path.read_bytes())
    for given in (path, path.parent):
        with pytest.raises(DataFault) as caught:
            _take(library, given)
        assert caught.value.code == "unsupported_pipeline"


@pytest.mark.parametrize(
    ("add", "remove", "code"),
    [
        ("openvino_vision_embeddings_model.xml", None, "unsupported_pipeline"),
        ("preprocessor_config.json", None, "unsupported_pipeline"),
        (None, "openvino_detokenizer.xml", "incomplete"),
        (None, "config.json", "incomplete"),
    ],
)
def test_an_openvino_folder_is_judged_like_a_download(
    library: Library, tmp_path: Path, add: str | None, remove: str | None, code: str
) -> None:
    folder = _openvino(tmp_path)
    if add is not None:
        (folder / add).write_bytes(b"{}")
    if remove is not None:
        (folder / remove).unlink()
    with pytest.raises(DataFault) as caught:
        _take(library, folder)
    assert caught.value.code == code


def test_a_config_with_eyes_and_an_ir_of_tomorrow_are_refused(tmp_path: Path) -> None:
    folder = _openvino(tmp_path)
    config = json.loads((folder / "config.json").read_text())
    write_json(folder / "config.json", **config, vision_config={"depth": 1})
    with pytest.raises(DataFault) as caught:
        find_sources(folder, RUNTIME)
    assert caught.value.code == "unsupported_pipeline"
    write_json(folder / "config.json", **config)
    with pytest.raises(DataFault) as caught:
        find_sources(folder, "2025.1.0")
    assert caught.value.code == "newer_runtime"


@pytest.mark.parametrize(
    ("path", "code"),
    [("missing", "import_missing"), ("note.txt", "import_unknown"), ("two", "import_ambiguous")],
)
def test_what_is_no_model_is_said_to_be_none(tmp_path: Path, path: str, code: str) -> None:
    (tmp_path / "note.txt").write_text("x")
    (tmp_path / "two").mkdir()
    for name in ("a", "b"):
        GgufDraft().write(tmp_path / "two" / f"{name}.gguf")
    with pytest.raises(UserError) as caught:
        find_sources(tmp_path / path, RUNTIME)
    assert caught.value.code == code


def test_a_curated_name_is_not_free_for_other_bytes(library: Library, tmp_path: Path) -> None:
    path = _gguf(tmp_path, name="qwen3-8b")
    assert _take(library, path).name == "qwen3-8b-imported"
    for name, code in (
        ("qwen3-8b", "name_curated"),
        ("starter", "name_curated"),
        ("../up", "bad_name"),
        ("CON", "bad_name"),
        ("con", "bad_name"),
    ):
        with pytest.raises(UserError) as caught:
            _take(library, path, name)
        assert caught.value.code == code


def test_an_import_never_replaces_another_model(library: Library, tmp_path: Path) -> None:
    first = _take(library, _gguf(tmp_path), "mine")
    assert _take(library, _gguf(tmp_path), "mine") == first
    other = _gguf(tmp_path, GgufDraft().with_metadata({"general.name": "Other"}), "other")
    with pytest.raises(UserError) as caught:
        _take(library, other, "mine")
    assert caught.value.code == "name_taken"
    library.verify(first)


def test_a_stopped_import_leaves_nothing(library: Library, tmp_path: Path) -> None:
    (source,) = find_sources(_gguf(tmp_path), RUNTIME)
    with pytest.raises(Stopped):
        import_source(library, source, load_catalog(), stop=lambda: True)
    assert library.survey() == ((), ())
    assert list((library.store / ".staging").iterdir()) == []


def test_bytes_of_a_pinned_row_become_that_row(library: Library, tmp_path: Path) -> None:
    path = _gguf(tmp_path, name="renamed by a person")
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    pin = FilePin(path="tiny.gguf", size_bytes=path.stat().st_size, sha256=sha256)
    catalog = tiny_catalog({})
    model = catalog.models[0]
    change = msgspec.structs.replace
    variants = tuple(
        change(variant, trust=Trust.PINNED, files=(pin,))
        if variant.backend is Backend.LLAMA
        else variant
        for variant in model.variants
    )
    catalog = change(catalog, models=(change(model, variants=variants),))
    imported = _take(library, path, catalog=catalog)
    assert (imported.full_name, imported.imported) == ("tiny/gguf", False)
    assert imported.origin is not None
    assert imported.origin.trust == "pinned"
    assert imported.aliases == ("small",)


def test_an_export_comes_back_verified_and_keeps_its_name(library: Library, tmp_path: Path) -> None:
    model = _take(library, _openvino(tmp_path))
    stick = Library(tmp_path / "stick")
    carry(model, stick)
    other = Library(tmp_path / "other machine")
    for path in (stick.store, stick.store / model.name / model.variant):
        back = _take(other, path)
        assert (back.full_name, back.digest) == (model.full_name, model.digest)
        assert back.imported
        other.verify(back)
        other.delete(back)


def test_a_pinned_export_is_known_by_its_bytes_and_a_claim_is_not_believed(
    library: Library, tmp_path: Path
) -> None:
    folder = _openvino(tmp_path)
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    catalog = tiny_catalog(files)
    model = _take(library, folder, catalog=catalog)
    assert (model.full_name, model.imported) == ("tiny/openvino", False)
    stick = Library(tmp_path / "stick")
    carry(model, stick)
    assert not _take(Library(tmp_path / "second"), stick.store, catalog=catalog).imported
    unknown = tiny_catalog(files | {"config.json": b"{}"})
    carried = _take(Library(tmp_path / "third"), stick.store, catalog=unknown)
    assert (carried.imported, carried.origin) == (True, None)


def test_a_damaged_stick_is_named(library: Library, tmp_path: Path) -> None:
    stick = Library(tmp_path / "stick")
    there = carry(_take(library, _openvino(tmp_path)), stick)
    (there.folder / "openvino_tokenizer.bin").write_bytes(b"\1" * 32)
    other = Library(tmp_path / "other machine")
    with pytest.raises(DataFault, match=r"openvino_tokenizer\.bin"):
        _take(other, stick.store)
    assert other.survey() == ((), ())
