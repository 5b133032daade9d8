"""The engine process is killed twice in a row, in each phase of a request, with others waiting.

One row is in the default run, the others are under ``-m soak``.
"""

import os
import queue
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.engine.outcome import FinishReason, SlotState
from app.engine.protocol import (
    Count,
    Delta,
    Failed,
    Finished,
    LoadProgress,
    PrefillProgress,
    Request,
    StateChanged,
    Unload,
    new_request_id,
)
from app.engine.spec import LoadSpec
from app.models.library import InstalledModel
from tests.engine.backends.conftest import openvino_spec
from tests.engine.backends.llama_required import llama_spec, require_llama
from tests.engine.conftest import WAIT_S, Engine, Recorder, ask

pytestmark = [
    pytest.mark.real_model,
    pytest.mark.ov,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL"),
]

SEA = "The sea is blue and the sky is grey today. "
LONG = SEA * 600
"""Some 6,600 tokens: seconds of prefill."""
MEGABYTES = SEA * 45_000
"""About a second of tokenizing, and then refused."""
_INTO_TOKENIZING_S = 0.15
"""Nothing tells that it has begun; it lasts several times that."""


def _openvino(request: pytest.FixtureRequest) -> LoadSpec:
    return openvino_spec(request.getfixturevalue("starter_openvino"))


def _llama(request: pytest.FixtureRequest) -> LoadSpec:
    require_llama()
    model: InstalledModel = request.getfixturevalue("starter_gguf")
    return llama_spec(model, context_tokens=8192)


@pytest.fixture(params=[_openvino, _llama], ids=["openvino", "llama"])
def spec(request: pytest.FixtureRequest) -> LoadSpec:
    make: Callable[[pytest.FixtureRequest], LoadSpec] = request.param
    return make(request)


class Killed:
    """An engine, and the requests that it was given."""

    def __init__(self, log_dir: Path, spec: LoadSpec) -> None:
        self.engine = Engine(log_dir)
        self.recorders: list[Recorder] = []
        self._spec = spec

    def send(self, request: Request) -> Recorder:
        recorder = Recorder()
        self.recorders.append(recorder)
        self.engine.client.submit(request, recorder)
        return recorder

    def kill(self) -> None:
        pid = self.engine.client.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        self.engine.death()

    def wait_for(self, state: SlotState) -> None:
        while True:
            notice = self.engine.notices.get(timeout=WAIT_S)
            if isinstance(notice, StateChanged) and notice.state is state:
                return

    def ends(self) -> list[str]:
        """How each request ended; each has exactly one end, and nothing comes behind it."""
        told = [one.end() for one in self.recorders]
        after = self.send(ask(self._spec, "Hi", max_tokens=2)).end()
        assert isinstance(after, Finished), "the next request works"
        for one in self.recorders:
            with pytest.raises(queue.Empty):
                one.next(object, timeout_s=0)
        return [one.reason.value if isinstance(one, Finished) else one.error.code for one in told]


@pytest.fixture
def killed(tmp_path: Path, spec: LoadSpec) -> Iterator[Killed]:
    made = Killed(tmp_path / "logs", spec)
    yield made
    made.engine.client.close()


DIED = "engine_died"
STOP = FinishReason.STOP.value
LENGTH = FinishReason.LENGTH.value


@pytest.mark.parametrize(
    ("event", "text"),
    [
        pytest.param(LoadProgress, "Hi", id="load", marks=pytest.mark.soak),
        pytest.param(PrefillProgress, LONG, id="prefill", marks=pytest.mark.soak),
        pytest.param(Delta, "Count to a hundred.", id="decode"),
    ],
)
def test_killed_where_something_was_told(
    killed: Killed, spec: LoadSpec, event: type[object], text: str
) -> None:
    victims = [killed.send(ask(spec, text, max_tokens=400)) for _ in range(2)]
    for _ in range(2):
        killed.send(ask(spec, "Hi", max_tokens=2))
    for victim in victims:
        victim.next(event)
        killed.kill()
    assert killed.ends() == [DIED, DIED, LENGTH, LENGTH]


@pytest.mark.soak
@pytest.mark.parametrize("counted", [False, True], ids=["answered", "counted"])
def test_killed_while_tokenizing(killed: Killed, spec: LoadSpec, *, counted: bool) -> None:
    def made(text: str) -> Request:
        turn = ask(spec, text, max_tokens=2)
        return Count(request=new_request_id(), turn=turn) if counted else turn

    loaded = killed.send(made("Hi"))
    loaded.end()
    killed.recorders.remove(loaded)
    victim = killed.send(made(MEGABYTES))
    for text in ("Hi", MEGABYTES, "Hi"):
        killed.send(made(text))
    time.sleep(_INTO_TOKENIZING_S)
    killed.kill()
    # Nothing was told of it, so it was sent once more; its new engine loads first, which is told.
    victim.next(LoadProgress)
    if not counted:
        killed.wait_for(SlotState.BUSY)
    time.sleep(_INTO_TOKENIZING_S)
    killed.kill()
    small, large = (STOP, STOP) if counted else (LENGTH, "context_overflow")
    assert killed.ends() == [DIED, small, large, small]


@pytest.mark.soak
def test_killed_in_an_unload(killed: Killed, spec: LoadSpec) -> None:
    for _ in range(2):
        killed.send(ask(spec, "Hi", max_tokens=2))
        killed.send(Unload(request=new_request_id()))
    for _ in range(2):
        killed.wait_for(SlotState.UNLOADING)
        killed.kill()
    ends = killed.ends()
    # An unload that was killed is done by the next engine, which has nothing to unload.
    assert ends == [LENGTH, STOP, LENGTH, STOP]
    assert not any(isinstance(one.events[-1], Failed) for one in killed.recorders)
