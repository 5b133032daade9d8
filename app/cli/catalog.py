"""``contenox catalog refresh|check``: the maintainer's look at the curated list."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from app.core.files import write_atomic
from app.models.catalog import Catalog, canonical_bytes, catalog_path, load_catalog
from app.models.catalog_refresh import CatalogRefresh, Finding
from app.models.hub_endpoint import HubEndpoint
from app.workflows.download_setup import open_catalog_refresh
from app.workflows.services import Services

_EXIT_FAILED: Final = 1


def add_parser(commands: Any) -> None:
    """Adds the command to ``commands``, what ``add_subparsers`` returned."""
    parser = commands.add_parser("catalog", help="refresh or check the curated list (maintainers)")
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    refresh = actions.add_parser("refresh", help="pin each row to its newest commit on the Hub")
    refresh.set_defaults(run=run_refresh)
    check = actions.add_parser("check", help="hold each pinned row against the Hub")
    check.set_defaults(run=run_check)
    for action in (refresh, check):
        action.add_argument("names", metavar="NAME", nargs="*", help="models (default: all)")
        action.add_argument("--file", type=Path, help="another list than the program's own")
        action.add_argument("--json", action="store_true")


def run_refresh(arguments: argparse.Namespace, services: Services) -> int:
    """Writes the list only if something in it changed."""
    path: Path = arguments.file or catalog_path()
    catalog = _read(path, arguments.names)
    refreshed = _refresher(services).refresh(catalog, arguments.names)
    _print_findings(arguments, refreshed.findings)
    content = canonical_bytes(refreshed.catalog)
    if content != path.read_bytes():
        write_atomic(path, content)
        text = f"{path} is written, serial {refreshed.catalog.serial}."
    else:
        text = "Nothing changed."
    if not arguments.json:
        print(text)
    return 0


def run_check(arguments: argparse.Namespace, services: Services) -> int:
    """Exit code 1 if a row has drifted from the Hub, or the file isn't canonical."""
    path: Path = arguments.file or catalog_path()
    catalog = _read(path, arguments.names)
    findings = _refresher(services).check(catalog, arguments.names)
    _print_findings(arguments, findings)
    drifted = sum(finding.drift for finding in findings)
    is_canonical = canonical_bytes(catalog) == path.read_bytes()
    if not is_canonical:
        print(f"{path} isn't written in the canonical form.", file=sys.stderr)
    if not arguments.json:
        print(f"{drifted} rows have drifted." if drifted else "Every pinned row is as listed.")
    return _EXIT_FAILED if drifted or not is_canonical else 0


def _read(path: Path, names: Sequence[str]) -> Catalog:
    """Reads the list; a name that is not in it is an error and no silent success."""
    catalog = load_catalog(path)
    for name in names:
        catalog.model(name)
    return catalog


def _refresher(services: Services) -> CatalogRefresh:
    return open_catalog_refresh(services.data_root, HubEndpoint.from_environment())


def _print_findings(arguments: argparse.Namespace, findings: Sequence[Finding]) -> None:
    if arguments.json:
        print(msgspec.json.encode(findings).decode())
        return
    for finding in findings:
        mark = "drift" if finding.drift else "note"
        print(f"{mark}: {finding.model}/{finding.variant}: {finding.sentence}")
