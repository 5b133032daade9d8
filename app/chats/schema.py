"""The tables, as a plain list of forward migrations.

``user_version`` counts the migrations that a database has had. A migration that was released is
never changed; a change is one more function at the end.

Shape of the data: a conversation is a tree of messages. ``active_leaf_id`` names the end of the
branch that is shown. A deleted message keeps its row and carries the deletion that took it. The
text of a running answer is in ``pieces``, one row for each append, so that a long answer is not
rewritten every second; it moves to ``messages`` when the answer ends.
"""

import sqlite3
from collections.abc import Callable
from typing import Final

APPLICATION_ID: Final = 0x436E7458
"""Marks the file as ours ("CntX")."""

TABLES: Final = (
    "presets",
    "conversations",
    "deletions",
    "messages",
    "runs",
    "pieces",
    "contents",
    "attachments",
    "drafts",
    "damaged_rows",
)
"""All tables with content of their own, referenced ones first where there is no circle."""

_CONVERSATIONS: Final = (
    """CREATE TABLE presets (
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        system_prompt TEXT NOT NULL,
        sampling TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE conversations (
        key INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        title TEXT NOT NULL,
        title_source TEXT NOT NULL DEFAULT 'automatic',
        pinned INTEGER NOT NULL DEFAULT 0,
        created_at_ms INTEGER NOT NULL,
        changed_at_ms INTEGER NOT NULL,
        deleted_at_ms INTEGER,
        active_leaf_id TEXT REFERENCES messages (id) ON DELETE SET NULL
            DEFERRABLE INITIALLY DEFERRED,
        model_name TEXT,
        backend TEXT,
        device TEXT,
        preset_id TEXT,
        system_prompt TEXT NOT NULL DEFAULT '',
        sampling TEXT NOT NULL DEFAULT '{}'
    ) STRICT""",
    "CREATE INDEX conversations_listed ON conversations (pinned DESC, changed_at_ms DESC, key DESC)"
    " WHERE deleted_at_ms IS NULL",
    "CREATE INDEX conversations_leaf ON conversations (active_leaf_id)",
    """CREATE TABLE drafts (
        conversation_id TEXT NOT NULL UNIQUE REFERENCES conversations (id) ON DELETE CASCADE,
        text TEXT NOT NULL,
        changed_at_ms INTEGER NOT NULL
    ) STRICT""",
)

_MESSAGES: Final = (
    """CREATE TABLE deletions (
        id TEXT NOT NULL UNIQUE,
        conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
        message_id TEXT NOT NULL,
        leaf_before_id TEXT,
        deleted_at_ms INTEGER NOT NULL
    ) STRICT""",
    "CREATE INDEX deletions_conversation ON deletions (conversation_id)",
    """CREATE TABLE messages (
        key INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
        parent_id TEXT REFERENCES messages (id) ON DELETE CASCADE,
        role TEXT NOT NULL,
        state TEXT NOT NULL DEFAULT 'finished',
        text TEXT NOT NULL,
        thinking TEXT NOT NULL DEFAULT '',
        created_at_ms INTEGER NOT NULL,
        writer TEXT,
        deletion_id TEXT REFERENCES deletions (id) ON DELETE CASCADE
    ) STRICT""",
    "CREATE INDEX messages_conversation ON messages (conversation_id)",
    "CREATE INDEX messages_parent ON messages (parent_id)",
    "CREATE INDEX messages_deletion ON messages (deletion_id) WHERE deletion_id IS NOT NULL",
    "CREATE INDEX messages_streaming ON messages (writer) WHERE state = 'streaming'",
    """CREATE TABLE pieces (
        message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
        text TEXT NOT NULL,
        thinking TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX pieces_message ON pieces (message_id)",
    # A seed is text, for it may have 64 bits without a sign.
    """CREATE TABLE runs (
        message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        model_name TEXT NOT NULL,
        model_digest TEXT NOT NULL,
        backend TEXT NOT NULL,
        device TEXT NOT NULL,
        profile_digest TEXT NOT NULL DEFAULT '',
        settings TEXT NOT NULL DEFAULT '{}',
        started_at_ms INTEGER NOT NULL,
        ended_at_ms INTEGER,
        finish_reason TEXT,
        seed TEXT,
        prompt_tokens INTEGER NOT NULL DEFAULT 0,
        reused_tokens INTEGER NOT NULL DEFAULT 0,
        completion_tokens INTEGER NOT NULL DEFAULT 0,
        thinking_tokens INTEGER NOT NULL DEFAULT 0,
        load_s REAL,
        ttft_s REAL,
        thinking_s REAL,
        prefill_tokens_per_s REAL,
        decode_tokens_per_s REAL,
        error TEXT,
        UNIQUE (message_id, number)
    ) STRICT""",
)

_FILES: Final = (
    """CREATE TABLE contents (
        digest TEXT NOT NULL UNIQUE,
        data BLOB NOT NULL
    ) STRICT""",
    """CREATE TABLE attachments (
        id TEXT NOT NULL UNIQUE,
        conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
        message_id TEXT REFERENCES messages (id) ON DELETE CASCADE,
        name TEXT NOT NULL,
        media_type TEXT NOT NULL,
        size_bytes INTEGER NOT NULL,
        digest TEXT NOT NULL REFERENCES contents (digest)
    ) STRICT""",
    "CREATE INDEX attachments_conversation ON attachments (conversation_id)",
    "CREATE INDEX attachments_message ON attachments (message_id)",
    "CREATE INDEX attachments_digest ON attachments (digest)",
    """CREATE TABLE damaged_rows (
        table_name TEXT NOT NULL,
        row_id TEXT NOT NULL,
        reason TEXT NOT NULL,
        content TEXT NOT NULL,
        found_at_ms INTEGER NOT NULL
    ) STRICT""",
)

# The indexes hold no text of their own (external content); triggers keep them in step.
# A running answer has an empty text, so it is indexed once, when it ends.
_SEARCH: Final = (
    "ALTER TABLE runs ADD COLUMN context_manifest TEXT",
    """CREATE VIRTUAL TABLE message_search USING fts5 (
        text, content = 'messages', content_rowid = 'key',
        tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3')""",
    """CREATE TRIGGER message_search_insert AFTER INSERT ON messages BEGIN
        INSERT INTO message_search (rowid, text) VALUES (new.key, new.text); END""",
    """CREATE TRIGGER message_search_delete AFTER DELETE ON messages BEGIN
        INSERT INTO message_search (message_search, rowid, text)
        VALUES ('delete', old.key, old.text); END""",
    """CREATE TRIGGER message_search_update AFTER UPDATE OF text ON messages BEGIN
        INSERT INTO message_search (message_search, rowid, text)
        VALUES ('delete', old.key, old.text);
        INSERT INTO message_search (rowid, text) VALUES (new.key, new.text); END""",
    """CREATE VIRTUAL TABLE title_search USING fts5 (
        title, content = 'conversations', content_rowid = 'key',
        tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3')""",
    """CREATE TRIGGER title_search_insert AFTER INSERT ON conversations BEGIN
        INSERT INTO title_search (rowid, title) VALUES (new.key, new.title); END""",
    """CREATE TRIGGER title_search_delete AFTER DELETE ON conversations BEGIN
        INSERT INTO title_search (title_search, rowid, title)
        VALUES ('delete', old.key, old.title); END""",
    """CREATE TRIGGER title_search_update AFTER UPDATE OF title ON conversations BEGIN
        INSERT INTO title_search (title_search, rowid, title)
        VALUES ('delete', old.key, old.title);
        INSERT INTO title_search (rowid, title) VALUES (new.key, new.title); END""",
    "INSERT INTO message_search (message_search) VALUES ('rebuild')",
    "INSERT INTO title_search (title_search) VALUES ('rebuild')",
)


def _first(connection: sqlite3.Connection) -> None:
    """Conversations, messages, answers, files, drafts, presets."""
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    for statement in _CONVERSATIONS + _MESSAGES + _FILES:
        connection.execute(statement)


def _second(connection: sqlite3.Connection) -> None:
    """Full-text search, and the place for an answer's context manifest."""
    for statement in _SEARCH:
        connection.execute(statement)


def _third(connection: sqlite3.Connection) -> None:
    """What of a conversation is read, the predicted reuse, and where a file came from."""
    for statement in (
        "ALTER TABLE conversations ADD COLUMN context TEXT NOT NULL DEFAULT '{}'",
        "ALTER TABLE runs ADD COLUMN predicted_reused_tokens INTEGER",
        "ALTER TABLE runs ADD COLUMN reuse_measured INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE attachments ADD COLUMN source TEXT NOT NULL DEFAULT ''",
    ):
        connection.execute(statement)


MIGRATIONS: Final[tuple[Callable[[sqlite3.Connection], None], ...]] = (_first, _second, _third)
VERSION: Final = len(MIGRATIONS)


def version_of(connection: sqlite3.Connection) -> int:
    """The number of migrations that the database has had."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def migrate(connection: sqlite3.Connection) -> None:
    """Brings a database of any earlier version to ``VERSION``, one transaction for each step."""
    for version in range(version_of(connection), VERSION):
        connection.execute("BEGIN IMMEDIATE")
        try:
            MIGRATIONS[version](connection)
            connection.execute(f"PRAGMA user_version = {version + 1}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
