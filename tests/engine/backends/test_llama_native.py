"""Without the library, or with another version of it, the backend says so."""

import importlib.metadata
import subprocess
import sys

import pytest

from app.core.errors import EnvironmentFault
from app.engine.backends import llama, llama_native
from app.engine.faults import FAULTS
from app.engine.native_failure import translate_log


def test_the_backend_is_imported_without_its_library() -> None:
    code = (
        "import sys; sys.modules['llama_cpp'] = None\n"
        "from app.engine.backends.llama import LlamaBackend\n"
        "assert not any(name.startswith('jinja2') for name in sys.modules)\n"
        "print(LlamaBackend().report().error.code)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "backend_missing"


def test_a_missing_binding_is_reported_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", absent)
    monkeypatch.setattr(llama, "load_native", llama_native.load_native.__wrapped__)
    error = llama.LlamaBackend().report().error
    assert error is not None
    assert error.code == "backend_missing"
    assert "build_llama.py" in error.remedy


def test_another_version_of_the_binding_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "0.3.35")
    with pytest.raises(EnvironmentFault, match=r"0\.3\.35") as caught:
        llama_native.load_native.__wrapped__()
    assert caught.value.code == "version_mismatch"


def test_the_log_keeps_the_last_lines_and_joins_continued_ones() -> None:
    log = llama_native.NativeLog()
    log.write(3, b"half", None)
    log.write(5, b" a line\n", None)
    log.write(3, b"\xff", None)
    assert log.text() == "half a line\n\ufffd"
    log.clear()
    log.write(5, None, None)
    assert log.text() == ""


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (
            "ggml_aligned_malloc: insufficient memory\nfailed to allocate CPU buffer",
            "out_of_memory",
        ),
        ("unknown model architecture: 'mamba9'", "model_unsupported"),
        ("gguf_init_from_file_impl: failed to read magic", "model_damaged"),
        ("something else", "engine_failed"),
        ("", "engine_failed"),
    ],
)
def test_the_librarys_words_are_translated(words: str, code: str) -> None:
    failure = translate_log(words, "a call")
    assert failure.fault.code == code
    assert failure.detail.startswith("a call")


def test_the_line_that_tells_most_is_kept_for_our_log() -> None:
    words = (
        "print_info: file type = Q4_1\n"
        "llama_model_load: error loading model: unknown model architecture: 'zlama'\n"
        "llama_model_load_from_file_impl: failed to load model\n"
    )
    assert translate_log(words, "a call").detail.endswith("unknown model architecture: 'zlama'")


def test_the_needles_of_llama_name_the_version_whose_words_they_are() -> None:
    needles = [needle for fault in FAULTS for needle in fault.needles]
    ours = [needle for needle in needles if "llama" in needle.seen_on]
    assert ours
    for needle in ours:
        assert llama_native.BINDING_VERSION in needle.seen_on
        assert llama_native.LIBRARY_VERSION in needle.seen_on
