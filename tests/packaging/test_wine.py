"""What of the build under Wine can be tried without Wine."""

import importlib
from pathlib import Path
from typing import Any

import pytest


def _module(name: str) -> Any:
    return importlib.import_module(f"contenox_build.{name}")


contents = _module("contents")
errors = _module("errors")
rig = _module("wine.rig")
windows_python = _module("wine.windows_python")


def test_a_file_of_this_machine_has_a_name_in_windows() -> None:
    assert rig.windows_path(Path("/a b/ü/c.exe")) == r"Z:\a b\ü\c.exe"


def test_this_windows_has_no_run_time_of_microsoft() -> None:
    lines = rig._registry().splitlines()
    assert lines[0] == "REGEDIT4"
    for name in contents.VC_RUNTIME_SHIPPED:
        # Wine's own would hide that a package lacks one.
        assert f'"{name.removesuffix(".dll")}"="native"' in lines
    assert '"ucrtbase"="native,builtin"' in lines


def test_another_lock_file_makes_another_rig(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = rig._inputs("3.13.0")
    assert rig._inputs("3.13.0") == here
    assert rig._inputs("3.13.1") != here
    lock = tmp_path / "lock.txt"
    lock.write_bytes(rig.WINDOWS_LOCK.read_bytes() + b"#")
    monkeypatch.setattr(rig, "WINDOWS_LOCK", lock)
    assert rig._inputs("3.13.0") != here


@pytest.mark.parametrize(
    ("file", "taken"),
    [
        ("_ctypes.pyd", True),
        ("libssl-3.dll", True),
        ("_ctypes.cp313t-win_amd64.pyd", False),
        ("_wmi.pyd", False),
        ("libpanda.dll", False),
    ],
)
def test_only_pythons_own_files_are_taken_out_of_the_wheel(file: str, taken: bool) -> None:
    assert windows_python._is_extension(file) == taken


def test_a_file_without_pythons_signature_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "python313.dll"
    file.write_bytes(b"MZ")
    with pytest.raises(errors.PackagingError, match="Python Software Foundation"):
        windows_python.check_signed([file])
