"""What exactly one download fetches: a commit, its files, and what each of them must be."""

import msgspec
from msgspec import Struct

from app.core.errors import ContenoxError, DataFault
from app.models.catalog import Backend, Model, Trust, Variant
from app.models.hub_snapshot import RemoteFile, Snapshot
from app.models.text_only import judge_gguf_files, judge_openvino_files

# Of a repository's own list, what belongs to a model; pictures and scripts don't.
_KEPT_SUFFIXES = (".xml", ".bin", ".json", ".txt", ".jinja", ".model", ".md", ".gitattributes")
_KEPT_PREFIXES = ("license", "licence", "notice")
# Fetched first, since they can refuse the model before a byte of weights.
_TELLING = ("config.json", "openvino_model.xml")


class PlannedFile(Struct, frozen=True, kw_only=True):
    """One file and what proves it: a sha256, or (first use, small files) its git name."""

    path: str
    size_bytes: int
    sha256: str | None = None
    git_blob_id: str | None = None


class Plan(Struct, frozen=True, kw_only=True):
    """The files of one download, in the order in which they are fetched."""

    repository: str
    commit: str
    trust: Trust
    files: tuple[PlannedFile, ...]

    @property
    def size_bytes(self) -> int:
        return sum(file.size_bytes for file in self.files)


def pinned_plan(variant: Variant) -> Plan | None:
    """The plan of a variant that is pinned to a commit; needs no question to the Hub."""
    if variant.trust is not Trust.PINNED or variant.revision is None:
        return None
    assert variant.repository is not None
    files = tuple(
        PlannedFile(path=pin.path, size_bytes=pin.size_bytes or 0, sha256=pin.sha256)
        for pin in variant.files
    )
    return _plan(variant, variant.revision, files)


def resolved_plan(model: Model, variant: Variant, snapshot: Snapshot) -> Plan:
    """The plan of a variant whose commit was looked up.

    Raises:
        DataFault: the reason of a refusal (``unsupported_pipeline``, ``incomplete``, ...), or
            ``pin_mismatch`` where the newest commit no longer holds a pinned file.
    """
    names = [file.path for file in snapshot.files]
    if variant.backend is Backend.LLAMA:
        refusal = judge_gguf_files(names, _gguf_path(variant))
        kept = [file for file in snapshot.files if file.path == _gguf_path(variant)]
    else:
        refusal = judge_openvino_files(names)
        kept = [file for file in snapshot.files if _belongs(file.path)]
    if refusal is not None:
        raise refusal.error()
    files = tuple(_planned(file) for file in kept)
    if variant.trust is Trust.PINNED:
        files = tuple(_held_against_pin(model, variant, file) for file in files)
    return _plan(variant, snapshot.commit, files)


def describe_source(plan: Plan) -> str:
    """Where the files come from, for a person."""
    how = "pinned" if plan.trust is Trust.PINNED else "recorded at the first download"
    return f"{plan.repository}, commit {plan.commit[:12]}, {how}"


def encode_plan(plan: Plan) -> bytes:
    return msgspec.json.encode(plan)


def decode_plan(data: bytes | None) -> Plan | None:
    """``None`` for what is no plan; it is made anew then."""
    if data is None:
        return None
    try:
        return msgspec.json.decode(data, type=Plan)
    except msgspec.MsgspecError:
        return None


def withdrawn(error: ContenoxError) -> bool:
    """Whether a plan that failed like this should be made anew at the next attempt."""
    return error.code in ("model_withdrawn", "wrong_size", "wrong_digest", "pin_mismatch")


def _plan(variant: Variant, commit: str, files: tuple[PlannedFile, ...]) -> Plan:
    assert variant.repository is not None
    ordered = sorted(files, key=lambda file: (_rank(file.path), file.size_bytes, file.path))
    return Plan(
        repository=variant.repository, commit=commit, trust=variant.trust, files=tuple(ordered)
    )


def _rank(path: str) -> int:
    return _TELLING.index(path) if path in _TELLING else len(_TELLING)


def _belongs(path: str) -> bool:
    name = path.casefold()
    return name.endswith(_KEPT_SUFFIXES) or name.rsplit("/", 1)[-1].startswith(_KEPT_PREFIXES)


def _gguf_path(variant: Variant) -> str:
    return next(file.path for file in variant.files if file.path.endswith(".gguf"))


def _planned(file: RemoteFile) -> PlannedFile:
    if file.sha256 is None and file.git_blob_id is None:
        raise DataFault(
            "listing_unusable",
            f"The server tells nothing that {file.path} could be checked by.",
            "Try again later, or another mirror.",
        )
    return PlannedFile(
        path=file.path,
        size_bytes=file.size_bytes,
        sha256=file.sha256,
        git_blob_id=file.git_blob_id,
    )


def _held_against_pin(model: Model, variant: Variant, file: PlannedFile) -> PlannedFile:
    pin = next((pin for pin in variant.files if pin.path == file.path), None)
    if (
        pin is None
        or pin.size_bytes != file.size_bytes
        or (file.sha256 or pin.sha256) != pin.sha256
    ):
        raise DataFault(
            "pin_mismatch",
            f"The publisher's newest {file.path} of {model.title} isn't the listed one any more.",
            "Choose another model, or update this program for a newer list.",
        )
    return PlannedFile(path=file.path, size_bytes=file.size_bytes, sha256=pin.sha256)
