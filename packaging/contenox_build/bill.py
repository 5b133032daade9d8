"""The bill of materials of a package (CycloneDX 1.6, JSON): each file, its hash, its licence."""

import json
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from contenox_build.closure import Finding
from contenox_build.components import PROGRAM, Component
from contenox_build.errors import PackagingError

_SPDX: Final = re.compile(r"^[\w.+-]+( (AND|OR|WITH) [\w.+-]+)*$")
_SINGLE_NAMES: Final = re.compile(r"^[\w.+-]+$")


def write_bill(parts: Iterable[Component], target: Path, *, version: str, epoch: int) -> None:
    """Writes the bill of ``parts``; the same parts and ``epoch`` give the same bytes."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch))
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": moment,
            "component": {"type": "application", "name": PROGRAM, "version": version},
        },
        "components": [_component(part) for part in parts],
    }
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    target.write_text(text, encoding="utf-8", newline="\n")


def read_bill(source: Path) -> tuple[dict[str, str], tuple[Finding, ...]]:
    """The sha256 of each file that the bill names, and what is wrong with the bill itself.

    Raises:
        PackagingError: it can't be read or is no bill.
    """
    try:
        document = json.loads(source.read_text(encoding="utf-8"))
        parts = document["components"]
        hashes = {
            file["name"]: file["hashes"][0]["content"]
            for part in parts
            for file in part.get("components", ())
        }
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise PackagingError(
            f"{source} is no bill of materials that can be read; build the package again."
        ) from error
    return hashes, tuple(_unlicensed(parts, source.name))


def _unlicensed(parts: Iterable[dict[str, Any]], name: str) -> Iterator[Finding]:
    for part in parts:
        if part.get("components") and not part.get("licenses"):
            yield Finding("bill of materials", name, f"{part.get('name')} has no licence")


def _component(part: Component) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "library", "name": part.name, "version": part.version}
    if part.package_url:
        found |= {"bom-ref": part.package_url, "purl": part.package_url}
    found["licenses"] = [_licence(part.licence)]
    if part.files:
        found["components"] = [
            {
                "type": "file",
                "name": file.path,
                "hashes": [{"alg": "SHA-256", "content": file.sha256}],
            }
            for file in part.files
        ]
    return found


def _licence(text: str) -> dict[str, Any]:
    if _SPDX.match(text) and not _SINGLE_NAMES.match(text):
        return {"expression": text}
    if text.startswith("LicenseRef-") or not _SINGLE_NAMES.match(text):
        return {"license": {"name": text}}
    return {"license": {"id": text}}
