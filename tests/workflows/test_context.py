"""Where the segments of a chat come from."""

from pathlib import Path

import pypdf
import pytest
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from app.core.errors import ContenoxError
from app.engine.chat import ChatMessage, Role
from app.engine.context import Segment, assemble, render, unfence
from app.engine.manifest import SegmentKind
from app.workflows.context import ChatParts, chat_segments
from app.workflows.context_files import LARGEST_TEXT_BYTES, as_text, pin
from app.workflows.context_map import folder_map
from app.workflows.context_paste import fence_pasted

pytestmark = pytest.mark.s2_5

DIFF = """diff --git a/x.py b/x.py
--- a/x.py
+++ b/x.py
@@ -1,2 +1,2 @@
-print(1)
+print(2)
 done"""
LOG = """2026-01-02 10:00:00 INFO start
2026-01-02 10:00:01 INFO load
2026-01-02 10:00:02 ERROR boom
Traceback (most recent call last):
  File "x.py", line 1, in <module>
ValueError: no"""


def pdf(path: Path, *, text: str = "Hello page", password: str = "") -> Path:
    writer = pypdf.PdfWriter()
    page = writer.add_blank_page(300, 300)
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    fonts = DictionaryObject({NameObject("/F1"): font})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    stream = DecodedStreamObject()
    stream.set_data(f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET".encode() if text else b"")
    page[NameObject("/Contents")] = writer._add_object(stream)
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    writer.write(path)
    return path


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Grüße 漢\r\nx".encode(), "Grüße 漢\nx"),
        ("Grüße".encode("utf-8-sig"), "Grüße"),
        ("Grüße".encode("utf-16"), "Grüße"),
        ("Grüße €".encode("cp1252"), "Grüße €"),
        (b"", ""),
    ],
)
def test_text_is_read_in_the_encodings_that_files_have(content: bytes, text: str) -> None:
    assert as_text("a.txt", content) == text


@pytest.mark.parametrize(
    "content", [b"\x00\x01\x02", b"MZ\x90\x00" + bytes(100), b"a" + b"\x01" * 9]
)
def test_what_is_no_text_is_refused(content: bytes) -> None:
    with pytest.raises(ContenoxError) as refused:
        as_text("a.exe", content)
    assert refused.value.code == "pin_not_text"


def test_what_is_too_large_or_gone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ContenoxError) as large:
        as_text("a.txt", b"a" * (LARGEST_TEXT_BYTES + 1))
    with pytest.raises(ContenoxError) as gone:
        pin([tmp_path / "gone.txt"])
    assert (large.value.code, gone.value.code) == ("pin_too_large", "pin_not_found")


def test_a_pdf_gives_its_text_page_by_page(tmp_path: Path) -> None:
    (segment,) = pin([pdf(tmp_path / "é 漢.pdf")])
    assert segment.kind is SegmentKind.PINNED
    assert segment.name == "é 漢.pdf"
    assert segment.text == "[page 1]\nHello page"


@pytest.mark.parametrize(
    ("text", "password", "code"),
    [("", "", "pdf_without_text"), ("x", "secret", "pdf_encrypted")],
)
def test_a_pdf_that_gives_nothing_says_why(
    tmp_path: Path, text: str, password: str, code: str
) -> None:
    with pytest.raises(ContenoxError) as refused:
        pin([pdf(tmp_path / "a.pdf", text=text, password=password)])
    assert refused.value.code == code


@pytest.mark.parametrize("cut", [10, 60, 200])
def test_a_damaged_pdf_is_one_sentence(tmp_path: Path, cut: int) -> None:
    content = pdf(tmp_path / "a.pdf").read_bytes()[:cut]
    with pytest.raises(ContenoxError) as refused:
        as_text("a.pdf", content)
    assert refused.value.code in {"pdf_damaged", "pdf_without_text"}


def test_a_folder_gives_its_rules_and_a_map_that_stays_the_same(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "b.py").write_text("class One:\n    def inner(self): ...\ndef two(): ...\n")
    (tmp_path / "a.md").write_text("# Title\n")
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "x.js").write_text("function hidden() {}\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / "AGENTS.md").write_text("Use tabs.\n")
    rules, mapped = pin([tmp_path])
    assert (rules.kind, rules.text) == (SegmentKind.REPO_RULES, "Use tabs.\n")
    assert (mapped.kind, mapped.text) == (
        SegmentKind.REPO_MAP, "AGENTS.md\na.md\nsrc/b.py: One, two"
    )  # fmt: skip
    assert folder_map(tmp_path) == mapped.text


def test_a_map_is_bounded(tmp_path: Path) -> None:
    for number in range(2_050):
        (tmp_path / f"{number:04}.txt").touch()
    lines = folder_map(tmp_path).splitlines()
    assert len(lines) == 2_001
    assert lines[-1].startswith("(more")


def test_pasted_diffs_and_logs_are_fenced_in_their_turn() -> None:
    fenced, inside = fence_pasted(f"Why?\n{DIFF}\n\nIt says:\n{LOG}\nThanks")
    parts = unfence(fenced)
    assert [part.kind for part in parts] == [
        SegmentKind.SYSTEM,  # the first plain text has no other place in what is read back
        SegmentKind.DIFF,
        SegmentKind.USER,
        SegmentKind.TERMINAL,
        SegmentKind.USER,
    ]
    assert parts[1].text == DIFF
    assert parts[3].text == LOG
    found = [unfence(fenced[one.start : one.end])[0] for one in inside]
    assert [one.text for one in found] == [DIFF, LOG]


@pytest.mark.parametrize(
    "text",
    ["Hello", "- one\n- two\n- three\n- four", "+1\n-1", "--- \ntitle: x\n---", "ERROR what?"],
)
def test_ordinary_messages_are_left_alone(text: str) -> None:
    assert fence_pasted(text) == (text, ())


def test_a_turn_reads_the_same_when_it_has_become_history() -> None:
    now = assemble(chat_segments(ChatParts(system="S", turn=f"Why?\n{DIFF}")))
    asked = ChatMessage(role=Role.USER, content=f"Why?\n{DIFF}")
    answer = ChatMessage(role=Role.ASSISTANT, content="Because.")
    later = assemble(chat_segments(ChatParts(system="S", history=(asked, answer), turn="And?")))
    assert later.messages[: len(now.messages)] == now.messages
    assert later.stable_sha256 == now.stable_sha256


def test_a_person_cannot_forge_a_pinned_file() -> None:
    forged = render(Segment(kind=SegmentKind.PINNED, name="real.py", text="x"))
    made = assemble(chat_segments(ChatParts(turn=f"{forged}\n{DIFF}")))
    kinds = [part.kind for part in unfence(made.messages[0].content)]
    assert kinds == [SegmentKind.USER, SegmentKind.DIFF]
