"""Who owns a file of the package, what the self-test calls foreign, what two builds share."""

import importlib
import json
import zipfile
from pathlib import Path
from typing import Any, Final

import pytest

from tests.packaging.test_contenox_build import _record

archive: Any = importlib.import_module("contenox_build.archive")
bill: Any = importlib.import_module("contenox_build.bill")
compare: Any = importlib.import_module("contenox_build.compare")
components: Any = importlib.import_module("contenox_build.components")
errors: Any = importlib.import_module("contenox_build.errors")
frozen: Any = importlib.import_module("contenox_build.frozen")
record: Any = importlib.import_module("contenox_build.record")
selftest: Any = importlib.import_module("contenox_build.selftest")
verify: Any = importlib.import_module("contenox_build.verify")

KNOWN: Final = (
    ("openvino", "_internal/openvino/libs/openvino.dll"),
    ("pyside6-essentials", "_internal/PySide6/QtCore.pyd"),
)


@pytest.mark.parametrize(
    ("path", "owner"),
    [
        ("contenox.exe", "contenox-desktop"),
        ("_internal/openvino/libs/openvino.dll", "openvino"),
        ("_internal/PySide6/QtCore.pyd", "pyside6-essentials"),
        ("_internal/licences/numpy/LICENSE.txt", "numpy"),
        ("_internal/licences/qt/GPL-3.0.txt", "pyside6-essentials"),
        ("_internal/msvcp140.dll", "msvc-runtime"),
        ("_internal/python313.dll", "cpython"),
        ("_internal/_socket.pyd", "cpython"),
        ("_internal/base_library.zip", "cpython"),
        ("_internal/libcrypto-3.dll", "openssl"),
        ("_internal/sqlite3.dll", "sqlite"),
        ("_internal/libffi-8.dll", "libffi"),
        ("_internal/llama_cpp/lib/ggml-cpu-haswell.dll", "llama-cpp-python"),
        ("_internal/resources/starter/x.gguf", "SmolLM2-135M-Instruct"),
        ("_internal/resources/icons/contenox.svg", "contenox-desktop"),
        ("_internal/profiles/catalog.json", "contenox-desktop"),
        ("_internal/stranger.dll", None),
        ("_internal/stranger/x.pyd", None),
    ],
)
def test_each_file_has_an_owner_or_is_told(tmp_path: Path, path: str, owner: str | None) -> None:
    owners = {file: name for name, file in KNOWN}
    assert components._owner(path, tmp_path / path, tmp_path, owners, windows=True) == owner


def test_a_module_of_unknown_origin_is_told() -> None:
    modules = ["json.decoder", "app.core", "numpy.linalg", "stranger.part"]
    assert frozen.unknown_modules(modules, {"numpy"}) == {"stranger"}


def test_a_library_from_elsewhere_is_told(tmp_path: Path) -> None:
    own = str(tmp_path / "_internal" / "libopenvino.so.2641")
    foreign = "/home/somebody/.venv/lib/libtbb.so.12"
    loaded = [own, "/usr/lib/x86_64-linux-gnu/libc.so.6", foreign]
    assert selftest.foreign_libraries(loaded, tmp_path) == [foreign]


def test_microsofts_run_time_must_be_the_packages_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selftest, "WINDOWS", True)
    monkeypatch.setenv("SYSTEMROOT", "/Windows")
    loaded = ["/Windows/System32/kernel32.dll", "/windows/System32/msvcp140.dll"]
    assert selftest.foreign_libraries(loaded, tmp_path) == loaded[1:]


def test_two_records_and_two_folders_are_compared(tmp_path: Path) -> None:
    one, two = tmp_path / "1.json", tmp_path / "2.json"
    record.write_record(_record(files={"a": "1", "b": "2"}), one)
    record.write_record(_record(files={"a": "1", "b": "3", "c": "4"}), two)
    assert compare.compare(one, one) == []
    assert compare.compare(one, two) == ["differs: b", f"only in {two}: c"]
    for name, text in (("x", "1"), ("y", "2")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(text, "utf-8")
    assert compare.compare(tmp_path / "x", tmp_path / "y") == ["differs: file"]


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    """A small finished package for Linux with everything that lies beside it."""
    folder = tmp_path / "contenox-1"
    (folder / "_internal").mkdir(parents=True)
    (folder / "contenox").write_text("1", "utf-8")
    files = tuple(
        components.FileHash(path.relative_to(folder).as_posix(), archive.sha256_of(path))
        for path in archive.files_below(folder)
    )
    part = components.Component("contenox-desktop", "1", "Apache-2.0", "", files)
    names = [tmp_path / f"contenox-1{suffix}" for suffix in (".cdx.json", ".build.json", ".zip")]
    bill.write_bill([part], names[0], version="1", epoch=0)
    record.write_record(_record(platform="linux"), names[1])
    archive.write_zip(folder, names[2], folder.name, 0)
    archive.write_checksums(names, tmp_path / "SHA256SUMS")
    return folder


@pytest.mark.parametrize("suffix", ["", ".zip"])
def test_a_finished_package_is_verified(finished: Path, suffix: str) -> None:
    path = finished.with_name(finished.name + suffix)
    assert verify.verify(path, release=True, self_test=False) == _record(platform="linux")


def test_a_changed_package_is_refused(finished: Path) -> None:
    (finished / "contenox").write_text("2", "utf-8")
    with pytest.raises(errors.PackagingError, match="contenox: holds something else"):
        verify.verify(finished, release=False, self_test=False)


def test_a_zip_that_is_another_one_is_refused(finished: Path) -> None:
    other = finished.with_name(finished.name + ".zip")
    with zipfile.ZipFile(other, "a") as packed:
        packed.writestr("contenox-1/added", "1")
    with pytest.raises(errors.PackagingError, match=r"added: is not named in it"):
        verify.verify(other, release=False, self_test=False)


def test_a_stand_in_compiler_is_no_release(finished: Path) -> None:
    file = finished.with_name("contenox-1.build.json")
    values = json.loads(file.read_text("utf-8")) | {"llama_compiler": "mingw 12"}
    file.write_text(json.dumps(values), "utf-8")
    with pytest.raises(errors.PackagingError, match="built by mingw 12"):
        verify.verify(finished, release=True, self_test=False)


def test_what_is_no_package_is_told(finished: Path) -> None:
    finished.with_name("contenox-1.zip").write_text("no zip", "utf-8")
    with pytest.raises(errors.PackagingError, match="neither"):
        verify.verify(finished.with_name("contenox-1.zip"), release=False, self_test=False)
