"""What goes into the package and what doesn't: the one list that build and check share.

Names of OpenVINO's libraries are written without prefix, version and suffix, since they differ
between systems. A name that is in neither list fails the build: an upgrade of OpenVINO shall not
add a part that nobody looked at.
"""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Final

from contenox_build.errors import PackagingError

OPENVINO_USED: Final = frozenset(
    {
        "openvino",
        "openvino_ir_frontend",
        "openvino_intel_cpu_plugin",
        "openvino_intel_gpu_plugin",
        "openvino_auto_plugin",
        "openvino_auto_batch_plugin",
        "openvino_hetero_plugin",
        "hwloc",
        "tbb",
        "tbb12",
        "tbbbind_2_5",
        "tbbmalloc",
    }
)
OPENVINO_UNUSED: Final = frozenset(
    {
        # Never selectable: paged attention has no implementation for it.
        "openvino_intel_npu_compiler",
        "openvino_intel_npu_compiler_loader",
        "openvino_intel_npu_plugin",
        "openvino_intel_npu_vm_runtime",
        # Formats that are not opened. GenAI reads GGUF files by itself.
        "openvino_gguf_frontend",
        "openvino_jax_frontend",
        "openvino_onnx_frontend",
        "openvino_paddle_frontend",
        "openvino_pytorch_frontend",
        "openvino_tensorflow_frontend",
        "openvino_tensorflow_lite_frontend",
        # The interface for C programs, and a replacement of the whole allocator.
        "openvino_c",
        "tbbmalloc_proxy",
    }
)
# Beside the libraries: the tuning table of the GPU plugin, and files for compilers.
OPENVINO_DATA_USED: Final = frozenset({"cache.json"})
OPENVINO_DATA_UNUSED: Final = frozenset({".lib", ".pc", ".pdb"})

EXCLUDED_MODULES: Final = (
    "openvino_telemetry",
    "openvino.frontend.jax",
    "openvino.frontend.onnx",
    "openvino.frontend.paddle",
    "openvino.frontend.pytorch",
    "openvino.frontend.tensorflow",
    "openvino.tools",
    "openvino.torch",
    # Converts tokenizers of other formats; the package holds finished models only.
    "openvino_tokenizers.cli_tools",
    "hf_xet",
    "llama_cpp.server",
    "distutils",
    "doctest",
    "lib2to3",
    "matplotlib",
    "pip",
    "pyqtgraph.examples",
    "pyqtgraph.jupyter",
    "pyqtgraph.opengl",
    "pkg_resources",
    "pytest",
    "setuptools",
    # What a system or a person adds to every Python of theirs, Debian for one.
    "sitecustomize",
    "test",
    "tkinter",
    "torch",
    "transformers",
    "usercustomize",
    "_pytest",
)
# Pyqtgraph imports both modules of OpenGL by name, and draws without them.
QT_MODULES: Final = frozenset(
    {"QtCore", "QtGui", "QtNetwork", "QtOpenGL", "QtOpenGLWidgets", "QtSvg", "QtWidgets"}
)
QT_UNUSED_LIBRARIES: Final = re.compile(
    r"(lib)?(Qt6(Designer|EglFS|Pdf|Qml|Quick|ShaderTools|Sql|Test|VirtualKeyboard|Wayland)"
    r"|opengl32sw|d3dcompiler)",
    re.IGNORECASE,
)
QT_PLUGINS: Final = re.compile(
    r"(platforms/(lib)?q(windows|offscreen|xcb)|styles/|iconengines/(lib)?qsvgicon"
    r"|imageformats/(lib)?q(svg|ico|jpeg)|xcbglintegrations/(lib)?qxcb-glx"
    r"|platforminputcontexts/(lib)?(compose|ibus))",
    re.IGNORECASE,
)
QT_TRANSLATIONS: Final = re.compile(r"qtbase_(de|en)\.qm$")

# Microsoft's C and C++ run time. One newest set lies at the root of the internal folder, where
# every module finds it; each other copy would be older, or found by luck only.
VC_RUNTIME: Final = re.compile(
    r"^(vcruntime140(_1|_threads)?|msvcp140(_\w+)?|concrt140|vcomp140|vccorlib140|vcamp140)\.dll$",
    re.IGNORECASE,
)
VC_RUNTIME_SHIPPED: Final = frozenset(
    {
        "concrt140.dll",
        "msvcp140.dll",
        "msvcp140_1.dll",
        "msvcp140_2.dll",
        "msvcp140_atomic_wait.dll",
        "msvcp140_codecvt_ids.dll",
        "vcomp140.dll",
        "vcruntime140.dll",
        "vcruntime140_1.dll",
        "vcruntime140_threads.dll",
    }
)
# Since Windows 10 the universal C run time and its API sets are Windows' own.
WINDOWS_OWN: Final = re.compile(r"^(ucrtbase|(api|ext)-ms-win-.*)\.dll$", re.IGNORECASE)
# PyInstaller adds the metadata of each distribution whose version the program asks for; a packaged
# program has no pip.
_LEFT_OVER: Final = re.compile(r"(openvino_telemetry|pip-)")


def library_stem(file_name: str) -> str:
    """``libopenvino.so.2641`` and ``openvino.dll`` are both ``openvino``."""
    name = re.sub(r"\.(dll|so(\.\d+)*|dylib)$", "", file_name, flags=re.IGNORECASE)
    return name.removeprefix("lib")


def is_excluded(module: str) -> bool:
    """Whether a module, or a package that it is in, stays out."""
    return any(module == name or module.startswith(name + ".") for name in EXCLUDED_MODULES)


def openvino_parts(names: Iterable[str]) -> tuple[str, ...]:
    """Returns the files of OpenVINO's library folder that go into the package.

    Raises:
        PackagingError: there is one that neither list names.
    """
    used, unknown = [], []
    for name in sorted(names):
        stem = library_stem(name)
        if stem in OPENVINO_USED or name in OPENVINO_DATA_USED:
            used.append(name)
        elif stem not in OPENVINO_UNUSED and PurePosixPath(name).suffix not in OPENVINO_DATA_UNUSED:
            unknown.append(name)
    if unknown:
        raise PackagingError(
            f"OpenVINO brings {', '.join(unknown)}, which nobody has decided about; "
            "add it to one of the lists in packaging/contenox_build/contents.py."
        )
    return tuple(used)


def is_wanted(destination: str, *, windows: bool) -> bool:
    """Whether a file that PyInstaller found goes into the package, by its path in there."""
    path = PurePosixPath(destination.replace("\\", "/"))
    name, text = path.name, path.as_posix()
    if windows and (VC_RUNTIME.match(name) or WINDOWS_OWN.match(name)):
        return False
    if library_stem(name) in OPENVINO_UNUSED or _LEFT_OVER.match(text):
        return False
    if path.parts[0] == "PySide6" or name.startswith(("Qt6", "libQt6")):
        return _is_wanted_of_qt(path)
    if path.suffix == ".pyi" or (path.parts[0] == "resources" and path.suffix == ".ts"):
        # For type checkers, and the sources of the translations.
        return False
    # What differs from one installation to the next and is read by installers only.
    return not (
        path.parts[0].endswith(".dist-info")
        and name in {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json"}
    )


def _is_wanted_of_qt(path: PurePosixPath) -> bool:
    text = path.as_posix()
    if QT_UNUSED_LIBRARIES.match(path.name):
        return False
    if "/plugins/" in text:
        return QT_PLUGINS.search(text.partition("/plugins/")[2]) is not None
    if "/translations/" in text:
        return QT_TRANSLATIONS.search(text) is not None
    module = re.match(r"(Qt\w+)\.(abi3\.so|pyd)$", path.name)
    return module is None or module[1] in QT_MODULES
