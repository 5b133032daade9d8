"""``contenox models``: what each command does, and what it says when it can't."""

import json
import re
from pathlib import Path

import msgspec
import pytest

from app.core.paths import DataRoot
from app.core.settings import Settings, SettingsFile
from app.hardware.host import HostMemory
from app.models.catalog import load_catalog
from app.models.library import Library
from tests.cli.conftest import ROW, Console, repository_of
from tests.support.gguf_files import GgufDraft
from tests.support.loopback_hub import LoopbackHub

OPENVINO = f"{ROW}/openvino"


def _weights(data_root: DataRoot) -> Path:
    return data_root.models / ROW / "openvino" / "openvino_model.bin"


def test_the_list_has_every_row_with_a_verdict(console: Console) -> None:
    code, out, _ = console("models", "list", "--json")
    rows = json.loads(out)
    assert code == 0
    assert {(row["name"], row["variant"]) for row in rows} == {
        (model.name, variant.name) for model, variant in load_catalog().rows()
    }
    for row in rows:
        assert row["fit"]["verdict"] in ("fits", "tight", "does_not_fit")
        assert "of weights" in row["fit"]["sentence"] or "KV cache" in row["fit"]["sentence"]
        assert row["tokens_per_s"] is None
        assert 0 < row["expected"]["decode"]["low"] < row["expected"]["decode"]["high"]
        assert row["state"] == "available"


def test_the_list_for_a_person_says_what_it_was_judged_for(console: Console) -> None:
    code, out, err = console("models", "list", "--context", "2048")
    assert (code, err) == (0, "")
    (line,) = (line for line in out.splitlines() if line.split()[:1] == ["qwen3-8b/openvino"])
    # 30 GB/s of all cores, through 4.8 GB of weights.
    assert re.search(r"1\.9-5\.9 expected", line), line
    assert "Judged for 2,048 tokens of context on CPU" in out


def test_what_does_not_fit_says_by_how_much(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = HostMemory(total_bytes=8 << 30, available_bytes=4 << 30)
    monkeypatch.setattr("app.workflows.model_services.read_memory", lambda: small)
    rows = {
        line.split()[0]: line for line in console("models", "list")[1].splitlines() if "/" in line
    }
    assert "no, 2.5 GB short" in rows["qwen3-8b/openvino"]
    assert " yes " in rows["qwen3-0.6b/gguf"]
    assert "tight, " in rows["qwen3-4b/openvino"]


def test_a_context_changes_the_sum(console: Console) -> None:
    sums = []
    for context in ("1024", "16384"):
        rows = json.loads(console("models", "list", "--json", "--context", context)[1])
        row = next(r for r in rows if (r["name"], r["variant"]) == ("qwen3-8b", "gguf"))
        sums.append(row["fit"]["kv_bytes"])
    assert sums[1] == 16 * sums[0]


def test_a_row_is_shown_with_its_sum_licence_and_origin(console: Console) -> None:
    code, out, _ = console("models", "show", "qwen3-8b/openvino")
    assert code == 0
    for part in ("of weights +", "Apache-2.0", "OpenVINO/Qwen3-8B-int4-ov", "not installed"):
        assert part in out
    shown = json.loads(console("models", "show", "qwen3-8b/openvino", "--json")[1])
    assert shown["revision"] == "5c47abf4b8e12ebe8e99745bb0c1ec17e0c0abcc"


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (("show", "nope"), "model_unknown", "models list"),
        (("get", "nope"), "model_not_curated", "models list"),
        (("get", "qwen3-8b", "--backend", "nope"), "variant_not_curated", "openvino"),
        (("get", "acme/Some-Model-GGUF"), "repository_refused", "models import"),
        (("get", "OpenVINO/Qwen3-8B-int4-ov"), "repository_refused", "models get qwen3-8b"),
        (
            ("get", "https://huggingface.co/OpenVINO/Qwen3-8B-int4-ov"),
            "repository_refused",
            "models get qwen3-8b",
        ),
        (("pause", "qwen3-8b"), "download_unknown", "models get qwen3-8b"),
        (("delete", "qwen3-8b", "--yes"), "model_not_installed", "list --installed"),
        (("verify", "nope"), "model_not_found", "contenox starter"),
        (("export", "nope", "x"), "model_not_found", "contenox starter"),
        (("import", "nowhere at all"), "import_missing", "path"),
        (("list", "--device", "NPU"), "device_unknown", "CPU"),
        (("move",), "move_target", "folder"),
    ],
)
def test_what_can_not_be_done_is_one_sentence_with_a_code_and_a_way_out(
    console: Console, arguments: tuple[str, ...], code: str, word: str
) -> None:
    result, out, err = console("models", *arguments)
    assert (result, out) == (1, "")
    assert err.strip().count("\n") == 0
    assert err.startswith("contenox: ")
    assert err.endswith(f"[{code}]\n")
    assert word in err


def test_get_installs_and_says_so_once_more(
    console: Console, hub: LoopbackHub, data_root: DataRoot, files: dict[str, bytes]
) -> None:
    code, out, err = console("models", "get", ROW)
    assert (code, out) == (0, f"{OPENVINO} is installed; every byte was checked.\n")
    assert "licence Apache-2.0" in err
    assert _weights(data_root).read_bytes() == files["openvino_model.bin"]
    assert console("models", "get", ROW)[1] == f"{OPENVINO} is installed already.\n"
    code, out, _ = console("models", "get", f"{ROW}/gguf", "--json")
    assert (code, json.loads(out)["state"]) == (0, "installed")
    listed = json.loads(console("models", "list", "--installed", "--json")[1])
    assert [row["variant"] for row in listed] == ["openvino", "gguf"]
    assert all(row["curated"] and len(row["digest"]) == 64 for row in listed)


def test_a_changed_file_is_named_by_verify_and_refused_before_a_load(
    console: Console, hub: LoopbackHub, data_root: DataRoot
) -> None:
    console("models", "get", ROW)
    code, out, _ = console("models", "verify")
    assert (code, out) == (0, f"{OPENVINO}: every byte is what it was.\n")
    with _weights(data_root).open("r+b") as file:
        file.seek(1_000)
        file.write(b"tampered")
    code, out, err = console("chat", "--model", ROW, "hello")
    assert (code, out) == (1, "")
    assert "openvino_model.bin" in err
    assert err.endswith("[model_damaged]\n")
    code, out, _ = console("models", "verify", ROW)
    assert code == 1
    assert "openvino_model.bin" in out
    code, out, _ = console("models", "verify", "--json")
    (checked,) = json.loads(out)
    assert (code, checked["right"], checked["error"]["code"]) == (1, False, "model_damaged")


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ("openvino_vision_embeddings_model.xml", "unsupported_pipeline"),
        ("openvino_language_model.bin", "unsupported_pipeline"),
        ("preprocessor_config.json", "unsupported_pipeline"),
        ("NUL.json", "unsafe_file_name"),
    ],
)
def test_no_list_of_files_of_another_kind_of_model_passes(
    console: Console,
    hub: LoopbackHub,
    files: dict[str, bytes],
    data_root: DataRoot,
    more: str,
    code: str,
) -> None:
    hub.add(repository_of("openvino"), files | {more: b"{}"})
    result, _, err = console("models", "get", ROW)
    assert result == 1
    assert err.endswith(f"[{code}]\n")
    assert hub.bodies() == []
    assert Library(data_root.models).survey() == ((), ())


def test_a_newer_version_is_asked_for_and_never_slips_in(
    console: Console, hub: LoopbackHub, data_root: DataRoot, files: dict[str, bytes]
) -> None:
    console("models", "get", ROW)
    newer = files | {"openvino_model.bin": b"\1" * 2_000_000}
    hub.repositories[repository_of("openvino")].move(newer, "b" * 40)
    code, _, err = console("models", "get", ROW, "--update")
    assert code == 1
    assert "commit aaaaaaaaaaaa is there, commit bbbbbbbbbbbb is offered" in err
    assert err.endswith("[confirmation_needed]\n")
    assert _weights(data_root).read_bytes() == files["openvino_model.bin"]
    code, out, _ = console("models", "get", ROW, "--update", "--yes")
    assert (code, out) == (0, f"{OPENVINO} is installed; every byte was checked.\n")
    assert _weights(data_root).read_bytes() == newer["openvino_model.bin"]


def test_offline_is_said_and_asks_nobody(
    console: Console, hub: LoopbackHub, data_root: DataRoot
) -> None:
    settings = msgspec.structs.replace(Settings(), offline=True)
    SettingsFile(data_root.settings_file).save(settings)
    code, _, err = console("models", "get", ROW)
    assert code == 1
    assert err.endswith("[offline]\n")
    assert hub.seen == []


def test_a_deletion_is_confirmed_and_says_what_it_frees(
    console: Console, hub: LoopbackHub, data_root: DataRoot
) -> None:
    console("models", "get", ROW)
    note = _weights(data_root).with_name("note.txt")
    note.write_text("mine")
    code, _, err = console("models", "delete", ROW)
    assert code == 1
    assert err == (
        f"contenox: Delete {OPENVINO} and free 2.5 MB? Add --yes to agree. [confirmation_needed]\n"
    )
    code, out, _ = console("models", "delete", ROW, "--yes")
    assert (code, out) == (0, f"{OPENVINO} is deleted; 2.5 MB are free again.\n")
    assert note.read_text() == "mine"


def test_all_models_go_and_what_a_person_put_beside_them_stays(
    console: Console, hub: LoopbackHub, data_root: DataRoot
) -> None:
    console("models", "get", OPENVINO)
    compiled = data_root.cache / "compiled" / "model.blob"
    compiled.parent.mkdir(parents=True)
    compiled.write_bytes(b"x" * 1_500_000)
    foreign = _weights(data_root).with_name("notes.txt")
    foreign.write_text("mine")
    assert console("models", "delete-all", "--size")[:2] == (0, "4.0 MB\n")
    assert _weights(data_root).is_file()
    assert "[confirmation_needed]" in console("models", "delete-all")[2]
    code, out, _ = console("models", "delete-all", "--yes")
    assert (code, out.partition(";")[0]) == (0, "1 model deleted")
    assert not _weights(data_root).exists()
    assert not data_root.cache.exists()
    assert foreign.read_text() == "mine"
    assert console("models", "delete-all", "--size")[1] == "0 bytes\n"


def test_a_damaged_folder_is_listed_and_can_be_deleted(
    console: Console, hub: LoopbackHub, data_root: DataRoot
) -> None:
    console("models", "get", ROW)
    _weights(data_root).unlink()
    code, out, err = console("models", "list")
    assert code == 0
    assert "damaged" in out
    assert "openvino_model.bin" in err
    assert console("models", "verify")[0] == 1
    assert console("models", "delete", OPENVINO, "--yes")[0] == 0
    assert console("models", "list", "--installed", "--json")[1] == "[]\n"


def test_export_and_import_through_a_stick(
    console: Console, hub: LoopbackHub, data_root: DataRoot, tmp_path: Path
) -> None:
    stick = tmp_path / "USB Stick é漢"
    console("models", "get", ROW)
    code, out, _ = console("models", "export", ROW, stick)
    assert code == 0
    assert f"contenox models import {stick / ROW / 'openvino'}" in out
    console("models", "delete", ROW, "--yes")
    code, out, _ = console("models", "import", stick)
    assert code == 0
    assert out.startswith(f"{OPENVINO} is imported (2.5 MB, not curated).")
    assert console("models", "verify")[0] == 0
    shown = json.loads(console("models", "show", ROW, "--json")[1])
    assert (shown["state"], shown["curated"]) == ("installed", False)
    weights = stick / ROW / "openvino" / "openvino_model.bin"
    weights.write_bytes(b"\1" * weights.stat().st_size)
    console("models", "delete", ROW, "--yes")
    code, _, err = console("models", "import", stick)
    assert code == 1
    assert "openvino_model.bin" in err
    code, _, err = console("models", "export", "nope", data_root.models)
    assert err.endswith("[model_not_found]\n")


def test_an_import_is_judged_and_named(console: Console, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    GgufDraft().write(folder / "My Model.gguf")
    code, out, _ = console("models", "import", folder / "My Model.gguf", "--name", "my-model")
    assert code == 0
    assert out.startswith("my-model/gguf is imported (11 kB, not curated).")
    (folder / "mmproj-f16.gguf").write_bytes(b"GGUF")
    code, _, err = console("models", "import", folder)
    assert code == 1
    assert "mmproj-f16.gguf" in err
    assert err.endswith("[unsupported_pipeline]\n")
    assert "not curated" in console("models", "list", "--installed")[1]


def test_all_models_move_and_are_found_there(
    console: Console, hub: LoopbackHub, data_root: DataRoot, tmp_path: Path
) -> None:
    console("models", "get", ROW)
    target = tmp_path / "other drive"
    code, out, _ = console("models", "move", target)
    assert (code, out) == (0, f"One model is in {target} now.\n")
    assert console("models", "verify")[0] == 0
    target.rename(tmp_path / "pulled out")
    code, out, _ = console("models", "list", "--installed")
    assert code == 0
    assert "its drive is away" in out
    for command in (("chat", "hi"), ("models", "get", ROW), ("models", "verify")):
        code, _, err = console(*command)
        assert code == 1
        assert err.endswith("[store_missing]\n")
    (tmp_path / "pulled out").rename(target)
    assert console("models", "verify")[0] == 0


def test_a_model_on_a_lost_drive_can_be_forgotten(
    console: Console, hub: LoopbackHub, tmp_path: Path
) -> None:
    console("models", "get", ROW)
    target = tmp_path / "other drive"
    console("models", "move", target)
    target.rename(tmp_path / "lost")
    code, out, _ = console("models", "delete", ROW, "--yes")
    assert (code, out) == (0, f"{OPENVINO} is forgotten; its files were not touched.\n")
    assert console("models", "list", "--installed", "--json")[1] == "[]\n"
