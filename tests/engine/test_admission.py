"""What is admitted, to the token."""

import pytest

from app.core.errors import UserError
from app.engine.admission import Bound, Room, admit, blocks_needed, room_for


def test_the_room_is_the_least_of_context_and_pool_less_one_block() -> None:
    assert room_for(8192) == Room(tokens=8192)
    assert room_for(8192, pool_blocks=300, block_tokens=32) == Room(tokens=8192)
    assert room_for(8192, pool_blocks=257, block_tokens=32) == Room(tokens=8192)
    assert room_for(8192, pool_blocks=256, block_tokens=32) == Room(
        tokens=8192 - 32, bound=Bound.POOL
    )


@pytest.mark.parametrize(("prompt", "reserve", "left"), [(99, 1, 1), (50, 50, 50), (1, 0, 99)])
def test_what_fits_is_admitted_to_the_token(prompt: int, reserve: int, left: int) -> None:
    assert admit(prompt, reserve, Room(tokens=100)) == left


@pytest.mark.parametrize(("prompt", "reserve"), [(100, 1), (99, 2), (300, 1)])
def test_what_does_not_fit_is_refused_with_the_sum(prompt: int, reserve: int) -> None:
    with pytest.raises(UserError) as refused:
        admit(prompt, reserve, Room(tokens=100))
    assert refused.value.code == "context_overflow"
    assert f"together {prompt + reserve}; the model's context holds 100" in refused.value.message
    assert refused.value.remedy


def test_a_full_pool_has_another_remedy_than_a_full_context() -> None:
    with pytest.raises(UserError, match="memory set aside") as refused:
        admit(100, 1, Room(tokens=96, bound=Bound.POOL))
    assert "cache_size" in refused.value.remedy


def test_an_empty_prompt_is_no_prompt() -> None:
    with pytest.raises(UserError) as refused:
        admit(0, 1, Room(tokens=100))
    assert refused.value.code == "prompt_empty"


def test_a_begun_block_is_a_block() -> None:
    assert [blocks_needed(tokens, 32) for tokens in (1, 32, 33)] == [1, 1, 2]
    assert blocks_needed(100, 0) == 0
