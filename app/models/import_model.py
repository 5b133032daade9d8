"""Takes a model that a person already has: a GGUF file, an OpenVINO folder, or our own export.

The same checks as for a download decide whether it is a text model that this program can run. What
the curated list knows by its bytes becomes that row; everything else is marked as imported.
"""

from collections.abc import Callable

import msgspec

from app.core.errors import ContenoxError, UserError
from app.models.carry import carry, copy_hashed, link
from app.models.catalog import Backend, Catalog, Model, Origin, Trust, Variant
from app.models.identity import (
    FileRecord,
    HubOrigin,
    Manifest,
    digest_of,
    ignore_bytes,
    never_stop,
    sha256_of,
)
from app.models.import_source import MODEL_NAME, ImportSource
from app.models.library import InstalledModel, Library
from app.models.names import problem_of
from app.models.variant import open_variant, read_manifest


def import_source(
    library: Library,
    source: ImportSource,
    catalog: Catalog,
    name: str | None = None,
    on_bytes: Callable[[int], None] = ignore_bytes,
    stop: Callable[[], bool] = never_stop,
) -> InstalledModel:
    """Puts ``source`` into ``library``: by hard links where it can, else by copies.

    Args:
        name: what it shall be called; ``None`` takes the suggestion.

    Raises:
        UserError: ``bad_name``, ``name_taken``, ``name_curated``.
        DataFault: an exported file isn't what its manifest says.
        EnvironmentFault: the store can't be written.
        Stopped: ``stop`` said so; nothing is left.
    """
    if source.exported is not None:
        return _import_exported(library, source.exported, catalog, on_bytes, stop)
    chosen = _check_name(name, catalog) if name is not None else _free_name(source, catalog)
    with library.building() as staging:
        records = []
        for path in source.files:
            target = staging / path
            if link(source.folder / path, target):
                sha256 = sha256_of(target, on_bytes, stop)
                on_bytes(target.stat().st_size)
            else:
                sha256 = copy_hashed(source.folder / path, target, on_bytes, stop)
            size_bytes = target.stat().st_size
            records.append(FileRecord(path=path, size_bytes=size_bytes, sha256=sha256))
        manifest = _manifest(source, tuple(records), chosen, catalog)
        there = _installed_already(library, manifest)
        return there or library.install(staging, manifest)


def _manifest(
    source: ImportSource, files: tuple[FileRecord, ...], name: str, catalog: Catalog
) -> Manifest:
    is_gguf = source.backend == Backend.LLAMA
    manifest = Manifest(
        name=name,
        variant="gguf" if is_gguf else "openvino",
        backend=source.backend,
        entry=source.files[0] if is_gguf else None,
        context_tokens=source.context_tokens,
        source=f"imported from {source.folder}",
        imported=True,
        digest=digest_of(files),
        files=files,
    )
    row = recognise(files, catalog)
    return manifest if row is None else _as_row(manifest, *row)


def recognise(files: tuple[FileRecord, ...], catalog: Catalog) -> tuple[Model, Variant] | None:
    """The pinned row whose bytes ``files`` are, if there is one. A GGUF's file name is free."""
    digests = {(file.path, file.sha256) for file in files}
    for model, variant in catalog.rows():
        if variant.trust is not Trust.PINNED or not variant.files:
            continue
        if variant.backend is Backend.LLAMA:
            if len(files) == 1 and files[0].sha256 == variant.files[0].sha256:
                return model, variant
        elif variant.origin is Origin.HUB and digests == {
            (pin.path, pin.sha256) for pin in variant.files
        }:
            return model, variant
    return None


def _as_row(manifest: Manifest, model: Model, variant: Variant) -> Manifest:
    origin = None
    if variant.repository is not None:
        origin = HubOrigin(
            repository=variant.repository, commit=variant.revision or "", trust=variant.trust.value
        )
    return msgspec.structs.replace(
        manifest,
        name=model.name,
        variant=variant.name,
        source=f"{manifest.source}; the bytes are those of the curated list",
        licence=model.licence.name,
        aliases=model.aliases,
        origin=origin,
        imported=False,
    )


def _import_exported(
    library: Library,
    model: InstalledModel,
    catalog: Catalog,
    on_bytes: Callable[[int], None],
    stop: Callable[[], bool],
) -> InstalledModel:
    """A manifest on a stick proves that the copy is whole, not who made it."""
    manifest = read_manifest(model.folder)
    row = recognise(manifest.files, catalog)
    if row is not None:
        manifest = _as_row(manifest, *row)
    else:
        source = f"imported from {model.folder}, which says: {manifest.source}"
        manifest = msgspec.structs.replace(manifest, source=source, origin=None, imported=True)
    model = msgspec.structs.replace(model, name=manifest.name, variant=manifest.variant)
    there = _installed_already(library, manifest)
    return there or carry(model, library, manifest=manifest, on_bytes=on_bytes, stop=stop)


def _free_name(source: ImportSource, catalog: Catalog) -> str:
    name = source.suggested_name
    return f"{name}-imported" if _is_curated(name, catalog) else name


def _check_name(name: str, catalog: Catalog) -> str:
    if not MODEL_NAME.fullmatch(name) or problem_of(name) is not None:
        raise UserError(
            "bad_name",
            f"A model can't be called {name!r}.",
            "Choose a name of small letters, digits, dots and dashes, such as my-model-7b.",
        )
    if _is_curated(name, catalog):
        raise UserError(
            "name_curated",
            f"{name!r} is a model of the curated list, and these files are not those.",
            "Choose another name.",
        )
    return name


def _is_curated(name: str, catalog: Catalog) -> bool:
    return any(name == model.name or name in model.aliases for model in catalog.models)


def _installed_already(library: Library, manifest: Manifest) -> InstalledModel | None:
    """The model of that name if it has the same bytes; an import never replaces another one.

    Raises:
        UserError: ``name_taken``.
    """
    try:
        there = open_variant(library.store / manifest.name / manifest.variant)
        library.check(there)
    except ContenoxError:
        return None
    if _bytes_of(read_manifest(there.folder)) == _bytes_of(manifest):
        return there
    raise UserError(
        "name_taken",
        f"Another model called {there.full_name} is installed already.",
        "Choose another name with --name, or delete the installed one first.",
    )


def _bytes_of(manifest: Manifest) -> list[str]:
    """The digests alone: a GGUF file may have any name."""
    return sorted(file.sha256 for file in manifest.files)
