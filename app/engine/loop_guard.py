"""Notices an answer that goes round in circles or turns into garbage.

Small models and damaged weights do that, and go on until the length limit. What counts is what was
written, not how: the guard sees text, so it serves every backend. It errs towards silence, because
lists, tables, code and refrains repeat themselves by right; the figures below are set by the real
texts in the guard's tests.
"""

import re
from collections.abc import Callable
from typing import Final

_LOOK_EVERY: Final = 48  # characters
_STALE_EVERY: Final = 4  # looks: it costs most, and stale is only what has been so for long
_WINDOW: Final = 4096
_LONGEST_PERIOD: Final = 800

# How many characters may repeat one unit.
_PROSE: Final = 300  # about 100 tokens
_STRUCTURE: Final = 900  # in a code block or a table
_FIGURES: Final = 1200  # a unit without a letter: zeros of a matrix, a ruled line
_RUN: Final = 400  # one character alone
_RUN_UNUSUAL: Final = 200  # one that is no ASCII character
_COUNTED: Final = 800  # units that differ in their numbers only
_COUNTED_LETTERS: Final = 12
_COUNTED_UNITS: Final = 8

_SEED: Final = 24  # characters; far less than the least that counts as a repetition

_GARBAGE: Final = 16  # replacement characters among the last _GARBAGE_WINDOW
_GARBAGE_WINDOW: Final = 160

_WORDS: Final = 240
_PHRASE: Final = 4  # words
_FRESH: Final = 0.15  # the least share of phrases that aren't said already

_NUMBER: Final = re.compile(r"\d+")
_WORD: Final = re.compile(r"\w+")


class LoopGuard:
    """Takes an answer in pieces of any length; ``found`` once it repeats itself or is garbage."""

    def __init__(self) -> None:
        self.found = False
        self._tail = ""
        self._unseen = ""
        self._looks = 0
        self._fenced = False
        self._line = ""

    def push(self, text: str) -> None:
        """Takes the next piece; beside a decode that keeps all cores busy each look is felt."""
        self._unseen += text
        if self.found or len(self._unseen) < _LOOK_EVERY:
            return
        self._follow_fences(self._unseen)
        self._tail = (self._tail + self._unseen)[-_WINDOW:]
        self._unseen = ""
        self._looks += 1
        self.found = self._looks_broken()

    def _follow_fences(self, text: str) -> None:
        *whole, rest = (self._line + text).split("\n")
        self._fenced ^= bool(sum(line.lstrip().startswith("```") for line in whole) % 2)
        self._line = rest[:64]  # the beginning decides

    def _looks_broken(self) -> bool:
        if self._tail[-_GARBAGE_WINDOW:].count("\ufffd") >= _GARBAGE:
            return True
        if _repeats(self._tail, self._enough):
            return True
        if self._fenced:
            return False
        # Without a number in the last unit it is the text that was looked at just now.
        counts = _NUMBER.search(self._tail[-_LONGEST_PERIOD:]) is not None
        if counts and _repeats(_NUMBER.sub("#", self._tail), _enough_counted):
            return True
        return self._looks % _STALE_EVERY == 0 and _is_stale(self._tail)

    def _enough(self, unit: str, length: int) -> bool:
        if len(unit) == 1:
            return length >= (_RUN if unit.isascii() else _RUN_UNUSUAL)
        if not any(character.isalpha() for character in unit):
            return length >= _FIGURES
        if self._fenced or "|" in unit:
            return length >= max(_STRUCTURE, 6 * len(unit))
        return length >= max(_PROSE, (4 if len(unit) < 200 else 3) * len(unit))


def _enough_counted(unit: str, length: int) -> bool:
    if sum(character.isalpha() for character in unit) < _COUNTED_LETTERS or "|" in unit:
        return False
    return length >= max(_COUNTED, _COUNTED_UNITS * len(unit))


def _repeats(text: str, enough: Callable[[str, int], bool]) -> bool:
    """Whether an end of ``text`` is one unit again and again, for long ``enough``.

    A unit's length is the distance to an earlier place of the last characters. The shortest come
    first, so a longer one counts only if it reaches farther back than all of them.
    """
    seed, length = text[-_SEED:], 0
    place = text.rfind(seed, 0, -1)
    while place >= 0 and (period := len(text) - len(seed) - place) <= _LONGEST_PERIOD:
        needed = max(length + 1, 2 * period)
        if needed <= len(text) and text[-needed + period :] == text[-needed:-period]:
            length = _periodic(text, period, needed)
            if enough(text[-period:], length):
                return True
        place = text.rfind(seed, 0, place + len(seed) - 1)
    return False


def _periodic(text: str, period: int, known: int) -> int:
    """How many of the last characters have ``period``; ``known`` of them have, at least."""
    beyond = len(text) + 1
    while beyond - known > 1:
        middle = (known + beyond) // 2
        if text[-middle + period :] == text[-middle:-period]:
            known = middle
        else:
            beyond = middle
    return known


def _is_stale(text: str) -> bool:
    """Whether nearly nothing among the last words is said for the first time."""
    words = _WORD.findall(text)[-_WORDS:]
    if len(words) < _WORDS or not any(word.isalpha() for word in words):
        return False
    phrases = [tuple(words[at : at + _PHRASE]) for at in range(len(words) - _PHRASE + 1)]
    return len(set(phrases)) < _FRESH * len(phrases)
