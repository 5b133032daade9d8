"""Sentences that lower layers make by a template, in the person's language with their figures."""

import re
from typing import Final

from PySide6.QtCore import QCoreApplication, QLocale

from app.certify.verdict import REASONS
from app.hardware.capacity import SENTENCES

# What the list of models and their manifests say beside names.
_OF_MODELS: Final = (
    "Converted from {source}",
    "{package} (package index)",
    "{format} (converted from {other})",
)
TEMPLATES: Final = (*REASONS, *SENTENCES, *_OF_MODELS)
"""Each is a source of the context ``phrases`` of the translation."""

# A figure with its unit; a model's name has digits too.
_FIGURE: Final = re.compile(r"(\d[\d,]*)(?:\.(\d+))?(%| \w+)?")


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
    found = _FIGURE.fullmatch(figure)
    if found is None:
        return figure
    whole, decimals, unit = found[1].replace(",", ""), found[2] or "", found[3] or ""
    return QLocale().toString(float(f"{whole}.{decimals}"), "f", len(decimals)) + unit
