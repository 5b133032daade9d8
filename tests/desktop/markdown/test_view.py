"""One message on the screen: streaming, selection, links, copying, keys."""

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QColor, QFont, QGuiApplication, QImage, QPalette, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QScrollBar, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.markdown.code import CodeLeaf
from app.desktop.markdown.leaf import InertDocument
from app.desktop.markdown.rendering import RenderingThread
from app.desktop.markdown.section import Section
from app.desktop.markdown.selection import END, START, SharedSelection, TextPoint
from app.desktop.markdown.view import MarkdownView
from tests.desktop.markdown.conftest import MakeView

LEFT = Qt.MouseButton.LeftButton
PLAIN = Qt.KeyboardModifier.NoModifier

SAMPLE = """# Title

One **bold** and `code`, see [here](https://a.b/c).

1. first
2. second
   - [x] inner

> quote
> > deeper

```python
def f():
    return 1  # one
```

| a | b |
|---|--:|
| 1 | **2** |

---

$$
x^2
$$

last $y$ words
"""


def sections(view: MarkdownView) -> list[Section]:
    return view._page.sections


def picture(view: MarkdownView) -> QImage:
    return view.grab().toImage()


def link_position(view: MarkdownView, number: int = 0) -> QPoint:
    return view._page.focus_areas(number)[0].center().toPoint()


def settle(qtbot: QtBot, view: MarkdownView, rendering: RenderingThread) -> None:
    qtbot.waitUntil(lambda: view.is_rendered and rendering.is_idle)


# --- Text ---------------------------------------------------------------------------------------


def test_the_source_comes_back_exactly(make_view: MakeView) -> None:
    source = "a\r\n\0b\ud800 *c*"
    assert make_view(source).markdown() == source


@pytest.mark.parametrize("size", [1, 7, 64])
def test_streamed_and_whole_text_look_the_same(
    make_view: MakeView, qtbot: QtBot, rendering: RenderingThread, size: int
) -> None:
    whole = make_view(SAMPLE)
    streamed = make_view()
    for position in range(0, len(SAMPLE), size):
        streamed.append(SAMPLE[position : position + size])
    streamed.finish()
    settle(qtbot, streamed, rendering)
    settle(qtbot, whole, rendering)
    assert streamed.height() == whole.height()
    assert picture(streamed) == picture(whole)


def test_streaming_leaves_finished_sections_alone(make_view: MakeView) -> None:
    view = make_view()
    view.append("# A\n\nb\n\nc")
    before = sections(view)[:2]
    documents = [leaf.document for section in before for leaf in section.leaves]
    view.append(" and more\n\n- d\n")
    assert sections(view)[:2] == before
    after = [leaf.document for section in sections(view)[:2] for leaf in section.leaves]
    assert all(one is other for one, other in zip(documents, after, strict=True))


def test_height_follows_the_content(make_view: MakeView) -> None:
    view = make_view("one line")
    one = view.height()
    view.append("\n\nanother\n")
    assert view.height() > one
    view.set_markdown("")
    assert view.height() == 0


def test_narrower_is_higher(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view("word " * 100)
    before = view.height()
    view.resize(200, view.height())
    qtbot.waitUntil(lambda: view.height() > before * 2)


def test_a_long_text_is_shown_in_slices(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view()
    text = "A paragraph with **bold** words.\n\n" * 400
    with qtbot.waitSignal(view.rendered, timeout=20_000):
        view.set_markdown(text)
        assert not view.is_rendered
        assert view.markdown() == text
    assert len(sections(view)) == 400


HOSTILE = [
    "[" * 50_000,
    "> " * 5_000,
    "\ud800\0\u2029\ufffc",
    "| a |\n|-|",
    "- " * 2_000,
    "$$",
    "```",
    "\u202e\u0645 [x](https://a.b)",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_shown(make_view: MakeView, text: str) -> None:
    view = make_view(text)
    assert not picture(view).isNull()


# --- Nothing is fetched or opened ---------------------------------------------------------------


def test_documents_load_nothing(qtbot: QtBot) -> None:
    document = InertDocument()
    image = QTextDocument.ResourceType.ImageResource.value
    for address in ("file:///etc/passwd", ":/x.png", "https://a.b/c.png", "x.png"):
        assert QImage(document.resource(image, QUrl(address))).isNull()


def test_a_picture_is_named_and_not_shown(make_view: MakeView) -> None:
    view = make_view("![a cat](https://a.b/c.png)")
    (leaf,) = sections(view)[0].leaves
    assert "a cat" in leaf.document.toPlainText()
    assert "\ufffc" not in leaf.document.toPlainText()


def test_a_click_on_a_link_is_a_signal(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view("see [here](https://a.b/c)")
    with qtbot.waitSignal(view.link_activated) as caught:
        QTest.mouseClick(view, LEFT, PLAIN, link_position(view))
    assert caught.args == ["https://a.b/c"]


def test_the_tool_tip_of_a_link_is_its_address(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view("see [https://good.example](https://a.b/c)")
    QTest.mouseMove(view, link_position(view))
    assert view.toolTip() == "https://a.b/c"
    assert view.cursor().shape() is Qt.CursorShape.PointingHandCursor
    QTest.mouseMove(view, QPoint(590, 2))
    assert view.toolTip() == ""


def test_a_drag_over_a_link_opens_nothing(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view("see [here and there](https://a.b/c)")
    opened: list[str] = []
    view.link_activated.connect(opened.append)
    start = link_position(view)
    QTest.mousePress(view, LEFT, PLAIN, start)
    QTest.mouseMove(view, start + QPoint(40, 0))
    QTest.mouseRelease(view, LEFT, PLAIN, start + QPoint(20, 0))
    assert opened == []


def test_links_are_reached_and_opened_by_keys(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view("[a](https://a.b/1) [b](https://a.b/2)")
    view.activateWindow()
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    view.focusNextPrevChild(True)
    view.focusNextPrevChild(True)
    with qtbot.waitSignal(view.link_activated) as caught:
        QTest.keyClick(view, Qt.Key.Key_Return)
    assert caught.args == ["https://a.b/2"]


# --- Code ---------------------------------------------------------------------------------------


def test_the_copy_button_has_a_name_and_copies_the_code(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view("```python\nx = 1\n\ny\n```")
    (button,) = view.findChildren(QToolButton)
    assert "python" in button.accessibleName()
    assert button.focusPolicy() is Qt.FocusPolicy.StrongFocus
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert QGuiApplication.clipboard().text() == "x = 1\n\ny"


def test_an_open_code_block_gets_the_colours_of_a_whole_one(
    make_view: MakeView, qtbot: QtBot, rendering: RenderingThread
) -> None:
    text = '```python\nx = """a\n\nb"""\n\ndef f():\n    pass\n\nclass A: ...\n```\n'
    streamed = make_view()
    for character in text:
        streamed.append(character)
    streamed.finish()
    settle(qtbot, streamed, rendering)
    whole = make_view(text)
    inks = []
    for view in (streamed, whole):
        (leaf,) = sections(view)[0].leaves
        assert isinstance(leaf, CodeLeaf)
        inks.append(leaf.inks())
    assert inks[0] == inks[1] != []


def test_a_long_line_scrolls_inside_its_block(make_view: MakeView) -> None:
    view = make_view("```\n" + "x" * 500 + "\n```\n")
    (bar,) = view.findChildren(QScrollBar)
    assert bar.maximum() > 0
    before = picture(view)
    bar.setValue(bar.maximum())
    assert picture(view) != before


def test_a_dropped_block_takes_its_widgets_along(make_view: MakeView) -> None:
    view = make_view("```\n" + "x" * 500 + "\n```\n")
    view.set_markdown("text")
    assert view.findChildren(QWidget) == []


# --- Formulas -----------------------------------------------------------------------------------


def test_a_formula_is_drawn_and_copied_as_its_source(make_view: MakeView) -> None:
    view = make_view("so $x^2$ is")
    (leaf,) = sections(view)[0].leaves
    assert "\ufffc" in leaf.document.toRawText()
    view.select(START, END)
    assert view.selected_text() == "so $x^2$ is"


def test_a_formula_that_cannot_be_set_is_shown_as_it_was_written(make_view: MakeView) -> None:
    view = make_view(r"so $\frac{1$ is")
    (leaf,) = sections(view)[0].leaves
    assert leaf.document.toPlainText() == r"so $\frac{1$ is"


# --- Selection ----------------------------------------------------------------------------------


def test_all_of_a_message_is_its_source(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view(SAMPLE)
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert view.selected_markdown() == SAMPLE.strip()


def test_a_part_is_rebuilt_as_markdown(make_view: MakeView) -> None:
    view = make_view(SAMPLE)
    view.select(TextPoint(1, 0, 4), TextPoint(1, 0, 14))
    assert view.selected_markdown() == "**bold** and `c`"
    assert view.selected_text() == "bold and c"
    view.select(TextPoint(3, 0, 3), END)
    assert view.selected_markdown().startswith("2. ond\n   - [x] inner\n\n> quote")


def test_a_drag_selects_and_copies(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view("first\n\nsecond")
    QTest.mousePress(view, LEFT, PLAIN, QPoint(0, 3))
    QTest.mouseMove(view, QPoint(500, view.height() - 3))
    QTest.mouseRelease(view, LEFT, PLAIN, QPoint(500, view.height() - 3))
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "first\n\nsecond"


def test_a_double_click_selects_the_word(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view("hello")
    QTest.mouseDClick(view, LEFT, PLAIN, QPoint(8, 8))
    assert view.selected_text() == "hello"


def test_a_selection_reaches_over_messages(make_view: MakeView) -> None:
    views: list[MarkdownView] = []
    selection = SharedSelection(lambda: views)
    views += [make_view(text, selection) for text in ("one *a*", "two", "three")]
    selection.begin(views[2], TextPoint(0, 0, 2))
    selection.set_focus(views[0], TextPoint(0, 0, 4))
    assert selection.text() == "a\n\ntwo\n\nth"
    assert selection.markdown() == "*a*\n\ntwo\n\nth"
    selection.set_focus(views[1], TextPoint(0, 0, 1))
    assert selection.text() == "wo\n\nth"
    selection.clear()
    assert selection.text() == ""


def test_a_selection_survives_text_that_arrives(make_view: MakeView) -> None:
    view = make_view()
    view.append("one\n\ntwo")
    view.select(TextPoint(0, 0, 0), TextPoint(0, 0, 3))
    view.append(" and three\n\nfour")
    assert view.selected_text() == "one"


# --- Look ---------------------------------------------------------------------------------------


def test_a_new_palette_and_font_are_taken_over(
    make_view: MakeView, qtbot: QtBot, rendering: RenderingThread
) -> None:
    view = make_view(SAMPLE)
    height = view.height()
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.Base, QColor("#101010"))
    palette.setColor(QPalette.ColorRole.Text, QColor("#eeeeee"))
    view.setPalette(palette)
    settle(qtbot, view, rendering)
    assert sections(view)[0].theme.colours.text == QColor("#eeeeee")
    font = QFont(view.font())
    font.setPixelSize(30)
    view.setFont(font)
    settle(qtbot, view, rendering)
    assert view.height() > height * 1.5


def test_right_to_left_text_has_its_marker_on_the_right(make_view: MakeView) -> None:
    view = make_view("- \u0645\u0631\u062d\u0628\u0627")
    image = picture(view)
    half = image.width() // 2

    def is_empty(start: int, end: int) -> bool:
        ground = image.pixel(half, 0)
        return all(
            image.pixel(x, y) == ground for x in range(start, end) for y in range(image.height())
        )

    assert is_empty(0, half // 2)
    assert not is_empty(half, image.width())


def test_a_finished_message_can_be_read_aloud(make_view: MakeView) -> None:
    view = make_view("# A\n\n- b *c*")
    assert view.accessibleDescription() == "A\nb c"


def test_a_table_that_grew_looks_like_one_that_came_at_once(
    rendering: RenderingThread, qtbot: QtBot
) -> None:
    rows = "".join(
        f"| {'wide ' * (n % 7)}{n} | **{n}** | $x_{{{n}}}$ and more words |\n" for n in range(60)
    )
    text = "| a | b | c |\n|---|:-:|--:|\n" + rows
    grown, whole = MarkdownView(rendering), MarkdownView(rendering)
    for view in (grown, whole):
        qtbot.addWidget(view)
        view.resize(420, 300)
        view.show()
    for at in range(0, len(text), 13):
        grown.append(text[at : at + 13])
        if at == 1300:
            grown.resize(360, 300)
            grown.resize(420, 300)
    grown.finish()
    whole.set_markdown(text)
    qtbot.waitUntil(lambda: rendering.is_idle and grown.is_rendered and whole.is_rendered)
    assert grown.height() == whole.height() or grown.sizeHint() == whole.sizeHint()
    assert grown.grab().toImage() == whole.grab().toImage()
