"""The Models window on invented services, alone and inside the whole desktop."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.paths import resources_dir
from app.desktop.first_run import FirstRun
from app.desktop.models.desk import ModelsDesk
from app.desktop.models.window import ModelsWindow
from app.desktop.theme import Theme
from tests.desktop.models.shelf_double import ModelRoom


@pytest.fixture
def models() -> Iterator[ModelRoom]:
    room = ModelRoom()
    yield room
    room.shelf.verify_gate.set()
    room.starter_gate.set()


class Bench:
    """A desk with its first-run screen, and the window once it was opened."""

    def __init__(self, app: QApplication, models: ModelRoom) -> None:
        self.theme = Theme(app, resources_dir())
        self.first_run = FirstRun(self.theme)
        self.desk = ModelsDesk(models.services, self.first_run, self.theme, app)
        self.stock = self.desk.stock

    @property
    def window(self) -> ModelsWindow:
        assert self.desk.window is not None
        return self.desk.window

    def close(self) -> None:
        self.desk.close()
        self.desk.deleteLater()
        self.first_run.close()
        self.first_run.deleteLater()
        self.theme.deleteLater()


@pytest.fixture
def bench(qapp: QApplication, models: ModelRoom) -> Iterator[Bench]:
    made = Bench(qapp, models)
    yield made
    made.close()


@pytest.fixture
def opened_window(bench: Bench, qtbot: QtBot) -> Callable[[], ModelsWindow]:
    """Opens the window and waits until its rows and its disk are there."""

    def open_window() -> ModelsWindow:
        with qtbot.waitSignals([bench.stock.lines_listed, bench.stock.store_measured]):
            bench.desk.show()
        return bench.window

    return open_window
