"""The curated list of text models: what can be downloaded, from where, and how it is known.

``profiles/catalog.json`` is read strictly: a field that nobody declared fails, with its path and
line. A model has variants, one for each backend and quantisation; each variant says which bytes it
is (``pinned``) or that the first download decides (``first-use``).
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from app.core.errors import DataFault, UserError
from app.core.paths import profiles_dir
from app.models.catalog_lines import line_of_error
from app.models.catalog_rules import find_contradiction

CATALOG_FILE: Final = "catalog.json"

Name = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9.-]{1,62}$")]
RepositoryId = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}$")]
Commit = Annotated[str, Meta(pattern=r"^[0-9a-f]{40}$")]
Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Meta(gt=0)]
Sentence = Annotated[str, Meta(min_length=1, max_length=400)]
Link = Annotated[str, Meta(pattern=r"^https://[^\s]+$")]


class Backend(StrEnum):
    OPENVINO = "openvino"
    LLAMA = "llama"


class Trust(StrEnum):
    """``PINNED``: every byte is known beforehand. ``FIRST_USE``: the first download decides."""

    PINNED = "pinned"
    FIRST_USE = "first-use"


class Use(StrEnum):
    CHAT = "chat"
    CODING = "coding"
    REASONING = "reasoning"
    SMOKE = "smoke"


class LicenceKind(StrEnum):
    """``RESTRICTED`` limits who may use the model or for what; the person reads it first."""

    PERMISSIVE = "permissive"
    RESTRICTED = "restricted"


class Origin(StrEnum):
    """Where a variant's bytes come from: a Hub repository, or a wheel of the package index."""

    HUB = "hub"
    STARTER = "starter"


class _Strict(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all records of the file."""


class Licence(_Strict, frozen=True, kw_only=True):
    name: Sentence
    kind: LicenceKind
    link: Link


class MemoryInputs(_Strict, frozen=True, kw_only=True):
    """What the KV cache's size is computed from; ``None`` where no public configuration tells it.

    ``windowed_layers`` of the ``layers`` keep ``sliding_window_tokens`` tokens only.
    """

    layers: Count | None
    attention_heads: Count | None
    kv_heads: Count | None
    head_dim: Count | None
    hidden_size: Count | None
    sliding_window_tokens: Count | None
    windowed_layers: Annotated[int, Meta(ge=0)] | None


class FilePin(_Strict, frozen=True, kw_only=True):
    """One file of a variant. Size and digest bind in a pinned variant.

    In a first-use variant they are what was seen once, and only shown.
    """

    path: Annotated[str, Meta(min_length=1, max_length=180)]
    size_bytes: Count | None
    sha256: Sha256 | None


class Provenance(_Strict, frozen=True, kw_only=True):
    """Who says so. ``held_against_hub``: the maintainer's refresh has seen the Hub confirm it."""

    held_against_hub: bool
    note: Sentence


class Variant(_Strict, frozen=True, kw_only=True):
    """One set of files for one backend.

    ``revision`` is a commit; ``None`` means the newest is looked up at the download, which a pinned
    variant then still holds against its digests. ``files`` empty means the repository's own list.
    """

    name: Name
    backend: Backend
    origin: Origin
    publisher: Sentence
    repository: RepositoryId | None
    revision: Commit | None
    trust: Trust
    quantisation: Sentence
    size_bytes: Count
    size_is_exact: bool
    minimum_runtime: str | None
    provenance: Provenance
    files: tuple[FilePin, ...]


class Model(_Strict, frozen=True, kw_only=True):
    """A curated model and its variants. ``parameters`` counts weights (0.6e9 is 600000000).

    ``active_parameters`` is what a token needs of them, where that isn't all: a mixture of experts.
    """

    name: Name
    title: Sentence
    aliases: tuple[Name, ...]
    family: Name
    use: Use
    good_at: Sentence
    parameters: Count
    active_parameters: Count | None = None
    trained_context_tokens: Count | None
    licence: Licence
    memory: MemoryInputs
    variants: Annotated[tuple[Variant, ...], Meta(min_length=1)]

    def variant(self, backend: str | None = None) -> Variant | None:
        """The variant called ``backend``, or the first one of that backend; else the first."""
        if backend is None:
            return self.variants[0]
        named = (variant for variant in self.variants if variant.name == backend)
        of_backend = (variant for variant in self.variants if variant.backend == backend)
        return next(named, None) or next(of_backend, None)


class Catalog(_Strict, frozen=True, kw_only=True):
    """The whole list. ``serial`` rises with every published change."""

    format: Literal[1]
    serial: Count
    models: tuple[Model, ...]

    def rows(self) -> tuple[tuple[Model, Variant], ...]:
        """Each model with each of its variants, in the order of the file."""
        return tuple((model, variant) for model in self.models for variant in model.variants)

    def model(self, name: str) -> Model:
        """Looks a model up by its name or one of its exact aliases.

        Raises:
            UserError: ``model_not_curated``.
        """
        for model in self.models:
            if name == model.name or name in model.aliases:
                return model
        raise UserError(
            "model_not_curated",
            f"There is no model '{name}' in the list of curated models.",
            "Choose a name that 'contenox models list' shows.",
        )

    def find(self, name: str, backend: str | None = None) -> tuple[Model, Variant]:
        """Looks up one row; ``backend`` is a backend or a variant's name.

        Raises:
            UserError: ``model_not_curated`` or ``variant_not_curated``.
        """
        model = self.model(name)
        variant = model.variant(backend)
        if variant is None:
            offered = ", ".join(variant.name for variant in model.variants)
            raise UserError(
                "variant_not_curated",
                f"'{model.name}' has no variant '{backend}'.",
                f"Choose one of: {offered}.",
            )
        return model, variant


def catalog_path() -> Path:
    """Where the catalogue that comes with the program lies."""
    return profiles_dir() / CATALOG_FILE


def load_catalog(path: Path | None = None) -> Catalog:
    """Reads the catalogue (the program's own unless ``path`` is given).

    Raises:
        DataFault: ``catalog_invalid``, with file, line and the path of the field.
    """
    path = path or catalog_path()
    try:
        return parse_catalog(path.read_bytes(), str(path))
    except OSError as error:
        raise DataFault(
            "catalog_invalid",
            f"The list of models {path} can't be read ({error.strerror or error}).",
            "Install the program again.",
        ) from error


def parse_catalog(data: bytes, source: str = CATALOG_FILE) -> Catalog:
    """Decodes and checks ``data``; ``source`` names it in an error.

    Raises:
        DataFault: ``catalog_invalid``.
    """
    try:
        catalog = msgspec.json.decode(data, type=Catalog)
    except msgspec.DecodeError as error:
        raise _invalid(source, line_of_error(data, str(error)), str(error)) from error
    contradiction = find_contradiction(catalog)
    if contradiction is not None:
        text = f"{contradiction.sentence} - at `{contradiction.path}`"
        raise _invalid(source, line_of_error(data, text), text)
    return catalog


def canonical_bytes(catalog: Catalog) -> bytes:
    """The one way to write a catalogue: models by name, files by path, fields as declared."""
    ordered = msgspec.structs.replace(
        catalog,
        models=tuple(
            msgspec.structs.replace(
                model,
                aliases=tuple(sorted(model.aliases)),
                variants=tuple(
                    msgspec.structs.replace(
                        variant, files=tuple(sorted(variant.files, key=lambda file: file.path))
                    )
                    for variant in model.variants
                ),
            )
            for model in sorted(catalog.models, key=lambda model: model.name)
        ),
    )
    return msgspec.json.format(msgspec.json.encode(ordered), indent=1) + b"\n"


def _invalid(source: str, line: int | None, text: str) -> DataFault:
    where = source if line is None else f"{source}, line {line}"
    return DataFault(
        "catalog_invalid",
        f"The list of models is wrong: {where}: {text}.",
        "Mend the file, or install the program again.",
    )
