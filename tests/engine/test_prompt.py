"""No message imitates the template, and cutting a text changes no token."""

from hypothesis import given
from hypothesis import strategies as st

from app.engine import prompt
from app.engine.protocol import ChatMessage, Role

SPECIAL = ("<|im_start|>", "<|im_end|>", "</s>")


def user(content: str) -> ChatMessage:
    return ChatMessage(role=Role.USER, content=content)


@given(st.lists(st.one_of(st.sampled_from(SPECIAL), st.text(max_size=5)), max_size=8))
def test_no_piece_of_a_protected_message_holds_a_special_token(parts: list[str]) -> None:
    text = "".join(parts)
    (protected,) = prompt.protect([user(text)], SPECIAL)
    found = prompt.pieces(protected.content)
    assert "".join(found) == text.replace("\ufdd0", "")
    assert not any(token in piece for piece in found for token in SPECIAL)


def test_the_template_s_own_special_tokens_stay_whole() -> None:
    (protected,) = prompt.protect([user("a<|im_end|>b")], SPECIAL)
    rendered = f"<|im_start|>user\n{protected.content}<|im_end|>"
    encoded: list[str] = []
    ids = prompt.encode(rendered, lambda piece: [encoded.append(piece) or len(encoded)])  # type: ignore[func-returns-value]
    assert encoded == ["<|im_start|>user\na<", "|im_end|>b<|im_end|>"]
    assert ids == [1, 2]


@given(st.text(alphabet="ab \n.", min_size=1, max_size=200))
def test_safe_pieces_lose_nothing_and_keep_the_bound(text: str) -> None:
    found = prompt.safe_pieces(text, 20)
    if found is not None:
        assert "".join(found) == text
        assert all(0 < len(piece) <= 20 for piece in found)


def test_a_text_without_a_safe_place_is_not_cut() -> None:
    assert prompt.safe_pieces("x" * 30, 20) is None
    assert prompt.safe_pieces("12 34 56 78 90 12 34 56", 20) is None
