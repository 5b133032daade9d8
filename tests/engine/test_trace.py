"""The trace: one line for each request, counts and times, and never a word of a person's."""

import os
import stat
import sys
from pathlib import Path

import msgspec
import pytest

from app.core.errors import ContenoxError
from app.engine.protocol import Embed, Load, ReportBackend, Unload, new_request_id
from app.engine.trace import TRACE_FILE, TraceFile, TraceRecord, read_trace
from tests.engine.conftest import Engine, ask, scripted

QUESTION = "zebra umbrella"
ANSWER = "giraffe parasol lemonade"


def record(request: str = "r") -> TraceRecord:
    return TraceRecord(
        time="2026-01-01T00:00:00.000+00:00", request=request, kind="generate", outcome="stop"
    )


def test_each_request_leaves_one_line_of_counts_and_no_text(engine: Engine, tmp_path: Path) -> None:
    good = ask(scripted("model-one", answer=ANSWER), QUESTION)
    engine.send(good).end()
    refused = ask(scripted("model-two", context_tokens=2), f"{QUESTION} {QUESTION}")
    engine.send(refused).end()
    loaded = Load(request=new_request_id(), spec=scripted("model-three"))
    engine.client.call(loaded)
    embedded = Embed(request=new_request_id(), spec=scripted("model-three"), texts=(QUESTION,))
    with pytest.raises(ContenoxError):
        engine.client.call(embedded)
    engine.client.call(ReportBackend(request=new_request_id(), backend="scripted"))
    engine.client.call(Unload(request=new_request_id()))
    engine.client.close()

    path = tmp_path / "logs" / TRACE_FILE
    kinds = [(one.kind, one.outcome, one.failed) for one in read_trace(path)]
    assert kinds == [
        ("generate", "stop", False),
        ("generate", "context_overflow", True),
        ("load", "stop", False),
        ("embed", "embeddings_not_supported", True),
        ("reportbackend", "stop", False),
        ("unload", "stop", False),
    ]
    first = next(read_trace(path))
    assert first.request == good.request
    assert (first.model_digest, first.backend, first.device) == ("model-one", "scripted", "CPU")
    assert (first.pipeline, first.context_tokens, first.generation) == ("scripted", 1000, 1)
    assert (first.prompt_tokens, first.reused_tokens, first.completion_tokens) == (2, 0, 3)
    assert first.ttft_s is not None
    assert first.load_s > 0
    assert first.wall_s >= first.load_s
    assert first.time.endswith("+00:00")
    raw = path.read_text()
    for word in f"{QUESTION} {ANSWER}".split():
        assert word not in raw


def test_a_cancelled_and_a_fatal_request_are_traced_too(engine: Engine, tmp_path: Path) -> None:
    engine.send(ask(scripted(fault="decode_fails", answer="a b c d e f"), "x")).end()
    engine.send(ask(scripted(fault="pool_exhausted", answer="a b c d e f"), "x")).end()
    engine.client.close()
    found = list(read_trace(tmp_path / "logs" / TRACE_FILE))
    assert [(one.outcome, one.fatal) for one in found] == [
        ("pool_corrupted", True),
        ("pool_exhausted", False),
    ]


def test_a_full_file_is_moved_aside_and_two_older_ones_are_kept(tmp_path: Path) -> None:
    path = tmp_path / TRACE_FILE
    size = len(msgspec.json.encode(record("0"))) + 1
    trace = TraceFile(path, max_bytes=2 * size)
    for number in range(9):
        trace.append(record(str(number)))
    names = sorted(one.name for one in tmp_path.iterdir())
    assert names == ["trace.jsonl", "trace.jsonl.1", "trace.jsonl.2"]
    assert [one.request for one in read_trace(path)] == ["8"]
    assert [one.request for one in read_trace(tmp_path / "trace.jsonl.2")] == ["4", "5"]


def test_a_line_that_a_crash_cut_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / TRACE_FILE
    trace = TraceFile(path)
    trace.append(record("a"))
    with path.open("ab") as file:
        file.write(b'{"time":"2026\n')
    trace.append(record("b"))
    assert [one.request for one in read_trace(path)] == ["a", "b"]
    assert list(read_trace(tmp_path / "absent")) == []


def test_a_trace_that_cannot_be_written_costs_no_request(tmp_path: Path) -> None:
    TraceFile(tmp_path / "absent" / TRACE_FILE).append(record())


@pytest.mark.skipif(sys.platform == "win32", reason="permission bits")
def test_only_its_user_may_read_it(tmp_path: Path) -> None:
    TraceFile(tmp_path / TRACE_FILE).append(record())
    assert stat.S_IMODE(os.stat(tmp_path / TRACE_FILE).st_mode) == 0o600  # noqa: PTH116
