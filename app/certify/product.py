"""The product's own path, as the certifier uses it: the engine process and nothing beside it."""

import queue
import threading
import time
from collections.abc import Callable
from typing import Final

import msgspec

from app.certify.asking import Answer, Counted, Question
from app.core.errors import EnvironmentFault, from_record
from app.engine.chat import Sampling, ToolCall
from app.engine.client import EngineClient
from app.engine.context import Segment, assemble
from app.engine.manifest import SegmentKind
from app.engine.outcome import DeltaKind, FinishReason, SessionReport
from app.engine.protocol import (
    Count,
    Delta,
    Describe,
    Described,
    Event,
    Failed,
    Finished,
    Generate,
    Load,
    PrefillProgress,
    Request,
    Unload,
    new_request_id,
)
from app.engine.protocol import Counted as CountedEvent
from app.engine.spec import LoadSpec
from app.models.identity import Stopped, never_stop

_POLL_S: Final = 0.1
# The first progress comes before anything is computed, the second after the first chunk.
_CANCELLED_CHUNK: Final = 2

Hear = Callable[[Event], None]


class EngineModel:
    """One model, loaded as ``spec`` says; implements ``Ask`` and ``Product``.

    Args:
        client: the engine. Nobody else may use it meanwhile.
        stop: whether the person wants it to end; looked at while a request runs.
    """

    def __init__(
        self, client: EngineClient, spec: LoadSpec, stop: Callable[[], bool] = never_stop
    ) -> None:
        self._client = client
        self._spec = spec
        self._stop = stop

    def load(self) -> float:
        """Gives up what is loaded and loads anew; returns the seconds of the load alone."""
        self.unload()
        return self._run(Load(request=new_request_id(), spec=self._spec)).timings.load_s

    def unload(self) -> None:
        self._run(Unload(request=new_request_id()))

    def ask(self, question: Question) -> Answer:
        texts: dict[DeltaKind, list[str]] = {kind: [] for kind in DeltaKind}

        def hear(event: Event) -> None:
            if isinstance(event, Delta):
                texts[event.kind].append(event.text)

        started = time.perf_counter()
        finished = self._run(self.request(question), hear)
        wall_s = time.perf_counter() - started
        calls = (msgspec.json.decode(one, type=ToolCall) for one in texts[DeltaKind.TOOL_CALL])
        return Answer(
            text="".join(texts[DeltaKind.TEXT]),
            thinking="".join(texts[DeltaKind.THINKING]),
            calls=tuple(calls),
            reason=finished.reason,
            usage=finished.usage,
            timings=finished.timings,
            wall_s=wall_s,
        )

    def count(self, prompt: str) -> Counted:
        found: list[Counted] = []

        def hear(event: Event) -> None:
            if isinstance(event, CountedEvent):
                ids = event.report.manifest.prompt_token_sha256
                found.append(Counted(tokens=event.report.prompt_tokens, ids_sha256=ids))

        turn = self.request(Question(prompt=prompt, max_tokens=1))
        self._run(Count(request=new_request_id(), turn=turn), hear)
        return found[0]

    def describe(self) -> SessionReport:
        """What the library says about the loaded model."""
        found: list[SessionReport] = []

        def hear(event: Event) -> None:
            if isinstance(event, Described):
                found.append(event.report)

        self._run(Describe(request=new_request_id(), spec=self._spec), hear)
        return found[0]

    def cancel_s(self, prompt: str, *, in_prefill: bool) -> float | None:
        """Seconds from a cancel to the end; ``None`` if the request ended before.

        A prefill is cancelled in the middle of a chunk: between two the cancel costs nothing, and
        that would be no measurement.
        """
        request = self.request(Question(prompt=prompt, max_tokens=512))
        cancelled: list[float] = []
        seen: list[float] = []

        def cancel() -> None:
            cancelled.append(time.perf_counter())
            self._client.cancel(request.request)

        timer = threading.Timer(0, cancel)

        def hear(event: Event) -> None:
            nonlocal timer
            if in_prefill and isinstance(event, PrefillProgress):
                seen.append(time.perf_counter())
                if len(seen) == _CANCELLED_CHUNK and event.done_tokens < event.total_tokens:
                    timer = threading.Timer((seen[1] - seen[0]) / 2, cancel)
                    timer.start()
            elif not in_prefill and isinstance(event, Delta) and event.text and not cancelled:
                cancel()

        try:
            finished = self._run(request, hear)
        finally:
            timer.cancel()
        ended = time.perf_counter()
        is_cancelled = finished.reason is FinishReason.CANCELLED
        return ended - cancelled[0] if cancelled and is_cancelled else None

    def request(self, question: Question) -> Generate:
        """The request that asks ``question``, of segments as every turn of the product is."""
        tools = (Segment(kind=SegmentKind.TOOLS, tool=tool) for tool in question.tools)
        made = assemble((*tools, Segment(kind=SegmentKind.USER, text=question.prompt)))
        return Generate(
            request=new_request_id(),
            spec=self._spec,
            messages=made.messages,
            segments=made.spans,
            sampling=Sampling(stop_strings=question.stop_strings),
            max_tokens=question.max_tokens,
            thinking=question.thinking,
            tools=made.tools,
        )

    def _run(self, request: Request, hear: Hear = lambda _: None) -> Finished:
        """Runs a request and waits; a stop cancels it, and its end is still awaited.

        ``hear`` is called where the events are read: a thread that is woken for each would take a
        core from what is measured.
        """
        ends: queue.SimpleQueue[Finished | Failed] = queue.SimpleQueue()

        def listen(event: Event) -> None:
            if isinstance(event, Finished | Failed):
                ends.put(event)
            else:
                hear(event)

        self._client.submit(request, listen)
        stopping = False
        while True:
            if not stopping and self._stop():
                stopping = True
                self._client.cancel(request.request)
            try:
                event = ends.get(timeout=_POLL_S)
                break
            except queue.Empty:
                continue
        if stopping:
            raise Stopped
        if isinstance(event, Failed):
            raise from_record(event.error)
        if event.reason is FinishReason.CANCELLED and isinstance(request, Load | Unload):
            raise EnvironmentFault(
                "load_cancelled", "The load was cancelled.", "Start the certification again."
            )
        return event
