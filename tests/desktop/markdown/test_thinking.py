"""The thinking of a model is folded, and grows while one looks at it."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.desktop.markdown.rendering import RenderingThread
from app.desktop.markdown.thinking import ThinkingBlock


@pytest.fixture
def block(qtbot: QtBot, rendering: RenderingThread) -> ThinkingBlock:
    found = ThinkingBlock(rendering)
    qtbot.addWidget(found)
    found.resize(500, 200)
    found.show()
    return found


def button(block: ThinkingBlock) -> QToolButton:
    (found,) = [one for one in block.children() if isinstance(one, QToolButton)]
    return found


def test_it_says_how_long(block: ThinkingBlock) -> None:
    block.set_seconds(1.5)
    assert button(block).text() == "Thinking, 1.5 s"
    block.finish(3.2)
    assert button(block).text() == "Thought for 3.2 s"
    block.finish(75.4)
    assert button(block).text() == "Thought for 1 min 15 s"


def test_folded_text_is_kept_and_not_rendered(block: ThinkingBlock) -> None:
    block.append("some *thought*")
    assert block.body.markdown() == ""
    assert block.text() == "some *thought*"
    block.set_open(True)
    assert block.body.markdown() == "some *thought*"


def test_it_grows_while_open_and_catches_up_when_opened_again(block: ThinkingBlock) -> None:
    block.set_open(True)
    block.append("a")
    assert block.body.markdown() == "a"
    block.set_open(False)
    block.append("b")
    block.append("c")
    block.finish(1)
    block.set_open(True)
    assert block.body.markdown() == "abc"


def test_the_keyboard_folds_and_unfolds(block: ThinkingBlock, qtbot: QtBot) -> None:
    with qtbot.waitSignal(block.toggled) as caught:
        QTest.keyClick(button(block), Qt.Key.Key_Space)
    assert caught.args == [True]
    assert block.is_open
    assert block.body.isVisible()
    assert button(block).accessibleName().endswith("unfolded")
