"""Runs the finished program as a person would, on a machine that has nothing else.

    python packaging/contenox_build selftest FOLDER

Both backends load, a device is there, the starter is installed out of the package, both backends
answer, every library but the system's own comes from the package, no Qt is in the engine, a killed
engine costs one answer, the window opens once and quits. Needs psutil.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO, Any, Final

from contenox_build import project
from contenox_build.contents import VC_RUNTIME
from contenox_build.environment import cleaned
from contenox_build.errors import PackagingError

QUESTION: Final = "What is the capital of France?"
BACKENDS: Final = "backends: llama,openvino"
WINDOWS: Final = sys.platform == "win32"

_COMMAND_S: Final = 180.0
_APPEAR_S: Final = 60.0
_QUIT_S: Final = 20.0
_POLL_S: Final = 0.1
_LIBRARY_SUFFIXES: Final = (".dll", ".pyd", ".so")


@dataclass(frozen=True, slots=True)
class Programs:
    """A package, and the environment that its programs get."""

    folder: Path
    environment: Mapping[str, str]

    @property
    def console(self) -> str:
        return self._program(project.CONSOLE)

    @property
    def window(self) -> str:
        return self._program(project.WINDOW)

    def _program(self, name: str) -> str:
        return str(self.folder / (name + (".exe" if WINDOWS else "")))

    def run(self, *arguments: str, expected: int = 0) -> str:
        """Runs a console command and returns what it printed.

        Raises:
            PackagingError: it ended with another code than ``expected``, or not in time.
        """
        try:
            done = subprocess.run(
                [self.console, *arguments],
                env=dict(self.environment),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_COMMAND_S,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise PackagingError(
                f"'contenox {arguments[0]}' did not end within {_COMMAND_S:.0f} s."
            ) from error
        output = done.stdout.decode("utf-8", "replace")
        if done.returncode != expected:
            errors = done.stderr.decode("utf-8", "replace").strip()[-1500:]
            raise PackagingError(
                f"'contenox {' '.join(arguments)}' ended with {done.returncode}: {output[-500:]}"
                f" {errors}"
            )
        return output


def run_all(folder: Path) -> None:
    """Runs every check on the package at ``folder``, each told with its seconds.

    Raises:
        PackagingError: the program doesn't do what it must.
    """
    with tempfile.TemporaryDirectory(
        prefix="contenox Prüfung ", ignore_cleanup_errors=True
    ) as name:
        programs = Programs(folder.absolute(), _environment(Path(name)))
        for check in (
            check_backends,
            check_devices,
            check_starter,
            check_answers,
            check_killed_engine,
            check_window,
        ):
            _timed(check, programs)


def check_backends(programs: Programs) -> str:
    first = programs.run("backends").splitlines()[0]
    if first != BACKENDS:
        raise PackagingError(f"The program reports '{first}' and not '{BACKENDS}'.")
    return first


def check_devices(programs: Programs) -> str:
    devices = json.loads(programs.run("devices", "--json"))
    usable = [device["id"] for device in devices if device["state"] == "available"]
    if "CPU" not in usable:
        raise PackagingError(f"The program finds no CPU to run on, only: {devices}")
    return "devices: " + ", ".join(usable)


def check_starter(programs: Programs) -> str:
    """The starter is installed without a network: its file is in the package."""
    programs.run("starter")
    return "the starter is installed out of the package"


def check_answers(programs: Programs) -> str:
    texts = {backend: _answer(programs, backend) for backend in ("openvino", "llama")}
    # The llama variant is quantised further and may answer anything; that it speaks is enough.
    if "Paris" not in texts["openvino"]:
        raise PackagingError(f"OpenVINO's answer is not Paris: {texts['openvino']!r}")
    return "; ".join(f"{backend} says {text[:40]!r}" for backend, text in texts.items())


def _answer(programs: Programs, backend: str) -> str:
    options = ["--json", "--temperature", "0", "--max-tokens", "24", "--backend", backend]
    answer: dict[str, Any] = json.loads(programs.run("chat", *options, QUESTION).splitlines()[-1])
    text: str = answer["text"]
    if answer["backend"] != backend or not any(letter.isalpha() for letter in text):
        raise PackagingError(f"The backend {backend} does not answer: {answer}")
    return text.strip()


def check_killed_engine(programs: Programs) -> str:
    """What was written stays, the loss is told in a sentence, and the next question is answered."""
    told = []
    for backend in ("openvino", "llama"):
        told.append(_kill_while_it_answers(programs, backend))
        _answer(programs, backend)
    return "; ".join(told)


def _kill_while_it_answers(programs: Programs, backend: str) -> str:
    import psutil

    options = ["--temperature", "0", "--max-tokens", "4000", "--backend", backend]
    with _started(
        [programs.console, "chat", *options, "Write a long story about a lighthouse."],
        programs.environment,
    ) as process:
        written = _stream(process.stdout).read(1)
        engine = _engine(psutil.Process(process.pid))
        foreign = foreign_libraries(_libraries(engine), programs.folder)
        qt = [path for path in _libraries(engine) if "Qt6Core" in PurePath(path).name]
        engine.kill()
        rest, errors = process.communicate(timeout=_COMMAND_S)
    if foreign:
        raise PackagingError(f"The engine loads libraries from elsewhere: {', '.join(foreign)}")
    if qt:
        raise PackagingError("The engine loads Qt, which it has no use for.")
    if process.returncode != 1 or b"[engine_died]" not in errors:
        raise PackagingError(
            f"A killed engine is not told: code {process.returncode}, {errors.decode()[-400:]}"
        )
    return f"{backend}: killed after {len(written + rest)} bytes, told in a sentence"


def check_window(programs: Programs) -> str:
    """The window opens, a second start ends at once, and its end leaves no process behind."""
    import psutil

    root = Path(programs.environment["CONTENOX_DATA_ROOT"])
    with _started([programs.window], programs.environment) as process:
        _wait((root / "window.lock").exists, process, "open its window")
        second = _start_again(programs)
        children = psutil.Process(process.pid).children(recursive=True)
        began = time.monotonic()
        asked = _start_again(programs, "--quit")
        code = process.wait(_QUIT_S)
        seconds = time.monotonic() - began
        _, alive = psutil.wait_procs(children, timeout=2)
    if (code, second, asked) != (0, 0, 0):
        raise PackagingError(
            f"The window ended with {code}, a second start with {second}, --quit with {asked}."
        )
    if alive:
        raise PackagingError(f"The window leaves {len(alive)} processes behind.")
    return f"the window opened once and ended in {seconds:.1f} s"


def foreign_libraries(paths: list[str], folder: Path) -> list[str]:
    """Those of the loaded libraries that are neither the package's nor the system's own.

    Microsoft's run time must be the package's, also where Windows has one.
    """
    own = str(folder.resolve())
    system: tuple[str, ...] = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/")
    if WINDOWS:
        system = (os.environ.get("SYSTEMROOT", r"C:\Windows").lower(),)
    found = []
    for path in paths:
        if path.startswith(own):
            continue
        text = path.lower() if WINDOWS else path
        if not text.startswith(system) or VC_RUNTIME.match(PurePath(path).name):
            found.append(path)
    return found


# --- processes ---


def _environment(scratch: Path) -> dict[str, str]:
    if WINDOWS:
        taken = {
            name: value
            for name, value in cleaned(os.environ).items()
            if not name.startswith(("PIP_", "PYTHON"))
        }
    else:
        taken = {"PATH": "/usr/bin:/bin", "HOME": str(scratch), "LANG": "C.UTF-8"}
        taken["QT_QPA_PLATFORM"] = "offscreen"
    return taken | {"CONTENOX_DATA_ROOT": str(scratch / "Daten é漢")}


def _timed(check: Callable[[Programs], str], programs: Programs) -> None:
    began = time.monotonic()
    text = check(programs)
    print(f"   {time.monotonic() - began:5.1f} s  {text}", flush=True)


@contextlib.contextmanager
def _started(
    command: list[str], environment: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """A running program, which is ended in any case."""
    process = subprocess.Popen(
        command,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        for stream in (process.stdout, process.stderr):
            _stream(stream).close()


def _stream(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


def _wait(ready: Callable[[], bool], process: subprocess.Popen[bytes], what: str) -> None:
    ends = time.monotonic() + _APPEAR_S
    while not ready():
        if process.poll() is not None or time.monotonic() > ends:
            raise PackagingError(f"The program did not {what}; it ended with {process.poll()}.")
        time.sleep(_POLL_S)


def _start_again(programs: Programs, *arguments: str) -> int:
    """Starts the window a second time, which ends at once; returns its exit code."""
    return subprocess.run(
        [programs.window, *arguments],
        env=dict(programs.environment),
        stdin=subprocess.DEVNULL,
        timeout=_APPEAR_S,
        check=False,
    ).returncode


def _engine(process: Any) -> Any:
    """The child that has a model's library loaded; the answer streams, so it is there."""
    for child in process.children(recursive=True):
        names = [PurePath(path).name.lower() for path in _libraries(child)]
        if any("openvino_genai" in name or "llama" in name for name in names):
            return child
    raise PackagingError("No engine process runs while an answer streams.")


def _libraries(process: Any) -> list[str]:
    paths = {region.path for region in process.memory_maps()}
    return sorted(path for path in paths if any(part in path.lower() for part in _LIBRARY_SUFFIXES))
