"""One model from the list into the library: plan, fetch, judge, install.

Files gather in a folder on the store's own volume that survives a crash and is named after the
commit; the library shows the model by one rename when every byte is right.
"""

import contextlib
import hashlib
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from app.core.errors import ContenoxError, UserError
from app.core.paths import unwritable
from app.models.artifact import check_openvino_folder
from app.models.catalog import Backend, Model, Origin, Variant
from app.models.download_disk import DiskGuard
from app.models.download_plan import (
    Plan,
    PlannedFile,
    describe_source,
    pinned_plan,
    resolved_plan,
)
from app.models.fetch import PART_SUFFIX, Fetcher, FetchListener, Wanted
from app.models.fetch_stop import StopSwitch
from app.models.gguf import read_gguf
from app.models.hub_metadata import HubMetadata
from app.models.identity import (
    FileRecord,
    HubOrigin,
    Manifest,
    digest_of,
    ignore_bytes,
    sha256_of,
)
from app.models.library import Library
from app.models.text_only import judge_config, judge_folder, judge_gguf_architecture, judge_ir
from app.models.variant import InstalledModel, read_manifest

# Beside the library's own folders; a leading dot hides it from the list of models.
_FOLDER: Final = ".downloads"


class ModelDownload:
    """The steps of a download. Holds no state of its own; safe to use from several threads.

    Args:
        library: where models go.
        metadata: answers questions about repositories.
        new_fetcher: makes what brings the bytes, one for each download.
        disk: says whether they fit.
        runtime_version: of OpenVINO here, to refuse models of a newer one.
    """

    def __init__(
        self,
        library: Library,
        metadata: HubMetadata,
        new_fetcher: Callable[[], Fetcher],
        disk: DiskGuard,
        runtime_version: str,
    ) -> None:
        self._library = library
        self._metadata = metadata
        self._new_fetcher = new_fetcher
        self._disk = disk
        self._runtime_version = runtime_version

    def plan(self, model: Model, variant: Variant, stop: StopSwitch) -> Plan:
        """What to fetch; asks the Hub unless the variant is pinned to a commit.

        Raises:
            UserError: ``not_from_hub`` for the starter, which has its own way.
            Stopped, ContenoxError: as ``HubMetadata.resolve`` and ``resolved_plan``.
        """
        repository = require_hub(model, variant)
        plan = pinned_plan(variant)
        if plan is None:
            snapshot = self._metadata.resolve(repository, variant.revision, stop)
            plan = resolved_plan(model, variant, snapshot)
        return plan

    def installed(self, model: Model, variant: Variant, plan: Plan) -> InstalledModel | None:
        """The installed variant if it is what ``plan`` would fetch."""
        current = self._current(model, variant)
        if current is not None and not _differs(read_manifest(current.folder), plan):
            return current
        return None

    def changed_from(self, model: Model, variant: Variant, plan: Plan) -> str | None:
        """What is installed, in words, if ``plan`` would put something else in its place."""
        current = self._current(model, variant)
        if current is None:
            return None
        manifest = read_manifest(current.folder)
        if not _differs(manifest, plan):
            return None
        if manifest.origin is None:
            return "a version from elsewhere"
        return f"commit {manifest.origin.commit[:12]}"

    def fetch(
        self,
        model: Model,
        variant: Variant,
        plan: Plan,
        stop: StopSwitch,
        listener: FetchListener,
    ) -> tuple[FileRecord, ...]:
        """Brings every file of ``plan`` into the download's folder.

        Raises:
            Stopped: pressed; what is there stays.
            ContenoxError: as ``Fetcher.fetch``, or the reason of a refusal.
        """
        folder = self.folder(model.name, variant.name, plan)
        self._disk.require(folder, plan.size_bytes - _present_bytes(folder, plan.files))
        _remove_strangers(folder, plan.files)
        records = []
        with self._new_fetcher() as fetcher:
            for file in plan.files:
                records.append(_fetch_one(fetcher, folder, plan, file, stop, listener))
                self._judge(folder, file.path)
        return tuple(records)

    def install(
        self,
        model: Model,
        variant: Variant,
        plan: Plan,
        records: Iterable[FileRecord],
    ) -> InstalledModel:
        """Judges the finished folder as before a load, and shows it in the library.

        Raises:
            DataFault: it is no model that this program can run.
            EnvironmentFault: the store can't be written.
        """
        folder = self.folder(model.name, variant.name, plan)
        if variant.backend is Backend.LLAMA:
            entry = next(file.path for file in plan.files if file.path.endswith(".gguf"))
            header = read_gguf(folder / entry)
            refusal = judge_gguf_architecture(header.architecture)
            context_tokens = header.context_length
        else:
            entry = None
            refusal = judge_folder(folder, self._runtime_version)
            context_tokens = 0
        if refusal is not None:
            raise refusal.error()
        if entry is None:
            context_tokens = check_openvino_folder(folder).context_tokens
        files = tuple(records)
        manifest = Manifest(
            name=model.name,
            variant=variant.name,
            backend=variant.backend.value,
            entry=entry,
            context_tokens=context_tokens,
            source=describe_source(plan),
            licence=model.licence.name,
            aliases=model.aliases,
            origin=HubOrigin(
                repository=plan.repository, commit=plan.commit, trust=plan.trust.value
            ),
            digest=digest_of(files),
            files=files,
        )
        return self._library.install(folder, manifest)

    def folder(self, model: str, variant: str, plan: Plan) -> Path:
        """Where the files gather."""
        return self._root / f"{model}--{variant}--{plan.commit[:12]}"

    def discard(self, folder: Path) -> None:
        """Removes a download's folder. Never raises."""
        shutil.rmtree(folder, ignore_errors=True)

    def sweep(self, kept: Iterable[Path]) -> None:
        """Removes the folders of downloads that nobody knows any more. Never raises."""
        known = set(kept)
        with contextlib.suppress(OSError):
            for folder in self._root.iterdir():
                if folder not in known:
                    self.discard(folder)

    @property
    def _root(self) -> Path:
        return self._library.store / _FOLDER

    def _current(self, model: Model, variant: Variant) -> InstalledModel | None:
        for installed in self._library.installed():
            if (installed.name, installed.variant) == (model.name, variant.name):
                return installed
        return None

    def _judge(self, folder: Path, path: str) -> None:
        """Judges a telling file as soon as it is there, before the weights are fetched."""
        refusal = None
        if path == "config.json":
            refusal = judge_config((folder / path).read_bytes())
        elif path == "openvino_model.xml":
            refusal = judge_ir((folder / path).read_bytes(), self._runtime_version)
        if refusal is not None:
            raise refusal.error()


def require_hub(model: Model, variant: Variant) -> str:
    """The repository of a variant that a Hub has.

    Raises:
        UserError: ``not_from_hub`` for the starter, which has its own way.
    """
    if variant.origin is not Origin.HUB or variant.repository is None:
        raise UserError(
            "not_from_hub",
            f"{model.title} comes with this program and isn't downloaded from a model server.",
            "Get it with: contenox starter",
        )
    return variant.repository


def _fetch_one(
    fetcher: Fetcher,
    folder: Path,
    plan: Plan,
    file: PlannedFile,
    stop: StopSwitch,
    listener: FetchListener,
) -> FileRecord:
    target = folder / file.path
    there = _right_already(target, file, stop)
    if there is not None:
        listener.kept(file.size_bytes)
        return there
    with contextlib.suppress(FileNotFoundError):
        target.unlink()
    wanted = Wanted(
        repository=plan.repository,
        commit=plan.commit,
        path=file.path,
        size_bytes=file.size_bytes,
        sha256=file.sha256,
        git_blob_id=file.git_blob_id,
    )
    return fetcher.fetch(wanted, target, stop, listener)


def _right_already(target: Path, file: PlannedFile, stop: StopSwitch) -> FileRecord | None:
    """The record of a file that an earlier run finished, if it still has the right bytes."""
    try:
        if target.stat().st_size != file.size_bytes:
            return None
        sha256 = sha256_of(target, ignore_bytes, stop.pressed)
        if file.sha256 is None and _git_blob_id(target) != file.git_blob_id:
            return None
    except (OSError, ContenoxError):
        return None
    if file.sha256 not in (None, sha256):
        return None
    return FileRecord(path=file.path, size_bytes=file.size_bytes, sha256=sha256)


def _git_blob_id(path: Path) -> str:
    content = path.read_bytes()  # small: large files have a sha256
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _present_bytes(folder: Path, files: Iterable[PlannedFile]) -> int:
    present = 0
    for file in files:
        for path in (folder / file.path, folder / (file.path + PART_SUFFIX)):
            with contextlib.suppress(OSError):
                present += min(path.stat().st_size, file.size_bytes)
    return present


def _remove_strangers(folder: Path, files: Iterable[PlannedFile]) -> None:
    """Removes what doesn't belong to the plan, such as parts of an older list."""
    known = {file.path for file in files} | {file.path + PART_SUFFIX for file in files}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.rglob("*"):
            if path.is_file() and path.relative_to(folder).as_posix() not in known:
                path.unlink()
    except OSError as error:
        raise unwritable(folder, error) from error


def _differs(manifest: Manifest, plan: Plan) -> bool:
    """Whether the installed files are others than ``plan``'s, as far as that can be told."""
    if manifest.origin is not None and manifest.origin.commit == plan.commit:
        return False
    if manifest.origin is None:
        return True
    have = {file.path: file for file in manifest.files}
    for file in plan.files:
        record = have.get(file.path)
        if record is None or record.size_bytes != file.size_bytes:
            return True
        if file.sha256 is None or record.sha256 != file.sha256:
            return True
    return len(have) != len(plan.files)
