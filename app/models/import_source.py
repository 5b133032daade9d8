"""Finds out what a person wants to import, and whether this program can run it.

The same checks as for a download; nothing is changed or written here.
"""

import re
from pathlib import Path
from typing import Final

from msgspec import Struct

from app.core.errors import DataFault, UserError
from app.models.artifact import check_openvino_folder
from app.models.catalog import Backend
from app.models.gguf import read_gguf
from app.models.library import InstalledModel, Library
from app.models.names import NameProblem, problem_of
from app.models.text_only import (
    Refusal,
    judge_config,
    judge_gguf_architecture,
    judge_gguf_files,
    judge_ir,
    judge_openvino_files,
)
from app.models.variant import MANIFEST_NAME, open_variant, read_manifest

MODEL_NAME: Final = re.compile(r"[a-z0-9][a-z0-9.-]{1,62}")
_NOT_IN_NAMES: Final = re.compile(r"[^a-z0-9.]+")
_NOT_TAKEN: Final = frozenset({NameProblem.HIDDEN, NameProblem.OURS})
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")


class ImportSource(Struct, frozen=True, kw_only=True):
    """Something that can be imported. ``files`` are below ``folder``; ``exported``: by us."""

    folder: Path
    files: tuple[str, ...]
    backend: str
    context_tokens: int
    suggested_name: str
    exported: InstalledModel | None = None

    @property
    def size_bytes(self) -> int:
        return sum((self.folder / path).stat().st_size for path in self.files)

    @property
    def work_bytes(self) -> int:
        """What ``import_source`` reports at most: each byte is copied and read back."""
        return 2 * self.size_bytes


def find_sources(path: Path, runtime_version: str) -> tuple[ImportSource, ...]:
    """Looks at what lies at ``path`` and judges it; changes nothing.

    Args:
        path: a GGUF file, a folder with one or with an OpenVINO model, an exported model, or a
            folder of exported models.
        runtime_version: of OpenVINO here.

    Raises:
        UserError: ``import_missing``, ``import_ambiguous``, ``import_unknown``.
        DataFault: the reason of a refusal, or a damaged file.
    """
    path = path.expanduser().absolute()
    if not path.exists():
        raise UserError(
            "import_missing", f"There is nothing at {path}.", "Check the path of the model."
        )
    if path.is_file():
        return (_gguf_source(path),)
    if (path / MANIFEST_NAME).is_file():
        return (_exported_source(open_variant(path), runtime_version),)
    if _looks_like_a_model(path):
        return (_folder_source(path, runtime_version),)
    exported = Library(path).survey()
    if exported[0]:
        return tuple(_exported_source(model, runtime_version) for model in exported[0])
    for broken in exported[1]:
        if (broken.folder / MANIFEST_NAME).is_file():
            raise broken.error
    raise UserError(
        "import_unknown",
        f"The folder {path} holds no model: neither OpenVINO's files nor a .gguf file.",
        "Choose the folder that has openvino_model.xml in it, or a .gguf file.",
    )


def _looks_like_a_model(folder: Path) -> bool:
    """Looks at the folder's own files only: a person may have named a whole drive."""
    names = [path.name.casefold() for path in folder.iterdir()]
    return any(
        name.endswith(".gguf") or (name.startswith("openvino_") and name.endswith(".xml"))
        for name in names
    )


def _exported_source(model: InstalledModel, runtime_version: str) -> ImportSource:
    manifest = read_manifest(model.folder)
    if model.backend == Backend.LLAMA:
        refusal = judge_gguf_architecture(read_gguf(model.path).architecture)
    else:
        files = [file.path for file in manifest.files]
        refusal = _judge_openvino(model.folder, files, runtime_version)
    if refusal is not None:
        raise refusal.error()
    if model.backend == Backend.OPENVINO:
        check_openvino_folder(model.folder)
    return ImportSource(
        folder=model.folder,
        files=tuple(file.path for file in manifest.files),
        backend=model.backend,
        context_tokens=model.context_tokens,
        suggested_name=model.name,
        exported=model,
    )


def _gguf_source(path: Path) -> ImportSource:
    if path.suffix.casefold() != ".gguf":
        raise UserError(
            "import_unknown",
            f"{path.name} is no model file that this program knows.",
            "Choose a .gguf file, or the folder of an OpenVINO model.",
        )
    header = read_gguf(path)
    neighbours = [each.name for each in path.parent.iterdir() if each.is_file()]
    refusal = judge_gguf_architecture(header.architecture) or judge_gguf_files(
        neighbours, path.name
    )
    if refusal is not None:
        raise refusal.error()
    if not header.chat_template:
        raise DataFault(
            "incomplete",
            f"{path.name} has no chat template: it was not made for conversations.",
            "Choose a file whose name says instruct or chat.",
        )
    problem = problem_of(path.name)
    if problem is not None:
        raise UserError(
            "bad_name",
            f"The file name {path.name!r} can't be stored on every system.",
            "Rename the file and import it again.",
        )
    return ImportSource(
        folder=path.parent,
        files=(path.name,),
        backend=Backend.LLAMA.value,
        context_tokens=header.context_length,
        suggested_name=_slug(path.stem),
    )


def _folder_source(folder: Path, runtime_version: str) -> ImportSource:
    found = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    # What tools leave beside a model, such as .cache/huggingface.
    files = sorted(path for path in found if problem_of(path) not in _NOT_TAKEN)
    weights = [path for path in files if path.casefold().endswith(".gguf")]
    if weights and "openvino_model.xml" not in files:
        models = [path for path in weights if "mmproj" not in path.casefold()]
        if len(models) > 1:
            raise UserError(
                "import_ambiguous",
                f"The folder {folder.name} holds {len(models)} GGUF files.",
                "Name the one file that shall be imported.",
            )
        return _gguf_source(folder / (models or weights)[0])
    refusal = _judge_openvino(folder, files, runtime_version)
    if refusal is not None:
        raise refusal.error()
    facts = check_openvino_folder(folder)
    return ImportSource(
        folder=folder,
        files=tuple(files),
        backend=Backend.OPENVINO.value,
        context_tokens=facts.context_tokens,
        suggested_name=_slug(_folder_name(folder)),
    )


def _judge_openvino(folder: Path, files: list[str], runtime_version: str) -> Refusal | None:
    """As ``text_only.judge_folder``, for those files that would be taken."""
    refusal = judge_openvino_files(files)
    if refusal is None:
        refusal = judge_config((folder / "config.json").read_bytes())
    if refusal is None:
        refusal = judge_ir((folder / "openvino_model.xml").read_bytes(), runtime_version)
    return refusal


def _folder_name(folder: Path) -> str:
    """The folder's name; the model's in ``models--owner--name/snapshots/<commit>``, a Hub cache."""
    if _COMMIT.fullmatch(folder.name) and folder.parent.name == "snapshots":
        return folder.parent.parent.name.rpartition("--")[2]
    return folder.name


def _slug(text: str) -> str:
    slug = _NOT_IN_NAMES.sub("-", text.casefold()).strip("-.")[:50].strip("-.")
    return slug if MODEL_NAME.fullmatch(slug) and problem_of(slug) is None else "imported-model"
