"""Small repositories: the files of a text model for each backend, and rows that name them."""

import hashlib
import json
from pathlib import Path

import msgspec

from app.models.catalog import Catalog, FilePin, Model, Trust, Variant, load_catalog
from tests.support.gguf_files import GgufDraft
from tests.support.openvino_folders import write_openvino_folder

OPENVINO_REPOSITORY = "OpenVINO/Tiny-int4-ov"
GGUF_REPOSITORY = "acme/Tiny-GGUF"
GGUF_FILE = "tiny-q4.gguf"
WEIGHTS_BYTES = 2_500_000


def openvino_files(folder: Path, seed: bytes = b"1") -> dict[str, bytes]:
    """The files of a text model's repository; ``seed`` decides the weights."""
    write_openvino_folder(folder)
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    config = json.loads(files["config.json"]) | {"architectures": ["TinyForCausalLM"]}
    files["config.json"] = json.dumps(config).encode()
    files["openvino_model.bin"] = hashlib.shake_256(seed).digest(WEIGHTS_BYTES)
    files["README.md"] = b"# Tiny"
    files[".gitattributes"] = b"*.bin filter=lfs"
    files["picture.png"] = b"not part of a model"
    return files


def gguf_files() -> dict[str, bytes]:
    """A GGUF repository with two quantisations."""
    content = GgufDraft().content()
    return {GGUF_FILE: content, "tiny-q8.gguf": content + bytes(32), "README.md": b"# Tiny"}


def tiny_catalog(
    openvino: dict[str, bytes], commit: str | None = "a" * 40, *, trust: Trust = Trust.PINNED
) -> Catalog:
    """One model ``tiny`` with an OpenVINO variant of the given trust and a first-use GGUF."""
    template = load_catalog().model("qwen3-8b")
    kept = {path: content for path, content in openvino.items() if not path.endswith(".png")}
    pins = tuple(
        FilePin(path=path, size_bytes=len(content), sha256=hashlib.sha256(content).hexdigest())
        for path, content in sorted(kept.items())
    )
    change = msgspec.structs.replace
    ov = change(
        _variant(template, "openvino"),
        repository=OPENVINO_REPOSITORY,
        revision=commit if trust is Trust.PINNED else None,
        trust=trust,
        size_bytes=sum(len(content) for content in kept.values()),
        files=pins if trust is Trust.PINNED else (),
    )
    gguf = change(
        _variant(template, "gguf"),
        repository=GGUF_REPOSITORY,
        revision=None,
        trust=Trust.FIRST_USE,
        files=(FilePin(path=GGUF_FILE, size_bytes=None, sha256=None),),
    )
    model = change(template, name="tiny", title="Tiny", aliases=("small",), variants=(ov, gguf))
    return Catalog(format=1, serial=1, models=(model,))


def _variant(model: Model, name: str) -> Variant:
    return next(variant for variant in model.variants if variant.name == name)
