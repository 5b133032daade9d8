"""The diagnostic bundle: all of it is shown before it is saved, and what is shown is saved."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)
from shiboken6 import isValid

from app.core.errors import ErrorRecord
from app.desktop import wording
from app.desktop.around import Around
from app.desktop.background import Worker
from app.desktop.settings_page import SettingsPage
from app.workflows.diagnostics import BundlePart

FILE_NAME = "contenox-diagnostics.zip"


class DiagnosticsPage(SettingsPage):
    """Collects on a press, shows each part, saves where the person says."""

    def __init__(
        self, title: str, around: Around, worker: Worker, parent: QWidget | None = None
    ) -> None:
        super().__init__(title, parent)
        self._around = around
        self._worker = worker
        self._parts: tuple[BundlePart, ...] = ()
        self.muted(
            self.tr(
                "If something goes wrong, this makes a file that you can send to who helps you."
                " It holds versions, devices, settings, counts and the ends of the logs: no chat"
                " text. Your name and folders are replaced. You see all of it first."
            )
        )
        self.collect = QPushButton(self.tr("Collect and show"), self)
        self.collect.clicked.connect(self._on_collect)
        self.save = QPushButton(self.tr("Save…"), self)
        self.save.setEnabled(False)
        self.save.clicked.connect(self._on_save)
        buttons = QHBoxLayout()
        buttons.addWidget(self.collect)
        buttons.addWidget(self.save)
        buttons.addStretch(1)
        self.column.addLayout(buttons)
        self.outcome = self.muted("")
        self.names = QListWidget(self)
        self.names.setAccessibleName(self.tr("Parts of the file"))
        self.names.setMaximumWidth(150)
        self.names.currentRowChanged.connect(self._on_row)
        self.preview = QPlainTextEdit(self)
        self.preview.setObjectName("preview")
        self.preview.setReadOnly(True)
        self.preview.setTabChangesFocus(True)
        self.preview.setAccessibleName(self.tr("What this part holds"))
        self.preview.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.preview.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.preview.setMinimumHeight(220)
        across = QHBoxLayout()
        across.addWidget(self.names)
        across.addWidget(self.preview, 1)
        self.column.addLayout(across, 1)
        for widget in (self.names, self.preview):
            widget.hide()

    @Slot()
    def _on_collect(self) -> None:
        self.collect.setEnabled(False)
        self.outcome.setText(self.tr("Collecting…"))
        self._worker.run(self._around.collect_diagnostics, self._on_collected, self._on_failed)

    def _on_collected(self, parts: tuple[BundlePart, ...]) -> None:
        if not isValid(self):  # the window was closed meanwhile
            return
        self._parts = parts
        self.collect.setEnabled(True)
        self.outcome.setText("")
        self.save.setEnabled(bool(parts) and self._around.save_diagnostics is not None)
        self.names.clear()
        self.names.addItems([part.name for part in parts])
        self.names.setCurrentRow(0)
        for widget in (self.names, self.preview):
            widget.setVisible(bool(parts))

    @Slot(int)
    def _on_row(self, row: int) -> None:
        if 0 <= row < len(self._parts):
            self.preview.setPlainText(self._parts[row].content)

    @Slot()
    def _on_save(self) -> None:
        dialog = QFileDialog(self, self.tr("Save the diagnostic file"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("zip")
        dialog.selectFile(FILE_NAME)
        dialog.fileSelected.connect(self.save_to)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @Slot(str)
    def save_to(self, file: str) -> None:
        """Saves what is shown as ``file``."""
        save = self._around.save_diagnostics
        if save is None:
            return
        parts, target = self._parts, Path(file)
        work: Callable[[], None] = lambda: save(parts, target)  # noqa: E731  typed for the worker
        self._worker.run(work, lambda _none: self._on_saved(target), self._on_failed)

    def _on_saved(self, target: Path) -> None:
        if isValid(self):
            self.outcome.setText(self.tr("Saved as {file}").format(file=target))

    def _on_failed(self, error: ErrorRecord) -> None:
        if not isValid(self):
            return
        self.collect.setEnabled(True)
        self.outcome.setText(wording.error_line(error))
