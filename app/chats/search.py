"""Search in titles and texts: what the person types, never a query language.

Words match by their beginning, without regard to case and diacritics; "words in quotes" match as a
phrase; all words must be found. Scripts without spaces between words are searched letter by letter,
since the index knows words only.
"""

import re
import sqlite3
from typing import Final

from app.chats.database import reading, storable, writing
from app.chats.records import Excerpt, SearchHit

# Marks in what FTS5 returns. Noncharacters: no text that means anything has them.
_START: Final = "\ufdd0"
_END: Final = "\ufdd1"
_CUT: Final = "…"
_EXCERPT_WORDS: Final = 24
_EXCERPT_LETTERS: Final = 160
_LONGEST_QUERY: Final = 500
_MOST_WORDS: Final = 16

# With more matches than this, the latest come first: ranking looks at every match, which takes too
# long for a word that is nearly everywhere, and says little about it.
_MOST_RANKED: Final = 1000

_PART: Final = re.compile(r'"([^"]*)"?|([^\s"]+)')
# Han, Hiragana, Katakana, Thai, Lao, Khmer, Burmese.
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
)

_COUNT: Final = """
    SELECT count(*) FROM (SELECT 1 FROM message_search WHERE message_search MATCH ? LIMIT ?)"""

# CROSS JOIN keeps the index the outer loop: it gives the rows in order, and makes an excerpt only
# of those that are asked for.
_MESSAGES: Final = f"""
    SELECT c.id, m.id, c.title, m.created_at_ms,
        snippet(message_search, 0, '{_START}', '{_END}', '{_CUT}', {_EXCERPT_WORDS}), {{rank}}
    FROM message_search CROSS JOIN messages m ON m.key = message_search.rowid
    CROSS JOIN conversations c ON c.id = m.conversation_id
    WHERE message_search MATCH ? AND m.deletion_id IS NULL AND c.deleted_at_ms IS NULL
    ORDER BY {{order}} LIMIT ?"""  # noqa: S608 - our constants
_BEST_MESSAGES: Final = _MESSAGES.format(rank="rank", order="rank")
_LATEST_MESSAGES: Final = _MESSAGES.format(rank="0.0", order="message_search.rowid DESC")

_TITLES: Final = f"""
    SELECT c.id, c.changed_at_ms, highlight(title_search, 0, '{_START}', '{_END}'),
        bm25(title_search)
    FROM title_search JOIN conversations c ON c.key = title_search.rowid
    WHERE title_search MATCH ? AND c.deleted_at_ms IS NULL
    ORDER BY 4, c.changed_at_ms DESC LIMIT ?"""  # noqa: S608 - our constants

_UNSPACED_MESSAGES: Final = """
    SELECT c.id, m.id, c.title, m.created_at_ms, m.text FROM messages m
    JOIN conversations c ON c.id = m.conversation_id
    WHERE instr(m.text, ?) AND m.deletion_id IS NULL AND c.deleted_at_ms IS NULL
    ORDER BY m.key DESC LIMIT ?"""

_UNSPACED_TITLES: Final = """
    SELECT id, changed_at_ms, title FROM conversations
    WHERE instr(title, ?) AND deleted_at_ms IS NULL ORDER BY changed_at_ms DESC LIMIT ?"""


def search(connection: sqlite3.Connection, typed: str, limit: int) -> tuple[SearchHit, ...]:
    """Titles first, then messages, each the best first, at most ``limit`` of each.

    Of more than 1,000 messages, the latest come first.

    An index that turns out to be damaged is made again from the texts.
    """
    try:
        return _search(connection, typed, limit)
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_CORRUPT_VTAB:
            raise
    rebuild(connection)
    return _search(connection, typed, limit)


def rebuild(connection: sqlite3.Connection) -> None:
    """Makes both indexes again from the titles and texts."""
    with writing(connection):
        connection.execute("INSERT INTO message_search (message_search) VALUES ('rebuild')")
        connection.execute("INSERT INTO title_search (title_search) VALUES ('rebuild')")


def _search(connection: sqlite3.Connection, typed: str, limit: int) -> tuple[SearchHit, ...]:
    clean = storable(typed).replace("\0", " ")[:_LONGEST_QUERY]
    with reading(connection):
        if _UNSPACED.search(clean):
            return _find_letters(connection, clean.strip(), limit)
        query = match_expression(clean)
        return _find_words(connection, query, limit) if query else ()


def match_expression(typed: str) -> str:
    """What was typed as an FTS5 expression: each part quoted, so nothing in it is syntax."""
    parts = []
    for phrase, word in _PART.findall(typed):
        part = phrase or word
        if not any(letter.isalnum() for letter in part):
            continue
        # One letter begins far too many words; it must be a word of its own.
        prefix = "*" if word and sum(letter.isalnum() for letter in word) > 1 else ""
        parts.append(f'"{part}"{prefix}')
    return " ".join(parts[:_MOST_WORDS])


def _find_words(connection: sqlite3.Connection, query: str, limit: int) -> tuple[SearchHit, ...]:
    hits = []
    for conversation_id, at_ms, title, rank in connection.execute(_TITLES, (query, limit)):
        marked = _excerpt(title)
        hits.append(_hit(conversation_id, None, marked, marked, at_ms, rank))
    (count,) = connection.execute(_COUNT, (query, _MOST_RANKED + 1)).fetchone()
    statement = _BEST_MESSAGES if count <= _MOST_RANKED else _LATEST_MESSAGES
    for conversation_id, message_id, title, at_ms, snippet, rank in connection.execute(
        statement, (query, limit)
    ):
        excerpt = _excerpt(snippet)
        hits.append(_hit(conversation_id, message_id, Excerpt(text=title), excerpt, at_ms, rank))
    return tuple(hits)


def _find_letters(connection: sqlite3.Connection, wanted: str, limit: int) -> tuple[SearchHit, ...]:
    hits = []
    for conversation_id, at_ms, title in connection.execute(_UNSPACED_TITLES, (wanted, limit)):
        marked = _cut_out(title, wanted)
        hits.append(_hit(conversation_id, None, marked, marked, at_ms, 0.0))
    for conversation_id, message_id, title, at_ms, text in connection.execute(
        _UNSPACED_MESSAGES, (wanted, limit)
    ):
        excerpt = _cut_out(text, wanted)
        hits.append(_hit(conversation_id, message_id, Excerpt(text=title), excerpt, at_ms, 0.0))
    return tuple(hits)


def _hit(
    conversation_id: str,
    message_id: str | None,
    title: Excerpt,
    excerpt: Excerpt,
    at_ms: int,
    rank: float,
) -> SearchHit:
    return SearchHit(
        conversation_id=conversation_id,
        message_id=message_id,
        title=title,
        excerpt=excerpt,
        at_ms=at_ms,
        rank=rank,
    )


def _excerpt(marked: str) -> Excerpt:
    """Takes the marks out of ``marked`` and returns where they were."""
    text = ""
    highlights = []
    start: int | None = None
    for part in re.split(f"([{_START}{_END}])", marked):
        if part == _START:
            start = len(text)
        elif part == _END:
            if start is not None:
                highlights.append((start, len(text)))
            start = None
        else:
            text += part
    return Excerpt(text=text, highlights=tuple(highlights))


def _cut_out(text: str, wanted: str) -> Excerpt:
    """The surroundings of the first ``wanted`` in ``text``."""
    found = max(text.find(wanted), 0)
    begin = max(found - _EXCERPT_LETTERS // 3, 0)
    end = min(begin + _EXCERPT_LETTERS, len(text))
    before = _CUT if begin else ""
    at = len(before) + found - begin
    return Excerpt(
        text=before + text[begin:end] + (_CUT if end < len(text) else ""),
        highlights=((at, min(at + len(wanted), len(before) + end - begin)),),
    )
