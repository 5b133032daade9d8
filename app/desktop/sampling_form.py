"""The declared sampling settings as fields; an empty one is the model's own default."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from PySide6.QtCore import QCoreApplication, QLocale, Qt, Signal, Slot
from PySide6.QtGui import QDoubleValidator, QIntValidator, QValidator
from PySide6.QtWidgets import QFormLayout, QLabel, QLineEdit, QWidget

from app.chats.records import SamplingFields

translate = QCoreApplication.translate

_LARGEST: Final = 2**31 - 1  # what Qt's validator counts to; a seed may be typed longer


@dataclass(frozen=True, slots=True)
class _Field:
    """One field: its name in the record, and what a person is told."""

    name: str
    title: Callable[[], str]
    hint: Callable[[], str]
    least: float
    most: float
    whole: bool = False


_FIELDS: Final = (
    _Field(
        "temperature",
        lambda: translate("SamplingForm", "Temperature"),
        lambda: translate("SamplingForm", "0 always takes the likeliest word; 0.7 is lively."),
        0,
        5,
    ),
    _Field(
        "top_p",
        lambda: translate("SamplingForm", "Top p"),
        lambda: translate("SamplingForm", "Only words that together have this chance."),
        0,
        1,
    ),
    _Field(
        "top_k",
        lambda: translate("SamplingForm", "Top k"),
        lambda: translate("SamplingForm", "Only this many of the likeliest words; 0 means all."),
        0,
        1_000_000,
        whole=True,
    ),
    _Field(
        "min_p",
        lambda: translate("SamplingForm", "Min p"),
        lambda: translate("SamplingForm", "Only words with this share of the best one's chance."),
        0,
        1,
    ),
    _Field(
        "repetition_penalty",
        lambda: translate("SamplingForm", "Repetition penalty"),
        lambda: translate("SamplingForm", "1 is none; 1.1 makes said words less likely."),
        0,
        10,
    ),
    _Field(
        "seed",
        lambda: translate("SamplingForm", "Seed"),
        lambda: translate("SamplingForm", "The same seed gives the same answer again."),
        0,
        _LARGEST,
        whole=True,
    ),
    _Field(
        "max_answer_tokens",
        lambda: translate("SamplingForm", "Longest answer"),
        lambda: translate("SamplingForm", "In tokens; a token is about three quarters of a word."),
        1,
        10_000_000,
        whole=True,
    ),
)


class SamplingForm(QWidget):
    """Fields in two columns. ``changed`` comes with each key."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields: dict[str, QLineEdit] = {}
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for field in _FIELDS:
            edit = self._make(field)
            label = QLabel(field.title(), self)
            label.setBuddy(edit)
            label.setMinimumHeight(edit.sizeHint().height())
            label.setAlignment(Qt.AlignmentFlag.AlignVCenter)
            form.addRow(label, edit)

    def _make(self, field: _Field) -> QLineEdit:
        edit = QLineEdit(self)
        edit.setAccessibleName(field.title())
        edit.setAccessibleDescription(field.hint())
        edit.setPlaceholderText(field.hint())
        edit.setToolTip(field.hint())
        validator: QValidator
        if field.whole:
            validator = QIntValidator(round(field.least), round(field.most), edit)
        else:
            validator = QDoubleValidator(field.least, field.most, 4, edit)
        validator.setLocale(QLocale())
        edit.setValidator(validator)
        edit.textEdited.connect(self._on_edited)
        self.fields[field.name] = edit
        return edit

    def set_sampling(self, sampling: SamplingFields) -> None:
        """Shows ``sampling``; that is no change."""
        for field in _FIELDS:
            value = getattr(sampling, field.name)
            self.fields[field.name].setText("" if value is None else _written(value))

    def sampling(self, base: SamplingFields) -> SamplingFields:
        """``base`` with what the fields say; one that isn't valid yet leaves its value alone."""
        changes: dict[str, Any] = {}
        for field in _FIELDS:
            edit = self.fields[field.name]
            if not edit.text().strip():
                changes[field.name] = None
            elif edit.hasAcceptableInput():
                changes[field.name] = _read(edit.text(), whole=field.whole)
        candidate = msgspec.structs.replace(base, **changes)
        try:
            return msgspec.convert(msgspec.to_builtins(candidate), SamplingFields)
        except msgspec.ValidationError:  # such as a top p of 0, on the way to 0.9
            return base

    @Slot()
    def _on_edited(self) -> None:
        self.changed.emit()


def _written(value: float) -> str:
    locale = QLocale()
    locale.setNumberOptions(QLocale.NumberOption.OmitGroupSeparator)
    if isinstance(value, int):
        return locale.toString(value)
    return locale.toString(value, "g", 6)


def _read(text: str, *, whole: bool) -> float | int:
    locale = QLocale()
    if whole:
        return locale.toLongLong(text)[0]
    return round(locale.toDouble(text)[0], 6)
