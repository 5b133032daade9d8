"""Presets: a system prompt and sampling under a name."""

import sqlite3
from typing import Final

import msgspec

from app.chats.database import new_id, storable, writing
from app.chats.records import Preset, SamplingFields
from app.chats.rows import PRESET_COLUMNS, encode_json, preset_of
from app.core.errors import UserError

_LONGEST_NAME: Final = 500


def checked_sampling(sampling: SamplingFields) -> SamplingFields:
    """Returns ``sampling`` if every field is in its range.

    Raises:
        UserError: ``sampling_out_of_range``.
    """
    try:
        return msgspec.convert(msgspec.to_builtins(sampling), SamplingFields)
    except msgspec.ValidationError as error:
        raise UserError(
            "sampling_out_of_range",
            f"A setting is out of its range: {error}.",
            "Choose a value inside the range.",
        ) from error


def save(connection: sqlite3.Connection, preset: Preset) -> Preset:
    """Creates the preset, or changes the one with this id. An empty id is given a new one.

    Raises:
        UserError: ``preset_without_name``, ``sampling_out_of_range``.
    """
    name = " ".join(storable(preset.name).split())[:_LONGEST_NAME]
    if not name:
        raise UserError("preset_without_name", "A preset needs a name.", "Give it a name.")
    saved = Preset(
        id=preset.id or new_id(),
        name=name,
        system_prompt=storable(preset.system_prompt),
        sampling=checked_sampling(preset.sampling),
    )
    with writing(connection):
        connection.execute(
            "INSERT INTO presets VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
            " name = excluded.name, system_prompt = excluded.system_prompt,"
            " sampling = excluded.sampling",
            (saved.id, saved.name, saved.system_prompt, encode_json(saved.sampling)),
        )
    return saved


def delete(connection: sqlite3.Connection, preset_id: str) -> None:
    """Conversations that were started with it keep their own copy."""
    with writing(connection):
        connection.execute(
            "UPDATE conversations SET preset_id = NULL WHERE preset_id = ?", (preset_id,)
        )
        connection.execute("DELETE FROM presets WHERE id = ?", (preset_id,))


def all_presets(connection: sqlite3.Connection) -> tuple[Preset, ...]:
    rows = connection.execute(f"SELECT {PRESET_COLUMNS} FROM presets ORDER BY name COLLATE NOCASE")  # noqa: S608 - our columns
    return tuple(preset_of(row) for row in rows)
