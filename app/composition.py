"""Builds the objects of the program. The only module that knows both skins."""

import logging
from collections.abc import Callable
from pathlib import Path

from app.core.paths import DataRoot
from app.core.settings import SettingsFile
from app.engine.client import EngineClient, Notice
from app.models.library import Library
from app.workflows.services import Services


def build_services(on_notice: Callable[[Notice], None] | None = None) -> Services:
    """The collaborators for this user. Starts no process and writes nothing."""
    logging.getLogger("app").addHandler(logging.NullHandler())
    root = DataRoot.from_environment()
    settings_file = SettingsFile(root.settings_file)
    store = settings_file.load().model_store
    return Services(
        data_root=root,
        settings_file=settings_file,
        library=Library(Path(store) if store else root.models),
        engine=EngineClient(log_dir=root.logs, on_notice=on_notice),
    )


def run_window() -> int:
    """Opens the window; returns when the program quits."""
    raise NotImplementedError
