"""Pinned files and folders as segments of a prompt: text, Markdown, code, the text of a PDF."""

import codecs
import io
import stat
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from app.core.errors import DataFault, EnvironmentFault, UserError
from app.core.units import MIB, format_bytes
from app.engine.context import Segment
from app.engine.manifest import SegmentKind
from app.workflows.context_map import folder_map, read_rules

LARGEST_TEXT_BYTES: Final = 4 * MIB
LARGEST_PDF_BYTES: Final = 64 * MIB
_PDF_S: Final = 30.0
_PDF_MAGIC: Final = b"%PDF-"
# Of a text in an unknown 8-bit encoding, at most this share may be control characters.
_MOST_CONTROLS: Final = 0.02


def pin(paths: Iterable[Path]) -> tuple[Segment, ...]:
    """Reads what a person pinned. A folder gives its map and its rules file. Blocks.

    Raises:
        UserError: ``pin_not_found``, ``pin_too_large``, ``pin_not_text``, ``pdf_encrypted``,
            ``pdf_without_text``.
        DataFault: ``pdf_damaged``.
        EnvironmentFault: ``pin_unreadable``.
    """
    segments: list[Segment] = []
    for path in paths:
        if path.is_dir():
            segments += pin_folder(path)
        else:
            segments.append(pin_bytes(path.name, read_file(path)))
    return tuple(segments)


def pin_folder(folder: Path) -> tuple[Segment, ...]:
    """The map of a folder and, if it has one, its rules file."""
    mapped = Segment(kind=SegmentKind.REPO_MAP, name=folder.name, text=folder_map(folder))
    rules = read_rules(folder)
    if rules is None:
        return (mapped,)
    name, content = rules
    text = as_text(name, content)
    return (Segment(kind=SegmentKind.REPO_RULES, name=f"{folder.name}/{name}", text=text), mapped)


def pin_bytes(name: str, content: bytes) -> Segment:
    """A file that was attached to a chat, as a segment; raises what ``pin`` raises."""
    return Segment(kind=SegmentKind.PINNED, name=name, text=as_text(name, content))


def as_text(name: str, content: bytes) -> str:
    """The text of a file, with plain line breaks.

    Raises:
        UserError, DataFault: see ``pin``.
    """
    if content.startswith(_PDF_MAGIC):
        return _pdf_text(name, content)
    if len(content) > LARGEST_TEXT_BYTES:
        raise _too_large(name, len(content), LARGEST_TEXT_BYTES)
    return _decode(name, content).replace("\r\n", "\n").replace("\r", "\n")


def read_file(path: Path) -> bytes:
    """The bytes of a file that may be pinned; raises what ``pin`` raises for it."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise _no_text(path.name)  # a device or a pipe may never end
        if found.st_size > LARGEST_PDF_BYTES:
            raise _too_large(path.name, found.st_size, LARGEST_PDF_BYTES)
        return path.read_bytes()
    except FileNotFoundError as error:
        raise UserError(
            "pin_not_found", f"There is no file {path}.", "Pin the file again where it is now."
        ) from error
    except OSError as error:
        raise EnvironmentFault(
            "pin_unreadable",
            f"{path.name} can't be read ({error.strerror or error}).",
            "Check its permissions, or close the program that holds it.",
        ) from error


def _decode(name: str, content: bytes) -> str:
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if content.startswith(mark):
            return content.decode(encoding, "replace")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        # What older Windows programs write in the west.
        text = content.decode("cp1252", "replace")
    controls = sum(1 for one in text if one < " " and one not in "\t\n\r\f")
    if "\0" in text or controls > _MOST_CONTROLS * len(text):
        raise _no_text(name)
    return text


def _no_text(name: str) -> UserError:
    return UserError(
        "pin_not_text",
        f"{name} is no text file.",
        "Pin text, Markdown, code or a PDF that has text.",
    )


def _too_large(name: str, size_bytes: int, limit_bytes: int) -> UserError:
    return UserError(
        "pin_too_large",
        f"{name} has {format_bytes(size_bytes)}; a pinned file may have at most"
        f" {format_bytes(limit_bytes)}.",
        "Pin the part of it that matters.",
    )


def _pdf_text(name: str, content: bytes) -> str:
    """The text of each page under its number."""
    import pypdf

    try:
        reader = pypdf.PdfReader(io.BytesIO(content))
        readable = not reader.is_encrypted or bool(reader.decrypt(""))
        pages = list(_pages(reader.pages)) if readable else []
    except Exception as error:  # the reader raises whatever a damaged file leads it to
        raise DataFault(
            "pdf_damaged",
            f"{name} can't be read as a PDF ({type(error).__name__}).",
            "Open it in a PDF reader, save it again and pin that.",
        ) from error
    if not readable:
        raise UserError(
            "pdf_encrypted",
            f"{name} is protected by a password.",
            "Save it without a password and pin it again.",
        )
    if pages and pages[-1] is None:
        raise _too_large(name, len(content), LARGEST_TEXT_BYTES)
    texts = [page for page in pages if page]
    if not texts:
        raise UserError(
            "pdf_without_text",
            f"{name} has no text; it is probably a scan.",
            "Pin a PDF with text, or recognise its text first.",
        )
    return "\n\n".join(texts)


def _pages(pages: Iterable[Any]) -> Iterator[str | None]:
    """The text of each page that has some; ``None`` at the end if it takes too long or too much."""
    until = time.monotonic() + _PDF_S
    left = LARGEST_TEXT_BYTES
    for number, page in enumerate(pages, start=1):
        text: str = page.extract_text().strip()
        if text:
            yield f"[page {number}]\n{text}"
        left -= len(text)
        if left < 0 or time.monotonic() > until:
            yield None
            return
