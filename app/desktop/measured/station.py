"""Where the window of measurements meets the rest of the desktop."""

from PySide6.QtCore import QObject, Slot

from app.desktop import wording
from app.desktop.banner import BannerKind
from app.desktop.inventory import Inventory
from app.desktop.lifecycle import BUSY
from app.desktop.main_window import MainWindow
from app.desktop.measured import words
from app.desktop.measured.desk import MeasuredDesk
from app.desktop.measured.ports import MeasureServices
from app.desktop.theme import Theme
from app.desktop.turn import TurnRunner
from app.desktop.turn_records import Activity, Change
from app.workflows.automatic import AutomaticChoice
from app.workflows.certified import Candidate, FailedDevice

_SUBJECT = "quick check"


class MeasuredStation(QObject):
    """Without services there is no such window, and no button for it."""

    def __init__(
        self,
        services: MeasureServices | None,
        window: MainWindow,
        inventory: Inventory,
        runner: TurnRunner,
        theme: Theme,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._runner = runner
        self._offered: set[tuple[str, str]] = set()
        self._told: set[tuple[str, str]] = set()
        self.desk: MeasuredDesk | None = None
        window.measured_button.setVisible(services is not None)
        if services is None:
            return
        desk = self.desk = MeasuredDesk(services, theme, self)
        window.measured_asked.connect(desk.show)
        desk.changed.connect(inventory.refresh_models)
        inventory.devices_listed.connect(desk.refresh_if_shown)
        inventory.devices_listed.connect(self._on_choice_changed)
        window.models.currentIndexChanged.connect(self._on_choice_changed)
        desk.changed.connect(self._on_choice_changed)
        desk.measuring.began.connect(self._on_measuring_changed)
        desk.measuring.ended.connect(self._on_measuring_changed)
        desk.measuring.failed.connect(self._on_measuring_changed)
        runner.activity_changed.connect(self._on_activity)
        runner.answer_finished.connect(self._on_answered)

    def close(self) -> None:
        """A run is left where it is."""
        if self.desk is not None:
            self.desk.close()

    @Slot()
    def _on_choice_changed(self) -> None:
        """A device where the chosen model failed its checks is not offered for it."""
        model = self._window.models.current
        if self.desk is not None and model is not None:
            self.desk.tell_failed(model.name, model.backend, self._on_failed_devices)

    def _on_failed_devices(self, failed: tuple[FailedDevice, ...]) -> None:
        model = self._window.models.current
        self._window.devices.refuse(
            {one.device: "\n".join(map(words.failed_check, one.reasons)) for one in failed},
            cpu_only=model is not None and model.backend == "llama",
        )

    @Slot(object)
    def _on_measuring_changed(self, _news: object) -> None:
        """Nothing is counted, read ahead or warmed beside a measurement."""
        if self.desk is not None:
            self._runner.engine_is_measured = self.desk.measuring.running is not None

    @Slot(object)
    def _on_activity(self, activity: Activity) -> None:
        if self.desk is not None:
            self.desk.set_chatting(chatting=activity.state in BUSY)

    @Slot(object)
    def _on_answered(self, change: Change) -> None:
        """After the first answer of a model: it is loaded, and the machine is free."""
        stamp = change.message.stamp
        if self.desk is None or stamp is None or stamp.error is not None:
            return
        key = (stamp.model, stamp.backend)
        if self._runner.device is None:
            self.desk.tell_why(*key, lambda choices: self._on_choices(stamp.model, choices))
        if key not in self._offered:
            self._offered.add(key)
            self.desk.offer_for(*key, self._on_offer)

    def _on_choices(self, model: str, choices: tuple[AutomaticChoice, ...]) -> None:
        """Once for each choice: a switch is another one, and is told."""
        news = [one for one in choices if (model, one.taken) not in self._told]
        self._told.update((model, one.taken) for one in news)
        for one in news:
            self._window.notices.tell(
                f"choice of {one.taken}",
                self.tr("{model} runs with {taken}").format(
                    model=wording.model_title(model), taken=one.taken
                ),
                words.rates(one),
                kind=BannerKind.DONE,
            )

    def _on_offer(self, candidate: Candidate) -> None:
        self._window.notices.tell(
            _SUBJECT,
            self.tr("{model} was never checked on {device}").format(
                model=words.model(candidate.model), device=candidate.device_name
            ),
            self.tr(
                "Until its answers are checked there, automatic means the processor. The quick"
                " check takes about a minute."
            ),
            button=self.tr("Check it now"),
            on_press=lambda: self._check(candidate),
        )

    def _check(self, candidate: Candidate) -> None:
        if self.desk is not None:
            self.desk.show()
            self.desk.measure(candidate, True)
