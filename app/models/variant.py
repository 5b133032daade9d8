"""One variant's folder in the store: its manifest, and whether its files are what that says."""

from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from app.core.errors import DataFault
from app.models.identity import Conversion, HubOrigin, Manifest, digest_of, missing_file
from app.models.names import problem_of

MANIFEST_NAME: Final = "manifest.json"
_FORMAT: Final = 1


class InstalledModel(Struct, frozen=True, kw_only=True):
    """One variant of a model whose files are all there.

    ``path`` is what the backend opens: the folder of an OpenVINO model, or a GGUF file.
    ``context_tokens`` is the context that the model was trained for. ``imported``: it is not
    curated.
    """

    name: str
    variant: str
    backend: str
    path: Path
    folder: Path
    digest: str
    size_bytes: int
    context_tokens: int
    source: str
    licence: str | None = None
    aliases: tuple[str, ...] = ()
    conversion: Conversion | None = None
    origin: HubOrigin | None = None
    imported: bool = False

    @property
    def full_name(self) -> str:
        """The name that means this variant alone."""
        return f"{self.name}/{self.variant}"


def open_variant(folder: Path) -> InstalledModel:
    """Reads and quickly checks one variant.

    Raises:
        DataFault: it isn't whole.
    """
    manifest = read_manifest(folder)
    check_sizes(folder, manifest)
    return InstalledModel(
        name=manifest.name,
        variant=manifest.variant,
        backend=manifest.backend,
        path=folder / manifest.entry if manifest.entry else folder,
        folder=folder,
        digest=manifest.digest,
        size_bytes=manifest.size_bytes,
        context_tokens=manifest.context_tokens,
        source=manifest.source,
        licence=manifest.licence,
        aliases=manifest.aliases,
        conversion=manifest.conversion,
        origin=manifest.origin,
        imported=manifest.imported,
    )


def read_manifest(folder: Path) -> Manifest:
    """Reads the manifest in ``folder`` and checks that it fits itself and the folder's name.

    Raises:
        DataFault: ``model_incomplete``, ``model_damaged`` or ``model_too_new``.
    """
    path = folder / MANIFEST_NAME
    shown = f"{folder.parent.name}/{folder.name}"
    remedy = "Delete this folder of the model store and get the model again."
    try:
        manifest = msgspec.json.decode(path.read_bytes(), type=Manifest)
    except FileNotFoundError as error:
        raise DataFault("model_incomplete", f"{shown} has no manifest.", remedy) from error
    except (OSError, msgspec.MsgspecError) as error:
        raise DataFault(
            "model_damaged", f"The manifest of {shown} can't be read ({error}).", remedy
        ) from error
    if manifest.format != _FORMAT:
        raise DataFault(
            "model_too_new",
            f"{shown} was installed by a newer version of this program.",
            "Update this program.",
        )
    if (manifest.name, manifest.variant) != (folder.parent.name, folder.name):
        raise DataFault("model_damaged", f"The folder {shown} holds another model.", remedy)
    check_names(manifest)
    if digest_of(manifest.files) != manifest.digest:
        raise DataFault("model_damaged", f"The manifest of {shown} contradicts itself.", remedy)
    return manifest


def check_names(manifest: Manifest) -> None:
    """Checks that no name in ``manifest`` leads out of its folder.

    Raises:
        DataFault: ``model_damaged`` shows the name.
    """
    files = tuple(file.path for file in manifest.files)
    parts = (manifest.name, manifest.variant)
    bad = [path for path in (*files, *parts) if problem_of(path) is not None]
    bad += [part for part in parts if "/" in part or part.startswith(".")]
    if manifest.entry is not None and manifest.entry not in files:
        bad.append(manifest.entry)
    if bad or not files:
        raise DataFault(
            "model_damaged",
            f"The manifest of {manifest.name} names {bad[0] if bad else ''!a} as a file.",
            "Delete the model and get it again.",
        )


def check_sizes(folder: Path, manifest: Manifest) -> None:
    """Checks that each file of ``manifest`` is in ``folder`` with its size.

    Raises:
        DataFault: ``model_incomplete`` or ``model_damaged`` names the file.
    """
    for file in manifest.files:
        try:
            size_bytes = (folder / file.path).stat().st_size
        except OSError as error:
            raise missing_file(file.path) from error
        if size_bytes != file.size_bytes:
            raise DataFault(
                "model_damaged",
                f"The file {file.path} of {manifest.name} has {size_bytes} bytes instead of "
                f"{file.size_bytes}.",
                "Delete the model and get it again.",
            )
