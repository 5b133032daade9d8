"""Puts small models into a library."""

from collections.abc import Mapping
from pathlib import Path

from app.models.identity import Manifest, digest_of, record_folder
from app.models.library import InstalledModel, Library

FILES: Mapping[str, bytes] = {"model.bin": b"weights", "deep/config.json": b"{}"}


def stage(library: Library, files: Mapping[str, bytes] = FILES) -> Path:
    """Writes ``files`` into a new staging folder."""
    staging = library.new_staging()
    for name, content in files.items():
        path = staging / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return staging


def manifest_of(
    staging: Path,
    name: str = "tiny",
    variant: str = "openvino",
    backend: str = "openvino",
    entry: str | None = None,
    aliases: tuple[str, ...] = (),
) -> Manifest:
    """A manifest of what lies in ``staging``."""
    files = record_folder(staging)
    return Manifest(
        name=name,
        variant=variant,
        backend=backend,
        entry=entry,
        context_tokens=128,
        source="a test",
        aliases=aliases,
        digest=digest_of(files),
        files=files,
    )


def install_tiny(library: Library, name: str = "tiny", variant: str = "openvino") -> InstalledModel:
    """Installs a model of two small files."""
    staging = stage(library)
    backend = "llama" if variant == "gguf" else "openvino"
    return library.install(staging, manifest_of(staging, name, variant, backend))
