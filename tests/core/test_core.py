"""Errors, settings, files and paths."""

import errno
import os
import pickle
import tempfile
from pathlib import Path

import msgspec
import pytest

from app.core.errors import Bug, DataFault, EnvironmentFault, UserError, from_record
from app.core.files import write_atomic
from app.core.paths import DataRoot, profiles_dir, resources_dir
from app.core.settings import Settings, SettingsFile
from app.core.units import format_bytes, format_duration


@pytest.mark.parametrize("cls", [UserError, EnvironmentFault, DataFault, Bug])
def test_an_error_survives_the_record_and_the_pickle(cls: type[UserError]) -> None:
    error = cls("some_code", "It happened.", "Do this.")
    for again in (from_record(error.record()), pickle.loads(pickle.dumps(error))):
        assert type(again) is cls
        assert (again.code, again.message, again.remedy) == (
            "some_code",
            "It happened.",
            "Do this.",
        )


def test_settings_without_a_file_are_the_defaults(tmp_path: Path) -> None:
    assert SettingsFile(tmp_path / "settings.json").load() == Settings()


def test_a_bad_value_falls_back_alone_and_an_unknown_key_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"idle_unload_s": -5, "default_model": "m", "from_the_future": [1]}')
    file = SettingsFile(path)
    settings = file.load()
    assert settings == Settings(default_model="m")
    file.save(settings)
    assert msgspec.json.decode(path.read_bytes())["from_the_future"] == [1]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe\x00", b'"text"'])
def test_a_broken_settings_file_gives_the_defaults(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(content)
    assert SettingsFile(path).load() == Settings()


def test_a_change_keeps_what_others_wrote_and_survives_a_broken_file(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    mine, other = SettingsFile(path), SettingsFile(path)
    mine.change(offline=True)
    other.change(model_store="elsewhere")
    mine.change(language="de")
    known = Settings(offline=True, model_store="elsewhere", language="de")
    assert other.load() == known
    path.write_text("{")
    mine.change(known, close_to_tray=False)
    assert other.load() == msgspec.structs.replace(known, close_to_tray=False)


def test_every_setting_has_a_help_text() -> None:
    schema = msgspec.json.schema(Settings)["$defs"]["Settings"]["properties"]
    assert all(field.get("description") or field.get("anyOf") for field in schema.values())


def test_an_atomic_write_that_fails_leaves_the_old_content(tmp_path: Path) -> None:
    target = tmp_path / "file.json"
    write_atomic(target, b"old")
    blocked = tmp_path / "not-a-folder"
    blocked.write_bytes(b"")
    with pytest.raises(EnvironmentFault, match="not-a-folder") as caught:
        write_atomic(blocked / "file.json", b"new")
    assert caught.value.code == "data_root_is_file"
    assert target.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file.json", "not-a-folder"]


def test_a_folder_that_refuses_files_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = DataRoot(tmp_path / "new" / "folder")
    root.require()
    assert list(tmp_path.iterdir()) == [], "nothing is made before it is needed"

    def refuse(code: int) -> None:
        def temporary_file(**_: object) -> None:
            raise OSError(code, os.strerror(code))

        monkeypatch.setattr(tempfile, "TemporaryFile", temporary_file)

    refuse(errno.ENOSPC)
    root.require()  # on a full disk there is much to read, and something to delete
    refuse(errno.EACCES)
    with pytest.raises(EnvironmentFault, match="folder can't be written") as refused:
        root.require()
    assert refused.value.code == "data_root_unwritable"


def test_the_data_root_follows_the_variable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CONTENOX_DATA_ROOT", str(tmp_path / "Żółć 测试"))
    root = DataRoot.from_environment()
    assert root.path == tmp_path / "Żółć 测试"
    assert root.ensure(root.models).is_dir()


def test_a_portable_program_keeps_its_data_beside_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CONTENOX_DATA_ROOT", raising=False)
    monkeypatch.setattr("sys.executable", str(tmp_path / "contenox.exe"))
    monkeypatch.setattr("sys._MEIPASS", str(tmp_path / "_internal"), raising=False)
    assert not DataRoot.from_environment().path.is_relative_to(tmp_path)
    (tmp_path / "portable.flag").touch()
    assert DataRoot.from_environment().path == tmp_path / "data"
    monkeypatch.setenv("CONTENOX_DATA_ROOT", str(tmp_path / "elsewhere"))
    assert DataRoot.from_environment().path == tmp_path / "elsewhere"


def test_the_flag_means_nothing_to_a_program_that_is_not_packaged(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CONTENOX_DATA_ROOT", raising=False)
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    (tmp_path / "portable.flag").touch()
    assert not DataRoot.from_environment().path.is_relative_to(tmp_path)


def test_the_shipped_folders_are_found() -> None:
    assert profiles_dir().is_dir()
    assert resources_dir().is_dir()


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (999_999, "1.0 MB"),
     (98_362_432, "98 MB"), (4_882_865_352, "4.9 GB"), (5 * 10**15, "5000 TB")],
)  # fmt: skip
def test_bytes_are_written_in_decimal_units(size: int, text: str) -> None:
    assert format_bytes(size) == text


def test_durations_have_the_precision_a_person_needs() -> None:
    assert [format_duration(s) for s in (0.04, 12.4, 59.7, 3600)] == [
        "0.0 s",
        "12 s",
        "1 min 0 s",
        "1 h 0 min",
    ]
