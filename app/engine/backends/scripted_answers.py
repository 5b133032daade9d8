"""What the scripted stand-in answers, also when it shall answer as a broken model does."""

from enum import StrEnum
from pathlib import Path
from typing import Final

from app.engine.spec import ScriptedRuntime

_LONG: Final = 200  # tokens; a circle needs room
_ROOM: Final = 24  # tokens; an echo that pushes the answer out would be two faults
_CIRCLE: Final = "and then the wind came back to the harbour once more "
_MARKER: Final = "scripted-compiled"


class ScriptedMischief(StrEnum):
    """Answers that come without an error and are wrong all the same.

    ``WRONG_WHEN_CACHED``: only where the load found what an earlier one had compiled.
    ``CHEATS_COUNTERS``: twice the tokens and twice the speed are reported.
    """

    ECHOES = "echoes"
    LOOPS = "loops"
    LEAKS_MARKS = "leaks_marks"
    WRONG_WHEN_CACHED = "wrong_when_cached"
    CHEATS_COUNTERS = "cheats_counters"


def loaded_before(compiled_cache_dir: str | None) -> bool:
    """Whether an earlier load left its mark in the folder; leaves one."""
    if compiled_cache_dir is None:
        return False
    mark = Path(compiled_cache_dir) / _MARKER
    if mark.exists():
        return True
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()
    return False


def scripted_text(runtime: ScriptedRuntime, asked: str, max_tokens: int, *, cached: bool) -> str:
    """The answer to ``asked``."""
    fitting = (reply for part, reply in runtime.replies if part in asked)
    text = next(fitting, runtime.answer).replace("{prompt}", asked)
    match runtime.fault:
        case ScriptedMischief.ECHOES if max_tokens > len(asked.split()) + _ROOM:
            return f"{asked}\n{text}"
        case ScriptedMischief.LOOPS if max_tokens >= _LONG:
            return _CIRCLE * 30
        case ScriptedMischief.LEAKS_MARKS:
            return text + "<|im_end|>"
        case ScriptedMischief.WRONG_WHEN_CACHED if cached:
            return "!!!! " * 8
    return text


def told_tokens(runtime: ScriptedRuntime, produced: int) -> int:
    """How many tokens the stand-in says that it wrote."""
    return 2 * produced if runtime.fault == ScriptedMischief.CHEATS_COUNTERS else produced
