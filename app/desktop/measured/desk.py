"""Connects the window of measurements with the work, and with the chat, which goes first."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog

from app.certify.certificate import Certificate, Level
from app.core.errors import ErrorRecord
from app.desktop.announce import announce
from app.desktop.background import Worker
from app.desktop.banner import Banner, BannerKind, error_banner
from app.desktop.measured import words
from app.desktop.measured.measuring import Measuring
from app.desktop.measured.ports import MeasureServices
from app.desktop.theme import Theme
from app.workflows.automatic import AutomaticChoice
from app.workflows.certified import Candidate, FailedDevice, Measured

if TYPE_CHECKING:
    from app.certify.certifier import Step
    from app.desktop.measured.window import MeasuredWindow


class MeasuredDesk(QObject):
    """Owns the run and, once it was asked for, the window."""

    changed = Signal()  # a certificate was written
    started = Signal(object)  # Candidate: the window should be in front

    def __init__(self, services: MeasureServices, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self._theme = theme
        self._worker: Worker | None = None
        self._chatting = False
        self._yielded = False
        self._again: tuple[Candidate, bool] | None = None
        self._rows: tuple[Measured, ...] = ()
        self.dialog: QFileDialog | None = None
        self.window: MeasuredWindow | None = None
        self.measuring = Measuring(services, self)
        self.measuring.began.connect(self._on_began)
        self.measuring.stepped.connect(self._on_stepped)
        self.measuring.ended.connect(self._on_ended)
        self.measuring.failed.connect(self._on_failed)

    # --- Life ----------------------------------------------------------------------------------

    @Slot()
    def show(self) -> None:
        """Opens the window, or brings it to the front, and reads everything anew."""
        if self.window is None:
            self.window = self._make_window()
        self.window.bring_to_front()
        self.refresh()

    def refresh(self) -> None:
        """Reads certificates and devices again."""
        services = self._services
        self._ask(services.survey, self._on_rows)
        self._ask(services.candidates, self._on_candidates)

    @Slot()
    def refresh_if_shown(self) -> None:
        """A driver or a device may be another one: what holds is told anew."""
        if self.window is not None and self.window.isVisible():
            self.refresh()

    def close(self) -> None:
        """A run is left where it is: what it has finished is kept."""
        self.measuring.close()
        if self._worker is not None:
            self._worker.close(0.2)
        if self.window is not None:
            self.window.close()
            self.window.deleteLater()
            self.window = None

    def _make_window(self) -> "MeasuredWindow":
        # Pyqtgraph and numpy take half a second: only whoever opens the window waits for them.
        from app.desktop.measured.window import MeasuredWindow

        window = MeasuredWindow(self._theme)
        window.steering.measure_asked.connect(self.measure)
        window.steering.stop_asked.connect(self._on_stop)
        window.steering.candidate_chosen.connect(self._on_candidate)
        window.steering.export_asked.connect(self._on_export)
        return window

    def _ask(self, work: Callable[[], object], done: Callable[..., None]) -> None:
        if self._worker is None:
            self._worker = Worker("certificates", self)
        self._worker.run(work, done, self._on_failed_reading)

    # --- The chat goes first -------------------------------------------------------------------

    def set_chatting(self, *, chatting: bool) -> None:
        """Hears whether an answer is being written: a run stops for it, and goes on afterwards."""
        self._chatting = chatting
        if chatting and self.measuring.running is not None and not self.measuring.stopping:
            self._yielded = True
            self.measuring.stop()
            if self.window is not None:
                self.window.steering.show_stopping()

    def offer_for(self, model: str, backend: str, told: Callable[[Candidate], None]) -> None:
        """Tells ``told`` of a GPU that the model was never checked on, if there is one."""
        offer = self._services.offer

        def done(found: Candidate | None) -> None:
            if found is not None:
                told(found)

        self._ask(lambda: offer(model, backend), done)

    def tell_why(
        self, model: str, backend: str, told: Callable[[tuple[AutomaticChoice, ...]], None]
    ) -> None:
        """Tells ``told`` what numbers chose for a model."""
        why = self._services.why
        self._ask(lambda: why(model, backend), told)

    def tell_failed(
        self, model: str, backend: str, told: Callable[[tuple[FailedDevice, ...]], None]
    ) -> None:
        """Tells ``told`` on which devices a model failed what it has to pass."""
        failed = self._services.failed
        self._ask(lambda: failed(model, backend), told)

    # --- Presses -------------------------------------------------------------------------------

    @Slot(object, bool)
    def measure(self, candidate: Candidate, quick: bool) -> None:
        """Begins, unless an answer is being written."""
        if self._chatting:
            self._tell(
                BannerKind.NOTICE,
                self.tr("An answer is being written"),
                self.tr("Measure when it is done: both at once would measure neither."),
            )
            return
        self._again = (candidate, quick)
        self._yielded = False
        self.measuring.start(candidate, quick=quick)

    @Slot()
    def _on_stop(self) -> None:
        self.measuring.stop()
        if self.window is not None:
            self.window.steering.show_stopping()

    @Slot(object)
    def _on_candidate(self, candidate: Candidate) -> None:
        expected = self._services.expected_s

        def ask() -> tuple[float | None, float | None]:
            return expected(candidate, quick=True), expected(candidate, quick=False)

        def done(seconds: tuple[float | None, float | None]) -> None:
            if self.window is not None and self.window.steering.candidate == candidate:
                self.window.steering.set_expected(*seconds)

        self._ask(ask, done)

    @Slot(str)
    def _on_export(self, suffix: str) -> None:
        if self.window is None:
            return
        if self.dialog is not None:
            self.dialog.deleteLater()
        dialog = self.dialog = QFileDialog(self.window, self.tr("Export what was measured"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix)
        dialog.selectFile(f"contenox-measured.{suffix}")
        dialog.fileSelected.connect(self._on_target)
        dialog.open()

    @Slot(str)
    def _on_target(self, name: str) -> None:
        self.export(Path(name))

    def export(self, target: Path) -> None:
        """Writes what is shown as what the name of ``target`` ends in."""
        from app.desktop.measured.exporting import paint, write_certificates, write_picture

        if self.window is None:
            return
        if target.suffix.lower() == ".png":
            image = paint(self.window.picture)
            self._ask(lambda: write_picture(image, target), lambda _: self._on_exported(target))
        else:
            shown = [one.certificate for one in self._rows]
            self._ask(
                lambda: write_certificates(shown, target), lambda _: self._on_exported(target)
            )

    # --- Events --------------------------------------------------------------------------------

    def _on_rows(self, rows: tuple[Measured, ...]) -> None:
        self._rows = rows
        if self.window is not None:
            self.window.set_rows(rows)

    def _on_candidates(self, candidates: tuple[Candidate, ...]) -> None:
        if self.window is not None:
            self.window.steering.set_candidates(candidates)

    def _on_exported(self, target: Path) -> None:
        self._tell(BannerKind.DONE, self.tr("It was exported."), str(target))

    @Slot(object)
    def _on_began(self, candidate: Candidate) -> None:
        self.show()
        if self.window is not None:
            self.window.show_banner(None)
            self.window.steering.show_running(candidate)

    @Slot(object)
    def _on_stepped(self, step: "Step") -> None:
        running = self.measuring.running
        if self.window is not None and running is not None and not self.measuring.stopping:
            self.window.steering.show_step(running, step)

    @Slot(object)
    def _on_ended(self, certificate: Certificate | None) -> None:
        if self.window is not None:
            self.window.steering.show_choice()
        if certificate is None:
            self._on_stopped()
            return
        self.changed.emit()
        self.refresh()
        one = Measured(certificate=certificate)
        bad = certificate.level is Level.FAILED
        why = words.against(certificate)
        self._tell(
            BannerKind.ERROR if bad else BannerKind.DONE,
            self.tr("{model} on {device}: {level}").format(
                model=words.model(one.title), device=certificate.key.device, level=words.level(one)
            ),
            "\n".join(why) or self.tr("Every check was passed and every figure was measured."),
        )

    def _on_stopped(self) -> None:
        sentence = self.tr("What is finished is kept for twelve hours.")
        if self._yielded:
            sentence = self.tr("Your chat goes first. What is finished is kept.")
        banner = self._tell(
            BannerKind.NOTICE,
            self.tr("The measurement was stopped"),
            sentence,
            button=self.tr("Go on"),
        )
        if banner is not None:
            banner.pressed.connect(self._on_go_on)

    @Slot()
    def _on_go_on(self) -> None:
        if self._again is not None:
            self.measure(*self._again)

    @Slot(object)
    def _on_failed(self, error: ErrorRecord) -> None:
        if self.window is not None:
            self.window.steering.show_choice()
        self._on_failed_reading(error)

    def _on_failed_reading(self, error: ErrorRecord) -> None:
        self._show(error_banner(self._theme, error))

    def _tell(
        self, kind: BannerKind, headline: str, sentence: str, *, button: str = ""
    ) -> Banner | None:
        return self._show(Banner(self._theme, kind, headline, sentence, button=button))

    def _show(self, banner: Banner) -> Banner | None:
        if self.window is None:
            return None
        self.window.show_banner(banner)
        announce(self.window, banner.accessibleName())
        return banner
