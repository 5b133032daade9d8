"""``contenox chat`` when a GPU fails: what it prints while the CPU goes on."""

import json
from collections.abc import Iterator

import pytest

from app.cli.main import main
from app.core.paths import DataRoot
from tests.support.failing_gpu import ANSWER, BEFORE_THE_FAULT, Machine

LOST = "The library lost track of its memory for the context"


@pytest.fixture
def machine(data_root: DataRoot) -> Iterator[Machine]:
    made = Machine(data_root)
    made.certify()
    yield made
    made.services.close()


def test_the_answer_is_whole_and_stderr_tells_of_the_failure(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["chat", "count"], lambda: machine.services) == 0
    out, err = capsys.readouterr()
    assert out == ANSWER + "\n"
    told = " ".join(err.split())
    assert f"GPU.0 failed: {LOST} [pool_corrupted]; the CPU goes on with the answer" in told
    assert told.endswith("; written on the CPU after GPU.0 had failed")


def test_json_names_the_device_that_answered_and_the_one_that_failed(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["chat", "count", "--json"], lambda: machine.services) == 0
    answer = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (answer["text"], answer["device"]) == (ANSWER, "CPU")
    assert answer["failed_before"] == {
        "device": "GPU.0",
        "code": "pool_corrupted",
        "message": f"{LOST}.",
    }


def test_switched_off_the_text_stays_and_the_error_is_told(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.switch(on=False)
    assert main(["chat", "count"], lambda: machine.services) == 1
    out, err = capsys.readouterr()
    assert out == BEFORE_THE_FAULT + "\n"
    assert err.endswith("[pool_corrupted]\n")
