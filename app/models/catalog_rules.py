"""What must hold between the fields of the catalogue, beyond the type of each."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from app.models.names import find_bad_name

if TYPE_CHECKING:
    from app.models.catalog import Catalog, Model, Variant


class Contradiction(Struct, frozen=True):
    """A broken rule and the JSON path of the record that breaks it."""

    path: str
    sentence: str


def find_contradiction(catalog: "Catalog") -> Contradiction | None:
    """The first broken rule of ``catalog``, or ``None``."""
    return next(_contradictions(catalog), None)


def _contradictions(catalog: "Catalog") -> Iterator[Contradiction]:
    taken: set[str] = set()
    for index, model in enumerate(catalog.models):
        path = f"$.models[{index}]"
        for name in (model.name, *model.aliases):
            if name in taken:
                yield Contradiction(path, f"The name '{name}' belongs to two models")
            taken.add(name)
        yield from _model(path, model)


def _model(path: str, model: "Model") -> Iterator[Contradiction]:
    memory = model.memory
    if memory.windowed_layers and memory.sliding_window_tokens is None:
        yield Contradiction(path, "Windowed layers need the size of their window")
    if memory.kv_heads and memory.attention_heads and memory.attention_heads % memory.kv_heads:
        yield Contradiction(path, "The attention heads must be a multiple of the KV heads")
    seen: set[str] = set()
    for index, variant in enumerate(model.variants):
        place = f"{path}.variants[{index}]"
        if variant.name in seen:
            yield Contradiction(place, f"There are two variants '{variant.name}'")
        seen.add(variant.name)
        yield from _variant(place, variant)


def _variant(path: str, variant: "Variant") -> Iterator[Contradiction]:
    if (variant.repository is None) != (variant.origin == "starter"):
        yield Contradiction(path, "A variant of the Hub names its repository, the starter none")
    bad = find_bad_name(file.path for file in variant.files)
    if bad is not None:
        yield Contradiction(path, f"The file name {bad.path!r} is refused ({bad.problem})")
    weights = [file for file in variant.files if file.path.endswith(".gguf")]
    if variant.origin == "hub" and variant.backend == "llama" and len(weights) != 1:
        yield Contradiction(path, "A GGUF variant lists exactly one .gguf file")
    if variant.trust != "pinned":
        return
    if not variant.files or any(
        file.size_bytes is None or file.sha256 is None for file in variant.files
    ):
        yield Contradiction(path, "A pinned variant needs size and sha256 of every file")
    elif sum(file.size_bytes or 0 for file in variant.files) != variant.size_bytes:
        yield Contradiction(path, "The sizes of the files don't add up to size_bytes")
