"""The commands: build, package, wine, installer, selftest, verify, compare, wheels, icon, lock."""

import argparse
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from contenox_build import project, source_tree, windows_build
from contenox_build.environment import cleaned, reproducible
from contenox_build.errors import PackagingError


def main(arguments: Sequence[str]) -> int:
    """Runs one command; 1 with a sentence if it fails."""
    options = _parse(arguments)
    try:
        code: int = options.run(options)
    except PackagingError as error:
        print(f"build: {error}", file=sys.stderr)
        return 1
    return code


def _build(options: argparse.Namespace) -> int:
    return windows_build.build(_package_arguments(options))


def _package(options: argparse.Namespace) -> int:
    from contenox_build.package import Wishes, build_package

    package = build_package(
        Wishes(
            output=options.output,
            work=options.work,
            source=(
                source_tree.describe()
                if options.commit is None
                else source_tree.SourceTree(options.commit, options.modified)
            ),
            sign=options.sign,
            certificate=options.certificate,
            self_test=not options.skip_self_test,
            compiler_tools=options.compiler_tools,
            stand_ins=tuple(options.stand_in),
        )
    )
    print(f"Built {package.folder}")
    return 0


def _wine(options: argparse.Namespace) -> int:
    from contenox_build.wine.wine_build import build

    package = build(options.work, options.output, self_test=not options.skip_self_test)
    print(f"Built {package.folder}")
    return 0


def _installer(options: argparse.Namespace) -> int:
    from contenox_build.installer import build_installer

    folder = options.path.absolute()
    target = folder.with_name(f"{folder.name}-setup.exe")
    build_installer(
        folder,
        target,
        version=project.version(),
        environment=dict(os.environ) | reproducible(os.environ),
        work=project.ROOT / "build" / "nsis",
    )
    print(f"Built {target}")
    return 0


def _selftest(options: argparse.Namespace) -> int:
    from contenox_build.selftest import run_all

    run_all(options.path)
    return 0


def _verify(options: argparse.Namespace) -> int:
    # It needs pefile and psutil: on Windows the environment of the build has them.
    if sys.platform == "win32" and importlib.util.find_spec("pefile") is None:
        environment = cleaned(os.environ)
        python = windows_build.prepare(environment)
        rest = ["--release"] if options.release else []
        rest += ["--skip-self-test"] if options.skip_self_test else []
        return windows_build.hand_over(python, ["verify", str(options.path), *rest], environment)
    from contenox_build.verify import verify

    record = verify(options.path, release=options.release, self_test=not options.skip_self_test)
    print(f"In order: {record.version}, commit {record.commit or 'unknown'}.")
    return 0


def _compare(options: argparse.Namespace) -> int:
    from contenox_build.compare import compare

    differences = compare(options.path, options.other)
    for text in differences:
        print(text)
    print("The same bytes." if not differences else f"{len(differences)} files differ.")
    return 1 if differences else 0


def _wheels(options: argparse.Namespace) -> int:
    from contenox_build.wheels import check_wheels, download

    options.path.mkdir(parents=True, exist_ok=True)
    download(options.path)
    found = check_wheels(options.path)
    for finding in found:
        print(finding)
    print("The wheels are in order." if not found else f"{len(found)} things are wrong.")
    return 1 if found else 0


def _icon(options: argparse.Namespace) -> int:
    from contenox_build.icon import write_icon

    target = project.WINDOWS_RESOURCES / "contenox.ico"
    write_icon(project.ROOT / "resources" / "icons" / "contenox.svg", target)
    print(f"Wrote {target}")
    return 0


def _lock(options: argparse.Namespace) -> int:
    from contenox_build.lock import write_lock

    write_lock(project.WINDOWS_LOCK)
    print(f"Wrote {project.WINDOWS_LOCK}")
    return 0


def _package_arguments(options: argparse.Namespace) -> list[str]:
    found = ["--output", str(options.output), "--work", str(options.work)]
    found += ["--sign"] if options.sign else []
    found += ["--certificate", options.certificate] if options.certificate else []
    found += ["--skip-self-test"] if options.skip_self_test else []
    return found


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="contenox_build")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, run, text in (
        ("build", _build, "everything, on Windows"),
        ("package", _package, "the package, from the environment that runs this"),
    ):
        command = commands.add_parser(name, help=text)
        command.add_argument("--output", type=Path, default=project.ROOT / "dist")
        command.add_argument("--work", type=Path, default=project.ROOT / "build" / "package")
        command.add_argument("--sign", action="store_true")
        command.add_argument("--certificate", default="", help="its SHA-1 thumbprint")
        command.add_argument("--skip-self-test", action="store_true")
        # What "build" found out and hands over.
        command.add_argument("--compiler-tools", default="", help=argparse.SUPPRESS)
        command.add_argument("--stand-in", action="append", default=[], help=argparse.SUPPRESS)
        command.add_argument("--commit", help=argparse.SUPPRESS)
        command.add_argument("--modified", action="store_true", help=argparse.SUPPRESS)
        command.set_defaults(run=run)
    command = commands.add_parser("wine", help="the Windows package on Debian, under Wine")
    command.add_argument("--output", type=Path, default=project.ROOT / "build" / "wine" / "dist")
    command.add_argument("--work", type=Path, default=project.ROOT / "build" / "wine")
    command.add_argument("--skip-self-test", action="store_true")
    command.set_defaults(run=_wine)
    command = commands.add_parser("installer", help="the installer of a finished package")
    command.add_argument("path", type=Path)
    command.set_defaults(run=_installer)
    command = commands.add_parser("selftest", help="run the finished program")
    command.add_argument("path", type=Path)
    command.set_defaults(run=_selftest)
    command = commands.add_parser("verify", help="check a finished package again")
    command.add_argument("path", type=Path)
    command.add_argument("--release", action="store_true", help="signed, and Microsoft's compiler")
    command.add_argument("--skip-self-test", action="store_true")
    command.set_defaults(run=_verify)
    command = commands.add_parser("compare", help="two packages, byte by byte, before signing")
    command.add_argument("path", type=Path, help="a build record, or a package's folder")
    command.add_argument("other", type=Path)
    command.set_defaults(run=_compare)
    command = commands.add_parser("wheels", help="the closure of the pinned wheels for Windows")
    command.add_argument("path", type=Path, help="a folder that keeps them")
    command.set_defaults(run=_wheels)
    commands.add_parser("icon", help="make the icon anew").set_defaults(run=_icon)
    commands.add_parser("lock", help="make the lock file anew").set_defaults(run=_lock)
    return parser.parse_args(arguments)
