"""The log turns over, holds no words of exceptions, and never hurts the program."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.logs import LOG_FILE, LogFile, Logs

SECRET = "the text that somebody typed"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    logs = Logs(tmp_path / "logs")
    logs.start()
    yield tmp_path / "logs"
    logs.close()


def test_the_programs_lines_and_the_warnings_of_libraries_are_kept(folder: Path) -> None:
    logging.getLogger("app.somewhere").info("started %s", 1)
    logging.getLogger("app.somewhere").debug(SECRET)
    logging.getLogger("library").warning("careful")
    logging.getLogger("library").info("chatter")
    text = (folder / LOG_FILE).read_text(encoding="utf-8")
    assert "INFO app.somewhere started 1\n" in text
    assert "WARNING library careful\n" in text
    assert SECRET not in text
    assert "chatter" not in text


def test_an_exception_leaves_its_kind_and_place_but_not_its_words(folder: Path) -> None:
    try:
        try:
            raise KeyError(SECRET)
        except KeyError as error:
            raise ValueError(SECRET) from error
    except ValueError:
        logging.getLogger("app").exception("a request failed")
    text = (folder / LOG_FILE).read_text(encoding="utf-8")
    assert "ValueError at test_logs.py:" in text
    assert "from KeyError at test_logs.py:" in text
    assert SECRET not in text


def test_nothing_is_made_before_the_first_line(tmp_path: Path) -> None:
    logs = Logs(tmp_path / "logs")
    logs.start()
    logs.close()
    assert list(tmp_path.iterdir()) == []


def test_old_lines_make_room(tmp_path: Path) -> None:
    handler = LogFile(tmp_path / "a.log", max_bytes=1000)
    record = logging.LogRecord("app", logging.INFO, "f", 1, "x" * 100, None, None)
    for _ in range(100):
        handler.handle(record)
    handler.close()
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["a.log", "a.log.1", "a.log.2", "a.log.3"]
    assert all(path.stat().st_size <= 1000 for path in tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_costs_the_lines_only(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file")
    handler = LogFile(tmp_path / "logs" / "a.log")
    handler.handle(logging.LogRecord("app", logging.INFO, "f", 1, "lost", None, None))
    handler.close()
