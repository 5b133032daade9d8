"""Failed loads, failed starts and reloads leave nothing behind.

The default run is small; ``-m soak`` does 1,000 failures of each kind and 50 reloads.
"""

import os
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from app.core.errors import ContenoxError
from app.engine.client import EngineClient
from app.engine.outcome import FinishReason
from app.engine.protocol import Finished, Load, new_request_id
from app.engine.spec import LoadSpec
from app.models.library import InstalledModel
from tests.engine.backends.conftest import openvino_spec
from tests.engine.backends.llama_required import llama_spec, require_llama
from tests.engine.conftest import Engine, ask, scripted
from tests.soak.resources import Held, check_no_leak
from tests.support.gguf_files import GgufDraft

CAPITAL = "What is the capital of France? Answer in one sentence."
HOUR = pytest.mark.timeout(3_600)

Failing = Callable[[int], LoadSpec]


def pid_of(engine: Engine) -> int:
    pid = engine.client.pid
    assert pid is not None
    return pid


def held_by(engine: Engine) -> Held:
    return Held.by(pid_of(engine))


def fail(engine: Engine, spec: LoadSpec) -> str:
    with pytest.raises(ContenoxError) as caught:
        engine.client.call(Load(request=new_request_id(), spec=spec))
    return caught.value.code


@pytest.fixture
def damaged_folder(starter_openvino: InstalledModel, tmp_path: Path) -> Path:
    """Passes our own check; the library's reader refuses it."""
    folder = tmp_path / "damaged"
    folder.mkdir()
    for path in starter_openvino.path.iterdir():
        (folder / path.name).symlink_to(path)
    (folder / "special_tokens_map.json").unlink()
    (folder / "special_tokens_map.json").write_text("{")
    return folder


@pytest.mark.parametrize("count", [200, pytest.param(1_000, marks=[pytest.mark.soak, HOUR])])
def test_failed_loads_of_the_script_leave_nothing(engine: Engine, count: int) -> None:
    for _ in range(20):
        assert fail(engine, scripted(fault="load_fails")) == "out_of_memory"
    before = held_by(engine)
    for _ in range(count):
        assert fail(engine, scripted(fault="load_fails")) == "out_of_memory"
    check_no_leak(pid_of(engine), before)
    assert isinstance(engine.send(ask(scripted(), "x")).end(), Finished)


@pytest.mark.real_model
@pytest.mark.parametrize("count", [4, pytest.param(1_000, marks=[pytest.mark.soak, HOUR])])
def test_failed_loads_in_openvino_leave_nothing(
    engine: Engine, starter_openvino: InstalledModel, damaged_folder: Path, count: int
) -> None:
    spec = openvino_spec(starter_openvino, path=damaged_folder)
    for _ in range(max(3, count // 20)):
        assert fail(engine, spec) == "model_damaged"
    before = held_by(engine)
    for _ in range(count):
        assert fail(engine, spec) == "model_damaged"
    check_no_leak(pid_of(engine), before)
    recorder = engine.send(ask(openvino_spec(starter_openvino), CAPITAL))
    assert isinstance(recorder.end(), Finished)
    assert "Paris" in recorder.text


@pytest.mark.real_model
@pytest.mark.parametrize("count", [20, pytest.param(1_000, marks=[pytest.mark.soak, HOUR])])
def test_failed_loads_in_llama_leave_nothing(
    engine: Engine, starter_gguf: InstalledModel, tmp_path: Path, count: int
) -> None:
    require_llama()
    # Whole by its structure, so that the library's reader sees it; it lacks most tensors.
    path = GgufDraft().write(tmp_path / "small.gguf")
    spec = llama_spec(starter_gguf, context_tokens=64, path=str(path))
    for _ in range(max(5, count // 20)):
        assert fail(engine, spec) == "model_damaged"
    before = held_by(engine)
    for _ in range(count):
        assert fail(engine, spec) == "model_damaged"
    check_no_leak(pid_of(engine), before)
    recorder = engine.send(ask(llama_spec(starter_gguf), CAPITAL))
    assert isinstance(recorder.end(), Finished)
    assert "Paris" in recorder.text


def _dies(connection: Connection, log_dir: str) -> None:
    del connection, log_dir
    os._exit(3)


@pytest.mark.parametrize("count", [3, pytest.param(1_000, marks=[pytest.mark.soak, HOUR])])
def test_engines_that_never_start_leave_nothing(tmp_path: Path, count: int) -> None:
    client = EngineClient(log_dir=tmp_path, entry=_dies)

    def refuse() -> None:
        with pytest.raises(ContenoxError) as caught:
            client.call(Load(request=new_request_id(), spec=scripted()))
        assert caught.value.code == "engine_died"

    for _ in range(2):
        refuse()
    # A reader tells the end of the last request before it ends itself.
    for thread in threading.enumerate():
        if thread.name == "engine-reader":
            thread.join()
    before = Held.by(os.getpid())
    for _ in range(count):
        refuse()
    check_no_leak(os.getpid(), before)
    client.close()


@pytest.mark.real_model
@pytest.mark.soak
@HOUR
@pytest.mark.parametrize("backend", ["openvino", "openvino stateful", "llama"])
def test_fifty_reloads_need_no_more_memory_than_the_first(
    engine: Engine, starter_openvino: InstalledModel, starter_gguf: InstalledModel, backend: str
) -> None:
    def spec(number: int) -> LoadSpec:
        context = 2048 + number % 2
        if backend == "llama":
            require_llama()
            return llama_spec(starter_gguf, context_tokens=context)
        pipeline = "stateful" if backend.endswith("stateful") else "paged"
        return openvino_spec(starter_openvino, context_tokens=context, pipeline=pipeline)

    def reload(number: int) -> None:
        recorder = engine.send(ask(spec(number), CAPITAL, max_tokens=16))
        end = recorder.end()
        assert isinstance(end, Finished)
        assert end.reason in (FinishReason.STOP, FinishReason.LENGTH)
        assert end.timings.load_s > 0
        assert "Paris" in recorder.text

    # The first ones fill the allocator's arenas.
    for number in range(5):
        reload(number)
    before = held_by(engine)
    for number in range(5, 55):
        reload(number)
    check_no_leak(pid_of(engine), before)
