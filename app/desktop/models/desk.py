"""Connects the Models window and the first-run cards with the stock: what each press does."""

from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.errors import ErrorRecord
from app.desktop.amounts import format_bytes
from app.desktop.announce import announce
from app.desktop.banner import Banner, BannerKind, error_banner
from app.desktop.first_run import FirstRun
from app.desktop.models import facts
from app.desktop.models.errands import Errands
from app.desktop.models.picks import choose_cards
from app.desktop.models.ports import Key, ModelDetails, ModelsServices, StoreFacts
from app.desktop.models.row_state import ON_ITS_WAY, Line, Press
from app.desktop.models.stock import ModelStock
from app.desktop.models.window import ModelsWindow
from app.desktop.services import FetchProgress
from app.desktop.theme import Theme

_RESUME_AFTER_MS: Final = 1500
"""The window is there and the models are listed before the network is thought of."""


class ModelsDesk(QObject):
    """Owns the stock and, once it was asked for, the window."""

    models_changed = Signal()  # something was installed, deleted or moved
    store_moved = Signal()
    chat_asked = Signal(object)  # Key: the person wants to chat with this model now
    starter_asked = Signal()  # the person wants the starter, and there is no model at all
    starter_stop_asked = Signal()

    def __init__(
        self, services: ModelsServices, first_run: FirstRun, theme: Theme, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._theme = theme
        self._first_run = first_run
        self._without_model = False
        self._starter_elsewhere = False
        self._wanted: Key | None = None
        self._removed: Line | None = None
        self.errands: Errands | None = None
        self.window: ModelsWindow | None = None
        self.stock = ModelStock(services, self)
        stock = self.stock
        stock.lines_listed.connect(self._on_listed)
        stock.lines_changed.connect(self._on_changed)
        stock.store_measured.connect(self._on_store)
        stock.installed.connect(self._on_installed)
        stock.removed.connect(self._on_removed)
        stock.verified.connect(self._on_verified)
        stock.failed.connect(self._on_failed)
        first_run.get_asked.connect(self._on_get_and_chat)
        first_run.steered.connect(self._on_steered)
        first_run.all_asked.connect(self.show)

    # --- Life ----------------------------------------------------------------------------------

    def start(self) -> None:
        """Goes on with downloads that an earlier start left, once the window has settled."""
        QTimer.singleShot(_RESUME_AFTER_MS, self, self.stock.queue.resume_left)

    def close(self) -> None:
        """Stops everything; what was being downloaded goes on at the next start."""
        if self.window is not None:
            self.window.close()
            self.window.deleteLater()
            self.window = None
        self.stock.close()

    @Slot()
    def show(self) -> None:
        """Opens the window, or brings it to the front."""
        if self.window is None:
            self.window = self._make_window()
            if self.stock.lines:
                self.window.set_lines(self.stock.lines)
        self.window.bring_to_front()
        self.stock.refresh()
        self.stock.ask(self._services.shelf.measure_machine, self._on_machine_measured)
        self.stock.queue.resume_left()

    @Slot(str)
    def move_store(self, folder: str) -> None:
        """Moves all models to ``folder``; the window shows how far it is."""
        self.show()
        assert self.errands is not None, "the window has them"
        self.errands.move_to(folder)

    def _on_machine_measured(self, anew: object) -> None:
        """What can be expected of each model is known now."""
        if anew:
            self.stock.refresh()

    def _make_window(self) -> ModelsWindow:
        window = ModelsWindow(
            self._theme,
            can_import=self._services.import_model is not None,
            can_move=self._services.move_store is not None,
        )
        window.pressed.connect(self._on_pressed)
        window.line_chosen.connect(self._on_line_chosen)
        errands = self.errands = Errands(self._services, self.stock, window)
        errands.imported.connect(self._on_imported)
        errands.moved.connect(self._on_moved)
        errands.failed.connect(self._on_failed)
        if self.stock.store is not None:
            window.set_store(self.stock.store)
        return window

    # --- The machine without a model -----------------------------------------------------------

    def set_without_model(self, *, without: bool, starter_runs: bool) -> None:
        """Hears whether there is a model to chat with, and whether the starter is on its way."""
        if without and not self._without_model:
            self.stock.refresh()
        self._without_model = without
        if self._starter_elsewhere and not starter_runs:
            self.stock.hide_starter()
        self._starter_elsewhere = starter_runs

    def set_starter_progress(self, progress: FetchProgress) -> None:
        """The starter that the first screen gets is a row of the table too."""
        self.stock.show_starter(progress.done_bytes, progress.total_bytes)

    def _show_cards(self, lines: tuple[Line, ...]) -> None:
        """The chosen three; a download that is under way comes before a recommendation."""
        if not self._without_model:
            return
        by_key = {line.key: line for line in lines}
        chosen = [by_key[row.key] for row in choose_cards(line.row for line in lines)]
        keys = {line.key for line in chosen}
        coming = [line for line in lines if line.state in ON_ITS_WAY and line.key not in keys]
        starter, others = chosen[:1], chosen[1:]
        # Of two places the one that is left shows the light one.
        self._first_run.set_cards((*starter, *(*coming, *others)[:2]))

    @Slot(object)
    def _on_get_and_chat(self, key: Key) -> None:
        self._wanted = key
        self.stock.get(key)

    @Slot(object, object)
    def _on_steered(self, press: Press, key: Key) -> None:
        line = self.stock.line(key)
        if line is not None:
            self._on_pressed(press, line)

    # --- Presses -------------------------------------------------------------------------------

    @Slot(object, object)
    def _on_pressed(self, press: Press, line: Line) -> None:
        stock, key = self.stock, line.key
        match press:
            case Press.GET if self._is_starter_of_first_run(line):
                self.starter_asked.emit()
            case Press.GET:
                stock.get(key)
            case Press.PAUSE:
                stock.pause(key)
            case Press.RESUME:
                stock.resume(key, accept_change=facts.wants_consent(line))
            case Press.CANCEL if self._starter_elsewhere and line.row.source == "starter":
                self.starter_stop_asked.emit()
            case Press.CANCEL:
                stock.cancel(key)
            case Press.CHAT:
                self.chat_asked.emit(key)
            case Press.VERIFY:
                self._show(None)
                stock.verify(key)
            case Press.STOP_VERIFY:
                stock.files.stop()
            case Press.DELETE:
                stock.delete(key)

    def _is_starter_of_first_run(self, line: Line) -> bool:
        return self._without_model and line.row.source == "starter"

    @Slot(object)
    def _on_line_chosen(self, line: Line | None) -> None:
        if line is None:
            return
        key, shelf = line.key, self._services.shelf

        def done(details: object) -> None:
            assert isinstance(details, ModelDetails)
            if self.window is not None:
                self.window.details.set_details(key, details)

        self.stock.ask(lambda: shelf.details(key), done, self._on_failed)

    # --- Events --------------------------------------------------------------------------------

    @Slot(object)
    def _on_listed(self, lines: tuple[Line, ...]) -> None:
        self._show_cards(lines)
        if self.window is not None:
            self.window.set_lines(lines)

    @Slot(object)
    def _on_changed(self, lines: tuple[Line, ...]) -> None:
        shown = self._first_run.keys
        if any(line.state in ON_ITS_WAY and line.key not in shown for line in lines):
            self._show_cards(self.stock.lines)
        self._first_run.update_lines(lines)
        if self.window is not None:
            self.window.update_lines(lines)

    @Slot(object)
    def _on_store(self, store: StoreFacts) -> None:
        if self.window is not None:
            self.window.set_store(store)

    @Slot(object)
    def _on_installed(self, key: Key) -> None:
        self.models_changed.emit()
        line = self.stock.line(key)
        if self.window is not None and line is not None:
            sentence = self.tr("{model} is installed").format(model=line.row.title)
            announce(self.window, sentence)
            if self.window.details.key == key:
                self._on_line_chosen(line)
        if self._wanted == key:
            self._wanted = None
            self.chat_asked.emit(key)

    @Slot(object)
    def _on_removed(self, line: Line) -> None:
        self._removed = line
        self.models_changed.emit()
        headline = self.tr("{model} is deleted").format(model=line.row.title)
        sentence = self.tr("{size} are free when Contenox quits. Until then it can come back.")
        banner = self._notice(
            headline,
            sentence.format(size=format_bytes(line.row.size_bytes)),
            button=self.tr("Undo"),
        )
        banner.pressed.connect(self._on_undo)
        self._show(banner)

    @Slot()
    def _on_undo(self) -> None:
        self._show(None)
        if self._removed is not None:
            self.stock.undelete(self._removed.key)
            self._removed = None

    @Slot(object)
    def _on_verified(self, line: Line) -> None:
        self._show(
            self._notice(
                self.tr("{model} is whole").format(model=line.row.title),
                self.tr("Every byte of every file is what it was when the model came."),
            )
        )

    @Slot(object)
    def _on_failed(self, error: ErrorRecord) -> None:
        if self.window is None or not self.window.isVisible():
            if self._without_model:
                self._first_run.show_error(error)
            return
        self._show(error_banner(self._theme, error))

    @Slot()
    def _on_imported(self) -> None:
        self._show(
            self._notice(
                self.tr("The model is imported"),
                self.tr("Its files were checked, and their digests are recorded."),
            )
        )

    @Slot(str)
    def _on_moved(self, folder: str) -> None:
        self.models_changed.emit()
        self.store_moved.emit()
        self._show(self._notice(self.tr("The models were moved"), folder))

    def _notice(self, headline: str, sentence: str, button: str = "") -> Banner:
        return Banner(self._theme, BannerKind.NOTICE, headline, sentence, button=button)

    def _show(self, banner: Banner | None) -> None:
        if self.window is not None:
            self.window.show_banner(banner)
            if banner is not None:
                announce(self.window, banner.accessibleName())
