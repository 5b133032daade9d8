"""An engine in a process of its own, and a recorder of what it says."""

import contextlib
import queue
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from app.engine.chat import ChatMessage, Role, Sampling
from app.engine.client import EngineClient, EngineDied, Notice
from app.engine.engine_child import EntryPoint
from app.engine.process import run_engine
from app.engine.protocol import Delta, Event, Failed, Finished, Generate, new_request_id
from app.engine.spec import LoadSpec, ScriptedRuntime

WAIT_S = 60.0

E = TypeVar("E")


class Recorder:
    """Collects one request's events; ``end`` waits for the terminal one."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._arrived: queue.SimpleQueue[Event] = queue.SimpleQueue()

    def __call__(self, event: Event) -> None:
        self._arrived.put(event)

    def next(self, kind: type[E], timeout_s: float = WAIT_S) -> E:
        """Waits for the next event of ``kind``."""
        while True:
            event = self._arrived.get(timeout=timeout_s)
            self.events.append(event)
            if isinstance(event, kind):
                return event
            assert not isinstance(event, Finished | Failed), f"ended without {kind}: {event}"

    def end(self, timeout_s: float = WAIT_S) -> Finished | Failed:
        while True:
            event = self._arrived.get(timeout=timeout_s)
            self.events.append(event)
            if isinstance(event, Finished | Failed):
                return event

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, Delta))


class Engine:
    """A client with its notices recorded."""

    def __init__(self, log_dir: Path, entry: EntryPoint = run_engine) -> None:
        self.notices: queue.SimpleQueue[Notice] = queue.SimpleQueue()
        self.client = EngineClient(log_dir=log_dir, on_notice=self.notices.put, entry=entry)

    def send(self, request: Generate) -> Recorder:
        recorder = Recorder()
        self.client.submit(request, recorder)
        return recorder

    def drain(self) -> list[Notice]:
        """The notices that have come so far."""
        found = []
        with contextlib.suppress(queue.Empty):
            while True:
                found.append(self.notices.get_nowait())
        return found

    def death(self) -> EngineDied:
        while True:
            notice = self.notices.get(timeout=WAIT_S)
            if isinstance(notice, EngineDied):
                return notice


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = Engine(tmp_path / "logs")
    yield made
    made.client.close()


def ask(
    spec: LoadSpec,
    text: str,
    *,
    max_tokens: int = 1024,
    sampling: Sampling | None = None,
    deadline_s: float | None = None,
) -> Generate:
    """A request with one user message."""
    return Generate(
        request=new_request_id(),
        spec=spec,
        messages=(ChatMessage(role=Role.USER, content=text),),
        sampling=sampling or Sampling(),
        max_tokens=max_tokens,
        deadline_s=deadline_s,
    )


def scripted(
    name: str = "scripted",
    *,
    answer: str = "You said: {prompt}",
    token_s: float = 0.0,
    prefill_token_s: float = 0.0,
    load_s: float = 0.0,
    fault: str | None = None,
    context_tokens: int = 1000,
) -> LoadSpec:
    return LoadSpec(
        model_name=name,
        model_path="",
        model_digest=name,
        context_tokens=context_tokens,
        runtime=ScriptedRuntime(
            answer=answer,
            token_s=token_s,
            prefill_token_s=prefill_token_s,
            load_s=load_s,
            fault=fault,
        ),
    )
