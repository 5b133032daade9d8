"""A package that lacks a library, has a wrong one or says too much is found out."""

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.packaging.pe_files import write_pe

pytest.importorskip("pefile")

archive: Any = importlib.import_module("contenox_build.archive")
bill: Any = importlib.import_module("contenox_build.bill")
check_bundle: Any = importlib.import_module("check_bundle")
checks: Any = importlib.import_module("contenox_build.checks")
closure: Any = importlib.import_module("contenox_build.closure")
components: Any = importlib.import_module("contenox_build.components")
errors: Any = importlib.import_module("contenox_build.errors")
findings: Any = importlib.import_module("contenox_build.findings")
windows_libraries: Any = importlib.import_module("contenox_build.windows_libraries")

RUNTIME: Final = (14, 51, 36231, 0)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A small package that is in order, of the same shape as the real one."""
    root = tmp_path / "package"
    inside = root / "_internal"
    libs = inside / "openvino" / "libs"
    for name in ("contenox.exe", "contenox-desktop.exe"):
        write_pe(root / name, ["KERNEL32.dll"])
    for name in ("msvcp140.dll", "vcruntime140.dll", "msvcp140_codecvt_ids.dll"):
        write_pe(inside / name, ["kernel32.dll"], version=RUNTIME, linker=(14, 51), signed=True)
    write_pe(inside / "python313.dll", ["VCRUNTIME140.dll", "api-ms-win-crt-heap-l1-1-0.dll"])
    write_pe(libs / "openvino.dll", ["tbb12.dll", "MSVCP140.dll"], linker=(14, 42))
    write_pe(libs / "tbb12.dll", ["kernel32.dll"])
    write_pe(libs / "openvino_intel_gpu_plugin.dll", ["openvino.dll", "OpenCL.dll"])
    write_pe(
        inside / "openvino_genai" / "openvino_genai.dll",
        ["openvino.dll", "msvcp140_codecvt_ids.dll"],
        delayed=["dbghelp.dll"],
    )
    (inside / "profiles").mkdir()
    (inside / "profiles" / "input-name.json").write_text("{}", "utf-8")
    return root


def _told(package: Path, **options: Any) -> list[str]:
    return [str(finding) for finding in checks.check_package(package, **options)]


def test_a_package_in_order_is_found_in_order(package: Path) -> None:
    assert _told(package) == []


@pytest.mark.parametrize(
    ("removed", "told"),
    [
        ("openvino/libs/tbb12.dll", ["_internal/openvino/libs/openvino.dll: imports tbb12.dll"]),
        (
            "msvcp140_codecvt_ids.dll",
            ["_internal/openvino_genai/openvino_genai.dll: imports msvcp140_codecvt_ids.dll"],
        ),
        (
            "openvino/libs/openvino.dll",
            [
                "_internal/openvino/libs/openvino_intel_gpu_plugin.dll: imports openvino.dll",
                "_internal/openvino_genai/openvino_genai.dll: imports openvino.dll",
            ],
        ),
    ],
)
def test_each_removed_library_is_missed(package: Path, removed: str, told: list[str]) -> None:
    (package / "_internal" / removed).unlink()
    found = _told(package)
    assert len(found) == len(told)
    assert all(f"closure: {start}" in text for start, text in zip(told, found, strict=True))


def test_a_library_where_the_loader_does_not_look_does_not_count(package: Path) -> None:
    inside = package / "_internal"
    (inside / "openvino" / "libs" / "tbb12.dll").rename(inside / "PySide6.dll")
    write_pe(inside / "PySide6" / "tbb12.dll", ["kernel32.dll"])
    assert any("where it isn't looked for" in text for text in _told(package))


def test_a_delayed_import_counts_as_well(package: Path) -> None:
    write_pe(package / "_internal" / "x.pyd", delayed=["nowhere.dll"])
    assert _told(package) == [
        "closure: _internal/x.pyd: imports nowhere.dll when it is first used; "
        "it is not in the package"
    ]


def test_a_drivers_library_is_only_for_the_plugin_that_may_miss_it(package: Path) -> None:
    write_pe(package / "_internal" / "x.pyd", ["OpenCL.dll"])
    assert [text for text in _told(package) if "opencl" in text] == [
        "closure: _internal/x.pyd: imports opencl.dll, which is not in the package"
    ]


def test_an_empty_folder_is_no_package(tmp_path: Path) -> None:
    assert len(_told(tmp_path)) == 1


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda inside: write_pe(inside / "a.dll", machine=0x14C), "machine"),
        (
            lambda inside: write_pe(inside / "PySide6" / "msvcp140.dll", version=RUNTIME),
            "runtime",
        ),
        (lambda inside: write_pe(inside / "vcomp140.dll", version=(14, 24, 0, 0)), "runtime"),
        (lambda inside: write_pe(inside / "a.dll", ["msvcp140.dll"], linker=(14, 52)), "runtime"),
        (lambda inside: write_pe(inside / "OpenCL.dll"), "forbidden"),
        (lambda inside: write_pe(inside / "ucrtbase.dll"), "forbidden"),
        (lambda inside: write_pe(inside / "api-ms-win-core-file-l1-2-0.dll"), "forbidden"),
        (
            lambda inside: write_pe(inside / "openvino" / "libs" / "openvino_intel_npu_plugin.dll"),
            "forbidden",
        ),
        (lambda inside: write_pe(inside / "Qt6Cored.dll"), "forbidden"),
        (lambda inside: write_pe(inside / "python313_d.dll"), "forbidden"),
        (lambda inside: write_pe(inside / "tbb12_debug.dll"), "forbidden"),
        (lambda inside: write_pe(inside / "openvino_telemetry" / "x.pyd"), "forbidden"),
        (lambda inside: write_pe(inside / ("d" * 100) / ("f" * 60 + ".dll")), "length"),
    ],
)
def test_what_must_not_be_in_there_is_told(
    package: Path, change: Callable[[Path], Any], rule: str
) -> None:
    change(package / "_internal")
    rules = {finding.rule for finding in checks.check_package(package)}
    assert rules == {rule}


def test_a_release_has_no_unsigned_program(package: Path) -> None:
    told = [text for text in _told(package, release=True) if text.startswith("signature: ")]
    assert len(told) == len(check_bundle.unsigned_programs(package)) == 7
    assert "signature: contenox.exe: is not signed" in told


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_a_file_that_names_the_machine_is_told(package: Path, encoding: str) -> None:
    home = Path("C:/Users/Somebody/contenox")
    file = package / "_internal" / "profiles" / "x.bin"
    # Across the border of two blocks that are read one after the other.
    file.write_bytes(bytes((1 << 20) - 9) + str(home).encode(encoding) + bytes(9))
    told = _told(package, machine=[home])
    assert len(told) == 1
    assert told[0].startswith("machine path: _internal/profiles/x.bin")


def _write_bill(package: Path, target: Path, licence: str = "MIT") -> None:
    files = tuple(
        components.FileHash(path.relative_to(package).as_posix(), archive.sha256_of(path))
        for path in archive.files_below(package)
    )
    part = components.Component("everything", "1", licence, "pkg:generic/everything@1", files)
    bill.write_bill([part], target, version="1.0.0", epoch=0)


def test_a_bill_that_names_everything_is_in_order(package: Path, tmp_path: Path) -> None:
    target = tmp_path / "x.cdx.json"
    _write_bill(package, target)
    assert _told(package, bill=target) == []
    document = json.loads(target.read_text("utf-8"))
    assert document["bomFormat"] == "CycloneDX"
    assert document["components"][0]["licenses"] == [{"license": {"id": "MIT"}}]
    again = tmp_path / "y.cdx.json"
    _write_bill(package, again)
    assert again.read_bytes() == target.read_bytes()


@pytest.mark.parametrize(
    ("licence", "written"),
    [
        ("MIT OR Apache-2.0", {"expression": "MIT OR Apache-2.0"}),
        ("LicenseRef-Own", {"license": {"name": "LicenseRef-Own"}}),
        ("The licence of somebody", {"license": {"name": "The licence of somebody"}}),
    ],
)
def test_licences_are_written_in_the_form_that_fits(
    package: Path, tmp_path: Path, licence: str, written: dict[str, Any]
) -> None:
    target = tmp_path / "x.cdx.json"
    _write_bill(package, target, licence)
    assert json.loads(target.read_text("utf-8"))["components"][0]["licenses"] == [written]


def test_a_file_added_changed_or_removed_is_told(package: Path, tmp_path: Path) -> None:
    target = tmp_path / "x.cdx.json"
    _write_bill(package, target)
    (package / "_internal" / "added.txt").write_text("1", "utf-8")
    (package / "_internal" / "profiles" / "input-name.json").write_text("[]", "utf-8")
    (package / "_internal" / "python313.dll").unlink()
    assert [text.partition(": ")[2] for text in _told(package, bill=target)] == [
        "_internal/added.txt: is not named in it",
        "_internal/profiles/input-name.json: holds something else than it says",
        "_internal/python313.dll: is missing in the package",
    ]


def test_a_component_without_a_licence_is_told(package: Path, tmp_path: Path) -> None:
    target = tmp_path / "x.cdx.json"
    _write_bill(package, target)
    document = json.loads(target.read_text("utf-8"))
    del document["components"][0]["licenses"]
    target.write_text(json.dumps(document), "utf-8")
    assert _told(package, bill=target) == [
        "bill of materials: x.cdx.json: everything has no licence"
    ]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"components": 1}'])
def test_a_damaged_bill_is_one_sentence(package: Path, tmp_path: Path, text: str) -> None:
    target = tmp_path / "x.cdx.json"
    target.write_text(text, "utf-8")
    with pytest.raises(errors.PackagingError, match="build the package again"):
        checks.check_package(package, bill=target)


def test_the_command_ends_with_1_if_something_is_wrong(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check_bundle.main([str(package)]) == 0
    assert "not signed (7)" in capsys.readouterr().out
    (package / "_internal" / "msvcp140.dll").unlink()
    assert check_bundle.main([str(package)]) == 1
    assert "msvcp140.dll, which is not in the package" in capsys.readouterr().out
    assert check_bundle.main([str(package / "nowhere")]) == 1


@pytest.mark.parametrize("name", ["kernel32.dll", "api-ms-win-crt-math-l1-1-0.dll", "icuuc.dll"])
def test_windows_own_libraries_are_known(name: str) -> None:
    assert windows_libraries.is_windows_own(name)


@pytest.mark.parametrize(
    "name", ["msvcp140.dll", "vcomp140.dll", "opencl.dll", "ze_loader.dll", "python313.dll"]
)
def test_what_windows_does_not_have_is_not_on_the_list(name: str) -> None:
    assert not windows_libraries.is_windows_own(name)
