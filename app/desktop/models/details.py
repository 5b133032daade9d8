"""The pane beside the table: all that is known about one model, and what can be done with it."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.desktop.amounts import format_bytes
from app.desktop.links import open_link
from app.desktop.models import facts
from app.desktop.models.fact_grid import ElidedLabel, FactGrid, plain_label
from app.desktop.models.ports import Key, ModelDetails, ModelRow, Verdict
from app.desktop.models.row_state import ON_ITS_WAY, Line, Press, RowState
from app.desktop.theme import Theme

_WIDTH: Final = 340
_NO_DETAILS: Final = ModelDetails()


class DetailPane(QScrollArea):
    """Shows one line; a change of the same model only repaints what moved."""

    pressed = Signal(object, object)  # Press, Line

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._line: Line | None = None
        self._details = _NO_DETAILS
        self.buttons: dict[Press, QPushButton] = {}
        self.setObjectName("pane")
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumWidth(_WIDTH)
        self.setAccessibleName(self.tr("Details"))
        page = QWidget()
        page.setObjectName("pane")
        self._column = QVBoxLayout(page)
        self._column.setContentsMargins(24, 20, 24, 20)
        self._column.setSpacing(8)
        self._build()
        self._column.addStretch(1)
        self.setWidget(page)
        self.hide()

    # --- Building ------------------------------------------------------------------------------

    def _build(self) -> None:
        self._title = plain_label("", "paneTitle")
        self._second = plain_label("", "muted")
        self._good_at = plain_label("")
        for label in (self._title, self._second, self._good_at):
            self._column.addWidget(label)
        self._column.addSpacing(4)
        self._build_progress()
        self._actions = QVBoxLayout()
        self._actions.setSpacing(6)
        self._column.addLayout(self._actions)
        self._why = self._box("banner")
        self._why_text = plain_label("")
        self._why_remedy = plain_label("", "muted")
        _fill(self._why, self._why_text, self._why_remedy)
        self._fit = self._box("card")
        self._fit_title = plain_label("", "strong")
        self._fit_sum = FactGrid(self._fit, numbers=True)
        self._fit_text = plain_label("", "muted")
        _fill(self._fit, self._fit_title, self._fit_sum, self._fit_text)
        self.facts = FactGrid()
        self._section(self.tr("About"), self.facts)
        self.abilities = FactGrid()
        self._section(self.tr("Can do"), self.abilities)
        self._files_title = self._section(self.tr("Files"), None)
        self.files = FactGrid(stacked=True)
        self._column.addWidget(self.files)

    def _build_progress(self) -> None:
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._bar.setAccessibleName(self.tr("Progress"))
        self._progress = plain_label("", "muted")
        self._column.addWidget(self._bar)
        self._column.addWidget(self._progress)

    def _box(self, name: str) -> QFrame:
        box = QFrame(self)
        box.setObjectName(name)
        self._column.addSpacing(4)
        self._column.addWidget(box)
        return box

    def _section(self, title: str, content: QWidget | None) -> QLabel:
        self._column.addSpacing(12)
        label = plain_label(title, "strong")
        self._column.addWidget(label)
        if content is not None:
            self._column.addWidget(content)
        return label

    # --- Showing -------------------------------------------------------------------------------

    @property
    def line(self) -> Line | None:
        return self._line

    @property
    def key(self) -> Key | None:
        return None if self._line is None else self._line.key

    def show_line(self, line: Line | None) -> None:
        """Shows ``line``, or hides the pane."""
        self.setVisible(line is not None)
        before, self._line = self._line, line
        if line is None:
            return
        if before is None or before.row != line.row:
            if before is None or before.key != line.key:
                self._details = _NO_DETAILS
                self.verticalScrollBar().setValue(0)
            self._show_row(line.row)
            self._show_details(line.row)
        buttons_change = (
            before is None
            or before.row != line.row
            or before.presses != line.presses
            or before.state is not line.state
            or facts.wants_consent(before) != facts.wants_consent(line)
        )
        if buttons_change:
            self._show_buttons(line)
        self._show_progress(line)

    def set_details(self, key: Key, details: ModelDetails) -> None:
        """Adds files and abilities, once they are read; those of another row come too late."""
        if self._line is not None and self._line.key == key:
            self._details = details
            self._show_details(self._line.row)

    def _show_row(self, row: ModelRow) -> None:
        self._title.setText(row.title)
        self._second.setText(facts.second_line(row))
        self._good_at.setText(row.good_at)
        self._good_at.setVisible(bool(row.good_at))
        self._fit_title.setText(facts.fit_headline(row.fit))
        bad = row.fit.verdict is Verdict.DOES_NOT_FIT
        _restyle(self._fit, "kind", "bad" if bad else "")
        self._fit_sum.clear()
        for name, value in facts.fit_rows(row.fit):
            self._fit_sum.add(name, value)
        words = facts.fit_note(row.fit)
        self._fit_text.setText(words)
        self._fit_text.setVisible(bool(words))
        self._fill_facts(row)

    def _fill_facts(self, row: ModelRow) -> None:
        grid = self.facts
        grid.clear()
        if row.licence:
            grid.add(self.tr("Licence"), self._licence(row))
        grid.add(self.tr("Tokens/s"), facts.speed(row))
        if prefill := facts.prefill_speed(row):
            grid.add(self.tr("Reading a prompt"), prefill)
        if row.publisher:
            grid.add(self.tr("Publisher"), row.publisher)
        if row.repository:
            grid.add(self.tr("Repository"), row.repository)
            grid.add(self.tr("Revision"), self._revision(row))
        grid.add(self.tr("Trust"), facts.trust(row))
        if row.provenance:
            grid.add(self.tr("Where from"), row.provenance)
        if row.folder is not None:
            grid.add(self.tr("On disk"), ElidedLabel(str(row.folder), self.facts))

    def _revision(self, row: ModelRow) -> QWidget:
        newest = self.tr("the newest at the download")
        label = plain_label(facts.short(row.revision) if row.revision else newest, "fact")
        label.setToolTip(row.revision)
        return label

    def _licence(self, row: ModelRow) -> QWidget:
        if not row.licence_link:
            return plain_label(row.licence, "fact")
        # Not a link in rich text: what a list says is never read as markup.
        button = QPushButton(row.licence, self)
        button.setObjectName("link")
        button.setToolTip(row.licence_link)
        button.setAccessibleName(self.tr("Licence {name}").format(name=row.licence))
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.clicked.connect(self._on_licence)
        return button

    @Slot()
    def _on_licence(self) -> None:
        if self._line is not None:
            open_link(self._line.row.licence_link)

    def _show_details(self, row: ModelRow) -> None:
        self.abilities.clear()
        for ability in self._details.abilities:
            offered = self.tr("Yes") if ability.is_offered else self.tr("No")
            verified = self.tr("measured") if ability.is_verified else self.tr("not measured")
            text = f"{offered} · {verified}\n{facts.evidence(ability.evidence)}"
            self.abilities.add(facts.ability(ability.name), text)
        files = self._details.files
        self._files_title.setText(
            self.tr("Files ({count}, {size})").format(count=len(files), size=facts.size(row))
            if files
            else self.tr("Files")
        )
        self.files.clear()
        for file in files:
            known = facts.NOTHING if file.size_bytes is None else format_bytes(file.size_bytes)
            label = plain_label(f"{known} · {facts.short(file.sha256)}", "muted", self.files)
            label.setToolTip(file.sha256 or "")
            self.files.add(file.path.replace("_", "_\u200b"), label)

    def _show_buttons(self, line: Line) -> None:
        focused = next((press for press, b in self.buttons.items() if b.hasFocus()), None)
        _empty(self._actions)
        self.buttons = {}
        across: QHBoxLayout | None = None
        for place, press in enumerate(line.presses):
            button = QPushButton(facts.press(press, line), self)
            first = place == 0 and press in (Press.GET, Press.RESUME, Press.CHAT)
            if first:
                button.setObjectName("primary")
            button.clicked.connect(self._presser(press))
            self.buttons[press] = button
            if first or press is Press.DELETE:
                self._actions.addWidget(button)
            else:
                if across is None:
                    across = QHBoxLayout()
                    across.setSpacing(6)
                    self._actions.addLayout(across)
                across.addWidget(button)
        if focused is not None and self.buttons:
            self.buttons.get(focused, next(iter(self.buttons.values()))).setFocus()

    def _presser(self, press: Press) -> Callable[[], None]:
        return lambda: self.press(press)

    def press(self, press: Press) -> None:
        """What a button does: says so to whoever steers, or opens the folder."""
        if self._line is None:
            return
        if press is Press.OPEN_FOLDER:
            if self._line.row.folder is not None:
                QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._line.row.folder)))
            return
        self.pressed.emit(press, self._line)

    def _show_progress(self, line: Line) -> None:
        amount = line.amount
        shown = amount is not None and (line.state in ON_ITS_WAY or line.check is not None)
        self._bar.setVisible(shown)
        self._progress.setVisible(shown)
        if amount is not None:
            self._bar.setValue(round(amount.fraction * 1000))
            words = f"{facts.state(line)} · {facts.progress(line)}"
            self._progress.setText(words)
        reason, remedy = facts.why(line)
        error = line.state in (RowState.FAILED, RowState.DAMAGED)
        _restyle(self._why, "kind", "error" if error else "notice")
        self._why.setVisible(bool(reason))
        self._why_text.setText(reason)
        self._why_remedy.setText(remedy)
        self._why_remedy.setVisible(bool(remedy))


def _fill(box: QFrame, *widgets: QWidget) -> None:
    layout = QVBoxLayout(box)
    layout.setContentsMargins(14, 12, 14, 12)
    layout.setSpacing(6)
    for widget in widgets:
        layout.addWidget(widget)


def _empty(layout: QVBoxLayout | QHBoxLayout) -> None:
    while (item := layout.takeAt(0)) is not None:
        widget, inner = item.widget(), item.layout()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
        elif isinstance(inner, QHBoxLayout):
            _empty(inner)
            inner.deleteLater()


def _restyle(widget: QWidget, name: str, value: str) -> None:
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)
