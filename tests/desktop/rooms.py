"""The services of a window whose engine, models and devices are invented."""

import threading
from collections.abc import Callable
from pathlib import Path

import msgspec
from pytestqt.qtbot import QtBot

from app.chats.records import SamplingFields
from app.chats.store import ChatStore
from app.core.settings import Settings, SettingsFile
from app.desktop.application import Desktop
from app.desktop.around import Around
from app.desktop.kept_chats import KeptChats
from app.desktop.lifecycle import TurnState
from app.desktop.services import DesktopServices, Engine, FetchProgress, ModelEntry
from app.engine.chat import ChatMessage
from app.engine.protocol import Generate, new_request_id
from app.engine.spec import LoadSpec, ScriptedRuntime
from app.hardware.readings import (
    DeviceInventory,
    DeviceKind,
    DeviceReading,
    DeviceState,
    cpu_reading,
)
from app.models.identity import Stopped
from app.models.ledger import Contact
from app.workflows.context import ChatParts, chat_segments, with_context
from app.workflows.diagnostics import BundlePart, save_bundle
from app.workflows.reading_speed import SPEEDS_FILE, ReadingSpeeds
from tests.desktop.fake_engine import FakeEngine, finished, text


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """An installed model as the window sees it."""

    name: str = "smollm2-135m-instruct"
    variant: str = "openvino"
    backend: str = "openvino"
    size_bytes: int = 98_000_000
    context_tokens: int = 8192


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far the first model is."""

    step: str
    done_bytes: int = 0
    total_bytes: int | None = None


MODELS: tuple[Model, ...] = (Model(), Model(variant="gguf", backend="llama"))

DEVICES = DeviceInventory(
    devices=(
        cpu_reading("Intel(R) Core(TM) Ultra 7 258V"),
        DeviceReading(
            id="GPU",
            full_name="Intel(R) Arc(TM) 140V GPU (16GB)",
            kind=DeviceKind.INTEGRATED_GPU,
            shared_with_host=True,
        ),
    )
)

NO_GPU = DeviceInventory(
    devices=(
        cpu_reading("Intel(R) Core(TM) Ultra 7 258V"),
        DeviceReading(
            id="GPU",
            full_name="GPU",
            kind=DeviceKind.UNKNOWN_GPU,
            state=DeviceState.PLUGIN_FAILED,
            explanation="The graphics driver is missing.",
        ),
    )
)


class Room:
    """Holds the fakes so that a test can look at them and change them."""

    def __init__(
        self,
        root: Path,
        script: Callable[[FakeEngine, str], None] | None = None,
    ) -> None:
        self.engine = FakeEngine(script)
        self.models: tuple[ModelEntry, ...] = MODELS
        self.inventory = DEVICES
        self.store = ChatStore(root / "chats")
        self.chats = KeptChats(self.store)
        self.wishes: list[SamplingFields] = []
        self.turns: list[tuple[str, str | None, tuple[ChatMessage, ...]]] = []
        self.prepare_error: Exception | None = None
        self.prepare_gate = threading.Event()
        self.prepare_gate.set()
        self.starter_error: Exception | None = None
        self.starter_gate = threading.Event()
        self.starter_gate.set()
        self.applied: list[Settings] = []
        self.contacts: tuple[Contact, ...] = ()
        self.parts: tuple[BundlePart, ...] = ()
        self.notify: Callable[[object], None] = lambda _notice: None
        self.settings = SettingsFile(root / "settings.json")
        self.services = DesktopServices(
            open_engine=self._open,
            list_models=lambda: self.models,
            list_devices=lambda: self.inventory,
            prepare_turn=self._prepare,
            ensure_starter=self._starter,
            settings_file=self.settings,
            data_root=root,
            chats=self.chats,
            readings=ReadingSpeeds(root / SPEEDS_FILE),
            around=Around(
                store=self.store,
                apply_settings=self.applied.append,
                contacts=lambda: self.contacts,
                collect_diagnostics=lambda: self.parts,
                save_diagnostics=save_bundle,
            ),
        )

    def _open(self, on_notice: Callable[[object], None]) -> Engine:
        self.notify = on_notice
        return self.engine

    def _prepare(
        self,
        model: ModelEntry,
        device: DeviceReading | None,
        parts: ChatParts,
        wishes: SamplingFields,
    ) -> Generate:
        self.prepare_gate.wait(10)
        if self.prepare_error is not None:
            raise self.prepare_error
        self.wishes.append(wishes)
        spec = LoadSpec(
            model_name=model.name,
            model_path="nowhere",
            model_digest="sha256:0123456789abcdef",
            context_tokens=model.context_tokens,
            runtime=ScriptedRuntime(device=device.id if device else "CPU"),
        )
        empty = Generate(request=new_request_id(), spec=spec, messages=())
        request = with_context(empty, chat_segments(parts))
        self.turns.append((model.name, device.id if device else None, request.messages))
        return request

    def _starter(self, report: Callable[[FetchProgress], None], stop: Callable[[], bool]) -> None:
        report(Progress(step="download", done_bytes=23_000_000, total_bytes=98_000_000))
        while not self.starter_gate.wait(0.01):
            if stop():
                raise Stopped
        if self.starter_error is not None:
            raise self.starter_error
        report(Progress(step="convert"))
        self.models = MODELS


Start = Callable[[], tuple[Desktop, Room]]
"""Starts the program on one data folder, after the end of the one that ran."""


def take_turn(desktop: Desktop, room: Room, qtbot: QtBot, question: str, answer: str) -> None:
    """Asks, and lets the engine answer to the end."""
    before = len(room.engine.requests)
    desktop.window.composer.set_text("")
    desktop.window.composer.sent.emit(question)
    qtbot.waitUntil(lambda: len(room.engine.requests) > before)
    room.engine.say(text(room.engine.last, answer), finished(room.engine.last))
    qtbot.waitUntil(lambda: desktop.runner.state is TurnState.IDLE)
