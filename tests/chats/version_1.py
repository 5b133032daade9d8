"""A database as version 1 of the program wrote it. Never changed: people have such files."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

_TABLES: Final = """
PRAGMA application_id = 0x436E7458;
CREATE TABLE presets (
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    system_prompt TEXT NOT NULL,
    sampling TEXT NOT NULL
) STRICT;
CREATE TABLE conversations (
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
) STRICT;
CREATE INDEX conversations_listed ON conversations (pinned DESC, changed_at_ms DESC, key DESC)
    WHERE deleted_at_ms IS NULL;
CREATE INDEX conversations_leaf ON conversations (active_leaf_id);
CREATE TABLE drafts (
    conversation_id TEXT NOT NULL UNIQUE REFERENCES conversations (id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    changed_at_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE deletions (
    id TEXT NOT NULL UNIQUE,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    message_id TEXT NOT NULL,
    leaf_before_id TEXT,
    deleted_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX deletions_conversation ON deletions (conversation_id);
CREATE TABLE messages (
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
) STRICT;
CREATE INDEX messages_conversation ON messages (conversation_id);
CREATE INDEX messages_parent ON messages (parent_id);
CREATE INDEX messages_deletion ON messages (deletion_id) WHERE deletion_id IS NOT NULL;
CREATE INDEX messages_streaming ON messages (writer) WHERE state = 'streaming';
CREATE TABLE pieces (
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    thinking TEXT NOT NULL
) STRICT;
CREATE INDEX pieces_message ON pieces (message_id);
CREATE TABLE runs (
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
) STRICT;
CREATE TABLE contents (
    digest TEXT NOT NULL UNIQUE,
    data BLOB NOT NULL
) STRICT;
CREATE TABLE attachments (
    id TEXT NOT NULL UNIQUE,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    message_id TEXT REFERENCES messages (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    media_type TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    digest TEXT NOT NULL REFERENCES contents (digest)
) STRICT;
CREATE INDEX attachments_conversation ON attachments (conversation_id);
CREATE INDEX attachments_message ON attachments (message_id);
CREATE INDEX attachments_digest ON attachments (digest);
CREATE TABLE damaged_rows (
    table_name TEXT NOT NULL,
    row_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    content TEXT NOT NULL,
    found_at_ms INTEGER NOT NULL
) STRICT;
PRAGMA user_version = 1;
"""

_ROWS: Final = """
INSERT INTO presets VALUES ('p1', 'Short', 'Be short.', '{"temperature":0.2}');
INSERT INTO conversations (id, title, title_source, pinned, created_at_ms, changed_at_ms,
    active_leaf_id, system_prompt, sampling)
    VALUES ('c1', 'Old times', 'chosen', 1, 1000, 3000, 'm2', 'Be kind.', '{"top_k":5}');
INSERT INTO messages (id, conversation_id, parent_id, role, state, text, created_at_ms, writer)
    VALUES ('m1', 'c1', NULL, 'user', 'finished', 'A question from version one', 1000, NULL),
        ('m2', 'c1', 'm1', 'assistant', 'finished', 'Its answer', 2000, NULL),
        ('m3', 'c1', 'm1', 'assistant', 'streaming', 'Cut ', 3000, 'dead');
INSERT INTO pieces VALUES ('m3', 'short', 'hm');
INSERT INTO runs (message_id, number, model_name, model_digest, backend, device, started_at_ms,
    ended_at_ms, finish_reason, seed) VALUES ('m2', 0, 'm', 'd', 'llama', 'CPU', 1, 2, 'stop', '7'),
    ('m3', 0, 'm', 'd', 'llama', 'CPU', 3, NULL, NULL, NULL);
INSERT INTO drafts VALUES ('c1', 'a draft', 3000);
INSERT INTO contents VALUES
    ('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', x'616263');
INSERT INTO attachments VALUES ('a1', 'c1', 'm1', 'abc.txt', 'text/plain', 3,
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
"""


def build(path: Path) -> None:
    """Creates the database at ``path``: two branches, one of them cut short."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
        connection.executescript(_TABLES + _ROWS)
