"""Every host that was ever contacted: when, why, how often and how many bytes came."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.desktop import wording
from app.desktop.amounts import format_bytes
from app.desktop.dates import moment
from app.desktop.tables import alignment, make_plain
from app.models.ledger import Contact

_RIGHT = alignment(number=True)


class ContactsTable(QTableWidget):
    """One row a day for each host and purpose, the newest first."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, 5, parent)
        self.setAccessibleName(self.tr("Contacted servers"))
        self.setHorizontalHeaderLabels(
            [
                self.tr("Server"),
                self.tr("Why"),
                self.tr("Last at"),
                self.tr("Requests"),
                self.tr("Received"),
            ]
        )
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter)
        for column in (3, 4):
            item = self.horizontalHeaderItem(column)
            if item is not None:
                item.setTextAlignment(_RIGHT)
        make_plain(self)
        self.setObjectName("contacts")
        self.setMinimumHeight(180)

    def show_contacts(self, contacts: tuple[Contact, ...]) -> None:
        """Puts ``contacts`` in place of what is shown."""
        self.setRowCount(len(contacts))
        for row, contact in enumerate(contacts):
            words = (
                contact.host,
                self._purpose(contact.purpose),
                moment(int(contact.last_at * 1000)),
                wording.number(contact.requests),
                format_bytes(contact.received_bytes),
            )
            for column, text in enumerate(words):
                item = QTableWidgetItem(text)
                if column >= 3:
                    item.setTextAlignment(_RIGHT)
                self.setItem(row, column, item)

    def _purpose(self, purpose: str) -> str:
        known = {
            "model files": self.tr("model files"),
            "model information": self.tr("model information"),
            "starter model": self.tr("starter model"),
        }
        return known.get(purpose, purpose)
