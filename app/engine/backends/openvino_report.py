"""Reads what OpenVINO GenAI says about itself into plain values."""

import re
from typing import Any, Final

import msgspec

from app.engine.spec import OpenVinoRuntime

_METRICS: Final = (
    "requests",
    "scheduled_requests",
    "cache_usage",
    "max_cache_usage",
    "avg_cache_usage",
    "cache_size_in_bytes",
)
_WORD: Final = re.compile(r"^\s*([A-Za-z_ ]+?)\s*[:=]\s*(.+?),?\s*$")


def flatten(runtime: OpenVinoRuntime) -> dict[str, str]:
    """The values that were asked for, nested ones with a dotted name."""
    flat: dict[str, str] = {}
    for name, value in msgspec.to_builtins(runtime).items():
        if isinstance(value, dict):
            flat |= {f"{name}.{inner}": str(one) for inner, one in value.items()}
        else:
            flat[name] = str(value)
    return flat


def read_metrics(metrics: Any) -> dict[str, float]:
    """``PipelineMetrics`` by the library's names; usages are in percent of the pool."""
    return {name: float(getattr(metrics, name)) for name in _METRICS}


def read_words(words: str) -> dict[str, str]:
    """Parses the ``name: value`` lines of the library's ``to_string()``."""
    matches = (_WORD.match(line) for line in words.splitlines())
    return {match.group(1).strip(): match.group(2) for match in matches if match}
