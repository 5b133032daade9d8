"""A whole chat opens no socket: seen from inside the engine process, with ``CI`` unset."""

import os
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.engine.client import EngineClient
from app.engine.outcome import FinishReason
from app.engine.process import run_engine
from app.engine.protocol import Finished, Load, new_request_id
from app.models.library import InstalledModel
from tests.engine.backends.conftest import openvino_spec
from tests.engine.conftest import Recorder, ask

_SEEN = "sockets.txt"


def _watched(connection: Connection, log_dir: str) -> None:
    """An engine that writes down each socket and name look-up of its Python code."""
    os.environ.pop("CI", None)
    seen = (Path(log_dir) / _SEEN).open("a", buffering=1)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event.startswith("socket."):
            seen.write(f"{event} {arguments!r}\n")

    sys.addaudithook(hook)
    run_engine(connection, log_dir)


@pytest.mark.real_model
def test_a_whole_chat_opens_no_socket(starter_openvino: InstalledModel, tmp_path: Path) -> None:
    client = EngineClient(log_dir=tmp_path, entry=_watched)
    spec = openvino_spec(starter_openvino)
    client.call(Load(request=new_request_id(), spec=spec))
    recorder = Recorder()
    client.submit(ask(spec, "What is the capital of France?"), recorder)
    end = recorder.end()
    assert isinstance(end, Finished)
    assert end.reason is FinishReason.STOP
    assert "Paris" in recorder.text
    assert client.pid is not None
    # What native code opens is seen by the system alone.
    assert psutil.Process(client.pid).net_connections(kind="inet") == []
    client.close()
    assert (tmp_path / _SEEN).read_text() == ""
