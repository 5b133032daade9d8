"""Which three models a first start offers: one that is there at once, a light one, a good one."""

from collections.abc import Iterable
from typing import Final

from app.desktop.models.ports import ModelRow, Source, Verdict

CARDS: Final = 3
_BACKENDS: Final = ("openvino", "llama")
_LIGHT_PARAMETERS: Final = 1_500_000_000
"""From here on a model holds a conversation; below it writes sentences."""
_PATIENCE_BYTES: Final = 6_000_000_000
"""Nobody waits for more than this before the first word."""


def choose_cards(rows: Iterable[ModelRow]) -> tuple[ModelRow, ...]:
    """The starter first, then by size: the lightest that converses, the best that fits.

    Only what fits well, with a licence that restricts nobody; each model once, in the variant that
    runs best here. Where nothing fits, the starter stands alone.
    """
    listed = tuple(rows)
    starter = _best_variants(row for row in listed if row.source is Source.STARTER)
    fitting = _best_variants(
        row
        for row in listed
        if row.source is Source.HUB
        and row.fit.verdict is Verdict.FITS
        and row.is_permissive
        and row.use == "chat"
        and row.size_bytes <= _PATIENCE_BYTES
    )
    ready = [row for row in fitting if (row.parameters or 0) >= _LIGHT_PARAMETERS] or fitting
    chosen = [*starter[:1]]
    for row in (*ready[:1], *sorted(ready, key=_worth, reverse=True)):
        if len(chosen) < CARDS and row not in chosen:
            chosen.append(row)
    return tuple(sorted(chosen, key=lambda row: (row.source is not Source.STARTER, row.size_bytes)))


def _best_variants(rows: Iterable[ModelRow]) -> list[ModelRow]:
    """One row for each model, the smallest model first."""
    best: dict[str, ModelRow] = {}
    for row in rows:
        before = best.get(row.model)
        if before is None or _rank(row) < _rank(before):
            best[row.model] = row
    return sorted(best.values(), key=lambda row: (row.size_bytes, row.model))


def _worth(row: ModelRow) -> tuple[int, bool, bool, int]:
    """What makes a model the best: its round size, then how well it runs and is known."""
    billions = round((row.parameters or 0) / 1_000_000_000)
    return billions, row.backend == _BACKENDS[0], row.trust == "pinned", row.size_bytes


def _rank(row: ModelRow) -> tuple[int, int]:
    known = row.backend in _BACKENDS
    return _BACKENDS.index(row.backend) if known else len(_BACKENDS), row.size_bytes
