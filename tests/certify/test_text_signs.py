import pytest

from app.certify.text_signs import circle, echo_share, goes_on_as_a_script, special_marks

PROMPT = "Please tell me in a few words why the sea is salty and why rivers are not salty at all."


def test_an_echo_is_found_whether_or_not_more_follows() -> None:
    more = " ".join(f"word{n}" for n in range(200))
    assert echo_share(PROMPT, PROMPT) == 1.0
    assert echo_share(PROMPT, f"{PROMPT} {more}") == 1.0
    assert echo_share(PROMPT, more) == 0.0
    assert echo_share(PROMPT, "Rivers carry salt into the sea.") == 0.0


def test_what_was_quoted_may_be_repeated() -> None:
    quote = "to be or not to be that is the question whether tis nobler"
    assert echo_share(f'Repeat "{quote}" for me, please.', quote) == 0.0
    assert echo_share(f"Repeat {quote} for me, please.", quote) > 0.9


@pytest.mark.parametrize(
    "text",
    ["a b c d e f g " * 4, "word " * 12, "!" * 50, "好" * 40],
)
def test_a_circle_is_found(text: str) -> None:
    assert circle(text) is not None


@pytest.mark.parametrize(
    "text",
    ["-" * 60, "a b c d e f g " * 3, "The sea is blue. The sky is blue. The boat is blue.", ""],
)
def test_rules_and_refrains_are_no_circle(text: str) -> None:
    assert circle(text) is None


@pytest.mark.parametrize(
    "mark", ["<|im_end|>", "</s>", "<eos>", "[INST]", "<\uff5cend\uff5c>", "\u2581", "\ufffd"]
)
def test_marks_are_found_once(mark: str) -> None:
    assert special_marks(f"a {mark} b {mark}") == (mark,)


def test_code_and_prose_have_no_marks() -> None:
    assert special_marks("if a < b and c > d: x = [1]; <p>html</p> a|b <s attribute>") == ()
    assert not goes_on_as_a_script("The user: a person. Ask the user: why?")
    assert goes_on_as_a_script("Fine.\nUser: and then?")
