"""A peak of memory is told of the model that caused it, and of no other."""

import sys
from pathlib import Path

import pytest

from app.engine import peak_memory
from app.engine.client import EngineClient, Notice
from app.engine.outcome import SlotState
from app.engine.peak_memory import PeakMemory, read_peak_rss
from app.engine.protocol import Load, StateChanged
from app.engine.spec import LoadSpec, ScriptedRuntime

S = SlotState


def test_the_peak_of_a_process_is_told_and_grows_with_what_it_holds() -> None:
    before = read_peak_rss()
    assert before is not None
    held = bytearray(b"x" * 200_000_000)
    after = read_peak_rss()
    assert after is not None
    assert after >= max(before, len(held))
    assert after < 64 << 30


def test_only_a_peak_that_rose_belongs_to_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = iter([100, 500, 700, 700, 700, 900])
    monkeypatch.setattr(peak_memory, "read_peak_rss", lambda: next(readings))
    peaks = PeakMemory()
    told = [peaks.after(state) for state in (S.LOADING, S.READY, S.BUSY, S.READY)]
    assert told == [None, 500, None, 700]
    assert [peaks.after(state) for state in (S.UNLOADING, S.LOADING, S.READY)] == [None] * 3
    assert peaks.after(S.READY) == 900


@pytest.mark.skipif(sys.platform == "win32", reason="the file is Linux's")
def test_a_system_that_tells_nothing_is_no_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(peak_memory, "_STATUS", tmp_path / "missing")
    assert read_peak_rss() is None
    (tmp_path / "odd").write_text("VmHWM: many kB\n")
    monkeypatch.setattr(peak_memory, "_STATUS", tmp_path / "odd")
    assert read_peak_rss() is None


def test_the_engine_tells_the_peak_with_the_state(tmp_path: Path) -> None:
    notices: list[Notice] = []
    client = EngineClient(log_dir=tmp_path, on_notice=notices.append)
    spec = LoadSpec(
        model_name="x", model_path="", model_digest="d", context_tokens=64,
        runtime=ScriptedRuntime(),
    )  # fmt: skip
    try:
        client.call(Load(request="1", spec=spec))
    finally:
        client.close()
    states = [notice for notice in notices if isinstance(notice, StateChanged)]
    assert [state.state for state in states][:2] == [S.LOADING, S.READY]
    peak = states[1].peak_rss_bytes
    # A scripted model may take nothing that the process did not hold before.
    assert peak is None or peak > 1_000_000
