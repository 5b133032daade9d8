"""Installs the llama backend: the Python binding and libraries built from the same source.

    python packaging/llama/build_llama.py [--all-variants] [--sdist FILE] [--work-dir DIR]
    python packaging/llama/build_llama.py --for-wine DIR [--all-variants] ...

Standard library only, the same for gcc, clang and MSVC. It takes one hash-pinned source
distribution (``requirements.txt``), installs its pure-Python binding into the environment that
runs this script, compiles the vendored llama.cpp with CPU backends that are loaded at run time,
and puts the libraries into ``site-packages/llama_cpp/lib``. A stamp of all inputs lies beside
them: a second run does nothing, and another environment reuses what the work folder holds.

By default one CPU variant (AVX2, FMA, F16C, BMI2) is built, which takes about two minutes on two
cores. ``--all-variants`` builds one for each generation of CPUs, chosen when the program starts.

``--for-wine DIR`` installs nothing: it makes Windows' libraries with mingw and the binding, both
into DIR as into ``site-packages``. They try out the Windows package; a release never has them.
"""

import argparse
import importlib
import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

sys.path.insert(0, str(Path(__file__).resolve().parent))

from libraries import STAMP, Inputs, install, intact, library_folder, products, sha256_of
from toolchain import BuildError, Toolchain, find_cross_toolchain, find_toolchain

HERE = Path(__file__).resolve().parent

# The parts of the vendored tree that the targets llama and ggml are made of.
SOURCES = ("CMakeLists.txt", "LICENSE", "cmake", "ggml", "include", "licenses", "src", "vendor")

FLAGS = (
    "-DCMAKE_BUILD_TYPE=Release",
    "-DBUILD_SHARED_LIBS=ON",
    *(f"-DLLAMA_BUILD_{part}=OFF" for part in ("COMMON", "TESTS", "TOOLS", "EXAMPLES")),
    *(f"-DLLAMA_BUILD_{part}=OFF" for part in ("SERVER", "APP", "UI")),
    "-DLLAMA_OPENSSL=OFF",
    # Portable: nothing depends on the machine that builds. Dynamic: the CPU code is chosen, and
    # loaded from a folder that we name, when the program runs.
    "-DGGML_NATIVE=OFF",
    "-DGGML_BACKEND_DL=ON",
    "-DGGML_OPENMP=ON",
    # The libraries find each other in their own folder and nowhere else.
    "-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON",
    "-DCMAKE_INSTALL_RPATH=$ORIGIN",
    # No message of the library tells where it was built.
    "-DCMAKE_C_FLAGS_INIT={trim}",
    "-DCMAKE_CXX_FLAGS_INIT={trim}",
)
WINE_FLAGS = (
    "-DCMAKE_SYSTEM_NAME=Windows",
    "-DCMAKE_SYSTEM_PROCESSOR=AMD64",
    "-DCMAKE_C_COMPILER=x86_64-w64-mingw32-gcc-posix",
    "-DCMAKE_RC_COMPILER=x86_64-w64-mingw32-windres",
    # The compiler's own run time is inside each, for itself: no package has a place for it.
    "-DCMAKE_SHARED_LINKER_FLAGS=-static -s -Wl,--exclude-libs,ALL,--no-insert-timestamp",
    "-DCMAKE_MODULE_LINKER_FLAGS=-static -s -Wl,--exclude-libs,ALL,--no-insert-timestamp",
    "-DGGML_OPENMP=OFF",
    # mingw 10 knows how a process declines power throttling, not that a thread does it alike.
    "-DCMAKE_C_FLAGS_INIT={trim} -DTHREAD_POWER_THROTTLING_STATE=PROCESS_POWER_THROTTLING_STATE "
    "-DTHREAD_POWER_THROTTLING_CURRENT_VERSION=1 -DTHREAD_POWER_THROTTLING_EXECUTION_SPEED=1",
    # WORKAROUND(gcc 12 for Windows): it takes the stride of a tile for 32 bits wide.
    "-DCMAKE_CXX_FLAGS_INIT={trim} -U__AMX_INT8__",
)


@dataclass(frozen=True, slots=True)
class Pin:
    """The source distribution that everything is made from."""

    name: str
    version: str
    sha256: str

    @property
    def stem(self) -> str:
        """The archive's file name without its suffix, and the one folder in it."""
        return f"{self.name.replace('-', '_')}-{self.version}"


def read_pin(requirements: Path) -> Pin:
    """Reads the one pinned line of ``requirements``."""
    text = requirements.read_text(encoding="utf-8")
    found = re.search(r"^([\w-]+)==(\S+) --hash=sha256:([0-9a-f]{64})$", text, re.MULTILINE)
    if found is None:
        raise BuildError(f"{requirements} has no pinned line; restore it from the repository.")
    return Pin(*found.groups())


def binding_version(pin: Pin) -> str | None:
    """The version of the installed binding."""
    try:
        return importlib.metadata.version(pin.name)
    except importlib.metadata.PackageNotFoundError:
        return None


def run(command: Sequence[str | Path], environment: Mapping[str, str], log: Path) -> None:
    """Runs a step with its output in ``log``.

    Raises:
        BuildError: it failed; the end of the log is printed.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as file:
        # The commands are pip, cmake and ninja with arguments of ours.
        done = subprocess.run(
            [str(part) for part in command],
            env=dict(environment),
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if done.returncode != 0:
        tail = log.read_text(encoding="utf-8", errors="replace").splitlines()[-30:]
        print("\n".join(tail), file=sys.stderr)
        step = Path(str(command[0])).stem
        raise BuildError(f"A build step ({step}) failed; its whole output is in {log}.")


class Builder:
    """The steps of one build, each skipped when its result is there already."""

    def __init__(self, pin: Pin, toolchain: Toolchain, work: Path, jobs: int) -> None:
        self._pin = pin
        self._work = work
        self._jobs = jobs
        self._log = work / "build.log"
        self._tools = work / "tools"
        self._toolchain = toolchain
        self._environment = dict(toolchain.environment) | {
            "PATH": os.pathsep.join(
                [str(self._tools / "bin"), toolchain.environment.get("PATH", "")]
            ),
            "PYTHONPATH": str(self._tools),
            "CMAKE_ARGS": "-DLLAMA_BUILD=OFF -DLLAVA_BUILD=OFF",
            # The tree lies inside a checkout of ours; llama.cpp shall not take our commit for its.
            "GIT_CEILING_DIRECTORIES": str(work),
            # ccache, where it is installed, also serves a checkout in another folder.
            "CCACHE_BASEDIR": str(work),
            "CCACHE_NOHASHDIR": "1",
        }

    def install_tools(self) -> None:
        """Puts cmake, ninja and the binding's build backend into the work folder."""
        wanted = (HERE / "build-requirements.txt").read_text(encoding="utf-8")
        marker = self._tools / "contenox-tools.txt"
        if marker.is_file() and marker.read_text(encoding="utf-8") == wanted:
            return
        shutil.rmtree(self._tools, ignore_errors=True)
        options = ["--no-deps", "--require-hashes", "--only-binary", ":all:"]
        requirements = HERE / "build-requirements.txt"
        self._pip("install", *options, "--target", self._tools, "-r", requirements)
        marker.write_text(wanted, encoding="utf-8")

    def fetch(self, local: Path | None) -> Path:
        """Returns the verified source distribution, downloaded by pip unless ``local`` is it."""
        target = self._work / f"{self._pin.stem}.tar.gz"
        source = local or target
        if not source.is_file():
            options = ["--no-deps", "--no-build-isolation", "--require-hashes"]
            no_binary = ["--no-binary", self._pin.name]
            requirements = HERE / "requirements.txt"
            self._pip("download", *options, *no_binary, "-d", self._work, "-r", requirements)
        found = sha256_of(source)
        if found != self._pin.sha256:
            raise BuildError(
                f"{source} has the sha256 {found}, not the pinned one; delete the file."
            )
        return source

    def install_binding(self, sdist: Path) -> None:
        """Installs the pure-Python binding unless this version is there; compiles nothing."""
        if binding_version(self._pin) == self._pin.version:
            return
        print(f"Installing the binding {self._pin.name} {self._pin.version} ...", flush=True)
        # No dependencies: of the binding only its ctypes layer is used, which needs none of them.
        self._pip("install", "--no-deps", "--force-reinstall", self._wheel(sdist))
        importlib.invalidate_caches()

    def unpack_binding(self, sdist: Path, target: Path) -> None:
        """Puts the binding into ``target``, where another Python looks for packages."""
        if not (target / f"{self._pin.stem}.dist-info").is_dir():
            target.mkdir(parents=True, exist_ok=True)
            shutil.unpack_archive(self._wheel(sdist), target, "zip")

    def _wheel(self, sdist: Path) -> Path:
        """The binding as a wheel, made once for each source distribution."""
        folder = self._work / f"wheel-{self._pin.sha256[:12]}"
        if not list(folder.glob("*.whl")):
            options = ["--no-deps", "--no-build-isolation", "--no-binary", self._pin.name]
            self._pip("wheel", *options, "--no-cache-dir", "-w", folder, sdist)
        return next(folder.glob("*.whl"))

    def build(self, sdist: Path, inputs: Inputs) -> Path:
        """Returns the folder of finished libraries and their stamp."""
        root = self._work / inputs.key()
        libraries = root / "lib"
        if intact(libraries, inputs):
            return libraries
        source = self._unpack(sdist)
        print(f"Building llama.cpp with {inputs.compiler} ...", flush=True)
        build = root / "build"
        compiler = f"-DCMAKE_CXX_COMPILER={Path(self._toolchain.compiler).as_posix()}"
        trim = self._toolchain.trim.format(source=source)
        flags = [flag.replace("{trim}", trim) for flag in inputs.flags]
        self._cmake("-S", source, "-B", build, "-G", "Ninja", *flags, compiler)
        self._cmake("--build", build, "--target", "llama", "ggml", "-j", str(self._jobs))
        shutil.rmtree(libraries, ignore_errors=True)
        libraries.mkdir(parents=True)
        for name, file in products(build / "bin"):
            shutil.copyfile(file, libraries / name)
        files = {file.name: sha256_of(file) for file in libraries.iterdir()}
        (libraries / STAMP).write_text(inputs.stamp(files), encoding="utf-8")
        return libraries

    def _unpack(self, sdist: Path) -> Path:
        """Unpacks the vendored tree to a path that stays the same, so that ccache hits."""
        target = self._work / "src"
        marker = self._work / "src.txt"
        if marker.is_file() and marker.read_text(encoding="utf-8") == self._pin.sha256:
            return target
        marker.unlink(missing_ok=True)
        shutil.rmtree(target, ignore_errors=True)
        prefix = PurePosixPath(self._pin.stem, "vendor", "llama.cpp")
        with tarfile.open(sdist) as archive:
            # Pythons before 3.11.4 have no filter; the archive's hash was checked in any case.
            archive.extraction_filter = getattr(tarfile, "data_filter", None)
            for member in archive:
                path = PurePosixPath(member.name)
                if not path.is_relative_to(prefix) or path == prefix:
                    continue
                relative = path.relative_to(prefix)
                if relative.parts[0] in SOURCES:
                    member.name = str(relative)
                    archive.extract(member, target)
        marker.write_text(self._pin.sha256, encoding="utf-8")
        return target

    def _cmake(self, *arguments: str | Path) -> None:
        cmake = shutil.which("cmake", path=self._environment["PATH"])
        if cmake is None:
            raise BuildError(f"cmake is missing in {self._tools}; delete that folder.")
        run([cmake, *arguments], self._environment, self._log)

    def _pip(self, *arguments: str | Path) -> None:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
        run([*pip, *arguments], self._environment, self._log)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Installs the llama backend.")
    parser.add_argument("--all-variants", action="store_true", help="code for each kind of CPU")
    parser.add_argument("--for-wine", type=Path, metavar="DIR", help="with mingw, into DIR")
    parser.add_argument("--sdist", type=Path, help="a source distribution that is here already")
    parser.add_argument("--work-dir", type=Path, default=HERE.parent.parent / ".native" / "llama")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return parser.parse_args(arguments)


def prepare(options: argparse.Namespace) -> str:
    """Does what is left to do and returns one sentence about it."""
    if options.for_wine is not None:
        return prepare_for_wine(options)
    pin = read_pin(HERE / "requirements.txt")
    toolchain = find_toolchain(os.environ)
    variants = "ON" if options.all_variants else "OFF"
    flags = (*FLAGS, f"-DGGML_CPU_ALL_VARIANTS={variants}")
    system = f"{platform.system()} {platform.machine()}"
    inputs = Inputs(pin.version, pin.sha256, flags, toolchain.identity, system)
    folder = library_folder()
    if folder is not None and binding_version(pin) == pin.version and intact(folder, inputs):
        return f"The llama backend {pin.version} is up to date."
    builder = Builder(pin, toolchain, options.work_dir.absolute(), options.jobs)
    builder.install_tools()
    sdist = builder.fetch(options.sdist)
    builder.install_binding(sdist)
    libraries = builder.build(sdist, inputs)
    folder = library_folder()
    if folder is None:
        raise BuildError("The binding was installed but can't be found; run this script again.")
    install(libraries, folder)
    return f"The llama backend {pin.version} is installed in {folder}."


def prepare_for_wine(options: argparse.Namespace) -> str:
    """The same for Windows, with mingw and into a folder."""
    pin = read_pin(HERE / "requirements.txt")
    toolchain = find_cross_toolchain(os.environ)
    variants = "ON" if options.all_variants else "OFF"
    flags = (*FLAGS, *WINE_FLAGS, f"-DGGML_CPU_ALL_VARIANTS={variants}")
    inputs = Inputs(pin.version, pin.sha256, flags, toolchain.identity, "Windows AMD64")
    builder = Builder(pin, toolchain, options.work_dir.absolute(), options.jobs)
    builder.install_tools()
    sdist = builder.fetch(options.sdist)
    builder.unpack_binding(sdist, options.for_wine)
    install(builder.build(sdist, inputs), options.for_wine / "llama_cpp" / "lib")
    return f"The llama backend {pin.version}, a stand-in for Wine, is in {options.for_wine}."


def main(arguments: Sequence[str]) -> int:
    try:
        print(prepare(parse(arguments)))
    except BuildError as error:
        print(f"build_llama: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
