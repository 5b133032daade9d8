"""Runs without a screen, unless one was asked for; leaves no thread behind."""

import os
import threading
from collections.abc import Callable, Iterator

import pytest
from pytestqt.qtbot import QtBot

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from app.desktop.markdown.rendering import RenderingThread
from app.desktop.markdown.selection import SharedSelection
from app.desktop.markdown.view import MarkdownView

MakeView = Callable[..., MarkdownView]


@pytest.fixture
def rendering(qtbot: QtBot) -> Iterator[RenderingThread]:
    thread = RenderingThread()
    yield thread
    thread.close()
    assert "rendering" not in [one.name for one in threading.enumerate()]


@pytest.fixture
def make_view(qtbot: QtBot, rendering: RenderingThread) -> MakeView:
    """Returns a maker of shown views, 600 pixels wide, with their text on the page."""

    def make(
        text: str = "", selection: SharedSelection | None = None, width: int = 600
    ) -> MarkdownView:
        view = MarkdownView(rendering, selection)
        qtbot.addWidget(view)
        view.resize(width, 10)
        view.show()
        view.set_markdown(text)
        qtbot.waitUntil(lambda: view.is_rendered and rendering.is_idle, timeout=30_000)
        return view

    return make
