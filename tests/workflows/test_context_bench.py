"""The report runs to its end; its figures are the benchmark's matter, not this test's."""

import pytest

from app.workflows.context_bench import QUICK, ContextBench, Row, compare_prefill
from tests.engine.conftest import Engine, engine, scripted

__all__ = ["engine"]

pytestmark = pytest.mark.s2


def test_every_table_has_its_rows(engine: Engine) -> None:
    spec = scripted(prefill_token_s=0.0005, context_tokens=8000)
    rows = list(ContextBench(engine.client, spec, QUICK).run())
    tables = list(dict.fromkeys(row.table for row in rows))
    assert [table.split(" ")[0] for table in tables] == [
        "S2",
        "suffix",
        "cancel",
        "snapshot",
        "two",
    ]
    cold, warm, shorter, edited = rows[:4]
    assert len({cold.stable_hash, shorter.stable_hash, edited.stable_hash}) == 3
    assert cold.stable_hash == warm.stable_hash
    assert warm.predicted_tokens is not None
    assert warm.predicted_tokens >= 600, "the stable prefix has just as many tokens as asked"
    assert "median of 5" in warm.name
    assert warm.predicted_tokens > 0.9 * cold.tokens
    assert edited.predicted_tokens == 3, "the fence alone"
    assert warm.ratio is not None
    assert edited.ratio is not None
    assert warm.ratio < 0.5 < edited.ratio
    assert [row.name for row in rows if row.table.startswith("two")][-1].endswith("once more")
    assert any("the same as after a reload" in row.note for row in rows)


def test_a_row_tells_whether_it_is_as_it_should_be() -> None:
    assert Row(table="t", name="n").reached is None
    assert Row(table="t", name="n", ratio=0.01, goal=0.02).reached
    assert not Row(table="t", name="n", ratio=0.03, goal=0.02).reached
    assert not Row(table="t", name="n", predicted_tokens=64, measured_tokens=0).reached


def test_both_ways_of_prefill_are_compared(engine: Engine) -> None:
    spec = scripted(context_tokens=8000)
    rows = list(compare_prefill(lambda: engine.client, spec, QUICK))
    assert [row.name.split(",")[0] for row in rows] == ["physical", "deferred"]
