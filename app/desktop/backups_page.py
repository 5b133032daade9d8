"""The copies of the chats: which there are, and the way back to one."""

from PySide6.QtCore import QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QWidget,
)

from app.chats.records import Backup, BackupKind, DamagedRow
from app.core.errors import ErrorRecord
from app.desktop import wording
from app.desktop.amounts import format_bytes
from app.desktop.dates import moment
from app.desktop.settings_page import SettingsPage
from app.desktop.upkeep import StoreUpkeep


class BackupsPage(SettingsPage):
    """Lists the copies, the newest first.

    Going back to one copies the present state before, so that it can be undone in the same way.
    """

    def __init__(self, title: str, upkeep: StoreUpkeep, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self._upkeep = upkeep
        self._backups: tuple[Backup, ...] = ()
        self._build()
        upkeep.backups_listed.connect(self._on_listed)
        upkeep.rows_listed.connect(self._on_rows)
        upkeep.restored.connect(self._on_restored)
        upkeep.restore_failed.connect(self._on_failed)
        upkeep.list_backups()

    def _build(self) -> None:
        self.muted(
            self.tr(
                "The chats are copied once a day; the copies of the last seven days are kept."
                " Before you go back to one, the present chats are copied as well."
            )
        )
        self.list = QListWidget(self)
        self.list.setAccessibleName(self.tr("Copies of the chats"))
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setMinimumHeight(180)
        self.list.currentRowChanged.connect(self._on_row)
        self.list.itemActivated.connect(self._on_restore)
        self.column.addWidget(self.list, 1)
        self.restore = QPushButton(self.tr("Go back to this copy"), self)
        self.restore.setEnabled(False)
        self.restore.clicked.connect(self._on_restore)
        self.folder = QPushButton(self.tr("Open folder"), self)
        self.folder.setEnabled(False)
        self.folder.clicked.connect(self._on_folder)
        buttons = QHBoxLayout()
        buttons.addWidget(self.restore)
        buttons.addWidget(self.folder)
        buttons.addStretch(1)
        self.column.addLayout(buttons)
        self.outcome = self.muted("")
        self.mended = self.muted("")
        self.mended.hide()

    @Slot(object)
    def _on_listed(self, backups: tuple[Backup, ...]) -> None:
        chosen = self.list.currentRow()
        path = self._backups[chosen].path if 0 <= chosen < len(self._backups) else None
        self._backups = backups
        self.list.clear()
        for backup in backups:
            self.list.addItem(QListWidgetItem(self._line(backup)))
        paths = [backup.path for backup in backups]
        self.list.setCurrentRow(paths.index(path) if path in paths else 0)
        self.folder.setEnabled(bool(backups))
        if not backups:
            self.outcome.setText(self.tr("There is no copy yet; the first is made soon."))

    def _line(self, backup: Backup) -> str:
        kinds = {
            BackupKind.DAILY: self.tr("daily"),
            BackupKind.BEFORE_MIGRATION: self.tr("before an update"),
            BackupKind.BEFORE_RESTORE: self.tr("before going back"),
        }
        size = format_bytes(backup.size_bytes)
        return f"{moment(backup.made_at_ms)} · {kinds[backup.kind]} · {size}"

    @Slot(object)
    def _on_rows(self, rows: tuple[DamagedRow, ...]) -> None:
        self.mended.setVisible(bool(rows))
        self.mended.setText(
            self.tr("Damaged entries that were mended: {count}").format(
                count=wording.number(len(rows))
            )
        )

    @Slot(int)
    def _on_row(self, row: int) -> None:
        self.restore.setEnabled(0 <= row < len(self._backups))

    @Slot()
    def _on_restore(self) -> None:
        row = self.list.currentRow()
        if 0 <= row < len(self._backups):
            self.outcome.setText(self.tr("Going back…"))
            self._upkeep.restore(self._backups[row])

    @Slot(object, object)
    def _on_restored(self, backup: Backup, _before: Backup) -> None:
        self.outcome.setText(
            self.tr(
                "The chats are as they were on {time}. The copy “before going back” undoes it."
            ).format(time=moment(backup.made_at_ms))
        )

    @Slot(object)
    def _on_failed(self, error: ErrorRecord) -> None:
        self.outcome.setText(wording.error_line(error))

    @Slot()
    def _on_folder(self) -> None:
        if self._backups:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._backups[0].path.parent)))
