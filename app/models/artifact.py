"""What a folder must hold before OpenVINO GenAI may see it as a text model.

``check_openvino_folder`` runs before each load. It is pure Python, reads no weights and finds what
would end the process or answer with garbage: see ``ir_file``.
"""

from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from app.core.errors import DataFault, EnvironmentFault
from app.models.ir_file import check_ir

_REMEDY: Final = "Delete the model and get it again."
# config.json's names for the trained context, the first that is there counts.
_CONTEXT_KEYS: Final = ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length")
_MAX_CONTEXT: Final = 1 << 28


class OpenVinoFolder(Struct, frozen=True, kw_only=True):
    """A folder that may be loaded.

    ``context_tokens`` is the context that the model was trained for. ``has_sdpa``: the paged
    pipeline needs that operation. ``stop_token_ids`` are the end tokens that the model's files
    name.
    """

    path: Path
    context_tokens: int
    chat_template: str | None
    stop_token_ids: tuple[int, ...]
    has_sdpa: bool
    weights_bytes: int


def check_openvino_folder(path: Path, *, chats: bool = True) -> OpenVinoFolder:
    """Checks the files of the model in the folder ``path``.

    Args:
        chats: the model is to answer: it needs a detokenizer and a chat template. An embedding
            model needs neither.

    Raises:
        DataFault: ``model_incomplete`` or ``model_damaged`` names the file and the remedy.
        EnvironmentFault: ``model_unreadable``.
    """
    if not path.is_dir():
        raise DataFault("model_incomplete", f"The model folder {path.name} is missing.", _REMEDY)
    model = check_ir(path, "openvino_model")
    tokenizer = check_ir(path, "openvino_tokenizer")
    template = None
    if chats:
        check_ir(path, "openvino_detokenizer")
        template = _chat_template(path, tokenizer.rt_info)
    config = _read_object(path / "config.json")
    if config is None:
        raise DataFault("model_incomplete", "The file config.json is missing.", _REMEDY)
    return OpenVinoFolder(
        path=path,
        context_tokens=_context_tokens(config),
        chat_template=template,
        stop_token_ids=_stop_token_ids(path, config, tokenizer.rt_info),
        has_sdpa=model.has_sdpa,
        weights_bytes=model.weights_bytes,
    )


def _read_object(path: Path) -> dict[str, Any] | None:
    """Reads a JSON object; ``None`` if there is no such file."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except FileNotFoundError:
        return None
    except (msgspec.MsgspecError, RecursionError) as error:
        raise DataFault(
            "model_damaged", f"The file {path.name} can't be understood ({error}).", _REMEDY
        ) from error
    except OSError as error:
        raise EnvironmentFault(
            "model_unreadable",
            f"The file {path.name} can't be read ({error.strerror or error}).",
            "Check the disk and the permissions of the model store.",
        ) from error


def _context_tokens(config: dict[str, Any]) -> int:
    """The trained context; composed models keep it in ``text_config``."""
    nested = config.get("text_config")
    places = [config, nested] if isinstance(nested, dict) else [config]
    for key in _CONTEXT_KEYS:
        for place in places:
            value = place.get(key)
            if type(value) is int and 1 <= value <= _MAX_CONTEXT:
                return value
    raise DataFault(
        "model_damaged", "The file config.json does not say how long a context may be.", _REMEDY
    )


def _stop_token_ids(path: Path, config: dict[str, Any], rt_info: dict[str, str]) -> tuple[int, ...]:
    generation = _read_object(path / "generation_config.json") or {}
    for place in (generation, config):
        value = place.get("eos_token_id")
        if value is None:
            continue
        ids = value if isinstance(value, list) else [value]
        if not ids or not all(type(i) is int and i >= 0 for i in ids):
            name = "generation_config.json" if place is generation else "config.json"
            raise DataFault("model_damaged", f"The file {name} has a bad eos_token_id.", _REMEDY)
        return tuple(ids)
    text = rt_info.get("eos_token_id", "")
    return (int(text),) if text.isascii() and text.isdecimal() else ()


def _chat_template(path: Path, rt_info: dict[str, str]) -> str:
    """The chat template, looked for where GenAI does and in its order."""
    tokenizer_config = _read_object(path / "tokenizer_config.json") or {}
    template_file = _read_object(path / "chat_template.json") or {}
    for candidate in (
        rt_info.get("chat_template"),
        _default_template(tokenizer_config.get("chat_template")),
        _default_template(template_file.get("chat_template")),
        _jinja_file(path / "chat_template.jinja"),
    ):
        if candidate:
            return candidate
    raise DataFault(
        "model_incomplete",
        "This model has no chat template: it was not made for conversations.",
        "Choose a model whose name says instruct or chat.",
    )


def _default_template(value: object) -> str | None:
    """A template, or the one named ``default`` in a list of templates."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        for entry in value:
            if isinstance(entry, dict) and entry.get("name") == "default":
                template = entry.get("template")
                return template if isinstance(template, str) else None
    return None


def _jinja_file(path: Path) -> str | None:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise DataFault(
            "model_damaged", f"The file {path.name} can't be read ({error}).", _REMEDY
        ) from error
