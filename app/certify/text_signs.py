"""What can be seen in a text alone: an echo, a circle, a mark that should never be visible."""

import re
from collections import Counter
from typing import Final

ECHO_WORDS: Final = 8
"""So many words in a row are no coincidence and no figure of speech."""

_LOOP_WORDS: Final = 6
_LOOP_TIMES: Final = 4
_RUN: Final = re.compile(r"([^\s\-=_*.#])\1{39,}")
_WORD: Final = re.compile(r"\w+")
_QUOTED: Final = re.compile(r"“[^”]*”|\"[^\"]*\"|«[^»]*»")
_SPECIAL: Final = re.compile(
    r"<\|[^|>\n]{1,40}\|>"
    r"|<\uff5c[^>\n]{1,40}\uff5c>"
    r"|</?s>|<(?:bos|eos|pad|unk|start_of_turn|end_of_turn)>"
    r"|\[/?INST\]|<</?SYS>>|[\u2581\u0120\ufffd]"
)
_ROLE: Final = re.compile(
    r"^\s*(?:user|human|assistant|question)\s*:", re.IGNORECASE | re.MULTILINE
)


def special_marks(text: str) -> tuple[str, ...]:
    """The chat template's and tokenizer's own marks that stand in ``text``, each once."""
    return tuple(dict.fromkeys(_SPECIAL.findall(text)))


def without_marks(text: str) -> str:
    """``text`` as it would be without those marks."""
    return _SPECIAL.sub("", text)


def words_of(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def echo_share(prompt: str, text: str) -> float:
    """How much of ``text`` is the prompt again, or of the prompt is in ``text``: the larger share.

    What is compared are runs of words. What the prompt quotes may be repeated, and doesn't count.
    """
    said = _grams(words_of(_QUOTED.sub(" ", prompt)), ECHO_WORDS)
    written = _grams(words_of(text), ECHO_WORDS)
    if not written or not said:
        return 0.0
    of_text = sum(gram in set(said) for gram in written) / len(written)
    of_prompt = sum(gram in set(written) for gram in said) / len(said)
    return max(of_text, of_prompt)


def goes_on_as_a_script(text: str) -> bool:
    """Whether the text writes the next turn of the conversation itself."""
    return _ROLE.search(text) is not None


def circle(text: str) -> str | None:
    """What the text says again and again, or ``None``."""
    run = _RUN.search(text)
    if run is not None:
        return run.group()[:20]
    counted = Counter(_grams(words_of(text), _LOOP_WORDS)).most_common(1)
    if counted and counted[0][1] >= _LOOP_TIMES:
        return " ".join(counted[0][0])
    return None


def _grams(words: list[str], length: int) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + length]) for at in range(len(words) - length + 1)]
