"""The store: nothing half, nothing hidden by a broken neighbour, nothing of others deleted."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import ContenoxError, DataFault, EnvironmentFault, UserError
from app.models.identity import Stopped
from app.models.library import Library
from tests.support.model_folders import FILES, install_tiny, manifest_of, stage


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "mein Speicher é漢")


def _edit(folder: Path, **changes: Any) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_an_empty_store_has_no_models_and_is_not_created(library: Library) -> None:
    assert library.installed() == ()
    assert library.broken() == ()
    assert not library.store.exists()


def test_an_installed_model_is_listed_with_its_facts(library: Library) -> None:
    model = install_tiny(library)
    assert library.installed() == (model,)
    assert model.full_name == "tiny/openvino"
    assert model.path == model.folder == library.store / "tiny" / "openvino"
    assert model.size_bytes == sum(len(content) for content in FILES.values())
    assert len(model.digest) == 64
    library.check(model)
    library.verify(model)


def test_a_variant_of_one_file_opens_that_file(library: Library) -> None:
    staging = stage(library, {"tiny.gguf": b"GGUF"})
    manifest = manifest_of(staging, variant="gguf", backend="llama", entry="tiny.gguf")
    assert library.install(staging, manifest).path == library.store / "tiny/gguf/tiny.gguf"


def test_staging_is_never_listed(library: Library) -> None:
    staging = stage(library)
    assert library.installed() == ()
    assert library.broken() == ()
    assert staging.is_dir()


def test_openvino_comes_first_where_a_name_has_two_variants(library: Library) -> None:
    gguf = install_tiny(library, variant="gguf")
    openvino = install_tiny(library, variant="openvino")
    assert library.find("tiny") == openvino
    assert library.find("TINY", backend="llama") == gguf
    assert library.find("tiny/gguf") == gguf


def test_an_alias_finds_the_model(library: Library) -> None:
    staging = stage(library)
    model = library.install(staging, manifest_of(staging, aliases=("Small One",)))
    assert library.find("small one") == model
    assert library.find("small one/openvino") == model


def test_an_unknown_name_is_answered_with_the_names_that_exist(library: Library) -> None:
    install_tiny(library, "alpha")
    install_tiny(library, "beta")
    with pytest.raises(UserError, match="alpha, beta") as caught:
        library.find("gamma")
    assert caught.value.code == "model_not_found"
    with pytest.raises(UserError, match="llama"):
        library.find("alpha", backend="llama")


def test_without_models_the_remedy_is_the_starter(library: Library) -> None:
    with pytest.raises(UserError, match="No model is installed") as caught:
        library.find("gamma")
    assert "contenox starter" in caught.value.remedy


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (None, "model_incomplete"),
        (b"", "model_damaged"),
        (b"{", "model_damaged"),
        (b"\xff\xfe", "model_damaged"),
        (b"[]", "model_damaged"),
        (b'{"format": 1}', "model_damaged"),
    ],
)
def test_a_broken_manifest_is_listed_and_hides_no_other_model(
    library: Library, content: bytes | None, code: str
) -> None:
    whole = install_tiny(library, "whole")
    victim = install_tiny(library, "victim")
    path = victim.folder / "manifest.json"
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    assert library.installed() == (whole,)
    (broken,) = library.broken()
    assert (broken.name, broken.variant, broken.error.code) == ("victim", "openvino", code)
    with pytest.raises(DataFault):
        library.find("victim")


@pytest.mark.parametrize(
    "changes",
    [
        {"digest": "0" * 64},
        {"name": "other"},
        {"entry": "../../outside"},
        {"files": []},
        {"files": [{"path": "../outside", "size_bytes": 1, "sha256": "aa"}]},
        {"files": [{"path": "/etc/passwd", "size_bytes": 1, "sha256": "aa"}]},
        {"format": 2},
    ],
)
def test_a_manifest_that_can_not_be_trusted_is_refused(
    library: Library, changes: dict[str, Any]
) -> None:
    _edit(install_tiny(library).folder, **changes)
    assert library.installed() == ()
    assert len(library.broken()) == 1


def test_a_missing_or_cut_file_is_named(library: Library) -> None:
    model = install_tiny(library)
    (model.folder / "model.bin").write_bytes(b"weig")
    with pytest.raises(DataFault, match=r"model\.bin.*4 bytes instead of 7"):
        library.check(model)
    (model.folder / "model.bin").unlink()
    with pytest.raises(DataFault, match=r"model\.bin") as caught:
        library.check(model)
    assert caught.value.code == "model_incomplete"


def test_changed_bytes_are_found_by_the_full_check(library: Library) -> None:
    model = install_tiny(library)
    weights = model.folder / "model.bin"
    times = weights.stat()
    weights.write_bytes(b"Weights")
    os.utime(weights, ns=(times.st_atime_ns, times.st_mtime_ns))
    library.check(model)
    with pytest.raises(DataFault, match=r"model\.bin"):
        library.verify(model)
    with pytest.raises(DataFault, match=r"model\.bin"):
        library.check(model)


def test_a_file_with_a_new_time_is_hashed_before_a_load(library: Library) -> None:
    model = install_tiny(library)
    hashed: list[int] = []
    library.check(model, hashed.append)
    assert hashed == []
    os.utime(model.folder / "model.bin", ns=(1, 1))
    library.check(model, hashed.append)
    assert hashed == [len(FILES["model.bin"])]
    library.check(model, hashed.append)
    assert len(hashed) == 1
    (model.folder / "model.bin").write_bytes(b"Weights")
    with pytest.raises(DataFault, match=r"model\.bin") as caught:
        library.check(model)
    assert caught.value.code == "model_damaged"


def test_a_model_that_is_not_trusted_is_hashed_once_more(library: Library) -> None:
    model = install_tiny(library)
    hashed: list[int] = []
    library.distrust(model)
    library.check(model, hashed.append)
    assert sum(hashed) == model.size_bytes
    library.check(model, hashed.append)
    assert sum(hashed) == model.size_bytes


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b'{"digest": "x"}'])
def test_a_stamp_that_says_nothing_counts_for_nothing(library: Library, content: bytes) -> None:
    model = install_tiny(library)
    (model.folder / "contenox-verified.json").write_bytes(content)
    hashed: list[int] = []
    library.check(model, hashed.append)
    assert sum(hashed) == model.size_bytes


def test_the_full_check_can_be_stopped(library: Library) -> None:
    model = install_tiny(library)
    with pytest.raises(Stopped):
        library.verify(model, stop=lambda: True)


def test_a_replaced_model_is_noticed(library: Library) -> None:
    model = install_tiny(library)
    staging = stage(library, {"model.bin": b"other weights"})
    library.install(staging, manifest_of(staging))
    with pytest.raises(DataFault, match="replaced"):
        library.check(model)


def test_installing_the_same_bytes_twice_keeps_the_first_folder(library: Library) -> None:
    first = install_tiny(library)
    (first.folder / "note.txt").write_text("mine")
    assert install_tiny(library) == first
    assert (first.folder / "note.txt").exists()
    assert list((library.store / ".staging").iterdir()) == []


def test_a_broken_variant_is_replaced_by_a_new_installation(library: Library) -> None:
    model = install_tiny(library)
    (model.folder / "model.bin").unlink()
    assert install_tiny(library) == model
    library.verify(model)
    assert list((library.store / ".staging").iterdir()) == []


@pytest.mark.parametrize("name", ["..", "a/b", "", ".hidden", "con", "a\x00b", "C:x"])
def test_a_name_that_is_no_folder_name_is_refused(library: Library, name: str) -> None:
    staging = stage(library)
    with pytest.raises(DataFault):
        library.install(staging, manifest_of(staging, name))
    assert library.installed() == ()


def test_deletion_spares_what_the_manifest_does_not_list(library: Library) -> None:
    model = install_tiny(library)
    other = install_tiny(library, variant="gguf")
    note = model.folder / "note.txt"
    note.write_text("mine")
    library.delete(model)
    assert note.read_text() == "mine"
    assert not (model.folder / "model.bin").exists()
    assert not (model.folder / "deep").exists()
    assert library.installed() == (other,)
    library.delete(other)
    assert not other.folder.exists()


def test_a_persons_profile_survives_a_new_installation(library: Library) -> None:
    model = install_tiny(library)
    (model.folder / "contenox-openvino.json").write_text("{}")
    (model.folder / "model.bin").unlink()
    library.verify(install_tiny(library))
    assert (model.folder / "contenox-openvino.json").read_text() == "{}"


def test_a_broken_model_can_be_discarded(library: Library) -> None:
    cut, bare = install_tiny(library, "cut"), install_tiny(library, "bare")
    (cut.folder / "model.bin").write_bytes(b"")
    (cut.folder / "note.txt").write_text("mine")
    (bare.folder / "manifest.json").unlink()
    for broken in library.broken():
        library.discard(broken)
    assert [path.name for path in cut.folder.iterdir()] == ["note.txt"]
    assert not bare.folder.exists()
    assert list((library.store / ".staging").iterdir()) == []


def test_a_store_that_can_not_be_written_is_said_so(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    library = Library(blocked)
    assert library.installed() == ()
    with pytest.raises(EnvironmentFault) as caught:
        library.new_staging()
    assert caught.value.code == "data_root_is_file"
    with pytest.raises(EnvironmentFault, match="can't be read") as caught:
        library.require_readable()
    assert caught.value.code == "store_unreadable"
    Library(tmp_path / "not there yet").require_readable()


def test_the_sweep_removes_what_dead_processes_left_and_spares_the_living(
    library: Library,
) -> None:
    mine = stage(library)
    code = (
        "import sys; from pathlib import Path; from app.models.library import Library;"
        "f = Library(Path(sys.argv[1])).new_staging(); (f / 'half.bin').write_bytes(b'x')"
    )
    subprocess.run([sys.executable, "-c", code, library.store], check=True, timeout=60)
    (library.store / ".staging" / "nonsense").mkdir()
    assert len(list((library.store / ".staging").iterdir())) == 3
    library.sweep()
    assert list((library.store / ".staging").iterdir()) == [mine]


def _install_until_killed(store: str, started: Any) -> None:
    library = Library(Path(store))
    while True:
        model = install_tiny(library)
        started.set()
        library.delete(model)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX; the rename is the same")
def test_a_kill_at_any_moment_leaves_a_whole_model_or_none(library: Library) -> None:
    context = multiprocessing.get_context("spawn")
    for _ in range(4):
        started = context.Event()
        child = context.Process(target=_install_until_killed, args=(str(library.store), started))
        child.start()
        assert started.wait(30)
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
        child.join()
        child.close()
        for model in library.installed():
            library.verify(model)
        library.sweep()
        assert list((library.store / ".staging").iterdir()) == []
        # An interrupted deletion may leave files, never a model.
        assert all(isinstance(broken.error, ContenoxError) for broken in library.broken())
        install_tiny(library)
        library.verify(library.find("tiny"))
        library.delete(library.find("tiny"))
