"""One OpenVINO IR: the XML is whole, and the weights are as large as it says.

The library itself aborts the process later on some of these defects (a missing detokenizer, seen
with 2026.4.1), and answers with garbage or a riddle on others, so they are found here, without it.
"""

from pathlib import Path
from typing import Final, NoReturn
from xml.parsers import expat

from msgspec import Struct

from app.core.errors import DataFault, EnvironmentFault

_REMEDY: Final = "Delete the model and get it again."
_NUMBER_CHARACTERS: Final = 19


class IrFacts(Struct, frozen=True, kw_only=True):
    """What a pass over the XML finds. ``rt_info`` has the values of its top level."""

    weights_bytes: int
    has_sdpa: bool
    rt_info: dict[str, str]


def check_ir(folder: Path, stem: str) -> IrFacts:
    """Checks ``<stem>.xml``, all of it, and the size of ``<stem>.bin`` in ``folder``.

    Raises:
        DataFault: ``model_incomplete`` or ``model_damaged`` names the file.
        EnvironmentFault: ``model_unreadable``.
    """
    xml, weights = folder / f"{stem}.xml", folder / f"{stem}.bin"
    for path in (xml, weights):
        if not path.is_file():
            raise DataFault("model_incomplete", f"The file {path.name} is missing.", _REMEDY)
    facts = _read_xml(xml)
    size_bytes = weights.stat().st_size
    if size_bytes < facts.weights_bytes:
        raise DataFault(
            "model_damaged",
            f"The file {weights.name} has {size_bytes} bytes, and {xml.name} needs "
            f"{facts.weights_bytes}.",
            _REMEDY,
        )
    return facts


def _read_xml(path: Path) -> IrFacts:
    reader = _Reader(path.name)
    try:
        with path.open("rb") as file:
            reader.parser.ParseFile(file)
    except expat.ExpatError as error:
        raise DataFault(
            "model_damaged", f"The file {path.name} is no whole XML ({error}).", _REMEDY
        ) from error
    except OSError as error:
        raise EnvironmentFault(
            "model_unreadable",
            f"The file {path.name} can't be read ({error.strerror or error}).",
            "Check the disk and the permissions of the model store.",
        ) from error
    return reader.facts()


class _Reader:
    """Collects the facts while expat walks over the file."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._path: list[str] = []
        self._in_constant = False
        self._weights_bytes = 0
        self._has_layers = False
        self._has_sdpa = False
        self._rt_info: dict[str, str] = {}
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._doctype

    def facts(self) -> IrFacts:
        if not self._has_layers:
            self._damaged("has no layers")
        return IrFacts(
            weights_bytes=self._weights_bytes, has_sdpa=self._has_sdpa, rt_info=self._rt_info
        )

    def _damaged(self, defect: str) -> NoReturn:
        raise DataFault("model_damaged", f"The file {self._name} {defect}.", _REMEDY)

    def _doctype(self, *_: object) -> None:
        # Entities could make a small file endless; no IR has any.
        self._damaged("declares a document type, which no OpenVINO model does")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._path and tag != "net":
            self._damaged("is no OpenVINO model")
        if tag == "layer":
            self._has_layers = True
            kind = attributes.get("type")
            self._in_constant = kind == "Const"
            self._has_sdpa = self._has_sdpa or kind == "ScaledDotProductAttention"
        elif tag == "data" and self._in_constant:
            self._constant(attributes)
        elif self._path == ["net", "rt_info"] and "value" in attributes:
            self._rt_info[attributes.get("name", tag)] = attributes["value"]
        self._path.append(tag)

    def _end(self, _: str) -> None:
        self._path.pop()

    def _constant(self, attributes: dict[str, str]) -> None:
        end = 0
        for key in ("offset", "size"):
            text = attributes.get(key, "")
            if not (text.isascii() and text.isdecimal() and len(text) <= _NUMBER_CHARACTERS):
                self._damaged("has a constant without a place in the weights")
            end += int(text)
        self._weights_bytes = max(self._weights_bytes, end)
