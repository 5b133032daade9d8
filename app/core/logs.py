"""The program's own log: small files with rotation, and never what people and models write.

Who logs names things by their ids, codes and counts. Chat text is no part of a message at the level
INFO or above, and nothing below is written.
"""

import logging
import logging.handlers
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from app.core.units import MIB

LOG_FILE: Final = "contenox.log"
_MAX_BYTES: Final = MIB
_KEPT_FILES: Final = 3
_CAUSES: Final = 5
_FORMAT: Final = "%(asctime)s %(process)d %(levelname)s %(name)s %(message)s"

_log = logging.getLogger(__name__)


class _Discreet(logging.Formatter):
    """Writes of an exception its kind and its places: its words may quote what was typed."""

    def format(self, record: logging.LogRecord) -> str:
        # Another handler may have put the whole traceback there, words and all.
        others, record.exc_text = record.exc_text, None
        try:
            return super().format(record)
        finally:
            record.exc_text = others

    def formatException(self, ei: Any) -> str:  # noqa: N802  the library's name
        kinds: list[str] = []
        error = ei[1]
        while error is not None and len(kinds) < _CAUSES:
            kinds.append(f"{type(error).__name__} at {places(error.__traceback__)}")
            error = error.__cause__ or error.__context__
        return " from ".join(kinds)


class LogFile(logging.handlers.RotatingFileHandler):
    """A log that never hurts the program: a full disk or a locked file costs lines.

    The file and its folder are made with the first line.
    """

    def __init__(self, path: Path, max_bytes: int = _MAX_BYTES) -> None:
        super().__init__(
            path, maxBytes=max_bytes, backupCount=_KEPT_FILES, encoding="utf-8", delay=True
        )
        self.setFormatter(_Discreet(_FORMAT))

    def emit(self, record: logging.LogRecord) -> None:
        try:
            if self.stream is None:
                Path(self.baseFilename).parent.mkdir(parents=True, exist_ok=True)
        except OSError:
            return
        super().emit(record)

    def doRollover(self) -> None:  # noqa: N802  the library's name
        try:
            super().doRollover()
        except OSError:
            # Another program of this person has it open, so it can't be renamed on Windows.
            if self.stream is None:
                self.stream = self._open()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  the library's name
        """A line that can't be written is lost; the library would print it to a console."""


class Logs:
    """The log of this process, from ``start`` to ``close``."""

    def __init__(self, folder: Path) -> None:
        self._handler = LogFile(folder / LOG_FILE)
        self._app_level = logging.NOTSET
        self._hooks = (sys.excepthook, threading.excepthook)

    def start(self) -> None:
        """From now on the program's lines, and the warnings of libraries, go to the file."""
        root, app = logging.getLogger(), logging.getLogger("app")
        self._app_level = app.level
        app.setLevel(logging.INFO)
        root.addHandler(self._handler)
        sys.excepthook = _log_uncaught
        threading.excepthook = _log_uncaught_in_thread

    def close(self) -> None:
        """Closes the file and leaves logging as it was."""
        logging.getLogger().removeHandler(self._handler)
        logging.getLogger("app").setLevel(self._app_level)
        sys.excepthook, threading.excepthook = self._hooks
        self._handler.close()


def _log_uncaught(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """A window has no console; what nobody caught goes to the log, without the error's own words.

    Those may quote what was typed.
    """
    _log.error("uncaught %s at %s", kind.__name__, places(trace))
    sys.__excepthook__(kind, error, trace)


def _log_uncaught_in_thread(args: threading.ExceptHookArgs) -> None:
    _log.error("uncaught %s at %s", args.exc_type.__name__, places(args.exc_traceback))


def places(trace: TracebackType | None) -> str:
    """Where an error came from, the innermost last: ``turn.py:120 > store.py:44``."""
    found = []
    while trace is not None:
        code = trace.tb_frame.f_code
        found.append(f"{Path(code.co_filename).name}:{trace.tb_lineno}")
        trace = trace.tb_next
    return " > ".join(found)
