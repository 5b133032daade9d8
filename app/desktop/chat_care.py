"""Tells the person what became of the chat store, and offers the way back."""

from PySide6.QtCore import QObject, Slot

from app.chats.records import Backup, Damage
from app.core.errors import ErrorRecord
from app.desktop import wording
from app.desktop.dates import moment
from app.desktop.notices import Notices
from app.desktop.open_chats import OpenChats
from app.desktop.upkeep import StoreUpkeep

_SUBJECT = "chats"


class ChatCare(QObject):
    """Turns what ``StoreUpkeep`` tells into banners; reads the chats again after a restore."""

    def __init__(self, upkeep: StoreUpkeep, notices: Notices, chats: OpenChats) -> None:
        super().__init__(upkeep)
        self._upkeep = upkeep
        self._notices = notices
        self._chats = chats
        upkeep.mending_began.connect(self._on_mending)
        upkeep.damage_found.connect(self._on_damage)
        upkeep.database_missed.connect(self._on_missed)
        upkeep.maintenance_failed.connect(self._on_maintenance_failed)
        upkeep.restored.connect(self._on_restored)
        upkeep.restore_failed.connect(self._on_error)

    @Slot()
    def _on_mending(self) -> None:
        self._notices.tell(
            _SUBJECT,
            self.tr("The chats are being mended"),
            self.tr(
                "Their file is damaged. What can be read is carried over; this may take a minute."
            ),
            lasting=True,
        )

    @Slot(object)
    def _on_damage(self, damage: Damage) -> None:
        sentence = self.tr(
            "{chats} chats with {messages} messages were carried over, {lost} entries could not"
            " be read. The damaged file was kept as {file}."
        ).format(
            chats=wording.number(damage.conversations),
            messages=wording.number(damage.messages),
            lost=wording.number(damage.lost_rows),
            file=damage.set_aside.name,
        )
        self._offer(
            self.tr("The file of the chats was damaged"),
            sentence,
            damage.newest_backup,
            code="chats_damaged",
        )
        self._chats.refresh()

    @Slot(object)
    def _on_missed(self, newest: Backup) -> None:
        self._offer(
            self.tr("The file of the chats is gone"),
            self.tr("A new one was begun. There is a copy of the old one."),
            newest,
        )

    def _offer(self, headline: str, sentence: str, backup: Backup | None, code: str = "") -> None:
        if backup is None:
            self._notices.tell(_SUBJECT, headline, sentence, code=code)
            return
        button = self.tr("Use the copy of {time}").format(time=moment(backup.made_at_ms))
        self._notices.tell(
            _SUBJECT,
            headline,
            sentence,
            code=code,
            button=button,
            on_press=lambda: self._upkeep.restore(backup),
        )

    @Slot(object, object)
    def _on_restored(self, backup: Backup, before: Backup) -> None:
        self._chats.forget()
        self._notices.tell(
            _SUBJECT,
            self.tr("The chats are as they were on {time}").format(time=moment(backup.made_at_ms)),
            self.tr("What was there before is kept as a copy."),
            button=self.tr("Undo"),
            on_press=lambda: self._upkeep.restore(before),
        )

    @Slot(object)
    def _on_maintenance_failed(self, error: ErrorRecord) -> None:
        self._notices.tell(
            "backup",
            self.tr("Today's copy of the chats could not be made"),
            wording.error_line(error),
            code=wording.error_code(error),
        )

    @Slot(object)
    def _on_error(self, error: ErrorRecord) -> None:
        self._notices.tell(
            _SUBJECT, *wording.error_sentences(error), code=wording.error_code(error)
        )
