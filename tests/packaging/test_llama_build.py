"""The script that installs the llama backend: what it pins, reuses and refuses."""

import importlib.util
import io
import sys
import tarfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "packaging" / "llama"


def _module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"packaging_llama_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    path = list(sys.path)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path[:] = path
    return module


build_llama: Any = _module("build_llama")
BuildError: Any = build_llama.BuildError


def _inputs(**changes: Any) -> Any:
    values = {
        "version": "1",
        "sdist_sha256": "a" * 64,
        "flags": ("-DX=ON",),
        "compiler": "c++ 1",
        "system": "Linux x86_64",
    }
    return build_llama.Inputs(**(values | changes))


def test_every_requirement_is_pinned_by_hash() -> None:
    for name in ("requirements.txt", "build-requirements.txt"):
        lines = (FOLDER / name).read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
        wanted = [line for line in lines if line and not line.startswith("#")]
        assert wanted
        for line in wanted:
            assert "==" in line
            assert "--hash=sha256:" in line


def test_the_pin_is_the_version_that_the_backend_demands() -> None:
    from app.engine.backends.llama_native import BINDING_VERSION

    assert build_llama.read_pin(FOLDER / "requirements.txt").version == BINDING_VERSION


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_without_a_compiler_one_sentence_says_how_to_get_one(platform: str, tmp_path: Path) -> None:
    environment = {"PATH": str(tmp_path), "PROGRAMFILES(X86)": str(tmp_path)}
    with pytest.raises(BuildError) as caught:
        build_llama.find_toolchain(environment, platform)
    sentence = str(caught.value)
    assert "install it with: " in sentence
    assert "\n" not in sentence


def test_without_a_compiler_the_script_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PROGRAMFILES(X86)", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    assert build_llama.main(["--work-dir", str(tmp_path)]) == 1
    assert "compiler" in capsys.readouterr().err


def test_each_input_changes_the_key() -> None:
    keys = {
        _inputs().key(),
        _inputs(version="2").key(),
        _inputs(sdist_sha256="b" * 64).key(),
        _inputs(flags=("-DX=OFF",)).key(),
        _inputs(compiler="c++ 2").key(),
        _inputs(system="Windows AMD64").key(),
    }
    assert len(keys) == 6


def _libraries(folder: Path, inputs: Any) -> None:
    folder.mkdir()
    (folder / "libllama.so").write_bytes(b"code")
    files = {"libllama.so": build_llama.sha256_of(folder / "libllama.so")}
    (folder / build_llama.STAMP).write_text(inputs.stamp(files), encoding="utf-8")


def test_a_stamped_folder_is_reused_until_an_input_or_a_byte_changes(tmp_path: Path) -> None:
    folder = tmp_path / "lib"
    _libraries(folder, _inputs())
    assert build_llama.intact(folder, _inputs())
    assert not build_llama.intact(folder, _inputs(compiler="c++ 2"))
    (folder / "libllama.so").write_bytes(b"cold")
    assert not build_llama.intact(folder, _inputs())
    (folder / "libllama.so").unlink()
    assert not build_llama.intact(folder, _inputs())


@pytest.mark.parametrize("stamp", ["", "[]", "{}", '{"files": {}}', '{"files": 1}', "{"])
def test_a_damaged_stamp_means_a_new_build(tmp_path: Path, stamp: str) -> None:
    (tmp_path / build_llama.STAMP).write_text(stamp, encoding="utf-8")
    assert not build_llama.intact(tmp_path, _inputs())


def test_installing_leaves_nothing_of_an_older_build(tmp_path: Path) -> None:
    new, target = tmp_path / "new", tmp_path / "target"
    _libraries(new, _inputs())
    target.mkdir()
    (target / "libggml-cpu-zen4.so").write_bytes(b"old")
    build_llama.install(new, target)
    assert build_llama.intact(target, _inputs())
    assert {file.name for file in target.iterdir()} == {"libllama.so", build_llama.STAMP}


def test_each_library_is_installed_under_one_name_only(tmp_path: Path) -> None:
    linux = ["libllama.so", "libggml.so.0", "libggml-base.so.0", "libggml-cpu-haswell.so"]
    windows = ["llama.dll", "ggml.dll", "ggml-base.dll", "ggml-cpu-x64.dll"]
    others = ["libllama.so.0", "libllama.so.0.5.0", "libggml.so", "libggml.so.0.25.3"]
    others += ["libggml-base.so", "llama.lib", "llama.exp", "test-backend.exe"]
    for name in linux + windows + others:
        (tmp_path / name).touch()
    found = {name for name, _ in build_llama.products(tmp_path)}
    assert found == set(linux + windows)


def test_what_mingw_made_is_installed_under_the_name_that_the_program_asks_for(
    tmp_path: Path,
) -> None:
    (tmp_path / "libllama.dll").write_bytes(b"made")
    assert list(build_llama.products(tmp_path)) == [("llama.dll", tmp_path / "libllama.dll")]


def _builder(work: Path, sha256: str) -> Any:
    pin = build_llama.Pin("llama-cpp-python", "1", sha256)
    toolchain = build_llama.Toolchain("c++", "c++ 1", {"PATH": ""})
    return build_llama.Builder(pin, toolchain, work, 1)


def test_a_source_with_another_hash_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "other.tar.gz"
    source.write_bytes(b"not the pinned file")
    with pytest.raises(BuildError, match="sha256"):
        _builder(tmp_path, "0" * 64).fetch(source)


def test_only_what_is_compiled_is_unpacked(tmp_path: Path) -> None:
    source = tmp_path / "llama_cpp_python-1.tar.gz"
    root = "llama_cpp_python-1/vendor/llama.cpp"
    with tarfile.open(source, "w:gz") as archive:
        for name in (
            f"{root}/CMakeLists.txt",
            f"{root}/src/llama.cpp",
            f"{root}/tools/server/server.cpp",
            "llama_cpp_python-1/llama_cpp/llama.py",
        ):
            member = tarfile.TarInfo(name)
            member.size = 1
            archive.addfile(member, io.BytesIO(b"x"))
    target = _builder(tmp_path, "0" * 64)._unpack(source)
    files = {str(f.relative_to(target).as_posix()) for f in target.rglob("*") if f.is_file()}
    assert files == {"CMakeLists.txt", "src/llama.cpp"}
