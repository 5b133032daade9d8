"""German is complete: every sentence, every placeholder, and the compiled file is the newest."""

import ast
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QCoreApplication, QLocale, Qt, QTranslator
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QPushButton

from app.certify.checks import CACHED_AGREEMENT, CHECKS, CPU_AGREEMENT
from app.core.errors import EnvironmentFault
from app.core.paths import profiles_dir, resources_dir
from app.core.settings import Settings
from app.desktop import amounts, wording
from app.desktop.conversation import AnswerStamp, FailedRun
from app.desktop.language import speak
from app.desktop.lifecycle import TurnState
from app.desktop.measured import words
from app.desktop.phrases import TEMPLATES
from app.desktop.turn_records import Activity
from app.hardware.capacity import TOO_LARGE
from app.models.catalog import load_catalog
from app.models.profile import Evidence

FOLDER = resources_dir() / "translations"
APP = Path(__file__).parents[2] / "app"
SOURCES = APP / "desktop"


def _messages() -> list[tuple[str, str, str]]:
    root = ET.parse(FOLDER / "contenox_de.ts").getroot()
    return [
        (
            context.findtext("name") or "",
            message.findtext("source") or "",
            message.findtext("translation") or "",
        )
        for context in root.findall("context")
        for message in context.findall("message")
    ]


def test_every_sentence_is_translated_with_its_placeholders() -> None:
    for _, source, translation in _messages():
        assert translation, source
        assert set(re.findall(r"{\w+}", source)) == set(re.findall(r"{\w+}", translation)), source


def test_every_sentence_of_the_code_is_in_the_file() -> None:
    known = {source for _, source, _ in _messages()}
    call = re.compile(r"""(?:self\.tr\(|translate\(\s*"\w+",)\s*((?:"(?:[^"\\]|\\.)*"\s*)+)""")
    found = set()
    for file in SOURCES.rglob("*.py"):
        for literal in call.findall(file.read_text(encoding="utf-8")):
            parts = re.findall(r'"((?:[^"\\]|\\.)*)"', literal)
            found.add("".join(parts).replace('\\"', '"'))
    assert len(found) > 100
    assert found - known == set()


def test_every_help_of_a_setting_is_in_the_file() -> None:
    known = {source for context, source, _ in _messages() if context == "settings"}
    fields = msgspec.inspect.type_info(Settings).fields  # type: ignore[attr-defined]
    assert {field.type.extra_json_schema["description"] for field in fields} == known


def _error_codes() -> set[str]:
    """Every code that is written out where an error is made, the console's own ones apart."""
    kinds = {"Bug", "DataFault", "EnvironmentFault", "Fault", "UserError"}
    codes = set()
    for file in APP.rglob("*.py"):
        if file.is_relative_to(APP / "cli"):
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                first = node.args[0] if node.args else None
                if node.func.id in kinds and isinstance(first, ast.Constant):
                    codes.add(str(first.value))
    return codes - {"tool_called"}  # a reason inside another sentence


def test_what_each_model_of_the_list_is_good_at_is_in_the_file() -> None:
    known = {source for context, source, _ in _messages() if context == "catalogue"}
    assert {model.good_at for model in load_catalog().models} == known


def test_what_every_profile_says_as_evidence_is_in_the_file() -> None:
    known = {source for context, source, _ in _messages() if context == "evidence"}
    told = {Evidence().chat.source}  # what a profile that is silent says
    for file in profiles_dir().glob("*/contenox-*.json"):
        evidence = msgspec.json.decode(file.read_bytes()).get("evidence", {})
        told.update(claim["source"] for claim in evidence.values())
    assert told == known


def test_every_sentence_that_is_made_by_a_template_is_in_the_file() -> None:
    known = {source for context, source, _ in _messages() if context == "phrases"}
    assert known == set(TEMPLATES)


def test_every_check_of_the_answers_has_a_name_in_the_file() -> None:
    known = {source for context, source, _ in _messages() if context == "measured"}
    names = [check.name for check in (*CHECKS, CACHED_AGREEMENT, CPU_AGREEMENT)]
    assert {words.check_name(name) for name in names} <= known


@pytest.mark.usefixtures("german")
def test_the_sum_of_what_does_not_fit_is_told_in_german() -> None:
    sentence = TOO_LARGE.format(
        weights="5.2 GB", kv="1.1 GB", tokens="8,192", working="336 MB", total="6.6 GB",
        usable="4.1 GB", device="CPU", free="5.1 GB", reserve="1.0 GB",
    )  # fmt: skip
    error = EnvironmentFault("does_not_fit", sentence, "Close others.").record()
    assert wording.error_code(error) == (
        "does_not_fit: Es passt nicht: 5,2 GB Gewichte + 1,1 GB KV-Cache für 8.192 Token + 336 MB"
        " Arbeitsspeicher = 6,6 GB; auf CPU sind 4,1 GB nutzbar (5,1 GB sind frei, 1,0 GB davon"
        " bleiben in Reserve)."
    )


@pytest.mark.usefixtures("german")
def test_a_run_that_failed_before_is_told_in_german() -> None:
    error = EnvironmentFault("engine_gpu_failed", "The GPU failed.", "Choose the CPU.").record()
    died = EnvironmentFault("engine_died", "The engine process ended.", "Try again.").record()
    _, sentence = wording.retried(FailedRun(device="GPU", error=died))
    assert sentence.endswith("Was schon geschrieben war, bleibt.")
    assert "engine process" not in sentence
    stamp = AnswerStamp(
        model="m", device="CPU", backend="openvino", error=died,
        before=FailedRun(device="GPU", error=error),
    )  # fmt: skip
    details = dict(wording.answer_details(stamp))
    assert details["Ende"] == f"{wording.error_sentences(died)[0]} (engine_died)"


def test_every_error_has_two_sentences_in_german() -> None:
    sentences = {source: text for context, source, text in _messages() if context == "errors"}
    assert _error_codes() - set(sentences) == set()
    assert len(sentences) > 150
    for code, text in sentences.items():
        happened, remedy = text.split("\n")
        assert happened.endswith("."), code
        assert remedy, code


@pytest.mark.usefixtures("german")
def test_an_error_is_told_in_german_with_the_figures_beside_its_code() -> None:
    error = EnvironmentFault("does_not_fit", "It needs 5.2 GB; 4.1 GB are free.", "Close others.")
    headline, remedy = wording.error_sentences(error.record())
    assert headline == "Das Modell passt nicht in den freien Speicher."
    assert remedy.startswith("Schließen Sie andere Programme")
    assert wording.error_code(error.record()) == "does_not_fit: It needs 5.2 GB; 4.1 GB are free."


def test_in_english_an_error_keeps_its_own_words() -> None:
    error = EnvironmentFault("does_not_fit", "It needs 5.2 GB; 4.1 GB are free.", "Close others.")
    assert wording.error_sentences(error.record()) == (error.message, error.remedy)
    assert wording.error_code(error.record()) == "does_not_fit"


@pytest.fixture
def german(qapp: QApplication) -> Iterator[QLocale]:
    yield speak(qapp, FOLDER, "de")
    for translator in qapp.findChildren(QTranslator):
        QCoreApplication.removeTranslator(translator)
        translator.deleteLater()


@pytest.mark.usefixtures("german")
def test_the_compiled_file_says_what_the_source_says() -> None:
    for context, source, translation in _messages():
        assert QCoreApplication.translate(context, source) == translation


@pytest.mark.usefixtures("german")
def test_what_qt_says_by_itself_is_german_too() -> None:
    field = QLineEdit()
    said = [
        action.text().replace("&", "") for action in field.createStandardContextMenu().actions()
    ]
    assert any(text.startswith("Einfügen") for text in said)
    field.deleteLater()
    dialog = QFileDialog()
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    shown = [button.text() for button in dialog.findChildren(QPushButton)]
    assert "Abbrechen" in shown
    dialog.deleteLater()


@pytest.mark.usefixtures("german")
def test_numbers_are_written_as_germans_do() -> None:
    activity = Activity(state=TurnState.READING, done_tokens=1024, total_tokens=3900)
    assert wording.activity_sentence(activity, 0) == "3.900 Token werden gelesen, 1.024 fertig"


@pytest.mark.usefixtures("german")
def test_sizes_and_durations_have_the_decimal_sign_of_the_language() -> None:
    assert amounts.format_bytes(4_882_865_352) == "4,9 GB"
    assert amounts.format_duration(0.4) == "0,4 s"
    assert amounts.format_seconds(2.44) == "2,4"
    assert amounts.format_seconds(1) == "1,0"
    for file in SOURCES.rglob("*.py"):  # nothing goes past it
        uses_the_plain_form = "core.units import" in file.read_text(encoding="utf-8")
        assert not uses_the_plain_form, file


def test_a_language_without_a_translation_keeps_english_and_its_direction(
    qapp: QApplication,
) -> None:
    speak(qapp, FOLDER, "he")
    assert qapp.layoutDirection() is Qt.LayoutDirection.LeftToRight
    for translator in qapp.findChildren(QTranslator):
        translator.deleteLater()
