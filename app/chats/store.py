"""The chats of one person: what the window and the command line call.

Every method returns at once; its future has the result, or one of the program's errors. The future
is completed on a thread of the store, so a window passes the result on to its own thread.
"""

import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Final

from app.chats import (
    answers,
    attachments,
    backups,
    conversations,
    document,
    exporting,
    importing,
    markdown,
    presets,
    rows,
    transcripts,
    tree,
)
from app.chats import search as searching
from app.chats.owner import Owner
from app.chats.records import (
    AnswerEnd,
    AnswerStart,
    Attachment,
    Backup,
    ChatSettings,
    Conversation,
    Cursor,
    Damage,
    DamagedRow,
    Deletion,
    Message,
    NewAttachment,
    Opened,
    Page,
    Preset,
    SearchHit,
    Transcript,
)
from app.core.errors import EnvironmentFault, UserError
from app.core.files import write_atomic


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


_DEFAULTS: Final = ChatSettings()


class ChatStore:
    """Conversations in ``folder``, opened on a thread of its own.

    ``on_damage`` is called on that thread when a damaged database had to be set aside.
    A call made after ``close`` fails with ``EnvironmentFault`` ``chats_closed``.
    """

    def __init__(
        self,
        folder: Path,
        *,
        on_damage: Callable[[Damage], None] | None = None,
        clock_ms: Callable[[], int] = _now_ms,
    ) -> None:
        self._owner = Owner(folder, clock_ms, on_damage)
        self._now = clock_ms

    def opened(self) -> Future[Opened]:
        """What opening did: interrupted answers, a migration, damage.

        Raises (here as from every call):
            DataFault: ``chats_newer_version``.
            EnvironmentFault: ``disk_full``, ``chats_unwritable``, ``chats_busy``, ``chats_in_use``.
        """
        return self._owner.opened()

    def observe(
        self,
        *,
        on_mending: Callable[[], None] | None = None,
        on_damage: Callable[[Damage], None] | None = None,
    ) -> None:
        """Who is told, on the store's thread, that a recovery begins and what came of it."""
        self._owner.observe(on_mending, on_damage)

    def close(self, timeout_s: float = 60.0) -> bool:
        """Ends what is queued and closes the database; a backup is abandoned.

        Waits at most ``timeout_s`` seconds and says whether it was done by then. What a disk that
        hangs still holds up is given up with the program, as in a power cut: nothing that was
        stored is lost.
        """
        return self._owner.close(timeout_s)

    def data_version(self) -> Future[int]:
        """A number that changes when another program has written."""

        def work(connection: sqlite3.Connection) -> int:
            return int(connection.execute("PRAGMA data_version").fetchone()[0])

        return self._owner.run(work)

    # --- Conversations --------------------------------------------------------------------------

    # Who has to name what it creates before the store has answered gives the id (``new_id``).

    def create_conversation(
        self, settings: ChatSettings = _DEFAULTS, *, conversation_id: str | None = None
    ) -> Future[Conversation]:
        return self._owner.run(
            lambda c: conversations.create(c, settings, self._now(), conversation_id)
        )

    def conversation(self, conversation_id: str) -> Future[Conversation]:
        return self._owner.run(lambda c: conversations.get(c, conversation_id))

    def conversations(
        self, after: Cursor | None = None, *, limit: int = 100, deleted: bool = False
    ) -> Future[Page]:
        """A page of the list, or of the deleted ones that can still be undone."""
        return self._owner.run(lambda c: conversations.page(c, after, limit, deleted=deleted))

    def rename(self, conversation_id: str, title: str) -> Future[None]:
        """An empty ``title`` makes it automatic again."""
        return self._owner.run(lambda c: conversations.rename(c, conversation_id, title))

    def pin(self, conversation_id: str, pinned: bool) -> Future[None]:
        return self._owner.run(lambda c: conversations.pin(c, conversation_id, pinned))

    def configure(self, conversation_id: str, settings: ChatSettings) -> Future[None]:
        return self._owner.run(lambda c: conversations.configure(c, conversation_id, settings))

    def save_draft(self, conversation_id: str, text: str) -> Future[None]:
        return self._owner.run(
            lambda c: conversations.save_draft(c, conversation_id, text, self._now())
        )

    def draft(self, conversation_id: str) -> Future[str]:
        """The text that is not sent yet; empty if there is none."""
        return self._owner.run(lambda c: conversations.draft(c, conversation_id))

    def delete_conversation(self, conversation_id: str) -> Future[None]:
        """Can be undone for 30 days with ``undelete_conversation``."""
        return self._owner.run(lambda c: conversations.delete(c, conversation_id, self._now()))

    def undelete_conversation(self, conversation_id: str) -> Future[None]:
        return self._owner.run(lambda c: conversations.undelete(c, conversation_id))

    def purge_conversation(self, conversation_id: str) -> Future[None]:
        """Removes it for good; older backups still hold it."""
        return self._owner.run(lambda c: conversations.purge(c, conversation_id))

    def save_preset(self, preset: Preset) -> Future[Preset]:
        """Creates the preset (empty id) or changes it."""
        return self._owner.run(lambda c: presets.save(c, preset))

    def delete_preset(self, preset_id: str) -> Future[None]:
        return self._owner.run(lambda c: presets.delete(c, preset_id))

    def presets(self) -> Future[tuple[Preset, ...]]:
        return self._owner.run(presets.all_presets)

    # --- Messages -------------------------------------------------------------------------------

    def open_conversation(self, conversation_id: str) -> Future[Transcript]:
        return self._owner.run(lambda c: transcripts.transcript(c, conversation_id))

    def message(self, message_id: str) -> Future[Message]:
        return self._owner.run(lambda c: transcripts.get(c, message_id))

    def all_branches(self, conversation_id: str) -> Future[tuple[Message, ...]]:
        return self._owner.run(lambda c: transcripts.all_branches(c, conversation_id))

    def send(
        self,
        conversation_id: str,
        text: str,
        files: Sequence[NewAttachment] = (),
        *,
        message_id: str | None = None,
    ) -> Future[Message]:
        """Stores the person's text at the end of the active branch; then inference may begin."""
        return self._owner.run(
            lambda c: tree.send(c, conversation_id, text, files, self._now(), message_id)
        )

    def edit(self, message_id: str, text: str, *, edited_id: str | None = None) -> Future[Message]:
        """Stores ``text`` as a new branch beside the message."""
        return self._owner.run(lambda c: tree.edit(c, message_id, text, self._now(), edited_id))

    def activate(self, message_id: str) -> Future[None]:
        """Shows the branch through this message."""
        return self._owner.run(lambda c: tree.activate(c, message_id))

    def delete_message(self, message_id: str) -> Future[Deletion]:
        """Deletes a message and all below it; can be undone for 30 days."""
        return self._owner.run(lambda c: tree.delete(c, message_id, self._now()))

    def undelete_message(self, deletion_id: str) -> Future[None]:
        return self._owner.run(lambda c: tree.undelete(c, deletion_id))

    # --- Answers --------------------------------------------------------------------------------

    def begin_answer(
        self, question_id: str, start: AnswerStart, *, answer_id: str | None = None
    ) -> Future[Message]:
        """Opens an answer below a message; a second one there is a new branch (regenerate)."""
        owner = self._owner
        return owner.run(
            lambda c: answers.begin(c, question_id, start, owner.token(), self._now(), answer_id)
        )

    def continue_answer(self, answer_id: str, start: AnswerStart) -> Future[Message]:
        """Opens an ended answer again; what is appended follows its text."""
        owner = self._owner
        return owner.run(lambda c: answers.resume(c, answer_id, start, owner.token(), self._now()))

    def append(self, answer_id: str, text: str = "", thinking: str = "") -> Future[None]:
        """Stores a piece of a running answer; meant to be called about once a second.

        If it fails (``disk_full``), the piece is not stored: keep it and append it again.
        """
        return self._owner.run(lambda c: answers.append(c, answer_id, text, thinking))

    def finish_answer(self, answer_id: str, end: AnswerEnd) -> Future[Message]:
        return self._owner.run(lambda c: answers.finish(c, answer_id, end, self._now()))

    # --- Files ----------------------------------------------------------------------------------

    def attach(self, conversation_id: str, file: NewAttachment) -> Future[Attachment]:
        """Attaches a file to the conversation itself."""
        return self._owner.run(lambda c: attachments.attach(c, conversation_id, file))

    def detach(self, attachment_id: str) -> Future[None]:
        return self._owner.run(lambda c: attachments.detach(c, attachment_id))

    def files(self, conversation_id: str) -> Future[tuple[Attachment, ...]]:
        """The files of the conversation itself, oldest first."""

        def work(connection: sqlite3.Connection) -> tuple[Attachment, ...]:
            found = attachments.of_conversation(connection, conversation_id)
            return tuple(one for one in found if one.message_id is None)

        return self._owner.run(work)

    def attachment_content(self, attachment_id: str) -> Future[bytes]:
        return self._owner.run(lambda c: attachments.content(c, attachment_id))

    # --- Search ---------------------------------------------------------------------------------

    def search(self, typed: str, *, limit: int = 50) -> Future[tuple[SearchHit, ...]]:
        """Matches in titles, then in texts. Any text is a valid search."""
        return self._owner.run(lambda c: searching.search(c, typed, limit))

    # --- Keeping --------------------------------------------------------------------------------

    def maintain(self) -> Future[Backup | None]:
        """Removes what was deleted 30 days ago and makes today's backup if there is none.

        Meant to be called after the start and every hour.
        """
        self._owner.run(lambda c: conversations.purge_expired(c, self._now()))
        return self._owner.run_long(self._owner.back_up_if_due)

    def backups(self) -> Future[tuple[Backup, ...]]:
        """All copies, the newest first."""
        return self._owner.run_long(lambda: backups.all_backups(self._owner.where.backups))

    def restore(self, path: Path) -> Future[Backup]:
        """Goes back to a backup. The result is a copy of the state before: restore it to undo.

        Raises:
            UserError: ``answer_running``, ``backup_not_found``.
            DataFault: ``backup_damaged``, ``chats_newer_version``.
        """
        return self._owner.restore(path)

    def damaged_rows(self) -> Future[tuple[DamagedRow, ...]]:
        """The rows that held impossible values and were mended, with those values."""
        return self._owner.run(rows.damaged_rows)

    # --- Exchange -------------------------------------------------------------------------------

    def export_json(
        self, target: Path, conversation_ids: Sequence[str] | None = None
    ) -> Future[None]:
        """Writes conversations (all, if none are named) with branches and files to ``target``."""

        def work(connection: sqlite3.Connection) -> None:
            exported = exporting.export(connection, conversation_ids, self._now())
            _write_export(target, document.encode(exported))

        return self._owner.run_beside(work)

    def export_markdown(self, target: Path, conversation_id: str) -> Future[None]:
        """Writes the active branch for people to read."""

        def work(connection: sqlite3.Connection) -> None:
            _write_export(target, markdown.render(connection, conversation_id).encode())

        return self._owner.run_beside(work)

    def markdown(self, conversation_id: str) -> Future[str]:
        """The active branch as Markdown text."""
        return self._owner.run_beside(lambda c: markdown.render(c, conversation_id))

    def import_json(self, source: Path, *, as_copies: bool = False) -> Future[tuple[str, ...]]:
        """Stores an exported file, all of it or nothing; the result is the conversations' ids.

        Raises:
            UserError: ``import_unreadable``, ``import_already_here`` (``as_copies`` avoids it),
                or what ``document.decode`` raises.
        """

        def work() -> tuple[str, ...]:
            imported = document.decode(_import_bytes(source))
            stored = self._owner.run(
                lambda c: importing.bring_in(c, imported, self._now(), as_copies=as_copies)
            )
            return stored.result()

        return self._owner.run_long(work)


def _write_export(target: Path, data: bytes) -> None:
    try:
        write_atomic(target, data)
    except EnvironmentFault as fault:
        raise UserError(
            "export_unwritable",
            fault.message,
            "Choose another folder, or free some space.",
        ) from fault


def _import_bytes(source: Path) -> bytes:
    try:
        size_bytes = source.stat().st_size
        if size_bytes > document.LARGEST_BYTES:
            raise document.too_large(size_bytes)
        return source.read_bytes()
    except OSError as error:
        raise UserError(
            "import_unreadable",
            f"{source} can't be read ({error.strerror or error}).",
            "Choose a file that you may read.",
        ) from error
