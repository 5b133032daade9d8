"""Reads profiles, and finds the one of a model."""

from pathlib import Path
from typing import Final

from app.core.errors import DataFault, EnvironmentFault
from app.core.paths import profiles_dir
from app.models.library import InstalledModel
from app.models.names import problem_of
from app.models.profile import (
    LLAMA_PROFILE,
    OPENVINO_PROFILE,
    LlamaProfile,
    OpenVinoProfile,
    OpenVinoReasoningProtocol,
    Profile,
)
from app.models.strict_json import decode_strict

REFUSALS: Final = {
    "openvino:llama3_json_tool_parser": (
        "it takes any JSON object in an answer for a call, and the paged pipeline doesn't run it"
    ),
    "openvino:llama3_pythonic_tool_parser": "it loses arguments that aren't strings",
    "openvino:vllm_parser_wrapper": "it needs vLLM, which isn't part of this program",
    "qwen": "it is an old name; use 'llama:common_chat_tool_parser'",
    "hermes": "it is an old name; use 'llama:common_chat_tool_parser'",
}
"""Protocol names that are known elsewhere and refused here, with the reason."""
_SPARSE_BLOCK_STEP: Final = 32


def read_profile(path: Path) -> Profile:
    """Reads the profile at ``path``; its file name says for which backend it is.

    Raises:
        DataFault: ``profile_invalid`` names file, path and nearest valid name; ``profile_missing``.
        EnvironmentFault: ``profile_unreadable``.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise DataFault(
            "profile_missing", f"The profile {path} is missing.", "Check the path."
        ) from error
    except OSError as error:
        raise EnvironmentFault(
            "profile_unreadable",
            f"The profile {path} can't be read ({error.strerror or error}).",
            "Check the permissions of the file.",
        ) from error
    name = f"{path.parent.name}/{path.name}"
    if path.name == OPENVINO_PROFILE:
        return decode_openvino_profile(data, name)
    if path.name == LLAMA_PROFILE:
        return decode_llama_profile(data, name)
    raise _invalid(name, "", f"a profile is called {OPENVINO_PROFILE} or {LLAMA_PROFILE}")


def decode_openvino_profile(data: bytes, name: str = OPENVINO_PROFILE) -> OpenVinoProfile:
    """Reads the content of a ``contenox-openvino.json``; ``name`` is for the error's sentence.

    Raises:
        DataFault: ``profile_invalid``.
    """
    profile = decode_strict(data, OpenVinoProfile, name, REFUSALS)
    _check_common(profile, name)
    stream = profile.reasoning.stream_protocol
    if stream is not OpenVinoReasoningProtocol.NONE and stream is not stream.incremental:
        raise _invalid(
            name,
            "reasoning.stream_protocol",
            f"{stream.value!r} does not work while an answer streams; "
            f"the nearest is {stream.incremental.value!r}",
        )
    genai = profile.genai
    if genai.cache_size and genai.num_kv_blocks:
        raise _invalid(name, "genai.num_kv_blocks", "it excludes cache_size; remove one of them")
    # The library crashes on a stride of 7 or 48 and refuses a block of 33 (2026.4.1).
    block, stride = genai.xattention_block_size, genai.xattention_stride
    if block % _SPARSE_BLOCK_STEP:
        raise _invalid(name, "genai.xattention_block_size", f"{block} is no multiple of 32")
    if stride & (stride - 1) or (block and stride and block % stride):
        raise _invalid(
            name, "genai.xattention_stride", f"{stride} is no power of two that divides the block"
        )
    return profile


def decode_llama_profile(data: bytes, name: str = LLAMA_PROFILE) -> LlamaProfile:
    """Reads the content of a ``contenox-llama.json``; ``name`` is for the error's sentence.

    Raises:
        DataFault: ``profile_invalid``.
    """
    profile = decode_strict(data, LlamaProfile, name, REFUSALS)
    _check_common(profile, name)
    reasoning = profile.reasoning
    if bool(reasoning.protocol) != bool(reasoning.format):
        raise _invalid(name, "reasoning", "protocol and format need each other")
    return profile


def profile_of(model: InstalledModel) -> Profile:
    """The profile that holds for ``model``.

    A person's own, in the model's folder, comes before the one that ships under the model's name;
    without either all defaults hold, with nothing verified.

    Raises:
        DataFault, EnvironmentFault: as ``read_profile``; a broken profile is never passed over.
    """
    name = LLAMA_PROFILE if model.backend == "llama" else OPENVINO_PROFILE
    for path in (model.folder / name, profiles_dir() / model.name / name):
        if path.is_file():
            return read_profile(path)
    return LlamaProfile() if model.backend == "llama" else OpenVinoProfile()


def _check_common(profile: Profile, name: str) -> None:
    for index, adapter in enumerate(profile.adapters):
        if problem_of(adapter.path) is not None:
            raise _invalid(
                name, f"adapters[{index}].path", "it does not stay inside the profile's folder"
            )
    if not profile.can_chat and (profile.can_prompt or profile.can_stream):
        raise _invalid(name, "can_chat", "a model that can prompt or stream can chat")


def _invalid(name: str, path: str, sentence: str) -> DataFault:
    where = f" at {path}" if path else ""
    return DataFault(
        "profile_invalid",
        f"{name}{where}: {sentence}.",
        "Mend the file, or delete it to use the defaults.",
    )
