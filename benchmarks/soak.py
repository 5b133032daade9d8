"""Many turns on one loaded model: does memory grow, do rates fall, does any turn fail?

    python -m benchmarks.soak [--backend openvino] [--turns 1000] [--json RESULT.json]

Each turn asks another short question; every tenth is cancelled in the middle, and every fiftieth
loads the model anew with another context. Figures come from the engine's trace.
"""

import argparse
import queue
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
import psutil
from msgspec import Struct

from app.composition import build_services
from app.engine.chat import ChatMessage, Role
from app.engine.protocol import Delta, Event, Failed, Finished
from app.engine.trace import TRACE_FILE, TraceRecord, read_trace
from app.workflows.services import Services, TurnOptions
from benchmarks.machine import Machine, this_machine

_CANCEL_EVERY: Final = 10
_RELOAD_EVERY: Final = 50
# The pool's pages are touched as it fills: memory is compared where it is as full as at the end.
_WARM_UP_TURNS: Final = _RELOAD_EVERY
_CONTEXTS: Final = (2048, 1024)
_MAX_TOKENS: Final = 24


class Result(Struct, frozen=True, kw_only=True):
    """``first`` and ``last`` are the medians of the first and the last tenth of the turns.

    ``rss_growth`` is the share by which the engine's memory grew after the warm-up.
    """

    backend: str
    turns: int
    failed: tuple[str, ...]
    rss_before_bytes: int
    rss_after_bytes: int
    rss_growth: float
    first_decode_tokens_per_s: float
    last_decode_tokens_per_s: float
    first_ttft_s: float
    last_ttft_s: float
    machine: Machine


def turn(services: Services, backend: str, number: int) -> str | None:
    """Runs one turn; returns the code of its error, if it failed."""
    context = _CONTEXTS[number // _RELOAD_EVERY % len(_CONTEXTS)]
    model = services.find_model("starter", backend)
    question = f"What is {number} plus {number % 7}? Answer in one sentence."
    messages = (ChatMessage(role=Role.USER, content=question),)
    options = TurnOptions(device="CPU", context_tokens=context, max_tokens=_MAX_TOKENS)
    request = services.prepare_turn(model, messages, options)
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    services.engine.submit(request, events.put)
    while not isinstance(event := events.get(), Finished | Failed):
        if isinstance(event, Delta) and number % _CANCEL_EVERY == 0:
            services.engine.cancel(request.request)
    return event.error.code if isinstance(event, Failed) else None


def engine_rss_bytes(services: Services) -> int:
    pid = services.engine.pid
    return psutil.Process(pid).memory_info().rss if pid is not None else 0


def run(services: Services, backend: str, turns: int) -> Result:
    machine = this_machine()
    for number in range(_WARM_UP_TURNS):
        turn(services, backend, number)
    before = engine_rss_bytes(services)
    ends = [turn(services, backend, number) for number in range(turns)]
    after = engine_rss_bytes(services)
    records = [one for one in read_trace(services.data_root.logs / TRACE_FILE) if one.ttft_s]
    mine = records[-turns:]
    tenth = max(1, len(mine) // 10)
    return Result(
        backend=backend,
        turns=turns,
        failed=tuple(sorted({end for end in ends if end is not None})),
        rss_before_bytes=before,
        rss_after_bytes=after,
        rss_growth=after / before - 1,
        first_decode_tokens_per_s=_decode(mine[:tenth]),
        last_decode_tokens_per_s=_decode(mine[-tenth:]),
        first_ttft_s=_ttft(mine[:tenth]),
        last_ttft_s=_ttft(mine[-tenth:]),
        machine=machine,
    )


def _decode(records: Sequence[TraceRecord]) -> float:
    rates = [one.decode_tokens_per_s for one in records if one.decode_tokens_per_s]
    return statistics.median(rates) if rates else 0.0


def _ttft(records: Sequence[TraceRecord]) -> float:
    return statistics.median(one.ttft_s for one in records if one.ttft_s is not None)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", choices=("openvino", "llama"), default="openvino")
    parser.add_argument("--turns", type=int, default=1_000)
    parser.add_argument("--json", type=Path)
    parsed = parser.parse_args(arguments)
    services = build_services()
    try:
        result = run(services, parsed.backend, parsed.turns)
    finally:
        services.close()
    encoded = msgspec.json.format(msgspec.json.encode(result))
    print(encoded.decode())
    if parsed.json is not None:
        parsed.json.write_bytes(encoded + b"\n")
    return 1 if result.failed or result.rss_growth > 0.05 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
