"""The window of measurements on invented services, inside the whole desktop."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PySide6.QtCore import Qt, QTranslator
from PySide6.QtGui import QColor, QImage, QStandardItemModel
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.certify.certificate import Certificate, Verdict
from app.certify.certifier import Step
from app.certify.verdict import DRIFTED
from app.core.errors import EnvironmentFault
from app.core.paths import resources_dir
from app.desktop.application import Desktop
from app.desktop.language import speak
from app.desktop.lifecycle import TurnState
from app.desktop.measured import words
from app.desktop.measured.desk import MeasuredDesk
from app.desktop.measured.ports import MeasureServices
from app.desktop.measured.table_model import Column
from app.desktop.measured.window import MeasuredWindow
from app.models.identity import Stopped
from app.workflows.automatic import AutomaticChoice
from app.workflows.certified import Candidate, FailedDevice, Measured
from tests.certify.samples import certificate, key
from tests.desktop.rooms import Room, take_turn

ON_CPU = Candidate(model="tiny/openvino", device="CPU", device_name="A CPU")
ON_GPU = Candidate(model="tiny/openvino", device="GPU", device_name="An Arc")


class Measures:
    """Invented measurements. A run waits at its gate after its first step."""

    def __init__(self) -> None:
        self.rows: tuple[Measured, ...] = ()
        self.runs: list[tuple[Candidate, bool]] = []
        self.gate = threading.Event()
        self.result: Certificate | Exception = certificate()
        self.offered: Candidate | None = None
        self.failed: tuple[FailedDevice, ...] = ()
        self.chosen: tuple[AutomaticChoice, ...] = ()
        self.services = MeasureServices(
            survey=lambda: self.rows,
            candidates=lambda: (ON_CPU, ON_GPU),
            expected_s=lambda candidate, quick: 40.0 if quick else 150.0,
            certify=self._certify,
            offer=lambda model, backend: self.offered,
            why=lambda model, backend: self.chosen,
            failed=lambda model, backend: self.failed if backend == "openvino" else (),
        )

    def _certify(
        self,
        candidate: Candidate,
        *,
        quick: bool,
        report: Callable[[Step], None],
        stop: Callable[[], bool],
    ) -> Certificate:
        self.runs.append((candidate, quick))
        report(Step(name="measure: 2048 tokens", number=3, total=10, expected_s=90.0))
        while not self.gate.wait(0.01):
            if stop():
                raise Stopped
        if isinstance(self.result, Exception):
            raise self.result
        self.rows = (Measured(certificate=self.result),)
        return self.result


@pytest.fixture
def measures() -> Iterator[Measures]:
    made = Measures()
    yield made
    made.gate.set()


@pytest.fixture
def desktop(qapp: QApplication, room: Room, measures: Measures, qtbot: QtBot) -> Iterator[Desktop]:
    made = Desktop(qapp, replace(room.services, measure=measures.services))
    with qtbot.waitSignals([made.inventory.models_listed, made.inventory.devices_listed]):
        made.start()
    yield made
    measures.gate.set()
    made.close()


def _open(desktop: Desktop, qtbot: QtBot) -> tuple[MeasuredDesk, MeasuredWindow]:
    desk = desktop.measured.desk
    assert desk is not None
    desktop.window.measured_button.click()
    window = desk.window
    assert window is not None
    qtbot.waitUntil(lambda: window.steering.candidate is not None)
    return desk, window


def _column(window: MeasuredWindow, column: Column) -> list[str]:
    model = window.view.model()
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]


def _curves(plot: Any) -> list[list[float]]:
    found = [item.getData()[1] for item in plot.getPlotItem().listDataItems()]
    return [[round(float(value), 3) for value in values] for values in found]


def test_nothing_measured_says_what_to_do_and_what_it_takes(desktop: Desktop, qtbot: QtBot) -> None:
    _, window = _open(desktop, qtbot)
    qtbot.waitUntil(
        lambda: (
            "3 min" not in window.steering.full.text() and "2 min" in window.steering.full.text()
        )
    )
    assert window.steering.quick.text() == "Quick check (about 40 s)"
    assert window.steering.choice.currentText() == "Tiny · openvino on CPU"
    assert not window.view.isVisible()
    assert not window.steering.export.isEnabled()


def test_the_pictures_show_the_figures_of_the_certificates(
    desktop: Desktop, measures: Measures, qtbot: QtBot
) -> None:
    measures.rows = (Measured(certificate=certificate(rate=20.0)),)
    _, window = _open(desktop, qtbot)
    qtbot.waitUntil(lambda: window.view.isVisible())
    charts = window.charts
    product, control = _curves(charts.decode.plot)
    assert product == control == [20.0, 5.0]
    assert _curves(charts.prefill.plot)[0] == [1000.0, 1000.0]
    assert _curves(charts.ratio.plot) == [[1.0, 1.0]]
    bars = [one for one in charts.memory.plot.getPlotItem().items if hasattr(one, "opts")]
    assert [round(height) for one in bars for height in one.opts["height"]] == [1074]
    axis = charts.decode.plot.getAxis("bottom")
    assert [text for _, text in axis._tickLevels[0]] == ["512", "128"]


def test_the_table_sorts_by_number_and_an_outdated_row_is_amber_with_its_reason(
    desktop: Desktop, measures: Measures, qtbot: QtBot
) -> None:
    measures.rows = (
        Measured(certificate=certificate(rate=100.0)),
        Measured(certificate=certificate(key("GPU"), rate=20.0), stale="driver"),
        Measured(certificate=certificate(rate=9.0, quality=Verdict.FAILED)),
    )
    _, window = _open(desktop, qtbot)
    qtbot.waitUntil(lambda: window.view.isVisible())
    window.view.sortByColumn(Column.DECODE, Qt.SortOrder.AscendingOrder)
    assert _column(window, Column.DECODE) == ["9.0", "20.0", "100.0"]
    assert _column(window, Column.LEVEL) == ["Failed", "Certified", "Certified"]
    assert _column(window, Column.HOLDS) == ["Holds", "Outdated: the driver changed", "Holds"]
    index = window.view.model().index(1, Column.HOLDS)
    careful = QColor(desktop.theme.colours.careful)
    assert index.data(Qt.ItemDataRole.ForegroundRole) == careful


def test_a_run_shows_its_step_and_its_time_and_then_its_result(
    desktop: Desktop, measures: Measures, qtbot: QtBot
) -> None:
    desk, window = _open(desktop, qtbot)
    window.steering.full.click()
    qtbot.waitUntil(lambda: "Measuring with 2,048 tokens" in window.steering.doing.text())
    assert desktop.runner.state is TurnState.IDLE
    assert not desktop.runner.engine_is_free
    assert (window.steering.bar.value(), window.steering.bar.maximum()) == (3, 10)
    assert "left" in window.steering.left.text()
    measures.gate.set()
    qtbot.waitUntil(lambda: window.view.isVisible())
    assert measures.runs == [(ON_CPU, False)]
    assert window.banner is not None
    assert "Tiny · openvino on CPU: Certified" in window.banner.accessibleName()
    assert desk.measuring.running is None
    assert desktop.runner.engine_is_free


def test_a_run_that_fails_says_why_and_can_be_tried_again(
    desktop: Desktop, measures: Measures, qtbot: QtBot
) -> None:
    measures.result = EnvironmentFault("control_died", "The control ended.", "Try again.")
    measures.gate.set()
    _, window = _open(desktop, qtbot)
    window.steering.quick.click()
    qtbot.waitUntil(lambda: window.banner is not None)
    assert window.banner is not None
    assert "The control ended." in window.banner.accessibleName()
    assert window.steering.full.isVisible()


def test_a_stopped_run_goes_on(desktop: Desktop, measures: Measures, qtbot: QtBot) -> None:
    _, window = _open(desktop, qtbot)
    window.steering.quick.click()
    qtbot.waitUntil(lambda: bool(measures.runs))
    window.steering.stop.click()
    qtbot.waitUntil(lambda: window.banner is not None)
    banner = window.banner
    assert banner is not None
    assert banner.button is not None
    banner.button.click()
    qtbot.waitUntil(lambda: len(measures.runs) == 2)
    assert measures.runs[0] == measures.runs[1] == (ON_CPU, True)


def test_a_chat_goes_first(desktop: Desktop, room: Room, measures: Measures, qtbot: QtBot) -> None:
    desk, window = _open(desktop, qtbot)
    window.steering.full.click()
    qtbot.waitUntil(lambda: bool(measures.runs))
    take_turn(desktop, room, qtbot, "Hello", "Hello.")
    qtbot.waitUntil(lambda: desk.measuring.running is None)
    assert window.banner is not None
    assert "Your chat goes first." in window.banner.accessibleName()


@pytest.mark.parametrize("suffix", ["png", "json", "md"])
def test_what_is_shown_is_exported(
    desktop: Desktop, measures: Measures, qtbot: QtBot, tmp_path: Path, suffix: str
) -> None:
    made = certificate()
    measures.rows = (Measured(certificate=made),)
    desk, window = _open(desktop, qtbot)
    qtbot.waitUntil(lambda: window.view.isVisible())
    target = tmp_path / f"measured.{suffix}"
    desk.export(target)
    qtbot.waitUntil(lambda: window.banner is not None)
    match suffix:
        case "png":
            image = QImage(str(target))
            assert image.width() == 2 * (window.picture.width() + 40)
        case "json":
            found = msgspec.json.decode(target.read_bytes(), type=list[Certificate])
            assert found == [made]
        case _:
            assert "## tiny/openvino on CPU (openvino)" in target.read_text("utf-8")


def test_an_export_that_can_not_be_written_says_so(
    desktop: Desktop, measures: Measures, qtbot: QtBot, tmp_path: Path
) -> None:
    measures.rows = (Measured(certificate=certificate()),)
    desk, window = _open(desktop, qtbot)
    qtbot.waitUntil(lambda: window.view.isVisible())
    desk.export(tmp_path / "nowhere" / "measured.png")
    qtbot.waitUntil(lambda: window.banner is not None)
    assert window.banner is not None
    assert "couldn't be written" in window.banner.accessibleName()


def test_after_the_first_answer_the_check_of_an_unknown_gpu_is_offered_once(
    desktop: Desktop, room: Room, measures: Measures, qtbot: QtBot
) -> None:
    measures.offered = ON_GPU
    take_turn(desktop, room, qtbot, "Hello", "Hello.")
    notices = desktop.window.notices
    qtbot.waitUntil(lambda: bool(notices.banners))
    (banner,) = notices.banners.values()
    assert "Tiny · openvino was never checked on An Arc" in banner.accessibleName()
    assert banner.button is not None
    banner.button.click()
    qtbot.waitUntil(lambda: measures.runs == [(ON_GPU, True)])
    measures.gate.set()
    desk = desktop.measured.desk
    assert desk is not None
    qtbot.waitUntil(lambda: desk.measuring.running is None)
    take_turn(desktop, room, qtbot, "Again", "Again.")
    qtbot.wait(50)
    assert not notices.banners


def test_a_device_where_the_model_failed_is_not_offered_for_it(
    desktop: Desktop, measures: Measures, qtbot: QtBot
) -> None:
    devices, models = desktop.window.devices, desktop.window.models

    def offered() -> list[bool]:
        items = devices.model()
        assert isinstance(items, QStandardItemModel)
        return [items.item(place).isEnabled() for place in range(devices.count())]

    assert offered() == [True, True, True]
    measures.failed = (FailedDevice(device="GPU", reasons=("no_loops: it goes in circles",)),)
    models.setCurrentIndex(1)
    models.setCurrentIndex(0)
    qtbot.waitUntil(lambda: offered() == [True, True, False])
    tip = devices.itemData(2, Qt.ItemDataRole.ToolTipRole)
    assert tip == (
        "The model failed its checks there.\nThe check “no circles” failed: it goes in circles"
    )
    models.setCurrentIndex(1)
    told = "Models of llama.cpp run on the CPU only here."
    qtbot.waitUntil(lambda: devices.itemData(2, Qt.ItemDataRole.ToolTipRole) == told)
    assert offered() == [True, True, False]
    measures.failed = ()
    models.setCurrentIndex(0)
    qtbot.waitUntil(lambda: offered() == [True, True, True])


def test_every_reason_of_a_verdict_is_told_in_the_persons_language_with_its_figures(
    qapp: QApplication,
) -> None:
    speak(qapp, resources_dir() / "translations", "de")
    drifted = DRIFTED.format(first="91.7", last="35.4")
    made = certificate(throughput=Verdict.PROVISIONAL)
    told = words.against(
        msgspec.structs.replace(
            made,
            throughput=msgspec.structs.replace(made.throughput, reasons=(drifted, "else")),
            quality=msgspec.structs.replace(made.quality, reasons=("no_loops: it circles",)),
        )
    )
    for translator in qapp.findChildren(QTranslator):
        QApplication.removeTranslator(translator)
        translator.deleteLater()
    assert told == (
        "Die Prüfung „dreht sich nicht im Kreis“ wurde nicht bestanden (Fragen und Antworten auf"
        " Englisch): it circles",
        "der Rechner hat sich inzwischen verändert: die Bibliothek schrieb am Anfang 91,7 Token/s"
        " und am Ende 35,4",
        "else",
    )


def test_what_numbers_chose_is_told_once_and_again_when_it_switches(
    desktop: Desktop, room: Room, measures: Measures, qtbot: QtBot
) -> None:
    notices = desktop.window.notices

    def said() -> list[str]:
        return [banner.accessibleName() for banner in notices.banners.values()]

    measures.chosen = (AutomaticChoice(taken="GPU", rates=(("GPU", 35.2), ("CPU", 20.0))),)
    take_turn(desktop, room, qtbot, "Hello", "Hello.")
    qtbot.waitUntil(lambda: len(said()) == 1)
    assert "SmolLM2 135M runs with GPU" in said()[0]
    assert "in tokens/s: GPU 35.2, CPU 20.0." in said()[0]
    notices.drop("choice of GPU")
    take_turn(desktop, room, qtbot, "Again", "Again.")
    measures.chosen = (AutomaticChoice(taken="CPU", rates=(("CPU", 20.0), ("GPU", 9.0))),)
    take_turn(desktop, room, qtbot, "And now", "Now.")
    qtbot.waitUntil(lambda: len(said()) == 1)
    assert "SmolLM2 135M runs with CPU" in said()[0]
