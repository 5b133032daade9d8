"""Counts prompts exactly, with a tokenizer of its own, while an answer is being written."""

import logging
import queue
import threading
import time
from collections.abc import Callable

import msgspec

from app.core.errors import Bug, ContenoxError, ErrorRecord, UserError
from app.engine.backends.base import Backend, RequestStopped, heed
from app.engine.backends.context_port import (
    PromptTokenizer,
    ReusingSession,
    TokenizingBackend,
)
from app.engine.backends.registry import backend_for
from app.engine.context_report import Cartographer, make_report
from app.engine.manifest import Manifest, compatible
from app.engine.native_failure import NativeFailure
from app.engine.outcome import ContextReport, FinishReason
from app.engine.phases import BASE_S, Phase
from app.engine.protocol import Count, Counted, Failed, Finished, Generate
from app.engine.spec import LoadSpec, Runtime
from app.engine.tickets import Emit, Ticket
from app.engine.tool_calls import check_tools

_log = logging.getLogger(__name__)


class TokenizerThread(threading.Thread):
    """Answers ``Count`` requests one after the other. It never holds a pipeline.

    Args:
        emit: sends an event to the parent.
        held: the loaded session, if it is that of a spec; only its books are asked.
        find_backend: which backend runs a spec.
        phase_s: how long a count may take.
    """

    def __init__(
        self,
        emit: Emit,
        held: Callable[[LoadSpec], ReusingSession | None],
        find_backend: Callable[[Runtime], Backend] = backend_for,
        *,
        phase_s: float = BASE_S,
    ) -> None:
        super().__init__(name="tokenizer", daemon=True)
        self._emit = emit
        self._held = held
        self._find_backend = find_backend
        self._queue: queue.SimpleQueue[Ticket | None] = queue.SimpleQueue()
        self._tokenizer: PromptTokenizer | None = None
        self._opened_for: LoadSpec | None = None
        self._last: Manifest | None = None
        self._phase = Phase(name="Counting the prompt", bound_s=phase_s)
        self.current: Ticket | None = None
        """The request that is being worked on."""
        self._counted_at = time.monotonic()

    @property
    def idle_s(self) -> float:
        """For how long nothing has been counted."""
        return time.monotonic() - self._counted_at

    @property
    def holds_tokenizer(self) -> bool:
        return self._tokenizer is not None

    def put(self, ticket: Ticket) -> None:
        """Queues a ``Count``. Any thread may call this."""
        self._counted_at = time.monotonic()
        self._queue.put(ticket)

    def run(self) -> None:
        while (ticket := self._queue.get()) is not None:
            self.current = ticket
            if ticket.begin():
                with ticket.within(self._phase):
                    self._serve(ticket)
            self.current = None
            self._counted_at = time.monotonic()

    def _serve(self, ticket: Ticket) -> None:
        request = ticket.request
        assert isinstance(request, Count)
        try:
            report = self._count(request.turn, ticket)
        except RequestStopped as stopped:
            self._finish(ticket, stopped.reason)
        except NativeFailure as failure:
            _log.error("the tokenizer failed: %s", failure.detail)
            self._close()
            self._fail(ticket, failure.fault.error().record())
        except ContenoxError as error:
            self._fail(ticket, error.record())
        except BaseException as error:  # noqa: BLE001 - the one thread must live on
            _log.exception("a count failed")
            self._close()
            self._fail(ticket, Bug.unexpected(error).record())
        else:
            self._emit(Counted(request=request.request, report=report))
            self._finish(ticket, FinishReason.STOP)

    def _count(self, turn: Generate, ticket: Ticket) -> ContextReport:
        check_tools(turn.spec.protocols.tool_calls, turn.tools)
        tokenizer = self._tokenizer_for(turn.spec, ticket)
        prompt = tokenizer.write(turn, ticket)
        heed(ticket)
        identity = tokenizer.identity(turn.spec)
        manifest = Cartographer(turn, prompt, tokenizer, ticket).manifest(identity)
        report = make_report(turn, prompt, manifest, self._held(turn.spec), tokenizer.notes)
        before, self._last = self._last, manifest
        if report.predicted_reused_tokens == 0 and before is not None:
            field = compatible(before, manifest)
            if field is not None:
                why = f"{report.why_not} It differs from the last prompt in {field}."
                report = msgspec.structs.replace(report, why_not=why, differs_in=field)
        return report

    def _tokenizer_for(self, spec: LoadSpec, ticket: Ticket) -> PromptTokenizer:
        """The tokenizer of ``spec``; the one before it is closed."""
        if self._tokenizer is None or self._opened_for != spec:
            backend = self._find_backend(spec.runtime)
            if spec.embeds or not isinstance(backend, TokenizingBackend):
                raise UserError(
                    "count_not_supported",
                    f"Prompts for {spec.model_name} can't be counted.",
                    "Choose a chat model.",
                )
            self._close()
            self._tokenizer = backend.open_tokenizer(spec, ticket)
            self._opened_for = spec
        return self._tokenizer

    def _close(self) -> None:
        tokenizer, self._tokenizer = self._tokenizer, None
        self._opened_for = None
        if tokenizer is not None:
            tokenizer.close()

    def _finish(self, ticket: Ticket, reason: FinishReason) -> None:
        ticket.end(
            Finished(request=ticket.request.request, generation=ticket.generation, reason=reason)
        )

    def _fail(self, ticket: Ticket, error: ErrorRecord) -> None:
        ticket.end(
            Failed(request=ticket.request.request, generation=ticket.generation, error=error)
        )
