"""The first start: three cards, one press each."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.desktop.application import Desktop
from app.desktop.lifecycle import TurnState
from app.desktop.models.ports import Presence
from app.desktop.models.row_state import Press
from app.models.download_state import DownloadState
from tests.desktop.models.shelf_double import CODER, GB, LARGE, SMALL, STARTER, ModelRoom
from tests.desktop.rooms import Model, Room

D = DownloadState
Opened = Callable[[], Desktop]


@pytest.fixture
def first_start(opened: Opened, room: Room, models: ModelRoom, qtbot: QtBot) -> Desktop:
    """The window of a machine without a model, with its three cards."""
    room.models = ()
    room.services = replace(room.services, models=models.services)
    desktop = opened()
    qtbot.waitUntil(lambda: len(desktop.window.first_run.others) == 2)
    return desktop


def test_the_cards_say_what_fits_and_how_large_it_is(first_start: Desktop) -> None:
    first_run = first_start.window.first_run
    assert first_run.keys == {STARTER.key, SMALL.key, LARGE.key}
    light, best = (card.texts for card in first_run.others)
    assert "Light" in light
    assert "The best that fits here" in best
    assert "5.0 GB to download" in best
    assert (
        "5.0 GB weights + 1.0 GB context + 500 MB working space = 6.5 GB, 10 GB can be used" in best
    )
    assert "Speed: not measured yet" in best


def test_get_and_chat_ends_in_a_chat_with_that_model(
    first_start: Desktop, room: Room, models: ModelRoom, qtbot: QtBot
) -> None:
    first_run = first_start.window.first_run
    first_run.others[1].button.click()
    qtbot.waitUntil(lambda: LARGE.key in models.queue.views)
    models.queue.tell(LARGE.key, state=D.RUNNING, done_bytes=GB, total_bytes=5 * GB)
    card = next(card for card in first_run.others if card.line and card.line.key == LARGE.key)
    qtbot.waitUntil(lambda: card.stage_text == "Downloading 20% · 1.0 GB of 5.0 GB")
    assert not card.button.isVisible()
    card.pause.click()
    qtbot.waitUntil(card.resume.isVisible)
    card.resume.click()
    qtbot.waitUntil(card.pause.isVisible)
    other = Model(name="another")
    chosen = Model(name=LARGE.model)
    room.models = (other, chosen)
    models.shelf.put(LARGE.key, presence=Presence.INSTALLED)
    models.queue.tell(LARGE.key, state=D.INSTALLED)
    qtbot.waitUntil(lambda: first_start.runner.state is TurnState.IDLE)
    qtbot.waitUntil(lambda: first_start.window.models.current == chosen)
    assert not first_run.isVisible()


def test_a_download_of_an_earlier_start_has_a_card(
    opened: Opened, room: Room, models: ModelRoom, qtbot: QtBot
) -> None:
    room.models = ()
    models.left = True
    models.queue.get(*CODER.key)
    room.services = replace(room.services, models=models.services)
    first_run = opened().window.first_run
    qtbot.waitUntil(lambda: CODER.key in first_run.keys, timeout=5000)
    assert "On its way" in first_run.others[0].texts


def test_a_folder_chosen_in_the_settings_is_moved_to(
    opened: Opened, room: Room, models: ModelRoom, qtbot: QtBot
) -> None:
    room.services = replace(room.services, models=models.services)
    desktop = opened()
    desktop.window.settings_asked.emit()
    settings = desktop.citizen.settings
    assert settings is not None
    models.queue.closed = 1  # nothing was downloaded: it never opened
    desk = desktop.models.desk
    assert desk is not None
    with qtbot.waitSignal(desk.store_moved):
        room.settings.change(model_store="elsewhere")  # as the move does at its end
        settings.store_move_asked.emit("elsewhere")
    assert models.moved == [Path("elsewhere")]
    qtbot.waitUntil(lambda: desktop.preferences.current.model_store == "elsewhere")
    desktop.quit()
    desktop.close()
    assert room.settings.load().model_store == "elsewhere"


def test_the_starter_works_while_another_model_comes(
    first_start: Desktop, room: Room, models: ModelRoom, qtbot: QtBot
) -> None:
    first_run = first_start.window.first_run
    first_run.others[0].button.click()
    qtbot.waitUntil(lambda: SMALL.key in models.queue.views)
    first_run.button.click()
    qtbot.waitUntil(lambda: first_start.runner.state is TurnState.IDLE)
    assert first_start.window.models.current is not None


def test_all_models_are_one_press_away(first_start: Desktop, qtbot: QtBot) -> None:
    first_start.window.first_run.all_button.click()
    assert first_start.models.desk is not None
    window = first_start.models.desk.window
    assert window is not None
    assert window.isVisible()


def test_the_starter_pressed_in_the_window_is_the_one_of_the_first_screen(
    first_start: Desktop, room: Room, qtbot: QtBot
) -> None:
    room.starter_gate.clear()
    first_start.window.models_button.click()
    assert first_start.models.desk is not None
    window = first_start.models.desk.window
    assert window is not None
    qtbot.waitUntil(lambda: window.filter.rowCount() > 0)
    window.choose(STARTER.key)
    window.details.buttons[Press.GET].click()
    assert first_start.runner.state is TurnState.FETCHING
    qtbot.waitUntil(lambda: Press.CANCEL in window.details.buttons)
    window.details.buttons[Press.CANCEL].click()
    qtbot.waitUntil(lambda: first_start.runner.state is TurnState.NO_MODEL)


def test_a_window_without_services_has_no_button(desktop: Desktop) -> None:
    assert not desktop.window.models_button.isVisible()


def test_the_tray_pauses_what_goes_on(
    first_start: Desktop, models: ModelRoom, qtbot: QtBot
) -> None:
    pause = next(a for a in first_start.tray.menu.actions() if a.text() == "Pause downloads")
    assert not pause.isVisible()
    first_start.window.first_run.others[0].button.click()
    qtbot.waitUntil(pause.isVisible)
    pause.trigger()
    qtbot.waitUntil(lambda: models.queue.views[SMALL.key].state is D.PAUSED)
    qtbot.waitUntil(lambda: not pause.isVisible())
