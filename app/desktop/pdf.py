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
    QTextCursor,
    QTextDocument,
)

from app.core.errors import EnvironmentFault, UserError
from app.core.files import write_atomic

_MARGIN_MM: Final = 20
_FONT_POINTS: Final = 10
_LINE_PERCENT: Final = 125
_AFTER_BLOCK: Final = 4.0  # points


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
    margins = QMarginsF(_MARGIN_MM, _MARGIN_MM, _MARGIN_MM, _MARGIN_MM)
    writer.setPageMargins(margins, QPageLayout.Unit.Millimeter)
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
    layout = QTextBlockFormat()
    layout.setLineHeight(_LINE_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    layout.setBottomMargin(_AFTER_BLOCK)
    QTextCursor(block).mergeBlockFormat(layout)
