"""The window, the real workflows and a Hub on loopback: nothing between them is invented."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.core.errors import DataFault
from app.core.paths import DataRoot, resources_dir
from app.core.settings import SettingsFile
from app.desktop.first_run import FirstRun
from app.desktop.models.desk import ModelsDesk
from app.desktop.models.errands import Errands
from app.desktop.models.ports import Download, Downloads, Key
from app.desktop.models.row_state import Press, RowState
from app.desktop.models.shelf import LibraryShelf, models_services
from app.desktop.models.window import ModelsWindow
from app.desktop.theme import Theme
from app.hardware.readings import DeviceInventory, ProbeOutcome
from app.models.catalog import Catalog
from app.models.hub_endpoint import HubEndpoint
from app.models.library import Library
from app.workflows.download_setup import open_downloads
from app.workflows.model_services import ModelServices
from tests.support.download_machine import LIMITS, MIB
from tests.support.loopback_hub import LoopbackHub
from tests.support.machine import probed
from tests.support.model_files import (
    GGUF_FILE,
    GGUF_REPOSITORY,
    OPENVINO_REPOSITORY,
    gguf_files,
    openvino_files,
    tiny_catalog,
)

WEIGHTS = "openvino_model.bin"
TINY: Key = ("tiny", "openvino")
TINY_GGUF: Key = ("tiny", "gguf")
PATIENCE_MS = 20_000


class Program:
    """One start of the program: everything real but the list of models."""

    def __init__(self, app: QApplication, root: DataRoot, catalog: Catalog) -> None:
        self._root = root
        self.measured: dict[str, float] = {}
        probed(root)
        self.library = Library(root.models)
        self.theme = Theme(app, resources_dir())
        self.first_run = FirstRun(self.theme)
        self.models = ModelServices(
            root,
            SettingsFile(root.settings_file),
            self.library,
            lambda: DeviceInventory.cpu_only("A processor", ProbeOutcome.COMPLETE, ""),
            read_catalog=lambda: catalog,
            measured=lambda model: self.measured.get(model.full_name),
        )
        services = models_services(self.models, lambda _report, _stop: None, lambda: None)
        services = replace(services, open_downloads=self._open_downloads)
        self.desk = ModelsDesk(services, self.first_run, self.theme, app)
        self._closed = False

    def _open_downloads(self, on_change: Callable[[Download], None]) -> Downloads:
        """As the real one, with the limits of a test: no long wait, and small files in pieces."""
        endpoint = HubEndpoint.from_environment()
        return open_downloads(
            self._root, self.library, self.models.catalog, endpoint, on_change, limits=LIMITS,
            retry_s=0.05,
        )  # fmt: skip

    @property
    def window(self) -> ModelsWindow:
        assert self.desk.window is not None
        return self.desk.window

    def state(self, key: Key = TINY) -> RowState | None:
        line = self.desk.stock.line(key)
        return None if line is None else line.state

    def press(self, press: Press, key: Key = TINY) -> None:
        self.window.choose(key)
        self.window.details.buttons[press].click()

    def said(self) -> str:
        labels = self.window.details.findChildren(QLabel)
        return "\n".join(label.text() for label in labels if label.isVisible())

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self.desk.close()
            self.desk.deleteLater()
            self.first_run.deleteLater()
            self.theme.deleteLater()


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackHub]:
    with LoopbackHub() as hub:
        hub.add(OPENVINO_REPOSITORY, openvino_files(tmp_path / "files"))
        hub.add(GGUF_REPOSITORY, gguf_files())
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        yield hub


@pytest.fixture
def start(
    qapp: QApplication, qtbot: QtBot, data_root: DataRoot, hub: LoopbackHub
) -> Iterator[Callable[[], Program]]:
    """Starts the program on the same data root, as often as a test likes."""
    programs: list[Program] = []
    catalog = tiny_catalog(hub.repositories[OPENVINO_REPOSITORY].files)

    def started() -> Program:
        program = Program(qapp, data_root, catalog)
        programs.append(program)
        with qtbot.waitSignal(program.desk.stock.lines_listed):
            program.desk.show()
        return program

    yield started
    hub.released.set()
    for program in programs:
        program.close()


def errands(program: Program) -> Errands:
    assert program.desk.errands is not None
    return program.desk.errands


def _until(qtbot: QtBot, program: Program, state: RowState, key: Key = TINY) -> None:
    qtbot.waitUntil(lambda: program.state(key) is state, timeout=PATIENCE_MS)


def _installed(qtbot: QtBot, program: Program) -> Path:
    program.press(Press.GET)
    _until(qtbot, program, RowState.INSTALLED)
    return program.library.find(*TINY).folder


def test_a_model_is_paused_survives_a_restart_and_a_cut_and_is_installed(
    start: Callable[[], Program], hub: LoopbackHub, qtbot: QtBot
) -> None:
    hub.fault(path=WEIGHTS, stall_at=MIB, times=1)
    first = start()
    first.press(Press.GET)
    qtbot.waitUntil(hub.stalled.is_set, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: "1.1 MB of 2.5 MB" in first.said(), timeout=PATIENCE_MS)
    first.press(Press.PAUSE)
    _until(qtbot, first, RowState.PAUSED)
    first.close()
    hub.fault(path=WEIGHTS, cut_at=2 * MIB, times=1)
    second = start()
    _until(qtbot, second, RowState.PAUSED)
    second.press(Press.RESUME)
    _until(qtbot, second, RowState.INSTALLED)
    second.library.verify(second.library.find(*TINY))
    ranges = [seen.range for seen in hub.bodies(WEIGHTS) if seen.server == "cdn"]
    assert ranges[-2:] == [f"bytes={MIB}-", f"bytes={2 * MIB}-"]
    assert Press.CHAT in second.window.details.buttons


def test_a_download_that_runs_at_the_end_goes_on_at_the_next_start(
    start: Callable[[], Program], hub: LoopbackHub, qtbot: QtBot
) -> None:
    hub.fault(path=WEIGHTS, stall_at=MIB, times=1)
    first = start()
    first.press(Press.GET)
    qtbot.waitUntil(hub.stalled.is_set, timeout=PATIENCE_MS)
    first.close()
    second = start()
    _until(qtbot, second, RowState.INSTALLED)


def test_a_wrong_byte_on_the_way_is_fetched_again(
    start: Callable[[], Program], hub: LoopbackHub, qtbot: QtBot
) -> None:
    hub.fault(path=WEIGHTS, corrupt_at=MIB, times=1)
    program = start()
    _installed(qtbot, program)
    program.library.verify(program.library.find(*TINY))
    assert [seen.server for seen in hub.bodies(WEIGHTS)].count("cdn") == 2


def test_cancel_leaves_nothing(
    start: Callable[[], Program], hub: LoopbackHub, qtbot: QtBot, data_root: DataRoot
) -> None:
    hub.fault(path=WEIGHTS, stall_at=MIB, times=1)
    program = start()
    program.press(Press.GET)
    qtbot.waitUntil(hub.stalled.is_set, timeout=PATIENCE_MS)
    _until(qtbot, program, RowState.RUNNING)
    program.press(Press.CANCEL)
    _until(qtbot, program, RowState.ABSENT)
    folders = data_root.models / ".downloads"
    qtbot.waitUntil(lambda: not list(folders.glob("*")), timeout=PATIENCE_MS)


def test_a_tampered_file_is_named_refused_and_mended(
    start: Callable[[], Program], qtbot: QtBot
) -> None:
    program = start()
    weights = _installed(qtbot, program) / WEIGHTS
    with weights.open("r+b") as file:
        file.seek(1000)
        file.write(b"tampered")
    program.press(Press.VERIFY)
    _until(qtbot, program, RowState.DAMAGED)
    qtbot.waitUntil(lambda: WEIGHTS in program.said())
    with pytest.raises(DataFault, match=WEIGHTS):
        program.library.check(program.library.find(*TINY))
    program.press(Press.GET)
    _until(qtbot, program, RowState.INSTALLED)
    program.library.verify(program.library.find(*TINY))


def test_a_deleted_model_comes_back_or_is_gone_at_the_end(
    start: Callable[[], Program], qtbot: QtBot, data_root: DataRoot
) -> None:
    program = start()
    folder = _installed(qtbot, program)
    program.press(Press.DELETE)
    _until(qtbot, program, RowState.ABSENT)
    assert not folder.exists()
    banner = program.window.banner
    assert banner is not None
    assert banner.button is not None
    banner.button.click()
    _until(qtbot, program, RowState.INSTALLED)
    program.library.verify(program.library.find(*TINY))
    program.press(Press.DELETE)
    _until(qtbot, program, RowState.ABSENT)
    program.close()
    assert not [path for path in data_root.models.rglob("*") if path.name == WEIGHTS]


def test_a_person_s_file_and_another_drive(
    start: Callable[[], Program], qtbot: QtBot, tmp_path: Path
) -> None:
    program = start()
    own = tmp_path / "stick" / "my-tiny.gguf"
    own.parent.mkdir()
    own.write_bytes(gguf_files()[GGUF_FILE])
    errands(program).import_from(str(own))
    mine: Key = ("my-tiny", "gguf")
    qtbot.waitUntil(lambda: program.state(mine) is RowState.INSTALLED, timeout=PATIENCE_MS)
    program.window.choose(mine)
    assert "imported, not curated" in program.said()
    _installed(qtbot, program)
    target = tmp_path / "drive" / "models"
    with qtbot.waitSignal(program.desk.models_changed, timeout=PATIENCE_MS):
        errands(program).move_to(str(target))
    assert program.library.store == target
    program.library.verify(program.library.find(*TINY))
    program.press(Press.GET, TINY_GGUF)  # the queue goes on, into the new place
    _until(qtbot, program, RowState.INSTALLED, TINY_GGUF)
    assert program.library.find("tiny", "llama").folder.is_relative_to(target)


def test_a_download_that_runs_while_the_models_move_goes_on_in_the_new_place(
    start: Callable[[], Program], hub: LoopbackHub, qtbot: QtBot, tmp_path: Path
) -> None:
    hub.fault(path=WEIGHTS, stall_at=MIB, times=1)
    program = start()
    program.press(Press.GET)
    qtbot.waitUntil(hub.stalled.is_set, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: "1.1 MB of 2.5 MB" in program.said(), timeout=PATIENCE_MS)
    target = tmp_path / "drive" / "models"
    with qtbot.waitSignal(program.desk.store_moved, timeout=PATIENCE_MS):
        program.desk.move_store(str(target))
        program.desk.show()  # which goes on with downloads, but not while the models move
    assert program.library.store == target
    _until(qtbot, program, RowState.INSTALLED)
    program.library.verify(program.library.find(*TINY))
    assert program.library.find(*TINY).folder.is_relative_to(target)
    ranges = [seen.range for seen in hub.bodies(WEIGHTS) if seen.server == "cdn"]
    assert ranges[-1] == f"bytes={MIB}-", "what had come was not fetched again"


def test_a_measured_speed_is_shown_for_what_is_installed(
    start: Callable[[], Program], qtbot: QtBot
) -> None:
    program = start()
    _installed(qtbot, program)
    program.measured["tiny/openvino"] = 12.5
    shelf = LibraryShelf(program.models, lambda: None)
    speeds = {row.key: row.tokens_per_s for row in shelf.rows()}
    assert speeds == {TINY: 12.5, TINY_GGUF: None}
