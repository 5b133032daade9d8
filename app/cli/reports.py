"""``contenox backends`` and ``contenox devices``: what this machine really has."""

import argparse
import sys
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from app.core.units import format_bytes
from app.workflows.services import Services


def add_parser(commands: Any) -> None:
    """Adds both commands to ``commands``, what ``add_subparsers`` returned."""
    backends = commands.add_parser("backends", help="load each backend and report its version")
    backends.add_argument("--json", action="store_true")
    backends.set_defaults(run=run_backends)
    devices = commands.add_parser("devices", help="list the devices that can run models")
    devices.add_argument("--json", action="store_true")
    devices.set_defaults(run=run_devices)


def run_backends(arguments: argparse.Namespace, services: Services) -> int:
    """Loads each native library in the engine process; exit code 1 if one is not what it must be.

    A backend that isn't installed is left out; that alone is no failure.
    """
    reports = services.report_backends()
    present = [report for report in reports if report.error is None]
    failed = [
        report for report in reports if report.error and report.error.code != "backend_missing"
    ]
    if arguments.json:
        print(msgspec.json.encode(reports).decode())
    else:
        print("backends: " + ",".join(sorted(report.name for report in present)))
        for report in present:
            print(f"  {report.name} {report.version}")
            for name, version in sorted(report.components.items()):
                print(f"    {name} {version}")
    for report in reports:
        if report.error is not None:
            print(f"{report.name}: {report.error.line}", file=sys.stderr)
    return 1 if failed or not present else 0


def run_devices(arguments: argparse.Namespace, services: Services) -> int:
    inventory = services.list_devices()
    if arguments.json:
        print(msgspec.json.encode(inventory.devices).decode())
        return 0
    table = Table("id", "name", "kind", "memory", "state", box=None)
    for device in inventory.devices:
        memory = "" if device.total_bytes is None else format_bytes(device.total_bytes)
        table.add_row(device.id, device.full_name, device.kind, memory, device.state)
    Console().print(table)
    return 0
