r"""Takes the pictures of ``docs/screenshots``: the real window, mostly with an invented engine.

Needs a display with a window manager and, for the tray's menu, a tray:

    xvfb-run -s "-screen 0 1600x1200x24" sh -c \
        "openbox & tint2 & python -m tests.desktop.screenshots --scene chat"

The answers are written for the pictures; no model made them. The figures under them are invented
too, which is why a picture of the window proves the window and nothing else. Those of a full chat
(``context``, ``full-chat``, ``left-out``) are the program's own, with the starter model.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QDeadlineTimer, QEventLoop, QPoint, QTimer
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from app.chats.records import OverflowChoice, SamplingFields
from app.core.paths import resources_dir
from app.desktop.application import Desktop
from app.desktop.choice_banner import ChoiceBanner
from app.desktop.language import speak
from app.desktop.lifecycle import TurnState
from app.desktop.markdown import theme as markdown
from app.desktop.message_block import AnswerBlock
from app.desktop.services import DesktopServices
from app.desktop.theme import Theme
from tests.desktop.fake_engine import finished, text, thought
from tests.desktop.full_chat_scenes import (
    ASKED,
    DRAFT,
    LAST,
    TALK,
    files,
    small_context,
    with_written_answers,
)
from tests.desktop.rooms import Room

FOLDER: Final = Path(__file__).parents[2] / "docs" / "screenshots"
SIZE: Final = (1180, 860)

_THOUGHT: Final = "The person wants the idea first, then code. Weights must sum to one: softmax."
_ANSWER: Final = """\
Attention compares each *query* with every **key** and mixes the values by how well they fit:

$$\\operatorname{softmax}\\left(\\frac{QK^\\top}{\\sqrt{d}}\\right)V$$

```python
def attention(q: Array, k: Array, v: Array) -> Array:
    \"\"\"Mixes the values by the similarity of queries and keys.\"\"\"
    scores = q @ k.T / math.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v  # rows sum to 1
```

| heads | keys and values | cache at 4,096 tokens |
|---|--:|--:|
| multi-head | 9 | 180 MB |
| grouped | 3 | 60 MB |
| one for all | 1 | 20 MB |

- [x] scores are scaled by $\\sqrt{d}$, so that softmax keeps its gradient
- [ ] a mask hides what comes later
"""
_EARLIER: Final = (
    ("Plan a weekend in Ghent", "Start at the **Graslei**, then the *Gravensteen*."),
    ("Why is the sky blue?", "Short waves scatter more: about as $\\lambda^{-4}$."),
    ("Translate: der Schlüssel liegt unter der Matte", "The key is under the mat."),
    ("A key that opens every lock?", "In cryptography that would be a *master key*."),
)
_QUESTION: Final = "Explain attention, with code and what the key-value cache costs."


class Studio:
    """One window on a data folder of its own."""

    def __init__(
        self, app: QApplication, services: DesktopServices, language: str, appearance: str
    ) -> None:
        services.settings_file.change(language=language, appearance=appearance)
        speak(app, resources_dir() / "translations", language)
        self.app = app
        self.desktop = Desktop(app, services)
        self.desktop.window.resize(*SIZE)
        self.desktop.start()
        self.desktop.window.move(60, 40)
        self.wait(lambda: self.desktop.runner.state is TurnState.IDLE)

    def wait(self, condition: Callable[[], bool], most_ms: int = 20_000) -> None:
        deadline = QDeadlineTimer(most_ms)
        while not condition():
            if deadline.hasExpired():
                raise TimeoutError("the window never came this far")
            self.rest(20)

    def rest(self, milliseconds: int = 700) -> None:
        """Lets the window paint, colour code and set formulas."""
        loop = QEventLoop()
        QTimer.singleShot(milliseconds, loop.quit)
        loop.exec()

    def close(self) -> None:
        self.desktop.quit()
        self.desktop.close()
        self.rest(200)


class InventedStudio(Studio):
    """Its engine says what the scene gives it."""

    def __init__(self, app: QApplication, root: Path, language: str, appearance: str) -> None:
        self.room = Room(root)
        super().__init__(app, self.room.services, language, appearance)

    def ask(self, question: str, answer: str, thinking: str = "") -> None:
        before = len(self.room.engine.requests)
        self.desktop.window.composer.sent.emit(question)
        self.wait(lambda: len(self.room.engine.requests) > before)
        request = self.room.engine.last
        if thinking:
            self.room.engine.say(thought(request, thinking))
            self.rest(2_400)
        self.room.engine.say(text(request, answer), finished(request, tokens=214))
        self.wait(lambda: self.desktop.runner.state is TurnState.IDLE)

    def fill(self) -> None:
        """Some chats of earlier days, and the one of the pictures."""
        for question, answer in _EARLIER:
            self.ask(question, answer)
            self.desktop.desk.new_chat()
            self.rest(50)
        self.ask(_QUESTION, _ANSWER, _THOUGHT)
        self.rest()

    def close(self) -> None:
        super().close()
        self.room.engine.close()
        self.room.chats.close()


class RealStudio(Studio):
    """The whole program with the starter model and a chat that nearly fills its context."""

    def __init__(self, app: QApplication, root: Path, language: str, appearance: str) -> None:
        self.services = small_context(root / "data")
        super().__init__(app, with_written_answers(self.services), language, appearance)
        self.desktop.context.pins.pin(files(root / "importer"))
        self.rest(1_000)
        for question, _ in TALK:
            self.ask(question)

    def ask(self, question: str) -> None:
        """Sends, and waits for the answer or for the choice that is asked for instead of it."""
        runner, transcript = self.desktop.runner, self.desktop.window.transcript
        self.desktop.window.composer.sent.emit(question)
        self.wait(
            lambda: (
                runner.state is not TurnState.IDLE or isinstance(transcript.banner, ChoiceBanner)
            )
        )
        self.wait(lambda: runner.state is TurnState.IDLE, most_ms=120_000)

    def to_top(self) -> None:
        """Shows what was pasted first."""
        bar = self.desktop.window.transcript.verticalScrollBar()
        bar.setValue(bar.minimum())
        self.rest()

    def close(self) -> None:
        super().close()
        self.services.close()


def shoot(widget: QWidget, target: Path) -> None:
    """Saves a window with its frame, as the screen shows it."""
    frame = widget.window().frameGeometry()
    screen = QGuiApplication.primaryScreen()
    assert screen is not None
    picture = screen.grabWindow(0, frame.x(), frame.y(), frame.width(), frame.height())
    if not picture.save(str(target)):
        raise OSError(f"{target} can't be written")
    print(target)


def chat(studio: InventedStudio, target: Path) -> None:
    studio.fill()
    last = studio.desktop.chats.current.last
    assert last is not None
    block = studio.desktop.window.transcript.block(last.id)
    assert isinstance(block, AnswerBlock)
    studio.rest()
    shoot(studio.desktop.window, target)


def search(studio: InventedStudio, target: Path) -> None:
    studio.fill()
    studio.desktop.window.chat_list.search.setText("key")
    studio.rest(900)
    shoot(studio.desktop.window, target)


def settings(studio: InventedStudio, target: Path) -> None:
    studio.desktop.citizen.show_settings()
    studio.rest()
    window = studio.desktop.citizen.settings
    assert window is not None
    shoot(window, target)


def quick(studio: InventedStudio, target: Path) -> None:
    studio.desktop.window.hide()
    studio.desktop.citizen.show_quick_question()
    question = studio.desktop.citizen.quick
    before = len(studio.room.engine.requests)
    question.composer.sent.emit("What does idempotent mean?")
    studio.wait(lambda: len(studio.room.engine.requests) > before)
    request = studio.room.engine.last
    answer = "Doing it **twice** is the same as doing it *once*: `abs(abs(x)) == abs(x)`."
    studio.room.engine.say(text(request, answer), finished(request, tokens=31))
    studio.wait(lambda: studio.desktop.runner.state is TurnState.IDLE)
    studio.rest()
    shoot(question, target)


def tray(studio: InventedStudio, target: Path) -> None:
    """The menu where the tray is, with the panel under it."""
    menu = studio.desktop.tray.menu
    studio.desktop.tray.set_loaded("SmolLM2 135M")
    screen = QGuiApplication.primaryScreen()
    assert screen is not None
    room = screen.geometry()
    size = menu.sizeHint()
    menu.popup(QPoint(room.right() - size.width() - 24, room.bottom() - size.height() - 48))
    studio.rest()
    width, height = size.width() + 80, size.height() + 90
    corner = room.right() + 1 - width, room.bottom() + 1 - height
    if not screen.grabWindow(0, *corner, width, height).save(str(target)):
        raise OSError(f"{target} can't be written")
    print(target)
    menu.close()


def context(studio: RealStudio, target: Path) -> None:
    """What the model reads, over the chat."""
    studio.desktop.chats.configure(sampling=SamplingFields(max_answer_tokens=32))
    for question in ASKED:
        studio.ask(question)
    studio.desktop.window.composer.set_text(DRAFT)
    studio.rest(2_000)
    studio.to_top()
    studio.desktop.context.show_panel()
    panel = studio.desktop.context.panel
    assert panel is not None
    panel.move(studio.desktop.window.pos() + QPoint(220, 130))
    studio.rest()
    shoot(studio.desktop.window, target)


def full_chat(studio: RealStudio, target: Path) -> None:
    """The choice."""
    studio.ask(LAST)
    studio.rest()
    shoot(studio.desktop.window, target)


def left_out(studio: RealStudio, target: Path) -> None:
    """After the choice, where the text is that was left out."""
    studio.ask(LAST)
    banner = studio.desktop.window.transcript.banner
    assert isinstance(banner, ChoiceBanner), "the chat is full"
    banner.buttons[OverflowChoice.LEAVE_OUT_OLDEST].click()
    studio.wait(lambda: studio.desktop.runner.state is not TurnState.IDLE)
    studio.wait(lambda: studio.desktop.runner.state is TurnState.IDLE, most_ms=120_000)
    studio.rest()
    studio.to_top()
    shoot(studio.desktop.window, target)


INVENTED: Final = {
    "chat": chat,
    "search": search,
    "settings": settings,
    "quick-question": quick,
    "tray-menu": tray,
}
REAL: Final = {"context": context, "full-chat": full_chat, "left-out": left_out}
APPEARANCES: Final = ("light", "dark", "contrast")


def _more_contrast(app: QApplication) -> None:
    """The colours of a system in high contrast; X11 has no such switch that Qt reads."""
    palette = QPalette()
    roles = QPalette.ColorRole
    for role, colour in (
        (roles.Window, "#000000"),
        (roles.Base, "#000000"),
        (roles.Button, "#000000"),
        (roles.WindowText, "#ffffff"),
        (roles.Text, "#ffffff"),
        (roles.ButtonText, "#ffffff"),
        (roles.Highlight, "#1aebff"),
        (roles.HighlightedText, "#000000"),
    ):
        palette.setColor(role, QColor(colour))
    app.setPalette(palette)
    Theme.high_contrast = property(lambda _theme: True)  # type: ignore[assignment]
    markdown._mode = lambda palette: markdown.Mode.HIGH_CONTRAST


def _take(app: QApplication, options: argparse.Namespace, folder: Path, appearance: str) -> None:
    target = options.folder / f"{options.name or options.scene}.png"
    studio: Studio
    if options.scene in REAL:
        studio = real = RealStudio(app, folder, options.language, appearance)
        take = partial(REAL[options.scene], real)
    else:
        studio = invented = InventedStudio(app, folder, options.language, appearance)
        take = partial(INVENTED[options.scene], invented)
    try:
        take(target)
    finally:
        studio.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--scene", choices=(*INVENTED, *REAL), default="chat")
    parser.add_argument("--appearance", choices=APPEARANCES, default="light")
    parser.add_argument("--language", default="en")
    parser.add_argument("--scale", help="1 to 2.5, as the system's setting")
    parser.add_argument("--name", help="the file's name, without its ending")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args()
    if options.scale:
        os.environ["QT_SCALE_FACTOR"] = options.scale
    app = QApplication(sys.argv[:1])
    app.setApplicationDisplayName("Contenox")
    app.setQuitOnLastWindowClosed(False)
    if options.appearance == "contrast":
        _more_contrast(app)
    appearance = "dark" if options.appearance == "contrast" else options.appearance
    with tempfile.TemporaryDirectory() as folder:
        _take(app, options, Path(folder), appearance)
    return 0


if __name__ == "__main__":
    sys.exit(main())
