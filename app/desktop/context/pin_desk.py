"""Pinning files and folders to the shown chat: by a button, by dropping them, by pasting them."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QUrl, Signal, Slot
from PySide6.QtWidgets import QFileDialog

from app.core.errors import ErrorRecord
from app.desktop.background import Worker
from app.desktop.context.parts import ContextShown
from app.desktop.kept_chats import KeptChats
from app.desktop.main_window import MainWindow
from app.desktop.open_chats import OpenChats
from app.workflows.context_pins import Pin


class PinDesk(QObject):
    """Reads and writes on a thread of its own: a PDF takes a while."""

    changed = Signal(str)  # the chat: what is pinned to it is something else now
    failed = Signal(object)  # ErrorRecord

    def __init__(self, window: MainWindow, chats: OpenChats, store: KeptChats) -> None:
        super().__init__(window)
        self._window = window
        self._chats = chats
        self._store = store
        self._worker = Worker("pins", self)
        self.dialog: QFileDialog | None = None
        window.pin_files_asked.connect(self.ask_files)
        window.pin_folder_asked.connect(self.ask_folder)
        window.files_dropped.connect(self._on_dropped)
        window.pins.removal_asked.connect(self._on_removal)
        window.pins.renewal_asked.connect(self._on_renewal)
        chats.shown.connect(self.refresh)

    def close(self) -> None:
        self._worker.close(0.3)

    @Slot()
    def refresh(self) -> None:
        """Shows what is pinned to the shown chat, and what became of it outside."""
        chat, pins = self._chats.current.id, self._store.pins
        self._window.pins.show_pins(())
        self._worker.run(
            lambda: pins.look_again(chat), lambda found: self._on_listed(chat, found), self._fail
        )

    @Slot()
    def ask_files(self) -> None:
        """Asks which files to pin."""
        dialog = self._ask(self.tr("Pin files to this chat"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.open()

    @Slot()
    def ask_folder(self) -> None:
        """Asks which folder to pin: a map of its files, and its rules file."""
        dialog = self._ask(self.tr("Pin a folder to this chat"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.open()

    def _ask(self, title: str) -> QFileDialog:
        if self.dialog is not None:
            self.dialog.deleteLater()
        self.dialog = QFileDialog(self._window, title)
        self.dialog.filesSelected.connect(self._on_chosen)
        return self.dialog

    @Slot("QStringList")
    def _on_chosen(self, names: list[str]) -> None:
        self.pin([Path(name) for name in names])

    @Slot(object)
    def _on_dropped(self, urls: list[QUrl]) -> None:
        self.pin([Path(url.toLocalFile()) for url in urls if url.isLocalFile()])

    def pin(self, paths: list[Path]) -> None:
        """Pins all of ``paths`` to the shown chat, or says why none of them was."""
        chat, pins, store = self._chats.current, self._store.pins, self._store
        chat_id, settings = chat.id, chat.settings

        def add() -> None:
            store.begin_chat(chat_id, settings)
            pins.add(chat_id, paths)

        self._change(chat_id, add)

    @Slot(str)
    def _on_removal(self, pin_id: str) -> None:
        pins = self._store.pins
        self._change(self._chats.current.id, lambda: pins.remove(pin_id))

    @Slot(str)
    def _on_renewal(self, source: str) -> None:
        chat, pins = self._chats.current.id, self._store.pins
        self._change(chat, lambda: pins.add(chat, [Path(source)]))

    def _change(self, chat: str, work: Callable[[], None]) -> None:
        pins = self._store.pins
        self._window.pins.show_reading(True)

        def change() -> tuple[Pin, ...]:
            work()
            return pins.look_again(chat)

        self._worker.run(change, lambda found: self._on_changed(chat, found), self._fail)

    def _on_changed(self, chat: str, pins: tuple[Pin, ...]) -> None:
        self._window.pins.show_reading(False)
        self._on_listed(chat, pins)
        self._chats.refresh()
        self.changed.emit(chat)

    def _on_listed(self, chat: str, pins: tuple[Pin, ...]) -> None:
        if chat == self._chats.current.id:
            self._window.pins.show_pins(pins)

    def _fail(self, error: ErrorRecord) -> None:
        self._window.pins.show_reading(False)
        self.failed.emit(error)

    @Slot(object)
    def show_tokens(self, shown: ContextShown | None) -> None:
        """Shows the tokens of each file, as they were counted for the next turn."""
        if shown is not None:
            records = shown.report.manifest.segments
            self._window.pins.set_tokens({(one.kind, one.name): one.tokens for one in records})
