"""Builds the objects of the program. The only module that knows both skins."""

import logging
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from app.chats.records import SamplingFields
from app.core.errors import ContenoxError
from app.core.logs import Logs
from app.core.paths import DataRoot
from app.core.settings import Settings, SettingsFile
from app.engine.client import EngineClient
from app.engine.protocol import Generate, Unload, new_request_id
from app.hardware.readings import DeviceReading
from app.models.library import Library
from app.workflows.context import ChatParts, chat_segments, with_context, with_reserve
from app.workflows.context_warmth import Warmer
from app.workflows.cpu_retry import RetryingEngine
from app.workflows.reading_speed import reading_speeds
from app.workflows.services import Services
from app.workflows.turn_options import turn_options

if TYPE_CHECKING:
    from app.desktop.services import DesktopServices, ModelEntry
    from app.workflows.measured import MeasuredModels


def build_services() -> Services:
    """The collaborators for this user. Starts no process and writes nothing."""
    logging.getLogger("app").addHandler(logging.NullHandler())
    root = DataRoot.from_environment()
    settings_file = SettingsFile(root.settings_file)
    store = settings_file.load().model_store
    return Services(
        data_root=root,
        settings_file=settings_file,
        library=Library(Path(store) if store else root.models),
        engine=EngineClient(log_dir=root.logs, snapshot_dir=root.cache / "snapshots"),
    )


def desktop_services(services: Services) -> "DesktopServices":
    """What the window is given."""
    from app.chats.store import ChatStore
    from app.desktop.around import Around
    from app.desktop.kept_chats import KeptChats
    from app.desktop.measured.ports import MeasureServices
    from app.desktop.models.shelf import models_services
    from app.desktop.services import DesktopServices
    from app.workflows.automatic import automatic_choices
    from app.workflows.diagnostics import Diagnostics, save_bundle
    from app.workflows.download_setup import open_ledger

    store = ChatStore(services.data_root.chats)
    diagnostics = Diagnostics(
        services.data_root, services.settings_file.load, services.list_devices, services.list_models
    )

    def open_engine(on_notice: Callable[[object], None]) -> RetryingEngine:
        services.observe(on_notice)
        services.engine.configure(idle_unload_s=services.settings_file.load().idle_unload_s)
        return services.turns

    def prepare_turn(
        model: "ModelEntry",
        device: DeviceReading | None,
        parts: ChatParts,
        wishes: SamplingFields,
    ) -> Generate:
        installed = services.find_model(model.name, model.backend)
        options = turn_options(wishes, device=None if device is None else device.id)
        request = services.prepare_turn(installed, (), options)
        return with_reserve(with_context(request, chat_segments(parts)))

    @cache
    def measured() -> "MeasuredModels":
        # What certifies is loaded when somebody asks for it, not at the start.
        from app.workflows.measured import MeasuredModels

        return MeasuredModels(services)

    heard = 0

    def look_around() -> bool:
        nonlocal heard
        before, heard = heard, services.look_around()
        return heard != before

    def unload() -> None:
        if services.engine.pid is not None:  # else nothing is loaded, and nothing need start
            services.engine.call(Unload(request=new_request_id()))

    def apply_settings(settings: Settings) -> None:
        services.models.network.off = settings.offline
        services.engine.configure(idle_unload_s=settings.idle_unload_s)

    return DesktopServices(
        open_engine=open_engine,
        list_models=services.list_models,
        list_devices=services.list_devices,
        prepare_turn=prepare_turn,
        ensure_starter=services.ensure_starter,
        look_around=look_around,
        settings_file=services.settings_file,
        data_root=services.data_root.path,
        chats=KeptChats(store),
        warmer=Warmer(services.engine),
        readings=reading_speeds(services),
        around=Around(
            store=store,
            apply_settings=apply_settings,
            contacts=open_ledger(services.data_root).contacts,
            collect_diagnostics=diagnostics.collect,
            save_diagnostics=save_bundle,
        ),
        models=models_services(services.models, services.ensure_starter, unload),
        measure=MeasureServices(
            survey=lambda: measured().survey(),
            candidates=lambda: measured().candidates(),
            expected_s=lambda candidate, quick: measured().expected_s(candidate, quick=quick),
            certify=lambda *one, **how: measured().certify(*one, **how),
            why=lambda name, backend: automatic_choices(services, name, backend),
            failed=services.failed_devices,
            offer=lambda name, backend: measured().offer(services.find_model(name, backend)),
        ),
    )


def end_window() -> int:
    """Asks the window that runs on this user's data to quit; 0 once none runs any more."""
    from app.desktop.single_instance import end_first

    return 0 if end_first(DataRoot.from_environment().path) else 1


def run_window(*, in_tray: bool = False) -> int:
    """Opens the window, or starts behind the tray icon; returns the exit code at the end."""
    from app.desktop.application import refuse, run

    services = build_services()
    try:
        services.data_root.require()
    except ContenoxError as error:
        return refuse(error.record(), services.settings_file.load().language)
    logs = Logs(services.data_root.logs)
    logs.start()
    try:
        return run(desktop_services(services), in_tray=in_tray)
    finally:
        logs.close()
