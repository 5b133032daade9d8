"""Refuses what is no text model that this program can run, by content and never by name.

The native loader takes a vision model's language part without a word and fails later, or never
(openvino-genai 2026.4.1), so the judgement is made here: from the list of files before a byte of
weights is fetched, from the small files once they are there, and again before each load.
"""

import json
import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from app.core.errors import DataFault
from app.models.names import find_bad_name

MAX_FILES: Final = 64
_MAX_CONFIG_BYTES: Final = 4 * 1024 * 1024
_TAIL_BYTES: Final = 256 * 1024

_NEEDED_IR: Final = (
    "openvino_model.xml",
    "openvino_model.bin",
    "openvino_tokenizer.xml",
    "openvino_tokenizer.bin",
    "openvino_detokenizer.xml",
    "openvino_detokenizer.bin",
    "config.json",
)
# Files that only a model with eyes or ears has, or one of several sub-models.
_OTHER_MODALITY_FILES: Final = re.compile(
    r"(^|/)(openvino_(language_model|\w*embeddings?_model|resampler_model|\w*vision\w*|\w*audio\w*|"
    r"\w*video\w*|\w*encoder_model|decoder\w*|talker\w*|thinker\w*|unet\w*|vae\w*|transformer)"
    r"\.(xml|bin)|(image_|video_|audio_|feature_)?(pre)?processor_config\.json|"
    r"model_index\.json|[^/]*mmproj[^/]*\.gguf)$",
    re.IGNORECASE,
)
_OTHER_MODALITY_KEYS: Final = (
    "vision_config",
    "audio_config",
    "video_config",
    "thinker_config",
    "talker_config",
    "vision_tower",
    "mm_vision_tower",
    "image_token_id",
    "image_token_index",
    "audio_token_id",
    "force_image_size",
)
_OTHER_MODALITY_TYPES: Final = re.compile(
    r"minicpm[vo]|llava.*|internvl.*|phi3_v|phi4mm|qwen\d(_5)?_(vl|omni|audio).*|gemma3n|gemma4.*|"
    r"videochat.*|muse_glimmer|mllama|idefics\d?|smolvlm|whisper|paligemma"
)
_CAUSAL: Final = re.compile(r"(ForCausalLM|LMHeadModel|ForCausalLMV2)$")
# 2025 and before, then 2026.
_WRITTEN_BY: Final = re.compile(
    rb'<(?:Runtime_version|info name="OpenVINO Runtime")\s+value="(\d{4})\.(\d+)'
)
# GGUF architectures that are no text generator: encoders, projectors, speech.
_GGUF_NOT_TEXT: Final = frozenset({"clip", "qwen2vl", "qwen3vl", "qwen3vlmoe", "mllama", "whisper"})
_GGUF_NO_GENERATOR: Final = re.compile(r"bert|t5encoder|wavtokenizer|embedding")


class RefusalReason(StrEnum):
    """Stable codes; an error that comes of a refusal has the reason as its code."""

    UNSUPPORTED_PIPELINE = "unsupported_pipeline"
    UNSUPPORTED_ARCHITECTURE = "unsupported_architecture"
    INCOMPLETE = "incomplete"
    NEWER_RUNTIME = "newer_runtime"
    TOO_MANY_FILES = "too_many_files"
    UNSAFE_FILE_NAME = "unsafe_file_name"
    CONFIG_UNREADABLE = "config_unreadable"


_REMEDIES: Final = {
    RefusalReason.INCOMPLETE: "Get the model again, or import a folder that holds all its files.",
    RefusalReason.NEWER_RUNTIME: "Update this program, or choose another model of the list.",
    RefusalReason.CONFIG_UNREADABLE: "Get the model again.",
}


class Refusal(Struct, frozen=True):
    """Why a set of files is not accepted; ``sentence`` is plain English."""

    reason: RefusalReason
    sentence: str

    def error(self) -> DataFault:
        """The refusal as an error whose code is the reason."""
        remedy = _REMEDIES.get(
            self.reason, "Choose a text model that 'contenox models list' shows."
        )
        return DataFault(self.reason, self.sentence, remedy)


def judge_openvino_files(paths: Iterable[str]) -> Refusal | None:
    """Judges the list of files of an OpenVINO repository or folder."""
    files = list(paths)
    refusal = _judge_any(files)
    if refusal is not None:
        return refusal
    missing = [name for name in _NEEDED_IR if name not in files]
    if missing:
        return Refusal(
            RefusalReason.INCOMPLETE, f"The model lacks {', '.join(missing)}; it can't be run."
        )
    return None


def judge_gguf_files(paths: Iterable[str], wanted: str) -> Refusal | None:
    """Judges the list of files of a repository whose file ``wanted`` shall be fetched.

    The repository may hold many quantisations; an image projector beside them (``mmproj``) means
    that the model is a vision model.
    """
    files = list(paths)
    if wanted not in files:
        return Refusal(RefusalReason.INCOMPLETE, f"The repository no longer has the file {wanted}.")
    return _other_modality(files)


def judge_gguf_architecture(architecture: str) -> Refusal | None:
    """Judges ``general.architecture`` of a GGUF header."""
    name = architecture.casefold()
    if name in _GGUF_NOT_TEXT:
        return _pipeline(f"its architecture is '{name}'")
    if _GGUF_NO_GENERATOR.search(name):
        return Refusal(
            RefusalReason.UNSUPPORTED_ARCHITECTURE,
            f"The architecture '{name[:40]}' doesn't generate text.",
        )
    return None


def judge_config(config: bytes) -> Refusal | None:
    """Judges ``config.json``: another modality, or an architecture that isn't a causal LM."""
    try:
        content: Any = json.loads(config) if len(config) <= _MAX_CONFIG_BYTES else None
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        return Refusal(
            RefusalReason.CONFIG_UNREADABLE, "The model's config.json can't be understood."
        )
    for key in _OTHER_MODALITY_KEYS:
        if content.get(key) is not None:
            return _pipeline(f"its config.json has '{key}'")
    model_type = str(content.get("model_type", "")).casefold()
    if _OTHER_MODALITY_TYPES.fullmatch(model_type):
        return _pipeline(f"its type is '{model_type}'")
    return _judge_architectures(content.get("architectures"))


def judge_ir(xml: bytes, runtime_version: str) -> Refusal | None:
    """Judges the text of ``openvino_model.xml`` (or its head and tail) for this runtime.

    ``runtime_version`` is ours, such as ``2026.4.1``. An IR names the version that wrote it in its
    ``rt_info``; one of a newer release may hold operations that ours doesn't know.
    """
    if b"<net" not in xml[:4096]:
        return Refusal(RefusalReason.INCOMPLETE, "The file openvino_model.xml is no model.")
    written_by = _written_by(xml)
    if written_by is not None and written_by > _release(runtime_version):
        shown = ".".join(map(str, written_by))
        return Refusal(
            RefusalReason.NEWER_RUNTIME,
            f"The model was made for OpenVINO {shown}; this program has {runtime_version}.",
        )
    if b'name="inputs_embeds"' in xml and b'name="input_ids"' not in xml:
        return _pipeline("it takes embeddings, not tokens")
    return None


def judge_folder(folder: Path, runtime_version: str) -> Refusal | None:
    """Judges a folder with an OpenVINO model: at an import and before each load."""
    try:
        files = sorted(
            path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
        )
        names = [name for name in files if not _is_ours(name)]
        refusal = judge_openvino_files(names)
        if refusal is None:
            refusal = judge_config((folder / "config.json").read_bytes())
        if refusal is None:
            refusal = judge_ir(_head_and_tail(folder / "openvino_model.xml"), runtime_version)
    except OSError as error:
        return Refusal(
            RefusalReason.INCOMPLETE,
            f"The model's folder can't be read ({error.strerror or error}).",
        )
    return refusal


def _judge_any(files: Sequence[str]) -> Refusal | None:
    if len(files) > MAX_FILES:
        return Refusal(
            RefusalReason.TOO_MANY_FILES,
            f"The repository has {len(files)} files; a text model has at most {MAX_FILES}.",
        )
    bad = find_bad_name(files)
    if bad is not None:
        return Refusal(RefusalReason.UNSAFE_FILE_NAME, bad.error().message)
    return _other_modality(files)


def _other_modality(files: Iterable[str]) -> Refusal | None:
    telling = next((name for name in files if _OTHER_MODALITY_FILES.search(name)), None)
    return None if telling is None else _pipeline(f"it has the file {telling}")


def _pipeline(because: str) -> Refusal:
    return Refusal(
        RefusalReason.UNSUPPORTED_PIPELINE,
        f"This is not a text-only model: {because}.",
    )


def _judge_architectures(architectures: object) -> Refusal | None:
    names = architectures if isinstance(architectures, list) else []
    if not names:
        return Refusal(
            RefusalReason.UNSUPPORTED_ARCHITECTURE, "The config.json names no architecture."
        )
    for name in map(str, names):
        if not _CAUSAL.search(name):
            return Refusal(
                RefusalReason.UNSUPPORTED_ARCHITECTURE,
                f"The architecture '{name[:60]}' isn't a language model that answers.",
            )
    return None


def _written_by(xml: bytes) -> tuple[int, int] | None:
    found = _WRITTEN_BY.search(xml)
    return None if found is None else (int(found[1]), int(found[2]))


def _release(version: str) -> tuple[int, int]:
    year, release = version.split(".")[:2]
    return int(year), int(release)


def _head_and_tail(path: Path) -> bytes:
    with path.open("rb") as file:
        head = file.read(_TAIL_BYTES)
        size = file.seek(0, 2)
        file.seek(max(len(head), size - _TAIL_BYTES))
        return head + file.read()


def _is_ours(name: str) -> bool:
    last = name.rsplit("/", 1)[-1]
    return last == "manifest.json" or last.startswith("contenox-")
