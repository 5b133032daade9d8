"""What the model reads for the next answer, part by part, and whether the last one was foreseen."""

from typing import Final

from PySide6.QtCore import QCoreApplication, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.chats.records import OverflowChoice
from app.desktop import wording
from app.desktop.chooser import Chooser
from app.desktop.context import full_words, words
from app.desktop.context.bar import colour_of
from app.desktop.context.parts import GROUPS, ContextShown
from app.desktop.conversation import AnswerStamp, Conversation
from app.desktop.theme import Theme
from app.engine.manifest import SegmentRecord, from_json
from app.engine.outcome import ContextReport

_DOT: Final = 10
_CHOICES: Final = (
    OverflowChoice.ASK,
    OverflowChoice.LEAVE_OUT_OLDEST,
    OverflowChoice.SUMMARISE,
)
# Qt's extractor knows this name.
translate = QCoreApplication.translate


class ContextPanel(QDialog):
    """Stays open beside the chat and follows what is typed and answered."""

    choice_made = Signal(object)  # OverflowChoice

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setWindowTitle(translate("ContextPanel", "What the model reads"))
        self.setMinimumSize(560, 320)
        self.resize(680, 480)
        self._sums = _label("heading")
        self._ready = _label("body")
        self._left_out = _label("body")
        self._summary = _label("muted")
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(18)
        self._grid.setVerticalSpacing(6)
        self._facts = QGridLayout()
        self._facts.setHorizontalSpacing(18)
        self._facts.setVerticalSpacing(6)
        self._facts.setColumnStretch(1, 1)
        self.choice = Chooser(theme, translate("ContextPanel", "When the chat is full"), self)
        for choice in _CHOICES:
            self.choice.addItem(full_words.choice_name(choice), choice.value)
        self.choice.activated.connect(self._on_choice)
        self._build()

    def _build(self) -> None:
        page = QWidget(self)
        page.setObjectName("page")
        column = QVBoxLayout(page)
        column.setContentsMargins(22, 18, 22, 18)
        column.setSpacing(8)
        for label in (self._sums, self._ready, self._left_out, self._summary):
            column.addWidget(label)
        column.addSpacing(6)
        column.addLayout(self._grid)
        column.addWidget(_rule())
        column.addLayout(self._facts)
        column.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setWidget(page)
        full = QHBoxLayout()
        full.setContentsMargins(22, 6, 22, 14)
        full.addWidget(_small(translate("ContextPanel", "When the chat is full")))
        full.addWidget(self.choice)
        full.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(scroll, 1)
        layout.addLayout(full)

    def show_context(self, shown: ContextShown | None, chat: Conversation) -> None:
        """Shows the next turn, how the reuse of the last one was foreseen, and what is chosen."""
        self.choice.setCurrentIndex(self.choice.findData(chat.settings.context.on_overflow.value))
        _clear(self._grid)
        _clear(self._facts)
        self._show_last(_last_stamp(chat))
        if shown is None:
            self._sums.setText(translate("ContextPanel", "Nothing to read yet"))
            for label in (self._ready, self._left_out, self._summary):
                label.hide()
            return
        report, talk = shown.report, shown.talk
        self._sums.setText(words.used_with_reserve(report))
        self._show(self._ready, words.ready(report))
        gone = (full_words.left_out_messages(talk), full_words.left_out_pasted(talk, chat))
        self._show(self._left_out, " ".join(gone).strip())
        summary = talk.read().summary
        self._show(self._summary, words.summary_sentence(summary) if summary else "")
        self._show_segments(report)
        self._show_cache(report)

    def _show_segments(self, report: ContextReport) -> None:
        for place, text in enumerate(words.columns()):
            self._grid.addWidget(_small(text), 0, place + 1)
        self._grid.setColumnStretch(2, 1)
        parts = words.joined_history(report.manifest.segments)
        for one in parts:
            row = self._grid.rowCount()
            dot = QLabel()
            dot.setPixmap(_dot(colour_of(self._theme, GROUPS[one.kind])))
            self._grid.addWidget(dot, row, 0)
            name = words.kind_name(one.kind)
            self._add_row(row, name, words.segment_name(one), one, report)
            for part in one.inside:
                self._add_row(self._grid.rowCount(), words.inside_name(part), "", part, report)
        known = sum(one.tokens or 0 for one in parts)
        if known < report.prompt_tokens:  # so that the column adds up
            row = self._grid.rowCount()
            self._grid.addWidget(_value(words.template_name()), row, 1, 1, 2)
            rest = _value(wording.number(report.prompt_tokens - known))
            rest.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self._grid.addWidget(rest, row, 4)

    @property
    def left_out(self) -> str:
        """What of the chat is not read, as it is shown."""
        return self._left_out.text()

    def _add_row(
        self, row: int, kind: str, name: str, one: SegmentRecord, report: ContextReport
    ) -> None:
        figures = self._figures(one, report.predicted_reused_tokens)
        for place, text in enumerate((kind, name, *figures)):
            cell = _value(text)
            if place >= _FIRST_NUMBER:
                cell.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self._grid.addWidget(cell, row, place + 1)

    def _figures(self, one: SegmentRecord, reused: int | None) -> tuple[str, ...]:
        tokens = "" if one.tokens is None else wording.number(one.tokens)
        read = ""
        if one.tokens is not None and one.token_start is not None and reused is not None:
            read = wording.number(min(max(reused - one.token_start, 0), one.tokens))
        return words.class_name(one.kind.cache_class), tokens, read

    def _show_cache(self, report: ContextReport) -> None:
        manifest = report.manifest
        rows = [
            (
                translate("ContextPanel", "Stays the same"),
                words.stable(manifest.stable_tokens, manifest.stable_token_sha256),
            )
        ]
        if report.pool is not None:
            rows.append((translate("ContextPanel", "Cache"), words.pool(report.pool)))
        if report.pool is not None and not report.predicted_reused_tokens:
            rows.append((translate("ContextPanel", "Why nothing is reused"), words.why_not(report)))
        self._add_facts(rows)

    def _show_last(self, last: AnswerStamp | None) -> None:
        if last is None or not last.usage.prompt_tokens:
            return
        rows = [(translate("ContextPanel", "Reused for the last answer"), words.reuse(last.usage))]
        manifest = from_json(last.manifest) if last.manifest else None
        if manifest is not None:
            shares = words.reused_shares(manifest, last.usage.reused_tokens)
            if shares:
                rows.append((translate("ContextPanel", "By what it is worth"), shares))
        self._add_facts(rows)

    def _add_facts(self, rows: list[tuple[str, str]]) -> None:
        for name, value in rows:
            row = self._facts.rowCount()
            self._facts.addWidget(_small(name), row, 0, Qt.AlignmentFlag.AlignTop)
            self._facts.addWidget(_value(value), row, 1)

    @staticmethod
    def _show(label: QLabel, text: str) -> None:
        label.setText(text)
        label.setVisible(bool(text))

    @Slot()
    def _on_choice(self) -> None:
        self.choice_made.emit(OverflowChoice(self.choice.currentData()))


_FIRST_NUMBER: Final = 3


def _last_stamp(chat: Conversation) -> AnswerStamp | None:
    stamps = (one.stamp for one in reversed(chat.path()))
    return next((one for one in stamps if one is not None), None)


def _label(name: str) -> QLabel:
    label = QLabel()
    label.setObjectName(name)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


def _small(text: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName("muted")
    return label


def _value(text: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(len(text) > 40)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _rule() -> QFrame:
    line = QFrame()
    line.setObjectName("rule")
    line.setFixedHeight(1)
    return line


def _dot(colour: QColor) -> QPixmap:
    pixmap = QPixmap(2 * _DOT, 2 * _DOT)
    pixmap.setDevicePixelRatio(2)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(colour)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.drawEllipse(0, 0, _DOT, _DOT)
    painter.end()
    return pixmap


def _clear(grid: QGridLayout) -> None:
    while (item := grid.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
