"""A prompt in one piece, where the environment asks for it: the same answer, counted apart."""

from pathlib import Path

import pytest

from app.engine.backends.openvino_prefill import DEFER_VARIABLE, PromptWork, prefill_deferred
from app.engine.protocol import Finished, Prefill, PrefillProgress, new_request_id
from app.engine.spec import LoadSpec
from tests.engine.conftest import Engine, Recorder, ask

pytestmark = pytest.mark.s2

SEA = "The sea is blue and the sky is grey today. "


@pytest.mark.parametrize("value", ["1", "true", "YES", " on "])
def test_what_means_yes(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(DEFER_VARIABLE, value)
    assert prefill_deferred()


@pytest.mark.parametrize("value", ["", "0", "no", "off", "2"])
def test_what_does_not(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(DEFER_VARIABLE, value)
    assert not prefill_deferred()


def test_the_counters_of_both_ways() -> None:
    physical = PromptWork(list(range(100)), predicted=32, deferred=False)
    physical.computed(64)
    physical.computed(96)
    usage = physical.usage()
    assert (usage.physical_prefill_calls, usage.physical_prefill_tokens) == (2, 64)
    assert usage.deferred_prefill_calls == 0
    deferred = PromptWork(list(range(100)), predicted=32, deferred=True)
    assert deferred.usage().deferred_prefill_tokens == 0, "nothing was called yet"
    deferred.native_calls = 1
    usage = deferred.usage()
    assert (usage.deferred_prefill_calls, usage.deferred_prefill_tokens) == (1, 68)


@pytest.mark.real_model
def test_a_deferred_prefill_answers_alike_and_what_is_read_ahead_stays_physical(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, paged: LoadSpec
) -> None:
    texts, ends = [], []
    for value in ("", "1"):
        monkeypatch.setenv(DEFER_VARIABLE, value)
        engine = Engine(tmp_path)
        try:
            recorder = engine.send(ask(paged, SEA * 60 + "What is blue?", max_tokens=8))
            end = recorder.end()
            assert isinstance(end, Finished), end
            texts.append(recorder.text)
            ends.append(end.usage)
            ahead = Recorder()
            turn = ask(paged, "Read ahead. " + SEA * 20)
            engine.client.submit(Prefill(request=new_request_id(), turn=turn), ahead)
            read = ahead.end()
            assert isinstance(read, Finished), read
            assert read.usage.physical_prefill_calls > 0
            assert read.usage.deferred_prefill_calls == 0
            progress = [one for one in recorder.events if isinstance(one, PrefillProgress)]
            assert (len(progress) == 1) == bool(value)
        finally:
            engine.client.close()
    physical, deferred = ends
    assert texts[0] == texts[1]
    assert physical.physical_prefill_calls > 1
    assert physical.deferred_prefill_calls == 0
    assert deferred.physical_prefill_calls == 0
    assert deferred.deferred_prefill_tokens == deferred.prompt_tokens
    assert deferred.reuse_measured
