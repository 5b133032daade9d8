"""The whole program as it is composed: a model comes over the Hub by the window, and answers."""

from collections.abc import Iterator

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.composition import build_services, desktop_services
from app.core.paths import DataRoot
from app.desktop.application import Desktop
from app.desktop.lifecycle import TurnState
from app.desktop.models.row_state import Press, RowState
from app.models.catalog import Catalog, FilePin, Trust, load_catalog
from app.models.library import InstalledModel
from app.workflows.model_services import ModelServices
from tests.support.loopback_hub import LoopbackHub
from tests.support.machine import probed
from tests.support.model_files import GGUF_REPOSITORY, tiny_catalog

pytestmark = pytest.mark.real_model
KEY = ("tiny", "gguf")
PATIENCE_MS = 60_000


def _catalog(file: str) -> Catalog:
    """The real list, and a row whose bytes are those of the starter's GGUF."""
    model = tiny_catalog({}, trust=Trust.FIRST_USE).models[0]
    gguf = next(variant for variant in model.variants if variant.name == "gguf")
    pin = FilePin(path=file, size_bytes=None, sha256=None)
    change = msgspec.structs.replace
    row = change(model, variants=(change(gguf, files=(pin,)),))
    catalog = load_catalog()
    return change(catalog, models=(*catalog.models, row))


@pytest.fixture
def desktop(
    qapp: QApplication,
    qtbot: QtBot,
    data_root: DataRoot,
    starter_gguf: InstalledModel,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Desktop]:
    """A first start, with the Hub on loopback."""
    file = starter_gguf.path
    with LoopbackHub() as hub:
        hub.add(GGUF_REPOSITORY, {file.name: file.read_bytes()})
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        probed(data_root)
        services = build_services()
        services.models = ModelServices(
            data_root,
            services.settings_file,
            services.library,
            services.list_devices,
            read_catalog=lambda: _catalog(file.name),
        )
        desktop = Desktop(qapp, desktop_services(services))
        with qtbot.waitSignals(
            [desktop.inventory.models_listed, desktop.inventory.devices_listed],
            timeout=PATIENCE_MS,
        ):
            desktop.start()
        yield desktop
        desktop.close()
        services.close()


def test_what_the_window_installs_answers(desktop: Desktop, qtbot: QtBot) -> None:
    assert desktop.runner.state is TurnState.NO_MODEL
    qtbot.waitUntil(lambda: len(desktop.window.first_run.others) == 2, timeout=PATIENCE_MS)
    desktop.window.models_button.click()
    desk = desktop.models.desk
    assert desk is not None
    window = desk.window
    assert window is not None
    qtbot.waitUntil(lambda: window.filter.rowCount() > 40)
    window.choose(KEY)
    window.details.buttons[Press.GET].click()

    def is_installed() -> bool:
        line = desk.stock.line(KEY)
        return line is not None and line.state is RowState.INSTALLED

    qtbot.waitUntil(is_installed, timeout=PATIENCE_MS)
    window.details.buttons[Press.CHAT].click()
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.IDLE)
    assert desktop.window.models.current is not None
    assert desktop.window.models.current.name == "tiny"
    field = desktop.window.composer.field
    QTest.keyClicks(field, "Say one word.")
    QTest.keyClick(field, Qt.Key.Key_Return)

    def is_answered() -> bool:
        last = desktop.chats.current.last
        return last is not None and last.stamp is not None and bool(last.text)

    qtbot.waitUntil(is_answered, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.IDLE, timeout=PATIENCE_MS)
    last = desktop.chats.current.last
    assert last is not None
    assert last.stamp is not None
    assert (last.stamp.model, last.stamp.error) == ("tiny", None)
    assert last.stamp.usage.completion_tokens > 0
    window.choose(KEY)
    window.details.buttons[Press.DELETE].click()  # also while the engine holds it
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.NO_MODEL, timeout=PATIENCE_MS)
