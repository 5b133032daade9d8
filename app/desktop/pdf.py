"""Markdown as pages of a PDF."""

from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QUrl
from PySide6.QtGui import (
    QFont,
    QPageLayout,
    QPageSize,
    QPdfWriter,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)

from app.core.errors import EnvironmentFault, UserError
from app.core.files import write_atomic

_FONT_POINTS: Final = 10
_LINE_PERCENT: Final = 125
_AFTER_BLOCK: Final = 4.0  # points
_BEFORE_HEADING: Final = 12.0
_HEADING_SIZES: Final = {1: 3, 2: 1}  # steps above the text


class _Document(QTextDocument):
    """Loads nothing: an image in an answer could name any file of this computer."""

    def loadResource(self, kind: int, name: QUrl | str) -> Any:  # noqa: N802  Qt's name
        return None


def write_pdf(markdown: str, target: Path) -> None:
    """Writes ``markdown`` to ``target``; HTML in it stays text. May be called on any thread.

    Raises:
        UserError: ``export_unwritable``.
    """
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setCreator("Contenox")
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(), QPageLayout.Unit.Millimeter)  # ``print_`` leaves 2 cm
    document = _document(markdown)
    writer.setTitle(document.firstBlock().text())
    document.print_(writer)
    buffer.close()
    try:
        write_atomic(target, bytes(data.data()))
    except EnvironmentFault as fault:
        raise UserError(
            "export_unwritable", fault.message, "Choose another folder, or free some space."
        ) from fault


def _document(markdown: str) -> QTextDocument:
    document = _Document()
    font = QFont("Segoe UI")
    font.setStyleHint(QFont.StyleHint.SansSerif)
    font.setPointSize(_FONT_POINTS)
    document.setDefaultFont(font)
    features = QTextDocument.MarkdownFeature
    document.setMarkdown(markdown, features.MarkdownDialectGitHub | features.MarkdownNoHTML)
    block = document.firstBlock()
    while block.isValid():
        _space(block)
        block = block.next()
    return document


def _space(block: QTextBlock) -> None:
    cursor = QTextCursor(block)
    if cursor.currentTable() is not None:
        return
    layout = QTextBlockFormat()
    layout.setLineHeight(_LINE_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    layout.setBottomMargin(_AFTER_BLOCK)
    level = block.blockFormat().headingLevel()
    if level:
        layout.setTopMargin(_BEFORE_HEADING)
        size = QTextCharFormat()
        size.setProperty(QTextFormat.Property.FontSizeAdjustment, _HEADING_SIZES.get(level, 0))
        cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
        cursor.mergeCharFormat(size)
    cursor.mergeBlockFormat(layout)
