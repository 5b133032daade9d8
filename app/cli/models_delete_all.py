"""``contenox models delete-all``: what an uninstaller offers, with the size that it tells first."""

import argparse
import shutil
from typing import Any, Final

from app.cli.progress import confirm
from app.core.units import format_bytes
from app.models.removal import freed_bytes
from app.workflows.services import Services

_EXIT_FAILED: Final = 1


def add_action(actions: Any) -> None:
    """Adds the action to those of ``models``."""
    parser = actions.add_parser(
        "delete-all", help="delete every model, and what was compiled from them"
    )
    parser.add_argument("--size", action="store_true", help="only tell what that would free")
    parser.add_argument("--yes", action="store_true", help="agree to what would be asked")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, services: Services) -> int:
    models = services.list_models()
    cache = services.data_root.cache
    compiled = (path for path in cache.rglob("*") if path.is_file())
    size = sum(freed_bytes(model.folder) for model in models)
    size += sum(path.stat().st_size for path in compiled)
    if arguments.size:
        print(format_bytes(size))
        return 0
    count = f"{len(models)} models" if len(models) != 1 else "1 model"
    if not confirm(f"Delete {count} and free {format_bytes(size)}?", yes=arguments.yes):
        return _EXIT_FAILED
    for model in models:
        services.library.delete(model)
    # What is in there can be made again at any time; nobody else writes into it.
    shutil.rmtree(cache, ignore_errors=True)
    print(f"{count} deleted; {format_bytes(size)} are free again. Chats and settings stay.")
    return 0
