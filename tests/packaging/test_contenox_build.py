"""The steps of the Windows build that can be tried anywhere."""

import importlib
import json
import re
import struct
import zipfile
from pathlib import Path
from typing import Any, Final

import pytest

import app
from app.core import windows
from tests.packaging.pe_files import write_pe

PACKAGING: Final = Path(__file__).resolve().parents[2] / "packaging"


def _module(name: str) -> Any:
    return importlib.import_module(f"contenox_build.{name}")


archive = _module("archive")
environment = _module("environment")
errors = _module("errors")
icon = _module("icon")
installer = _module("installer")
project = _module("project")
record = _module("record")
signing = _module("signing")
verify = _module("verify")
version_resource = _module("version_resource")
visual_studio = _module("visual_studio")
windows_build = _module("windows_build")


# --- environment ---


def test_a_polluted_shell_changes_nothing() -> None:
    clean = {"SystemRoot": r"C:\Windows", "TEMP": r"C:\T"}
    polluted = clean | {
        "CC": "gcc",
        "CXX": "g++",
        "CL": "/Od",
        "_CL_": "/Od",
        "LINK": "/DEBUG",
        "INCLUDE": r"C:\mingw\include",
        "LIB": r"C:\mingw\lib",
        "CMAKE_GENERATOR": "MinGW Makefiles",
        "CMAKE_TOOLCHAIN_FILE": "x.cmake",
        "PATH": r"C:\msys64\mingw64\bin",
        "PYTHONPATH": r"C:\other",
        "PYTHONHOME": r"C:\other",
        "PYTHONHASHSEED": "random",
    }
    assert environment.cleaned(polluted) == environment.cleaned(clean)


def test_the_path_is_windows_own() -> None:
    path = environment.cleaned({"SYSTEMROOT": r"D:\Win"})["PATH"].split(";")
    assert path[:2] == [r"D:\Win\System32", r"D:\Win"]
    assert all(folder.startswith(r"D:\Win") for folder in path)


def test_the_time_of_the_build_can_be_chosen() -> None:
    assert environment.cleaned({"SOURCE_DATE_EPOCH": "7"})["SOURCE_DATE_EPOCH"] == "7"
    assert environment.cleaned({})["SOURCE_DATE_EPOCH"] == str(project.EPOCH)


def test_the_service_that_dates_signatures_is_taken_over() -> None:
    given = {signing.TIMESTAMP_VARIABLE: "x"}
    assert environment.cleaned(given)[signing.TIMESTAMP_VARIABLE] == "x"


def test_a_source_tree_without_git_has_no_commit(tmp_path: Path) -> None:
    source_tree = _module("source_tree")
    found = source_tree.describe({"PATH": str(tmp_path)})
    assert found == source_tree.SourceTree("", False)


# --- Visual Studio ---

_LISTING = """\
a line of a greeting=that looks like a variable
contenox-environment-follows
Path=C:\\VS\\bin;C:\\Windows\\System32
INCLUDE=C:\\VS\\include
LIB=C:\\VS\\lib
VCToolsVersion=14.44.35207
PROMPT=$P$G
"""


class _Machine:
    """Answers what vswhere and cmd.exe would."""

    def __init__(self, folder: str, listing: str) -> None:
        self.asked: list[Any] = []
        self._answers = [folder, listing]

    def __call__(self, command: Any, given: Any) -> str:
        self.asked.append((command, dict(given)))
        return self._answers[len(self.asked) - 1]


def test_the_compiler_is_found_in_a_clean_child() -> None:
    machine = _Machine("C:\\VS\r\n", _LISTING)
    given = environment.cleaned({"INCLUDE": "x"})
    studio = visual_studio.find_visual_studio(given, machine)
    assert studio.folder == "C:\\VS"
    assert studio.tools_version == "14.44.35207"
    assert studio.environment["INCLUDE"] == "C:\\VS\\include"
    assert studio.environment["PATH"].startswith("C:\\VS\\bin")
    assert studio.environment["CL"] == studio.environment["LINK"] == "/Brepro"
    assert "PROMPT" not in studio.environment
    assert all("INCLUDE" not in seen for _, seen in machine.asked)
    assert "vcvars64.bat" in machine.asked[1][0]


def test_a_missing_visual_studio_is_one_sentence_with_a_remedy() -> None:
    with pytest.raises(errors.PackagingError, match="winget install") as caught:
        visual_studio.find_visual_studio({}, _Machine("", ""))
    assert "\n" not in str(caught.value)


def test_a_broken_visual_studio_is_told() -> None:
    listing = "contenox-environment-follows\nPath=C:\\x\n"
    with pytest.raises(errors.PackagingError, match="INCLUDE, LIB, VCTOOLSVERSION"):
        visual_studio.find_visual_studio({}, _Machine("C:\\VS", listing))


# --- Python and lock ---


@pytest.mark.parametrize(
    ("version", "bits"), [((3, 13, 0), 64), ((3, 12, 10), 64), ((3, 13, 11), 32)]
)
def test_another_python_is_refused(version: tuple[int, int, int], bits: int) -> None:
    with pytest.raises(errors.PackagingError, match=r"winget install Python\.Python\.3\.13"):
        windows_build.check_python(version, bits)


def test_the_pinned_python_is_taken() -> None:
    windows_build.check_python(project.PYTHON, 64)


def test_the_build_says_where_it_runs() -> None:
    with pytest.raises(errors.PackagingError, match="on Windows"):
        windows_build.build([], "linux")


def test_the_lock_pins_what_the_project_pins() -> None:
    lock = (PACKAGING / "requirements-windows.txt").read_text("utf-8")
    locked = dict(re.findall(r"^([a-z0-9-]+)==([^ ]+) \\$", lock, re.MULTILINE))
    pinned = re.findall(
        r'^ {4}"([A-Za-z0-9-]+)==([^"]+)",$',
        (PACKAGING.parent / "pyproject.toml").read_text("utf-8").partition("optional-dep")[0],
        re.MULTILINE,
    )
    assert len(pinned) > 10
    for name, version in pinned:
        assert locked[name.lower()] == version


def test_the_lock_has_hashes_and_no_address_and_no_telemetry() -> None:
    lock = (PACKAGING / "requirements-windows.txt").read_text("utf-8")
    pins = re.split(r"^(?=[a-z0-9-]+==)", lock, flags=re.MULTILINE)[1:]
    assert all("--hash=sha256:" in pin for pin in pins)
    assert "://" not in lock
    assert "index-url" not in lock
    assert not re.search(r"^(openvino-telemetry|hf-xet)==", lock, re.MULTILINE)


def test_everything_that_ships_is_locked() -> None:
    distributions = _module("distributions")
    lock = (PACKAGING / "requirements-windows.txt").read_text("utf-8")
    llama = (PACKAGING / "llama" / "requirements.txt").read_text("utf-8")
    names = set(re.findall(r"^([a-z0-9-]+)==", lock + llama, re.MULTILINE))
    wanted = distributions.SHIPPED + distributions.WINDOWS_ONLY + distributions.BUILD_TOOLS
    assert set(wanted) <= names


# --- version, icon, manifest ---


def test_the_version_has_one_place() -> None:
    assert project.version() == app.__version__
    rendered = version_resource.render(app.__version__)
    assert f"'FileVersion', '{app.__version__}'" in rendered
    assert "filevers=(1, 2, 3, 0)" in version_resource.render("1.2.3")


def test_the_icon_has_every_size() -> None:
    data = (project.WINDOWS_RESOURCES / "contenox.ico").read_bytes()
    assert icon.icon_sizes(data) == list(icon.SIZES)
    for index, size in enumerate(icon.SIZES):
        length, offset = struct.unpack_from("<II", data, 6 + 16 * index + 8)
        png = data[offset : offset + length]
        assert png.startswith(b"\x89PNG")
        assert struct.unpack(">II", png[16:24]) == (size, size)


def test_the_manifest_asks_for_long_paths_utf8_and_sharp_text() -> None:
    text = (project.WINDOWS_RESOURCES / "contenox.manifest").read_text("utf-8")
    for wanted in (">true</longPathAware>", ">UTF-8</activeCodePage>", ">PerMonitorV2<"):
        assert wanted in text
    assert 'level="asInvoker"' in text


# --- archive ---


def _tree(folder: Path) -> Path:
    (folder / "b").mkdir(parents=True)
    (folder / "b" / "ä.txt").write_text("1", "utf-8")
    (folder / "a.txt").write_text("2", "utf-8")
    return folder


def test_two_archives_of_the_same_files_are_the_same(tmp_path: Path) -> None:
    one, two = _tree(tmp_path / "one"), _tree(tmp_path / "two")
    (two / "a.txt").chmod(0o755)
    archive.write_zip(one, tmp_path / "1.zip", "top", project.EPOCH)
    archive.write_zip(two, tmp_path / "2.zip", "top", project.EPOCH)
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "1.zip") as packed:
        assert packed.namelist() == ["top/a.txt", "top/b/ä.txt"]
        assert packed.infolist()[0].date_time == (2026, 1, 1, 0, 0, 0)


def test_checksums_are_read_back_and_a_changed_file_is_told(tmp_path: Path) -> None:
    file = tmp_path / "x.zip"
    file.write_bytes(b"1")
    archive.write_checksums([file], tmp_path / "SHA256SUMS")
    assert list(verify.check_checksums(tmp_path)) == []
    file.write_bytes(b"2")
    assert [finding.path for finding in verify.check_checksums(tmp_path)] == ["x.zip"]
    file.unlink()
    assert [finding.text for finding in verify.check_checksums(tmp_path)] == ["is missing"]


# --- record, release, signing ---


def _record(**changes: Any) -> Any:
    values = {
        "version": "1.0.0",
        "commit": "a" * 40,
        "modified": False,
        "platform": "win32",
        "python": "3.13.11",
        "epoch": project.EPOCH,
        "lock_sha256": "b" * 64,
        "starter_sha256": "c" * 64,
        "llama_version": "0.3.36",
        "llama_compiler": "MSVC 19.44.35207",
        "compiler_tools": "14.44.35207",
        "signed": True,
        "size_bytes": 2,
        "size_without_starter_bytes": 1,
        "distributions": ("x==1",),
        "files": {"contenox.exe": "d" * 64},
    }
    return record.BuildRecord(**(values | changes))


def test_a_record_is_read_back(tmp_path: Path) -> None:
    file = tmp_path / "x.build.json"
    record.write_record(_record(), file)
    assert record.read_record(file) == _record()


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": 1}'])
def test_a_damaged_record_is_one_sentence(tmp_path: Path, text: str) -> None:
    file = tmp_path / "x.build.json"
    file.write_text(text, "utf-8")
    with pytest.raises(errors.PackagingError, match="build the package again"):
        record.read_record(file)


def test_a_record_of_another_version_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.build.json"
    record.write_record(_record(), file)
    values = json.loads(file.read_text("utf-8")) | {"format": 99}
    file.write_text(json.dumps(values), "utf-8")
    with pytest.raises(errors.PackagingError, match="another version"):
        record.read_record(file)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, []),
        ({"llama_compiler": "x86_64-w64-mingw32-g++ 12"}, ["llama.cpp was built by"]),
        ({"modified": True}, ["was not built from a commit"]),
        ({"commit": ""}, ["was not built from a commit"]),
        ({"signed": False}, ["was not signed"]),
        ({"stand_ins": ("python3.dll by mingw",)}, ["holds a stand-in: python3.dll by mingw"]),
    ],
)
def test_a_release_is_microsofts_compiler_a_commit_and_signed(
    changes: dict[str, Any], told: list[str]
) -> None:
    found = [finding.text for finding in verify.check_release(_record(**changes), "x")]
    assert len(found) == len(told)
    assert all(text.startswith(start) for text, start in zip(found, told, strict=True))


def test_the_certificate_and_the_time_stamp_are_optional(tmp_path: Path) -> None:
    assert signing.command(Path("s"), "", "") == ["s", "sign", "/fd", "SHA256", "/a"]
    line = signing.command(Path("s"), "AB", "http://127.0.0.1/")
    assert line[4:] == ["/sha1", "AB", "/tr", "http://127.0.0.1/", "/td", "SHA256"]
    with pytest.raises(errors.PackagingError, match="Windows SDK"):
        signing.find_signtool({"PROGRAMFILES(X86)": str(tmp_path)})


def test_the_newest_signtool_is_taken(tmp_path: Path) -> None:
    for version in ("10.0.9.0", "10.0.22621.0"):
        folder = tmp_path / "Windows Kits" / "10" / "bin" / version / "x64"
        folder.mkdir(parents=True)
        (folder / "signtool.exe").touch()
    found = signing.find_signtool({"PROGRAMFILES(X86)": str(tmp_path)})
    assert "10.0.22621.0" in found.parts


def test_the_installer_unpacks_each_folder_once_and_lists_what_it_wrote(tmp_path: Path) -> None:
    paths = ["_internal/a b.dll", "_internal/ü/x$y.txt", "contenox.exe"]
    place = str(tmp_path)
    assert installer.payload_script(tmp_path, paths).splitlines() == [
        'SetOutPath "$INSTDIR\\new\\_internal"',
        f'File "{place}/_internal/a b.dll"',
        'SetOutPath "$INSTDIR\\new\\_internal\\ü"',
        f'File "{place}/_internal/ü/x$$y.txt"',
        'SetOutPath "$INSTDIR\\new"',
        f'File "{place}/contenox.exe"',
    ]
    assert installer.file_list(paths, "1.2.3").split("\r\n") == [
        "V 1.2.3",
        "F _internal\\a b.dll",
        "F _internal\\ü\\x$y.txt",
        "F contenox.exe",
        # A folder after what is in it.
        "D _internal\\ü",
        "D _internal",
        "",
    ]


def test_the_program_and_its_shortcut_have_one_name_for_the_taskbar() -> None:
    assert installer.APP_ID == windows.APP_ID


def test_every_text_of_the_installer_is_there_in_both_languages() -> None:
    scripts = [
        (installer.SCRIPTS / name).read_text("utf-8") for name in ("contenox.nsi", "rollback.nsi")
    ]
    texts = (installer.SCRIPTS / "texts.nsh").read_text("utf-8")
    used = {name for script in scripts for name in re.findall(r"\$\((TEXT_\w+)\)", script)}
    defined = re.findall(
        r'insertmacro Text (TEXT_\w+)\s+(?:\\\s+)?"([^"]+)"\s+(?:\\\s+)?"([^"]+)"', texts
    )
    assert {name for name, _, _ in defined} == used
    assert all(english != german for _, english, german in defined)


def test_an_installer_that_is_not_signed_is_no_release(tmp_path: Path) -> None:
    file = tmp_path / "contenox-setup.exe"
    assert list(verify.check_installer(file)) == []
    write_pe(file)
    assert [finding.text for finding in verify.check_installer(file)] == ["is not signed"]
    write_pe(file, signed=True)
    assert list(verify.check_installer(file)) == []


def test_two_archives_of_the_same_members_become_the_same_bytes(tmp_path: Path) -> None:
    members = {"os.pyc": b"code", "codecs.pyc": b"more code", "encodings/__init__.pyc": b""}
    files = tmp_path / "one.zip", tmp_path / "other.zip"
    for file, names in zip(files, (members, reversed(members)), strict=True):
        with zipfile.ZipFile(file, "w") as packed:
            for name in names:
                packed.writestr(zipfile.ZipInfo(name), members[name])
    assert files[0].read_bytes() != files[1].read_bytes()
    for file in files:
        archive.sort_zip(file)
    assert files[0].read_bytes() == files[1].read_bytes()
    with zipfile.ZipFile(files[1]) as packed:
        assert {name: packed.read(name) for name in packed.namelist()} == members
        assert packed.namelist() == sorted(members)
