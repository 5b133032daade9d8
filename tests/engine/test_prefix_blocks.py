"""The account of what the pool holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.prefix_blocks import PrefixBlocks


def test_whole_blocks_from_the_start_are_reused_but_never_the_last_token() -> None:
    held = PrefixBlocks(block_tokens=4, capacity_blocks=10)
    held.remember(list(range(10)))
    assert held.reusable_tokens(list(range(10))) == 8
    assert held.reusable_tokens(list(range(8))) == 4, "the last token must be computed"
    assert held.reusable_tokens([*range(9), 99, 99, 99, 99]) == 8
    assert held.reusable_tokens([99, *range(1, 10)]) == 0


def test_several_chats_share_the_pool_until_it_is_full() -> None:
    held = PrefixBlocks(block_tokens=2, capacity_blocks=4)
    held.remember([1, 1, 1, 1])
    held.remember([2, 2, 2, 2])
    assert held.reusable_tokens([1, 1, 1, 1, 0]) == 4
    held.remember([3, 3, 3, 3])
    assert held.reusable_tokens([3, 3, 3, 3, 0]) == 4
    assert held.reusable_tokens([1, 1, 1, 1, 0]) < 4, "the oldest went first"


def test_a_sequence_is_given_up_from_its_start() -> None:
    held = PrefixBlocks(block_tokens=1, capacity_blocks=3)
    held.remember([1, 2, 3])
    held.remember([9])
    assert held.reusable_tokens([1, 2, 3, 0]) == 0


def test_a_block_that_is_not_full_takes_its_place() -> None:
    held = PrefixBlocks(block_tokens=2, capacity_blocks=4)
    held.remember([1, 1, 1, 1])
    held.remember([2, 2, 2, 2])
    assert held.reusable_tokens([1, 1, 1, 1, 0]) == 4
    held.remember([2, 2, 2, 2, 2])
    assert held.reusable_tokens([1, 1, 1, 1, 0]) == 0
    assert held.reusable_tokens([2, 2, 2, 2, 2]) == 4


@pytest.mark.parametrize(("other_blocks", "reused"), [(10, 640), (18, 640), (20, 0), (36, 0)])
def test_as_the_library_did(other_blocks: int, reused: int) -> None:
    # Recorded: 641 tokens, then another prompt, in a pool of 40 blocks that was full before.
    held = PrefixBlocks(block_tokens=32, capacity_blocks=40)
    held.remember(range(50_000, 50_000 + 39 * 32))
    held.remember(range(641))
    held.remember(range(10_000, 10_000 + other_blocks * 32 - 5))
    assert held.reusable_tokens(range(641)) == reused


@given(st.lists(st.lists(st.integers(0, 3), max_size=12), max_size=8), st.integers(1, 5))
def test_never_more_blocks_than_the_pool_has(sequences: list[list[int]], capacity: int) -> None:
    held = PrefixBlocks(block_tokens=2, capacity_blocks=capacity)
    for ids in sequences:
        held.remember(ids)
        assert held.reusable_tokens([*ids, 0]) <= capacity * 2
