"""The console: parses the command line, runs a command, and turns errors into one sentence."""

import argparse
import logging
import sys
from collections.abc import Callable, Sequence
from typing import Final

import app
from app.cli import bench, catalog, certify, chat, describe, explain, models, reports, starter
from app.core.errors import Bug, ContenoxError
from app.core.logs import Logs
from app.workflows.services import Services

_log = logging.getLogger(__name__)

EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
EXIT_INTERRUPTED: Final = 130

_COMMANDS: Final = (chat, explain, bench, starter, models, catalog, describe, certify, reports)


def main(arguments: Sequence[str], build: Callable[[], Services]) -> int:
    """Runs one command and returns the exit code.

    0 is success, 1 an error (one sentence and its code on stderr), 2 a wrong command line, 130 an
    interruption.
    """
    _use_utf8()
    parser = _parser()
    parsed = parser.parse_args(arguments)
    run: Callable[[argparse.Namespace, Services], int] | None = getattr(parsed, "run", None)
    if run is None:
        parser.print_help(sys.stderr)
        return EXIT_USAGE
    services = build()
    logs = Logs(services.data_root.logs)
    logs.start()
    try:
        services.data_root.require()
        return run(parsed, services)
    except ContenoxError as error:
        return _report(error)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output is gone, as in "contenox chat ... | head".
        sys.stderr.close()
        return EXIT_FAILED
    except Exception as error:  # noqa: BLE001 - a person gets a sentence, never a traceback
        _log.exception("the command %s failed", run.__module__)
        return _report(Bug.unexpected(error))
    finally:
        services.close()
        logs.close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="contenox", description="Chat with a local language model; nothing leaves the machine."
    )
    parser.add_argument("--version", action="version", version=f"contenox {app.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in _COMMANDS:
        command.add_parser(commands)
    return parser


def _report(error: ContenoxError) -> int:
    print(f"contenox: {error.record().line}", file=sys.stderr)
    return EXIT_FAILED


def _use_utf8() -> None:
    """Lets any text be printed, whatever the console's code page is."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
