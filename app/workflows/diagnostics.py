"""What a person can send when something went wrong: versions, devices, settings, logs and counts.

No chat text, no prompt, no attachment. The person sees each part before it is saved, and what is
saved is what was seen.
"""

import getpass
import io
import os
import platform
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

import app
from app.core.files import write_atomic
from app.core.logs import LOG_FILE
from app.core.paths import DataRoot
from app.core.settings import Settings
from app.engine.trace import TRACE_FILE, read_trace
from app.hardware.readings import DeviceInventory
from app.models.library import InstalledModel

_TAIL_BYTES: Final = 64 * 1024
_LOGS: Final = (LOG_FILE, "engine.log", "native.log")
_LIBRARIES: Final = (
    "openvino",
    "openvino-genai",
    "openvino-tokenizers",
    "llama-cpp-python",
    "PySide6-Essentials",
    "huggingface-hub",
    "msgspec",
)
# The person's own notes and places; the rest of the settings says how the program behaves.
_PRIVATE_SETTINGS: Final = frozenset({"window_geometry"})
_SECRETS: Final = (
    (re.compile(r"\bhf_[A-Za-z0-9]{8,}"), "<token>"),
    (re.compile(r"(?<=://)[^/\s@]+@"), "<login>@"),
)
_SHORTEST_NAME: Final = 3


class BundlePart(Struct, frozen=True, kw_only=True):
    """One file of the bundle, as text."""

    name: str
    content: str


class Redaction:
    """Replaces what names the person: their folders, their name, their computer, their tokens.

    Args:
        places: folders and what to write in their stead.
        names: words and what to write in their stead; very short ones are left alone.
    """

    def __init__(
        self, places: Iterable[tuple[Path, str]], names: Iterable[tuple[str, str]]
    ) -> None:
        self._rules: list[tuple[re.Pattern[str], str]] = list(_SECRETS)
        spelled = [(text, label) for path, label in places for text in _spellings(path)]
        # The longest first: a data folder in the home folder is still a data folder.
        for text, label in sorted(spelled, key=lambda pair: -len(pair[0])):
            self._rules.append((re.compile(re.escape(text), re.IGNORECASE), label))
        for name, label in names:
            if len(name) >= _SHORTEST_NAME:
                word = rf"(?<![^\W_]){re.escape(name)}(?![^\W_])"
                self._rules.append((re.compile(word, re.IGNORECASE), label))

    @classmethod
    def of_this_person(cls, data_root: Path) -> "Redaction":
        """The rules for who runs this program."""
        try:
            person = getpass.getuser()
        except (OSError, KeyError, ImportError):
            person = ""
        home = Path.home()
        return cls(
            ((data_root, "<data>"), (home, "<home>")),
            ((home.name, "<person>"), (person, "<person>"), (platform.node(), "<computer>")),
        )

    def __call__(self, text: str) -> str:
        for pattern, label in self._rules:
            text = pattern.sub(label, text)
        return text


def _spellings(path: Path) -> set[str]:
    """A folder as logs, JSON and web addresses write it; none for a root."""
    plain = str(path)
    if len(path.parts) < 2:
        return set()
    return {
        plain,
        path.as_posix(),
        plain.replace("\\", "\\\\"),
        path.as_uri().removeprefix("file://"),
    }


class Diagnostics:
    """Collects the bundle of one data root. Blocks: for a worker.

    Args:
        data_root: whose logs are read.
        settings: the settings as they are.
        list_devices: the devices with the library's own words about them.
        list_models: the installed models.
        redaction: what is replaced in every part.
    """

    def __init__(
        self,
        data_root: DataRoot,
        settings: Callable[[], Settings],
        list_devices: Callable[[], DeviceInventory],
        list_models: Callable[[], tuple[InstalledModel, ...]],
        redaction: Redaction | None = None,
    ) -> None:
        self._root = data_root
        self._settings = settings
        self._list_devices = list_devices
        self._list_models = list_models
        self._redact = redaction or Redaction.of_this_person(data_root.path)

    def collect(self) -> tuple[BundlePart, ...]:
        """The parts, redacted. A part that can't be made says so in its place."""
        makers: list[tuple[str, Callable[[], str]]] = [
            ("about.json", _about),
            ("devices.json", lambda: _json(self._list_devices())),
            ("settings.json", self._settings_text),
            ("models.json", self._models_text),
            ("requests.json", self._requests_text),
        ]
        makers += [(name, lambda name=name: self._tail(name)) for name in _LOGS]  # type: ignore[misc]
        return tuple(
            BundlePart(name=name, content=self._redact(_made(make))) for name, make in makers
        )

    def _settings_text(self) -> str:
        shown = msgspec.to_builtins(self._settings())
        return _json({key: value for key, value in shown.items() if key not in _PRIVATE_SETTINGS})

    def _models_text(self) -> str:
        return _json(
            [
                {
                    "name": model.name,
                    "variant": model.variant,
                    "backend": model.backend,
                    "digest": model.digest,
                    "size_bytes": model.size_bytes,
                    "context_tokens": model.context_tokens,
                }
                for model in self._list_models()
            ]
        )

    def _requests_text(self) -> str:
        """How often what ended how; a trace has counts and no text to begin with."""
        counted: Counter[tuple[str, ...]] = Counter()
        for record in read_trace(self._root.logs / TRACE_FILE):
            counted[
                (record.kind, record.outcome, record.backend, record.device, record.pipeline)
            ] += 1
        names = ("kind", "outcome", "backend", "device", "pipeline")
        return _json(
            [
                {**dict(zip(names, key, strict=True)), "requests": count}
                for key, count in sorted(counted.items())
            ]
        )

    def _tail(self, name: str) -> str:
        """The end of a log, from the first whole line on."""
        path = self._root.logs / name
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            size_bytes = file.seek(0, os.SEEK_END)
            file.seek(max(0, size_bytes - _TAIL_BYTES))
            tail = file.read()
        if size_bytes > _TAIL_BYTES:
            tail = tail.partition(b"\n")[2]
        return tail.decode("utf-8", "replace")


def save_bundle(parts: tuple[BundlePart, ...], target: Path) -> None:
    """Writes exactly ``parts`` as a zip file.

    Raises:
        EnvironmentFault: the file can't be written.
    """
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as bundle:
        for part in parts:
            bundle.writestr(part.name, part.content)
    write_atomic(target, content.getvalue())


def _about() -> str:
    found = {}
    for library in _LIBRARIES:
        try:
            found[library] = metadata.version(library)
        except metadata.PackageNotFoundError:
            found[library] = "absent"
    return _json(
        {
            "contenox": app.__version__,
            "python": platform.python_version(),
            "system": platform.platform(),
            "machine": platform.machine(),
            "processors": os.cpu_count(),
            "libraries": found,
        }
    )


def _made(make: Callable[[], str]) -> str:
    try:
        return make()
    except Exception as error:  # noqa: BLE001 - what is broken is what the bundle is for
        return f"This part could not be made: {type(error).__name__}: {error}\n"


def _json(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"
