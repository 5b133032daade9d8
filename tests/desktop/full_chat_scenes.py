"""A chat that fills its context, for the pictures: what is said, and services to say it to.

The starter must be installed (``contenox starter``). Its context is made small, so that three
pasted texts fill it. It is too small a model for answers that belong in a picture: those are
written here, without figures. What is counted, read and reused is the program's own.
"""

import dataclasses
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from app.composition import build_services, desktop_services
from app.core.paths import DataRoot
from app.core.settings import SettingsFile
from app.desktop.services import DesktopServices, Engine
from app.engine.chat import ChatMessage
from app.engine.client import EngineClient
from app.engine.outcome import FinishReason
from app.engine.protocol import Delta, Finished, Generate, Request
from app.models.library import InstalledModel, Library
from app.workflows.cpu_retry import TurnListener
from app.workflows.services import Services, TurnOptions

_MODEL: Final = "smollm2-135m-instruct/openvino"
_CONTEXT_TOKENS: Final = 1_536

_RULES: Final = "Answer in one or two short sentences. Name the line you mean.\n"
_NOTES: Final = """\
# The nightly import

- Starts at 02:00 and reads one file for each harbour from the drop folder.
- A berth is known by its harbour and its number; a second row for it replaces the first.
- Weights are in tonnes, lengths in metres, times in UTC.
- What can't be read goes to the quarantine folder, and the import goes on.
"""
_LOG: Final = "\n".join(
    (
        "2026-11-30 02:00:00 INFO import started, 4 files",
        "2026-11-30 02:00:01 INFO ghent.csv: 312 rows read in 0.84 s",
        "2026-11-30 02:00:02 INFO antwerp.csv: 1,904 rows read in 3.10 s",
        "2026-11-30 02:00:06 WARNING ostend.csv: row 17: the length is missing, 0 is taken",
        "2026-11-30 02:00:06 WARNING ostend.csv: row 41: the length is missing, 0 is taken",
        "2026-11-30 02:00:07 INFO ostend.csv: 88 rows read in 0.22 s",
        "2026-11-30 02:00:07 ERROR zeebrugge.csv: row 3: could not convert '12,5' to a number",
        "2026-11-30 02:00:07 ERROR zeebrugge.csv: row 4: could not convert '11,0' to a number",
        "2026-11-30 02:00:07 ERROR zeebrugge.csv: row 9: could not convert '8,75' to a number",
        "2026-11-30 02:00:08 INFO zeebrugge.csv: moved to the quarantine folder",
        "2026-11-30 02:00:08 INFO import ended, 3 of 4 files",
    )
)
_DIFF: Final = """\
--- a/importer/numbers.py
+++ b/importer/numbers.py
@@ -8,9 +8,12 @@
 def to_number(text: str) -> float:
-    \"\"\"Reads a number as it stands in a file.\"\"\"
-    return float(text)
+    \"\"\"Reads a number with a point or a comma before its decimals.\"\"\"
+    text = text.strip()
+    if text.count(",") == 1 and "." not in text:
+        text = text.replace(",", ".")
+    return float(text)
\x20
 def to_length(text: str) -> float:
-    return to_number(text) if text else 0.0
+    return to_number(text) if text.strip() else 0.0
"""
_FAILED: Final = "\n".join(
    (
        "FAILED tests/test_numbers.py::test_a_thousand - assert to_number('1,904') == 1904.0",
        "FAILED tests/test_numbers.py::test_no_digit - DID NOT RAISE <class 'ValueError'>",
        "FAILED tests/test_import.py::test_quarantine - assert 4 == 3",
        "FAILED tests/test_import.py::test_a_missing_length - assert 0.0 is None",
    )
)
TALK: Final = (
    (
        f"The nightly import has lost a file. What does its log say?\n{_LOG}",
        "`zeebrugge.csv` went to the quarantine folder: three of its rows write their decimals"
        " with a comma. The other three files were read.",
    ),
    (
        f"I would change this for it. Is that enough?\n{_DIFF}",
        "It reads `12,5`. But `1,904` becomes 1.904 then, and Antwerp's file counts in thousands.",
    ),
    (
        f"Some tests fail now. Which of them are the comma's fault?\n{_FAILED}",
        "`test_a_thousand` is, and so is `test_quarantine`: the file isn't moved any more.",
    ),
)
"""Questions and their answers."""
DRAFT: Final = "Which of the two warnings matters more?"
ASKED: Final = ("Is it done then?", "What does the import do with a row that it can't read?")
LAST: Final = (
    "Then a comma is a decimal point only where one or two digits follow it, and a length that is"
    " missing stays missing. Before I write that down for the harbours: what else in our files"
    " could be read in two ways, how would we notice, and what should the import do with a row that"
    " it isn't sure about? Nobody looks at the quarantine folder before nine, the berths are"
    " planned from six o'clock on, and a row that is wrong costs more than one that is late."
)


@dataclass
class _SmallContext(Services):
    def prepare_turn(
        self,
        model: InstalledModel,
        messages: tuple[ChatMessage, ...],
        options: TurnOptions | None = None,
    ) -> Generate:
        small = msgspec.structs.replace(options or TurnOptions(), context_tokens=_CONTEXT_TOKENS)
        return super().prepare_turn(model, messages, small)


def small_context(folder: Path) -> Services:
    """The program's own services, on the data folder ``folder`` but with this user's models.

    Raises:
        UserError: the starter isn't installed.
    """
    installed = build_services()
    installed.find_model(_MODEL)
    root = DataRoot(folder)
    settings_file = SettingsFile(root.settings_file)
    settings_file.change(default_model=_MODEL)
    return _SmallContext(
        data_root=root,
        settings_file=settings_file,
        library=Library(installed.library.store),
        engine=EngineClient(log_dir=root.logs),
    )


class _WrittenAnswers:
    """Answers from ``TALK``, then by the engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._left = [answer for _, answer in TALK]

    def submit(self, request: Request, listener: TurnListener) -> None:
        if not isinstance(request, Generate) or not self._left:
            self._engine.submit(request, listener)
            return
        answer = self._left.pop(0)

        def say() -> None:
            listener(Delta(request=request.request, generation=0, text=answer))
            end = FinishReason.STOP
            listener(Finished(request=request.request, generation=0, reason=end))

        threading.Thread(target=say, name="written-answer").start()

    def cancel(self, request_id: str) -> None:
        self._engine.cancel(request_id)

    def close(self, timeout_s: float = 2.0) -> None:
        self._engine.close(timeout_s)


def with_written_answers(services: Services) -> DesktopServices:
    """What the window is given."""
    given = desktop_services(services)

    def open_engine(on_notice: Callable[[object], None]) -> Engine:
        return _WrittenAnswers(given.open_engine(on_notice))

    return dataclasses.replace(given, open_engine=open_engine)


def files(folder: Path) -> list[Path]:
    """Writes what is pinned to the chat."""
    folder.mkdir()
    rules, notes = folder / "AGENTS.md", folder / "import.md"
    rules.write_text(_RULES, encoding="utf-8")
    notes.write_text(_NOTES, encoding="utf-8")
    return [rules, notes]
