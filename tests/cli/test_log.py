"""What the console did not foresee is in the log, by kind and place, without anybody's words."""

import pytest

from app.cli.main import main
from app.composition import build_services
from app.core.logs import LOG_FILE
from app.core.paths import DataRoot
from app.workflows.services import Services


def test_an_unforeseen_error_leaves_its_kind_and_place_in_the_log(
    data_root: DataRoot, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(*_: object) -> None:
        raise ZeroDivisionError("what somebody typed")

    monkeypatch.setattr(Services, "find_model", break_down)
    assert main(["chat", "a private question"], build_services) == 1
    assert "[unexpected]" in capsys.readouterr().err
    log = (data_root.logs / LOG_FILE).read_text(encoding="utf-8")
    assert "ZeroDivisionError at " in log
    assert "break_down" not in log
    assert "test_log.py:" in log
    assert "typed" not in log
    assert "private" not in log


def test_a_foreseen_error_writes_no_file(data_root: DataRoot) -> None:
    assert main(["chat", "x"], build_services) == 1
    assert not data_root.path.exists()
