"""Converts a GGUF file to OpenVINO IR with GenAI's own GGUF reader.

Runs in the engine process: that reader ends the process on many damaged files, so the header is
checked first, and a crash that remains costs this process only.
"""

import gc
import os
import shutil
import time
from pathlib import Path
from typing import Final

from app.core.errors import DataFault, EnvironmentFault, UserError
from app.core.paths import unwritable
from app.engine.faults import UNKNOWN
from app.engine.native_failure import NATIVE_ERRORS, translate
from app.models.gguf import GgufModel, read_gguf

# What the reader of 2026.4.1 builds graphs for (a table in its source).
_ARCHITECTURES: Final = frozenset({"llama", "qwen2", "qwen3"})
_PARTS: Final = ("openvino_model", "openvino_tokenizer", "openvino_detokenizer")
_TAKE_BACK_ATTEMPTS: Final = 40
_TAKE_BACK_PAUSE_S: Final = 0.05
_LINK_NAME: Final = "source.gguf"


def convert(source: Path, target: Path) -> tuple[str, ...]:
    """Writes the IR of the model, its tokenizer and its detokenizer into the folder ``target``.

    Returns:
        The names of the files written.

    Raises:
        DataFault: ``model_damaged``, or ``conversion_failed`` with the library's words.
        UserError: ``conversion_unsupported`` for an architecture that the reader doesn't know.
        EnvironmentFault: ``disk_full``, ``data_root_unwritable``, ``backend_missing``,
            ``out_of_memory``, or what ``faults`` says of a part of the program that is missing.
    """
    _check_architecture(read_gguf(source))
    # The library saves beside the file that it reads, so the file is lent to the target folder.
    lent = target / _LINK_NAME
    try:
        target.mkdir(parents=True, exist_ok=True)
        _lend(source, lent)
        _save_beside(lent, source)
    except OSError as error:
        raise unwritable(target, error) from error
    finally:
        _take_back(lent)
    written = tuple(f"{part}.{kind}" for part in _PARTS for kind in ("xml", "bin"))
    if lent.exists():
        raise _failed(source, "the library still holds the file")
    # With a full disk the library leaves files out without a word.
    for name in written:
        path = target / name
        if not path.is_file() or path.stat().st_size == 0:
            raise _failed(source, f"it did not write {name}")
    return written


def _check_architecture(model: GgufModel) -> None:
    if model.architecture not in _ARCHITECTURES:
        raise UserError(
            "conversion_unsupported",
            f"OpenVINO can't convert a GGUF file of the architecture {model.architecture!r}.",
            "Use the file with llama.cpp, or choose a model that comes in OpenVINO's format.",
        )


def _lend(source: Path, lent: Path) -> None:
    """A second name for the file; a copy where the disk has no hard links."""
    lent.unlink(missing_ok=True)
    try:
        os.link(source, lent)
    except OSError:
        shutil.copyfile(source, lent)


def _take_back(lent: Path) -> None:
    """Removes the second name; Windows refuses while the library still has the file mapped."""
    gc.collect()
    for _ in range(_TAKE_BACK_ATTEMPTS):
        try:
            lent.unlink(missing_ok=True)
        except PermissionError:
            time.sleep(_TAKE_BACK_PAUSE_S)
        else:
            return


def _save_beside(gguf: Path, source: Path) -> None:
    try:
        import openvino_genai
        import openvino_tokenizers  # noqa: F401 - its native part is looked for beside it
    except (ImportError, OSError) as error:
        raise EnvironmentFault(
            "backend_missing",
            f"OpenVINO GenAI can't be loaded ({error}).",
            "Install the program again.",
        ) from error
    try:
        openvino_genai.LLMPipeline(str(gguf), "CPU", enable_save_ov_model=True)
    except NATIVE_ERRORS as error:
        failure = translate(error)
        if failure.fault is not UNKNOWN and not failure.fault.data:
            # Not the file's fault: a part of the program is missing, or there is no memory.
            raise failure.fault.error() from error
        raise _failed(source, failure.detail.splitlines()[-1]) from error


def _failed(source: Path, reason: str) -> DataFault:
    return DataFault(
        "conversion_failed",
        f"OpenVINO could not convert {source.name}: {reason}.",
        "Free some disk space and memory and try again, or use the file with llama.cpp.",
    )
