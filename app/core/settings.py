"""The settings, each declared once with its type, default and help.

The file is JSON. A value of the wrong type falls back to its default alone; a key that this version
does not know (a newer version wrote it) is kept when the file is written again.
"""

import logging
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.core.files import write_atomic

_log = logging.getLogger(__name__)


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings. The descriptions are shown to the person."""

    default_model: Annotated[str | None, Meta(description="The model that a new chat uses.")] = None
    default_device: Annotated[
        str | None, Meta(description="The device that runs models; empty means automatic.")
    ] = None
    model_store: Annotated[
        str | None, Meta(description="The folder that holds the models; empty means the default.")
    ] = None
    idle_unload_s: Annotated[
        int,
        Meta(ge=0, description="Seconds until an unused model is unloaded; 0 means never."),
    ] = 300
    thinking_budget_tokens: Annotated[
        int,
        Meta(
            ge=0,
            description="Most tokens a model may think before its answer; 0 means no limit.",
        ),
    ] = 2048
    retry_on_cpu: Annotated[
        bool,
        Meta(
            description="An answer that fails on another device is tried once more on the CPU,"
            " if the model is certified there for that length."
        ),
    ] = False
    offline: Annotated[
        bool, Meta(description="Nothing is downloaded and no server is asked for anything.")
    ] = False
    close_to_tray: Annotated[
        bool, Meta(description="Closing the window keeps the program in the tray.")
    ] = True
    appearance: Annotated[
        Literal["system", "light", "dark"], Meta(description="The colours of the window.")
    ] = "system"
    language: Annotated[
        str | None, Meta(description="The language of the window; empty means the system's.")
    ] = None
    quick_question_keys: Annotated[
        str | None,
        Meta(description="The keys that open the quick question from anywhere; empty means none."),
    ] = None
    window_geometry: Annotated[
        str | None, Meta(description="Where the window was, as Qt wrote it.")
    ] = None
    close_to_tray_told: Annotated[
        bool, Meta(description="Whether the person has been told what closing the window does.")
    ] = False


class SettingsFile:
    """Reads and writes ``Settings`` at one path."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._unknown: dict[str, Any] = {}
        self._changing = threading.Lock()

    def load(self) -> Settings:
        """Returns the settings; what is missing or broken has its default. Never raises."""
        return self._read() or Settings()

    def save(self, settings: Settings) -> None:
        """Writes all settings atomically.

        Raises:
            EnvironmentFault: the file can't be written.
        """
        content = self._unknown | msgspec.to_builtins(settings)
        write_atomic(self._path, msgspec.json.format(msgspec.json.encode(content)) + b"\n")

    def change(self, before: Settings | None = None, **fields: Any) -> None:
        """Writes ``fields`` over what the file says now: another part of the program, or another
        program, may have changed others since.

        Args:
            before: what the rest is where there is no file, or none that can be read.

        Raises:
            EnvironmentFault: the file can't be written.
        """
        with self._changing:
            self.save(msgspec.structs.replace(self._read() or before or Settings(), **fields))

    def _read(self) -> Settings | None:
        try:
            stored = msgspec.json.decode(self._path.read_bytes(), type=dict[str, Any])
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError) as error:
            _log.warning("settings unreadable, defaults are used: %s", error)
            return None
        return self._convert(stored)

    def _convert(self, stored: Mapping[str, Any]) -> Settings:
        fields = {field.name: field for field in msgspec.structs.fields(Settings)}
        good: dict[str, Any] = {}
        for key, value in stored.items():
            if key not in fields:
                self._unknown[key] = value
                continue
            try:
                good[key] = msgspec.convert(value, fields[key].type)
            except msgspec.ValidationError as error:
                _log.warning("setting %s has a bad value, its default is used: %s", key, error)
        return Settings(**good)
