"""Connects the window with the work: what each press does and what each event shows."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import ErrorRecord
from app.desktop import wording
from app.desktop.announce import announce
from app.desktop.banner import Banner, BannerKind, error_banner
from app.desktop.chat_choices import ChatChoices
from app.desktop.conversation import Conversation
from app.desktop.draft_keeper import DraftKeeper
from app.desktop.full_chat import FullChat
from app.desktop.inventory import Inventory
from app.desktop.links import open_link
from app.desktop.main_window import MainWindow
from app.desktop.open_chats import OpenChats
from app.desktop.preferences import Preferences
from app.desktop.second_thoughts import SecondThoughts
from app.desktop.services import FetchProgress
from app.desktop.theme import Theme
from app.desktop.turn import TurnRunner
from app.desktop.turn_records import Activity, Change, Failure, Piece, Retry
from app.engine.chat import Role


class Desk(QObject):
    """Owns no data of its own; every rule it applies is in the objects that it connects."""

    answered = Signal(object)  # Change: an answer ended, whether its chat is shown or not
    failed = Signal()

    def __init__(
        self,
        window: MainWindow,
        runner: TurnRunner,
        chats: OpenChats,
        inventory: Inventory,
        preferences: Preferences,
        theme: Theme,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._runner = runner
        self._chats = chats
        self._inventory = inventory
        self._preferences = preferences
        self._theme = theme
        self._drafts = DraftKeeper(window.composer, chats, self)
        self._choices = ChatChoices(window, runner, chats, inventory, preferences)
        self._second_thoughts = SecondThoughts(window, runner, chats, theme)
        self._editing: str | None = None
        self._failure: Failure | None = None
        self._connect_presses()
        self._connect_events()
        # After the above: what it shows stands in the chat that they show.
        self._full_chat = FullChat(window, runner, chats, theme)
        self._full_chat.shorten_asked.connect(self._on_edit)
        window.transcript.show_conversation(chats.current)

    def _connect_presses(self) -> None:
        window = self._window
        window.composer.sent.connect(self._on_sent)
        window.composer.stop_asked.connect(self._on_stop)
        window.composer.edit_cancelled.connect(self._on_edit_cancelled)
        window.new_chat_asked.connect(self.new_chat)
        window.chat_list.chosen.connect(self._on_chat_chosen)
        window.chat_list.search_asked.connect(self._chats.search)
        window.chat_list.renamed.connect(self._chats.rename)
        window.chat_list.removal_asked.connect(self._on_removal)
        window.chat_list.undo_asked.connect(self._chats.restore)
        window.chat_list.pin_asked.connect(self._chats.pin)
        window.first_run.fetch_asked.connect(self._inventory.fetch_starter)
        window.first_run.stop_asked.connect(self._inventory.stop_fetching)
        transcript = window.transcript
        transcript.edit_asked.connect(self._on_edit)
        transcript.regenerate_asked.connect(self._on_regenerate)
        transcript.resume_asked.connect(self._on_resume)
        transcript.branch_chosen.connect(self._on_branch_chosen)
        transcript.link_activated.connect(open_link)
        transcript.suggestion_chosen.connect(self._on_suggestion)

    def _connect_events(self) -> None:
        runner, inventory, chats = self._runner, self._inventory, self._chats
        runner.activity_changed.connect(self._on_activity)
        runner.activity_changed.connect(self._drafts.heed)
        self._window.status.text_changed.connect(self._on_status)
        runner.message_added.connect(self._on_message_added)
        runner.text_arrived.connect(self._on_text)
        runner.answer_finished.connect(self._on_finished)
        runner.turn_failed.connect(self._on_turn_failed)
        runner.turn_retried.connect(self._on_turn_retried)
        runner.branch_changed.connect(self._on_branch_changed)
        runner.store_failed.connect(self.show_error)
        inventory.listing_failed.connect(self.show_error)
        inventory.fetch_progressed.connect(self._on_fetch_progressed)
        inventory.fetch_failed.connect(self._window.first_run.show_error)
        chats.listed.connect(self._on_chats_listed)
        chats.shown.connect(self._on_chat_shown)
        chats.store_failed.connect(self.show_error)
        self._preferences.save_failed.connect(self.show_error)

    # --- Presses -------------------------------------------------------------------------------

    @Slot(str)
    def _on_sent(self, text: str) -> None:
        editing, conversation = self._editing, self._chats.current
        if editing is not None:
            self._leave_editing()
            self._runner.edit(conversation, editing, text)
        elif (last := conversation.last) is not None and last.role is Role.USER:
            # In the place of a message that was held, or whose answer never began: two questions
            # in a row are more than some templates take.
            self._chats.keep_draft("")
            self._runner.edit(conversation, last.id, text)
        else:
            conversation.draft = ""  # the store lets it go when it gets the message
            self._runner.send(conversation, text)
        self._chats.refresh()

    @Slot()
    def _on_stop(self) -> None:
        self._runner.stop()

    @Slot()
    def new_chat(self) -> None:
        """Shows an empty chat; a running answer goes on in its own."""
        self._drafts.keep()
        self._chats.new()

    def open_conversation(self, conversation: Conversation) -> None:
        """Shows a chat that began in another window."""
        self._chats.adopt(conversation)
        self._on_chat_chosen(conversation.id)

    @Slot(str)
    def _on_chat_chosen(self, chat_id: str) -> None:
        self._drafts.keep()
        if chat_id == self._chats.current.id:
            self._reveal_found(self._chats.current)
        else:
            self._chats.show(chat_id)

    @Slot(str)
    def _on_removal(self, chat_id: str) -> None:
        self._runner.stop_in(chat_id)
        self._chats.remove(chat_id)

    @Slot(str)
    def _on_edit(self, message_id: str) -> None:
        self._drafts.keep()
        self._set_editing(message_id)
        self._window.composer.set_text(self._chats.current.get(message_id).text)
        self._window.composer.setFocus()

    @Slot()
    def _on_edit_cancelled(self) -> None:
        self._leave_editing()

    def _leave_editing(self) -> None:
        """Gives the input back to what was being written before."""
        self._set_editing(None)
        self._window.composer.set_text(self._chats.current.draft)

    def _set_editing(self, message_id: str | None) -> None:
        self._editing = message_id
        self._window.composer.set_editing(message_id is not None)

    @Slot(str)
    def _on_regenerate(self, answer_id: str) -> None:
        self._runner.regenerate(self._chats.current, answer_id)

    @Slot(str)
    def _on_resume(self, answer_id: str) -> None:
        conversation = self._chats.current
        if self._runner.resume(conversation, answer_id):
            self._window.transcript.clear_banner()
            self._window.transcript.finish(conversation.get(answer_id))
            self._window.transcript.follow()
            self._to_composer(conversation.id)

    def _to_composer(self, chat_id: str) -> None:
        """What is typed next goes into the input, whichever button was pressed and is gone now."""
        if chat_id == self._chats.current.id and self._window.isActiveWindow():
            self._window.composer.setFocus()

    @Slot(str)
    def _on_branch_chosen(self, message_id: str) -> None:
        self._chats.show_branch(message_id)
        self._window.transcript.show_conversation(self._chats.current)

    @Slot(str)
    def _on_suggestion(self, text: str) -> None:
        self._window.composer.set_text(text)
        self._window.composer.setFocus()

    @Slot()
    def _on_go_on(self) -> None:
        """The banner's button: goes on with what was kept, or tries the question again."""
        failure = self._failure
        if failure is None or failure.chat != self._chats.current.id:
            return
        conversation = self._chats.current
        last = conversation.last
        if failure.message is not None:
            self._on_resume(failure.message)
        elif last is not None:
            # The empty answer is filled, rather than kept as a branch that holds nothing.
            self._on_resume(last.id)

    # --- Events --------------------------------------------------------------------------------

    @Slot(object)
    def _on_activity(self, activity: Activity) -> None:
        self._window.set_activity(activity)

    @Slot(str)
    def _on_status(self, sentence: str) -> None:
        answer = self._runner.running_answer
        if answer is not None:
            self._window.transcript.wait(answer, sentence)

    @Slot(object)
    def _on_message_added(self, change: Change) -> None:
        if change.chat == self._chats.current.id:
            self._window.transcript.add(change.message)
        if change.message.role is Role.ASSISTANT:
            self._to_composer(change.chat)
            announce(self._window, self.tr("The model is answering"))

    @Slot(object)
    def _on_text(self, piece: Piece) -> None:
        if piece.chat == self._chats.current.id:
            self._window.transcript.extend(piece.message, piece.text, piece.thinking)

    @Slot(object)
    def _on_finished(self, change: Change) -> None:
        stamp = change.message.stamp
        if change.chat == self._chats.current.id:
            self._window.transcript.finish(change.message)
            self._window.status.set_result(stamp)
        announce(self._window, self.tr("The answer is complete"))
        self._chats.refresh()
        self.answered.emit(change)

    @Slot(object)
    def _on_turn_failed(self, failure: Failure) -> None:
        self._failure = failure
        if failure.chat == self._chats.current.id:
            self._show_failure(failure)
        self.failed.emit()

    @Slot(object)
    def _on_turn_retried(self, retry: Retry) -> None:
        if retry.chat == self._chats.current.id:
            headline, sentence = wording.retried(retry.before)
            code = wording.error_code(retry.before.error)
            self._show_banner(Banner(self._theme, BannerKind.NOTICE, headline, sentence, code=code))

    def _show_failure(self, failure: Failure) -> None:
        kept = failure.message is not None
        button = self.tr("Go on") if kept else self.tr("Try again")
        banner = error_banner(self._theme, failure.error, kept_text=kept, button=button)
        banner.pressed.connect(self._on_go_on)
        self._show_banner(banner)

    @Slot(object)
    def show_error(self, error: ErrorRecord) -> None:
        """Shows an error that belongs to no turn, on the page that is shown."""
        if self._window.first_run.isHidden():
            self._show_banner(error_banner(self._theme, error))
        else:
            self._window.first_run.show_error(error)

    @Slot(object)
    def show_exported(self, target: Path) -> None:
        """Says where an exported chat is."""
        self._notify(self.tr("The chat was exported."), str(target))

    @Slot(int)
    def show_imported(self, count: int) -> None:
        """Says what came in."""
        self._notify(wording.imported(count), self.tr("The chats are in the list."))

    def _notify(self, headline: str, sentence: str) -> None:
        self._show_banner(Banner(self._theme, BannerKind.DONE, headline, sentence))

    def _show_banner(self, banner: Banner) -> None:
        self._window.transcript.show_banner(banner)
        announce(self._window, banner.headline)

    @Slot(str)
    def _on_branch_changed(self, chat_id: str) -> None:
        if chat_id == self._chats.current.id:
            self._window.transcript.show_conversation(self._chats.current)

    @Slot(object)
    def _on_fetch_progressed(self, progress: FetchProgress) -> None:
        self._window.first_run.set_progress(progress)

    @Slot()
    def _on_chats_listed(self) -> None:
        self._window.chat_list.set_chats(self._chats.summaries, self._chats.current.id)

    def _reveal_found(self, conversation: Conversation) -> None:
        """Goes to the message that a search found; it may stand on another branch."""
        listed = (chat for chat in self._chats.summaries if chat.id == conversation.id)
        found = next((chat.found for chat in listed), None)
        if found is None or not conversation.knows(found):
            return
        if all(message.id != found for message in conversation.path()):
            self._chats.show_branch(found)
            self._window.transcript.show_conversation(conversation)
        self._window.transcript.reveal(found)

    @Slot(object)
    def _on_chat_shown(self, conversation: Conversation) -> None:
        self._set_editing(None)
        self._window.transcript.show_conversation(conversation)
        self._reveal_found(conversation)
        self._window.composer.set_text(conversation.draft)
        self._window.composer.setFocus()
        self._window.chat_list.mark(conversation.id)
        last = conversation.last
        self._window.status.set_result(last.stamp if last else None)
        failure = self._failure
        still_failed = last is not None and last.stamp is not None and last.stamp.error is not None
        if failure is not None and failure.chat == conversation.id and still_failed:
            self._show_failure(failure)
