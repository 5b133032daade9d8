"""What the spec puts in and leaves out, decided by lists that are tested without a build."""

import ast
import importlib
import importlib.util
import re
from pathlib import Path
from typing import Any, Final

import pytest

contents: Any = importlib.import_module("contenox_build.contents")
errors: Any = importlib.import_module("contenox_build.errors")

ROOT: Final = Path(__file__).resolve().parents[2]

_LINUX: Final = (
    "cache.json libhwloc.so.15 libopenvino.so.2641 libopenvino_auto_batch_plugin.so "
    "libopenvino_auto_plugin.so libopenvino_c.so.2641 libopenvino_gguf_frontend.so.2641 "
    "libopenvino_hetero_plugin.so libopenvino_intel_cpu_plugin.so libopenvino_intel_gpu_plugin.so "
    "libopenvino_intel_npu_plugin.so libopenvino_ir_frontend.so.2641 "
    "libopenvino_onnx_frontend.so.2641 libtbb.so.12 libtbbbind_2_5.so.3 libtbbmalloc.so.2 "
    "libtbbmalloc_proxy.so.2 tbb.pc"
)
_WINDOWS: Final = (
    "cache.json openvino.dll openvino.lib openvino_auto_plugin.dll openvino_c.dll "
    "openvino_intel_cpu_plugin.dll openvino_intel_gpu_plugin.dll openvino_intel_npu_compiler.dll "
    "openvino_intel_npu_compiler_loader.dll openvino_intel_npu_plugin.dll "
    "openvino_intel_npu_vm_runtime.dll openvino_ir_frontend.dll openvino_pytorch_frontend.dll "
    "tbb12.dll tbb12.lib tbb.pc tbbbind_2_5.dll tbbmalloc.dll tbbmalloc_proxy.dll"
)


@pytest.mark.parametrize("names", [_LINUX.split(), _WINDOWS.split()])
def test_only_the_parts_of_openvino_that_are_used_go_in(names: list[str]) -> None:
    parts = contents.openvino_parts(names)
    stems = {contents.library_stem(name) for name in parts}
    assert {"openvino", "openvino_ir_frontend", "openvino_intel_cpu_plugin"} <= stems
    assert "cache.json" in parts
    assert not [name for name in parts if "npu" in name or name.endswith((".lib", ".pc"))]
    assert [name for name in parts if "frontend" in name] == [
        name for name in parts if "ir_frontend" in name
    ]


def test_the_parts_of_the_installed_openvino_are_all_decided() -> None:
    found = importlib.util.find_spec("openvino")
    assert found is not None
    assert found.origin is not None
    names = [path.name for path in (Path(found.origin).parent / "libs").iterdir()]
    assert len(contents.openvino_parts(names)) > 8


@pytest.mark.parametrize("name", ["openvino_intel_tpu_plugin.dll", "libnew.so.1", "data.bin"])
def test_an_unknown_part_of_openvino_fails_the_build(name: str) -> None:
    with pytest.raises(errors.PackagingError, match=re.escape(name)):
        contents.openvino_parts([*_WINDOWS.split(), name])


@pytest.mark.parametrize(
    "path",
    [
        "openvino/libs/openvino.dll",
        "openvino_tokenizers/lib/openvino_tokenizers.dll",
        "llama_cpp/lib/ggml-cpu-haswell.dll",
        "PySide6/QtSvg.pyd",
        "PySide6/QtWidgets.pyd",
        "PySide6/Qt6Svg.dll",
        "PySide6/plugins/platforms/qwindows.dll",
        "PySide6/plugins/iconengines/qsvgicon.dll",
        "PySide6/plugins/imageformats/qsvg.dll",
        "PySide6/translations/qtbase_de.qm",
        "resources/icons/contenox.svg",
        "resources/translations/contenox_de.qm",
        "openvino-2026.4.1.dist-info/METADATA",
    ],
)
def test_what_the_program_uses_goes_in(path: str) -> None:
    assert contents.is_wanted(path, windows=True)
    assert contents.is_wanted(path.replace("/", "\\"), windows=True)


@pytest.mark.parametrize(
    "path",
    [
        "PySide6/msvcp140.dll",
        "shiboken6/VCOMP140.DLL",
        "vcruntime140.dll",
        "ucrtbase.dll",
        "api-ms-win-crt-math-l1-1-0.dll",
        "openvino/libs/openvino_intel_npu_compiler.dll",
        "openvino/libs/openvino_c.dll",
        "openvino_telemetry/main.py",
        "PySide6/QtQml.pyd",
        "PySide6/Qt6Pdf.dll",
        "PySide6/opengl32sw.dll",
        "PySide6/plugins/tls/qschannelbackend.dll",
        "PySide6/plugins/platforms/qdirect2d.dll",
        "PySide6/plugins/imageformats/qpdf.dll",
        "PySide6/translations/qtbase_fr.qm",
        "numpy-2.5.5.dist-info/RECORD",
        "pip-25.3.dist-info/METADATA",
        "resources/translations/contenox_de.ts",
        "pyqtgraph/Qt/QtSvg.pyi",
    ],
)
def test_what_the_program_does_not_use_stays_out(path: str) -> None:
    assert not contents.is_wanted(path, windows=True)


@pytest.mark.parametrize("module", ["sitecustomize", "usercustomize", "pip._internal", "tkinter"])
def test_modules_of_the_python_that_builds_stay_out(module: str) -> None:
    assert contents.is_excluded(module)
    assert not contents.is_excluded("app.composition")


def test_each_qt_module_that_the_program_imports_goes_in() -> None:
    used = set()
    for file in (ROOT / "app").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("PySide6."):
                used.add((node.module or "").removeprefix("PySide6."))
    by_pyqtgraph = {"QtOpenGL", "QtOpenGLWidgets"}
    assert used | by_pyqtgraph == set(contents.QT_MODULES)


def test_each_distribution_that_the_program_imports_ships() -> None:
    """A new dependency has to be added to the list, with its licence."""
    distributions: Any = importlib.import_module("contenox_build.distributions")
    text = (ROOT / "pyproject.toml").read_text("utf-8").partition("[project.optional-dep")[0]
    needed = re.findall(r'^ {4}"([A-Za-z0-9-]+)[=<>~]=?', text, re.MULTILINE)
    assert {name.lower() for name in needed} <= set(distributions.SHIPPED)


def test_the_spec_is_python_and_packs_nothing_with_upx() -> None:
    text = (ROOT / "packaging" / "contenox.spec").read_text("utf-8")
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    named = {
        node.func.id: {word.arg: word.value for word in node.keywords}
        for node in calls
        if isinstance(node.func, ast.Name)
    }
    for name in ("EXE", "COLLECT"):
        assert ast.unparse(named[name]["upx"]) == "False"
    assert ast.unparse(named["EXE"]["console"]) == "name == project.CONSOLE"
    assert ast.unparse(named["EXE"]["exclude_binaries"]) == "True"
