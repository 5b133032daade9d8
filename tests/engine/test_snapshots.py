"""Stable prefixes on disk: found only where they fit and win, and never more than the budget."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from app.core.errors import EnvironmentFault
from app.engine.manifest import Identity
from app.engine.snapshots import Snapshot, SnapshotStore

IDENTITY = Identity(
    model_digest="m", tokenizer_digest="t", template_digest="c", profile_digest="p",
    backend="llama", backend_version="1", device="CPU", attention="dense", context_tokens=8192,
    rope="", kv_precision="f16", block_tokens=0,
)  # fmt: skip
IDS = list(range(1000))
SLOW = 0.01


def writing(size: int = 1000) -> Callable[[Path], int]:
    def write(path: Path) -> int:
        path.write_bytes(bytes(size))
        return size

    return write


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def store_in(folder: Path, clock: Clock | None = None, budget: int = 10_000) -> SnapshotStore:
    return SnapshotStore(folder / "é 漢", budget_bytes=budget, now=clock or Clock())


def saved(store: SnapshotStore, ids: list[int], s_per_token: float = SLOW) -> Snapshot:
    found = store.save(ids, IDENTITY, s_per_token, writing())
    assert found is not None
    return found


def test_the_longest_that_leads_the_prompt_is_found(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    saved(store, IDS[:300])
    longest = saved(store, IDS[:600])
    saved(store, [*IDS[:600], 7, 7, 7])
    assert store.find(IDS, IDENTITY, 0) == longest
    assert store.path_of(longest).stat().st_size == 1000
    assert store.find(IDS, IDENTITY, 600) is None, "the cache holds as much already"
    assert store.find([5, *IDS], IDENTITY, 0) is None


@pytest.mark.parametrize("field", list(Identity.__struct_fields__))
def test_whatever_decides_the_kv_must_be_the_same(tmp_path: Path, field: str) -> None:
    store = store_in(tmp_path)
    saved(store, IDS[:300])
    value: object = 1 if field in ("context_tokens", "block_tokens") else "other"
    other = msgspec.structs.replace(IDENTITY, **{field: value})
    assert store.find(IDS, other, 0) is None
    assert store.find(IDS, IDENTITY, 0) is not None


def test_it_is_used_only_where_it_wins(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    fast = saved(store, IDS[:300], s_per_token=1e-6)
    assert store.find(IDS, IDENTITY, 0) is None, "computing 300 tokens takes 0.3 ms"
    slow = saved(store, IDS[:400])
    assert store.find(IDS, IDENTITY, 0) == slow
    store.note_restored(slow, 60.0)
    assert store.find(IDS, IDENTITY, 0) is None, "it took a minute the last time"
    assert fast.expected_restore_s > 0


def test_old_ones_and_those_over_the_budget_go(tmp_path: Path) -> None:
    clock = Clock()
    store = store_in(tmp_path, clock, budget=2500)
    first = saved(store, IDS[:300])
    clock.now += 3600
    second = saved(store, IDS[:400])
    third = saved(store, IDS[:500])
    assert not store.path_of(first).exists()
    assert store.path_of(second).exists()
    clock.now += 24 * 3600 + 1
    assert store.find(IDS, IDENTITY, 0) is None
    store.prune()
    assert not store.path_of(third).exists()
    assert list((tmp_path / "é 漢").iterdir()) == []


def test_one_larger_than_the_budget_is_not_kept(tmp_path: Path) -> None:
    store = store_in(tmp_path, budget=10)
    assert store.save(IDS, IDENTITY, SLOW, writing()) is None
    assert [*(tmp_path / "é 漢").iterdir()] == []


def test_a_full_disk_costs_the_snapshot_and_nothing_else(tmp_path: Path) -> None:
    def full(path: Path) -> int:
        path.write_bytes(b"x")
        raise EnvironmentFault("state_unwritable", "Full.", "Free some.")

    store = store_in(tmp_path)
    assert store.save(IDS, IDENTITY, SLOW, full) is None
    assert [*(tmp_path / "é 漢").iterdir()] == []


def test_a_damaged_record_and_a_crashed_write_are_passed_over(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    one = saved(store, IDS[:300])
    folder = store.path_of(one).parent
    (folder / "junk.json").write_text("{")
    (folder / "crashed.part").write_bytes(b"x")
    assert store.find(IDS, IDENTITY, 0) == one
    store.prune()
    assert {path.suffix for path in folder.iterdir()} == {".json", ".state"}
    assert len([*folder.iterdir()]) == 2


def test_it_is_known_whether_a_prefix_is_saved(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    saved(store, IDS[:300])
    assert store.has(IDS[:300], IDENTITY)
    assert not store.has(IDS[:301], IDENTITY)
