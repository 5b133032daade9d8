"""Chats out of the program and in again: files, and the clipboard."""

import re
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from app.core.errors import ErrorRecord
from app.desktop.background import Worker
from app.desktop.kept_chats import KeptChats
from app.desktop.main_window import MainWindow
from app.desktop.open_chats import OpenChats
from app.desktop.pdf import write_pdf

_LONGEST_NAME: Final = 80


class Exchange(QObject):
    """Asks for the file and has it written on a thread of its own: a long chat takes a while."""

    exported = Signal(object)  # Path
    imported = Signal(int)  # how many chats; a single one is shown instead
    failed = Signal(object)  # ErrorRecord

    def __init__(
        self, window: MainWindow, chats: OpenChats, store: KeptChats, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._chats = chats
        self._store = store
        self._worker = Worker("exchange", self)
        self.dialog: QFileDialog | None = None
        self._chat = ""
        window.chat_list.copy_asked.connect(self.copy)
        window.chat_list.export_asked.connect(self.ask_export)
        window.chat_list.import_asked.connect(self.ask_import)

    def close(self) -> None:
        self._worker.close(1.0)

    @Slot(str)
    def copy(self, chat_id: str) -> None:
        """Puts the shown path of a chat on the clipboard as Markdown."""
        store = self._store
        self._worker.run(lambda: store.markdown(chat_id), self._on_markdown, self._on_failed)

    @Slot(str, str)
    def ask_export(self, chat_id: str, title: str) -> None:
        """Asks where to write a chat, and as what."""
        self._chat = chat_id
        dialog = self._ask(self.tr("Export the chat"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters(
            [
                self.tr("Markdown, to read (*.md)"),
                self.tr("JSON, to import again (*.json)"),
                self.tr("PDF, to print (*.pdf)"),
            ]
        )
        dialog.setDefaultSuffix("md")
        dialog.filterSelected.connect(self._on_filter)
        dialog.selectFile(file_name(title) + ".md")
        dialog.fileSelected.connect(self._on_target)
        dialog.open()

    @Slot()
    def ask_import(self) -> None:
        """Asks for a file that was exported as JSON."""
        dialog = self._ask(self.tr("Import chats"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([self.tr("Exported chats (*.json)"), self.tr("All files (*)")])
        dialog.fileSelected.connect(self._on_source)
        dialog.open()

    def export(self, chat_id: str, target: Path) -> None:
        """Writes a chat as what the name of ``target`` ends in; Markdown, if that says nothing."""
        store = self._store

        def write() -> Path:
            match target.suffix.lower():
                case ".json":
                    store.export_json(chat_id, target)
                case ".pdf":
                    write_pdf(store.markdown(chat_id), target)
                case _:
                    store.export_markdown(chat_id, target)
            return target

        self._worker.run(write, self._on_written, self._on_failed)

    def bring_in(self, source: Path) -> None:
        """Stores the chats of an exported file."""
        store = self._store
        self._worker.run(lambda: store.import_json(source), self._on_brought, self._on_failed)

    def _ask(self, title: str) -> QFileDialog:
        if self.dialog is not None:
            self.dialog.deleteLater()
        self.dialog = QFileDialog(self._window, title)
        return self.dialog

    @Slot(str)
    def _on_filter(self, chosen: str) -> None:
        """The name follows the kind of file, where the dialog is Qt's own."""
        ending = next(one for one in ("md", "json", "pdf") if f"*.{one}" in chosen)
        if self.dialog is not None:
            self.dialog.setDefaultSuffix(ending)
            for name in self.dialog.selectedFiles()[:1]:
                self.dialog.selectFile(Path(name).with_suffix(f".{ending}").name)

    @Slot(str)
    def _on_target(self, name: str) -> None:
        self.export(self._chat, Path(name))

    @Slot(str)
    def _on_source(self, name: str) -> None:
        self.bring_in(Path(name))

    def _on_markdown(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)

    def _on_written(self, target: Path) -> None:
        self.exported.emit(target)

    def _on_brought(self, chat_ids: tuple[str, ...]) -> None:
        self._chats.refresh()
        if len(chat_ids) == 1:
            self._chats.show(chat_ids[0])
        else:
            self.imported.emit(len(chat_ids))

    def _on_failed(self, error: ErrorRecord) -> None:
        self.failed.emit(error)


def file_name(title: str) -> str:
    """A title as a file name that every system takes."""
    words = re.sub(r'[\x00-\x1f<>:"/\\|?*]+', " ", title)
    return " ".join(words.split())[:_LONGEST_NAME].strip(" .") or "chat"
