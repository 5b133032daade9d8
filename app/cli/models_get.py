"""``contenox models get|pause|resume|cancel``: downloads of curated models."""

import argparse
import contextlib
import sys
from typing import Any, Final

import msgspec
from rich.progress import Progress, TaskID

from app.cli import starter
from app.cli.interrupts import interrupts
from app.cli.progress import confirm, download_bars
from app.core.errors import UserError, from_record
from app.core.units import format_bytes, format_duration
from app.models.catalog import Catalog, LicenceKind, Model, Origin, Variant
from app.models.download_state import DownloadState
from app.models.identity import Stopped
from app.models.variant import InstalledModel
from app.workflows.download_view import DownloadView
from app.workflows.download_watch import watch
from app.workflows.downloads import Downloads
from app.workflows.model_fit import FitVerdict
from app.workflows.services import Services

_EXIT_FAILED: Final = 1
_EXIT_INTERRUPTED: Final = 130
_NAME_HELP: Final = "a name of the curated list, or name/variant"


def add_actions(actions: Any) -> None:
    """Adds the actions to those of ``models``."""
    get = actions.add_parser("get", help="download a curated model, or go on with it")
    get.add_argument("name", metavar="NAME", help=_NAME_HELP)
    get.add_argument("--backend", metavar="B", help="openvino, llama, or the name of a variant")
    get.add_argument("--update", action="store_true", help="look for a newer version of it")
    get.add_argument("--yes", action="store_true", help="agree to what would be asked")
    get.add_argument("--json", action="store_true")
    get.set_defaults(run=run_get)
    for action, text in (
        ("pause", "let a download rest; what is there is kept"),
        ("resume", "let a paused download go on, in the program that runs the downloads"),
        ("cancel", "give a download up, and delete what is there of it"),
    ):
        parser = actions.add_parser(action, help=text)
        parser.add_argument("name", metavar="NAME", help=_NAME_HELP)
        parser.add_argument("--backend", metavar="B", help="which of several variants")
        parser.add_argument("--json", action="store_true")
        parser.set_defaults(run=run_steer, action=action)


def run_get(arguments: argparse.Namespace, services: Services) -> int:
    model, variant = find_row(services.models.catalog, arguments.name, arguments.backend)
    if variant.origin is Origin.STARTER:
        return starter.run(arguments, services)
    installed = _installed(services, model, variant)
    if installed is not None and not arguments.update:
        _end(arguments, None, f"{installed.full_name} is installed already.")
        return 0
    _introduce(services, model, variant)
    if model.licence.kind is LicenceKind.RESTRICTED:
        question = (
            f"{model.title} has a licence that restricts its use: {model.licence.link} "
            "Have you read it, and do you agree?"
        )
        if not confirm(question, yes=arguments.yes):
            return _EXIT_FAILED
    downloads = services.models.open_downloads()
    try:
        downloads.get(model.name, variant.name)
        return _follow(arguments, downloads, model, variant)
    finally:
        downloads.close()


def run_steer(arguments: argparse.Namespace, services: Services) -> int:
    runs = not services.models.recover_downloads()
    downloads = services.models.open_downloads()
    try:
        view = _known(services.models.catalog, downloads, arguments)
        name = f"{view.model}/{view.variant}"
        match arguments.action:
            case "pause":
                view = downloads.pause(view.model, view.variant)
                text = f"{name} rests; go on with: contenox models get {name}"
            case "cancel":
                view = downloads.cancel(view.model, view.variant)
                text = f"{name} is given up, and what was there of it is deleted."
            case _:
                if view.state is not DownloadState.QUEUED:
                    view = downloads.resume(view.model, view.variant)
                text = f"{name} goes on."
                if not runs:
                    text = f"{name} goes on with the window, or with: contenox models get {name}"
    finally:
        downloads.close()
    _end(arguments, view, text)
    return 0


def find_row(catalog: Catalog, name: str, backend: str | None) -> tuple[Model, Variant]:
    """A row by ``name`` or ``name/variant``; a repository is refused, with the way round.

    Raises:
        UserError: ``repository_refused``, ``model_not_curated``, ``variant_not_curated``.
    """
    base, slash, variant = name.partition("/")
    known = {each for model in catalog.models for each in (model.name, *model.aliases)}
    if slash and base in known:
        return catalog.find(base, backend or variant)
    if not slash:
        return catalog.find(name, backend)
    repository = name.removeprefix("https://").removeprefix("http://")
    if name != repository:
        repository = repository.partition("/")[2]
    listed = next((m for m, v in catalog.rows() if v.repository == repository.rstrip("/")), None)
    remedy = (
        "Download it yourself, and import it with: contenox models import FOLDER"
        if listed is None
        else f"The list has it under its own name: contenox models get {listed.name}"
    )
    raise UserError(
        "repository_refused",
        f"{name!r} is a repository, and only models of the curated list are downloaded: of those "
        "it is known that they are text models, and what each byte must be.",
        remedy,
    )


def _installed(services: Services, model: Model, variant: Variant) -> InstalledModel | None:
    for installed in services.library.installed():
        if (installed.name, installed.variant) == (model.name, variant.name):
            return installed
    return None


def _introduce(services: Services, model: Model, variant: Variant) -> None:
    about = "" if variant.size_is_exact else "about "
    print(
        f"{model.title}, {variant.name}: {about}{format_bytes(variant.size_bytes)} from "
        f"{variant.repository}, licence {model.licence.name}.",
        file=sys.stderr,
    )
    fit = services.models.table.row(f"{model.name}/{variant.name}").fit
    if fit.verdict is not FitVerdict.FITS:
        print(fit.sentence, file=sys.stderr)


def _follow(
    arguments: argparse.Namespace, downloads: Downloads, model: Model, variant: Variant
) -> int:
    """Shows the download until it rests. Ctrl-C pauses it."""
    name = f"{model.name}/{variant.name}"
    accepted = False
    while True:
        try:
            with interrupts() as interrupted, download_bars(quiet=arguments.json) as bars:
                bar = _Bar(bars, name)
                view = watch(downloads, model.name, variant.name, bar.show, interrupted)
        except Stopped:
            return _pause(arguments, downloads, model.name, variant.name)
        reason = view.reason
        if reason is None or reason.code != "revision_changed" or accepted:
            break
        if not confirm(f"{reason.message} Replace it?", yes=arguments.yes):
            downloads.cancel(model.name, variant.name)
            _end(arguments, None, f"{name} stays as it is.")
            return 0
        accepted = True
        downloads.resume(model.name, variant.name, accept_change=True)
    if view.state is DownloadState.INSTALLED:
        _end(arguments, view, f"{name} is installed; every byte was checked.")
        return 0
    if reason is not None:
        raise from_record(reason)
    _end(arguments, view, f"{name} was {view.state} by another window or command.")
    return _EXIT_FAILED


def _pause(arguments: argparse.Namespace, downloads: Downloads, model: str, variant: str) -> int:
    with contextlib.suppress(UserError):  # it came to its end in this moment
        downloads.pause(model, variant)
    downloads.close()
    view = next(v for v in downloads.downloads() if (v.model, v.variant) == (model, variant))
    amount = f"{format_bytes(view.done_bytes)} of {format_bytes(view.total_bytes)}"
    if view.state is DownloadState.INSTALLED:
        text = f"{model}/{variant} was just finished and is installed."
    else:
        text = f"Paused at {amount}. Go on with: contenox models get {model}/{variant}"
    _end(arguments, view, text)
    return _EXIT_INTERRUPTED


def _known(catalog: Catalog, downloads: Downloads, arguments: argparse.Namespace) -> DownloadView:
    """The download that a person means: with one of a model, the variant goes without saying."""
    base, _, named = arguments.name.partition("/")
    model, variant = find_row(catalog, arguments.name, arguments.backend)
    asked = named or arguments.backend
    views = [
        view
        for view in downloads.downloads()
        if view.model == model.name and (not asked or view.variant == variant.name)
    ]
    open_ones = [view for view in views if view.state is not DownloadState.INSTALLED]
    for view in (*open_ones, *views):
        return view
    raise UserError(
        "download_unknown",
        f"There is no download of {base}.",
        f"Begin one with: contenox models get {base}",
    )


def _end(arguments: argparse.Namespace, view: DownloadView | None, text: str) -> None:
    if not arguments.json:
        print(text)
        return
    print(msgspec.json.encode(view).decode() if view is not None else "null")


class _Bar:
    """One download as a bar, its speed, and the time left; or why it waits."""

    def __init__(self, bars: Progress, name: str) -> None:
        self._bars = bars
        self._name = name
        self._task: TaskID = bars.add_task(name, total=None, pace="")

    def show(self, view: DownloadView) -> None:
        self._bars.update(
            self._task,
            total=view.total_bytes or None,
            completed=view.done_bytes,
            pace=_pace(view),
        )


def _pace(view: DownloadView) -> str:
    if view.state is DownloadState.WAITING and view.reason is not None:
        return f"waiting: {view.reason.message}"
    if view.state is DownloadState.VERIFYING:
        return "checking"
    if view.state is not DownloadState.RUNNING:
        return view.state.value
    if view.bytes_per_s is None or view.eta_s is None:
        return ""
    return f"{format_bytes(round(view.bytes_per_s))}/s, {format_duration(view.eta_s)} left"
