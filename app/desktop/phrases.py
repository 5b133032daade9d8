"""Sentences that lower layers make by a template, in the person's language with their figures."""

import re
from typing import Final

from PySide6.QtCore import QCoreApplication, QLocale

from app.certify.verdict import REASONS
from app.hardware.capacity import SENTENCES

TEMPLATES: Final = (*REASONS, *SENTENCES)
"""Each is a source of the context ``phrases`` of the translation."""

_NUMBER: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")


def phrase(text: str) -> str:
    """``text`` in the person's language; as it is where no template makes it or none is known."""
    for template in TEMPLATES:
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(template))
        found = re.fullmatch(pattern, text)
        if found is not None:
            translated = QCoreApplication.translate("phrases", template)
            if translated != template:
                figures = {name: _localised(value) for name, value in found.groupdict().items()}
                return translated.format(**figures)
    return text


def _localised(figure: str) -> str:
    """``8,192`` and ``4.9 GB`` as the person's language writes them."""

    def write(found: re.Match[str]) -> str:
        whole, _, decimals = found[0].replace(",", "").partition(".")
        if decimals:
            return QLocale().toString(float(f"{whole}.{decimals}"), "f", len(decimals))
        return QLocale().toString(int(whole)) if "," in found[0] else whole

    return _NUMBER.sub(write, figure)
