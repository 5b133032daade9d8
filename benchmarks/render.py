"""How long the window's event loop stands still while a long answer streams.

A chat of 20,000 tokens streams at 100 tokens/s in batches of 30 a second, into one view inside a
scroll area, as in the transcript. A timer of 5 ms measures the gaps between its own beats; what is
reported is the gap less the 5 ms. ``--speedup`` shortens the run: the batches stay the same size
and come faster.

A busy machine makes gaps of its own. So a bare Qt program with the same timer and nothing to do
runs beside the measurement and is its control, and of each gap the part that the GUI thread itself
was computing is reported apart: that is what the program can be blamed for.

    python benchmarks/render.py --json result.json            (QT_QPA_PLATFORM=offscreen)
    xvfb-run python benchmarks/render.py --platform xcb
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

_CHARS_PER_TOKEN = 4
_BEAT_MS = 5

_PROSE = (
    "Attention compares *queries* with **keys** and mixes the values; `softmax(q @ k.T)` weighs "
    "them, see [the paper](https://example.org/paper). A formula in a line, $E_{%d} = mc^2$, is "
    "set beside the window's thread.\n\n"
)
_CODE = (
    '```python\ndef step_%d(values: list[int]) -> int:\n    """Adds what is odd."""\n'
    "    total = 0\n    for value in values:\n        if value %% 2:  # odd\n"
    "            total += value * 0x1F\n\n    return total\n```\n\n"
)
_LIST = "- first point %d with **weight**\n- second one\n  - nested, `code`\n- third\n\n"
_TABLE = "| model | size | speed |\n|---|--:|:-:|\n| a%d | 135 M | 92.1 |\n| b | 1.7 B | 24.0 |\n\n"
_QUOTE = "> Said %d by somebody,\n> over two lines.\n\n"


@dataclass(frozen=True)
class Result:
    """Gaps in ms."""

    scenario: str
    tokens: int
    batches: int
    longest_gap_ms: float
    longest_busy_ms: float
    p99_gap_ms: float
    control_longest_gap_ms: float
    control_p99_gap_ms: float
    median_append_ms: float
    longest_append_ms: float
    open_ms: float
    longest_gap_while_opening_ms: float
    longest_gap_while_resizing_ms: float


def mixed_text(tokens: int) -> str:
    """Returns Markdown of every kind, about ``tokens`` long."""
    parts: list[str] = []
    size = number = 0
    while size < tokens * _CHARS_PER_TOKEN:
        number += 1
        part = f"## Part {number}\n\n" + "".join(
            one % number for one in (_PROSE, _LIST, _PROSE, _CODE, _TABLE, _PROSE, _QUOTE)
        )
        parts.append(part)
        size += len(part)
    return "".join(parts)[: tokens * _CHARS_PER_TOKEN]


def code_text(tokens: int) -> str:
    """Returns one code block, about ``tokens`` long."""
    line = '    total += values[%d] * 0x1F  # "odd"\n'
    body = "".join(line % number for number in range(tokens))
    return "```python\n" + body[: tokens * _CHARS_PER_TOKEN]


def table_text(tokens: int) -> str:
    """Returns one table, about ``tokens`` long."""
    rows = "".join(f"| row {n} | **{n}** | `x{n}` |\n" for n in range(tokens))
    return "| a | b | c |\n|---|---|---|\n" + rows[: tokens * _CHARS_PER_TOKEN]


def list_text(tokens: int) -> str:
    """Returns one list, about ``tokens`` long."""
    items = "".join(f"{n}. item with **weight** and `code`\n" for n in range(1, tokens))
    return items[: tokens * _CHARS_PER_TOKEN]


SCENARIOS = {"mixed": mixed_text, "code": code_text, "table": table_text, "list": list_text}


def measure(scenario: str, tokens: int, speedup: float) -> Result:
    """Streams one text, then opens it at once, then resizes; returns the figures."""
    from PySide6.QtCore import QEventLoop, Qt, QTimer
    from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

    from app.desktop.markdown.rendering import RenderingThread
    from app.desktop.markdown.view import MarkdownView

    text = SCENARIOS[scenario](tokens)
    rendering = RenderingThread()
    area = QScrollArea()
    area.setWidgetResizable(True)
    inner = QWidget()
    layout = QVBoxLayout(inner)
    area.setWidget(inner)
    view = MarkdownView(rendering)
    layout.addWidget(view)
    layout.addStretch()
    area.resize(900, 900)
    area.show()

    gaps: list[float] = []
    busy: list[float] = []
    last, worked = time.perf_counter(), time.thread_time()

    def on_beat() -> None:
        nonlocal last, worked
        now, work = time.perf_counter(), time.thread_time()
        gaps.append(max(0.0, (now - last) * 1000 - _BEAT_MS))
        busy.append((work - worked) * 1000)
        last, worked = now, work

    beat = QTimer(interval=_BEAT_MS)
    beat.setTimerType(Qt.TimerType.PreciseTimer)
    beat.timeout.connect(on_beat)
    loop = QEventLoop()
    beat.start()
    QTimer.singleShot(300, loop.quit)
    loop.exec()  # what the first show costs is not streaming

    per_batch = round(100 * _CHARS_PER_TOKEN / 30)
    appends: list[float] = []
    position = 0

    def on_batch() -> None:
        nonlocal position
        if position >= len(text):
            batch.stop()
            view.finish()
            QTimer.singleShot(500, loop.quit)
            return
        start = time.perf_counter()
        view.append(text[position : position + per_batch])
        appends.append((time.perf_counter() - start) * 1000)
        position += per_batch
        bar = area.verticalScrollBar()
        bar.setValue(bar.maximum())

    batch = QTimer(interval=max(1, round(1000 / 30 / speedup)))
    batch.setTimerType(Qt.TimerType.PreciseTimer)
    batch.timeout.connect(on_batch)
    with Control() as control:
        gaps.clear()  # starting the control is no part of the measurement
        busy.clear()
        last, worked = time.perf_counter(), time.thread_time()
        batch.start()
        loop.exec()
        streaming, longest_busy = sorted(gaps), max(busy)

    gaps.clear()
    opened = time.perf_counter()
    view.rendered.connect(loop.quit)
    last = time.perf_counter()
    view.set_markdown(text)
    if not view.is_rendered:
        loop.exec()
    open_ms = (time.perf_counter() - opened) * 1000
    on_beat()
    opening = max(gaps)

    gaps.clear()
    last = time.perf_counter()
    for width in (700, 820, 640):
        area.resize(width, 900)
        QTimer.singleShot(700, loop.quit)
        loop.exec()
    resizing = max(gaps)
    beat.stop()
    area.close()
    area.deleteLater()
    rendering.close()
    return Result(
        scenario=scenario,
        tokens=tokens,
        batches=len(appends),
        longest_gap_ms=round(streaming[-1], 1),
        longest_busy_ms=round(longest_busy, 1),
        control_longest_gap_ms=control.longest_ms,
        control_p99_gap_ms=control.p99_ms,
        p99_gap_ms=round(streaming[int(len(streaming) * 0.99)], 1),
        median_append_ms=round(statistics.median(appends), 2),
        longest_append_ms=round(max(appends), 1),
        open_ms=round(open_ms, 0),
        longest_gap_while_opening_ms=round(opening, 1),
        longest_gap_while_resizing_ms=round(resizing, 1),
    )


class Control:
    """A bare Qt program with the same timer, in a process of its own, for as long as it is open."""

    longest_ms = p99_ms = 0.0

    def __enter__(self) -> "Control":
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--control"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self._process.stdout.readline()  # it beats
        return self

    def __exit__(self, *_: object) -> None:
        self.longest_ms, self.p99_ms = json.loads(self._process.communicate("\n")[0])


def control() -> int:
    """Beats until a line comes in; prints the longest gap and the 99th percentile in ms."""
    from PySide6.QtCore import QCoreApplication, QSocketNotifier, Qt, QTimer

    app = QCoreApplication([])
    gaps: list[float] = []
    last = time.perf_counter()

    def on_beat() -> None:
        nonlocal last
        now = time.perf_counter()
        gaps.append(max(0.0, (now - last) * 1000 - _BEAT_MS))
        last = now

    beat = QTimer(interval=_BEAT_MS)
    beat.setTimerType(Qt.TimerType.PreciseTimer)
    beat.timeout.connect(on_beat)
    beat.start()
    end = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read)
    end.activated.connect(app.quit)
    print("beats", flush=True)
    app.exec()
    gaps.sort()
    print(json.dumps([round(gaps[-1], 1), round(gaps[int(len(gaps) * 0.99)], 1)]))
    return 0


def main() -> int:
    """Runs the scenarios, prints a table, writes JSON.

    Fails if the event loop stood still for more than 50 ms while text streamed.
    """
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--tokens", type=int, default=20_000)
    parser.add_argument("--speedup", type=float, default=1.0)
    parser.add_argument("--scenario", choices=[*SCENARIOS, "all"], default="mixed")
    parser.add_argument("--platform", default=os.environ.get("QT_QPA_PLATFORM", "offscreen"))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--control", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.control:
        return control()
    os.environ["QT_QPA_PLATFORM"] = options.platform

    import gc

    from PySide6 import __version__ as qt_version
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    app = QApplication([])
    gc.disable()  # as in the window: a timer collects the young generation
    collector = QTimer(interval=1_000)
    collector.timeout.connect(lambda: gc.collect(0))
    collector.start()
    names = list(SCENARIOS) if options.scenario == "all" else [options.scenario]
    results = [measure(name, options.tokens, options.speedup) for name in names]
    collector.stop()
    del app
    heads = ("longest gap", "busy", "control", "p99", "append", "max", "opening", "resizing")
    print(f"{'scenario':10}" + "".join(f"{head:>12}" for head in heads) + "   (ms)")
    for one in results:
        values = (
            one.longest_gap_ms,
            one.longest_busy_ms,
            one.control_longest_gap_ms,
            one.p99_gap_ms,
            one.median_append_ms,
            one.longest_append_ms,
            one.longest_gap_while_opening_ms,
            one.longest_gap_while_resizing_ms,
        )
        print(f"{one.scenario:10}" + "".join(f"{value:>12}" for value in values))
    if options.json is not None:
        record = {
            "platform": options.platform,
            "speedup": options.speedup,
            "qt": qt_version,
            "python": platform.python_version(),
            "machine": platform.machine(),
            "results": [asdict(one) for one in results],
        }
        options.json.write_text(json.dumps(record, indent=2) + "\n")
    return 0 if all(one.longest_gap_ms <= 50 for one in results) else 1


if __name__ == "__main__":
    sys.exit(main())
