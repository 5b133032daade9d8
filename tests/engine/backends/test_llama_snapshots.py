"""A chat's stable prefix survives an unload, and is as good as computed."""

from pathlib import Path

import msgspec
import pytest

from app.engine.client import EngineClient
from app.engine.context import Segment, assemble
from app.engine.manifest import SegmentKind
from app.engine.protocol import Delta, Event, Finished, Generate, Unload, new_request_id
from app.engine.spec import LoadSpec
from app.models.library import InstalledModel
from tests.engine.backends.llama_required import llama_spec, require_llama

pytestmark = [pytest.mark.real_model, pytest.mark.s2]

SEA = "The sea is blue and the sky is grey today. "


def run(client: EngineClient, spec: LoadSpec, question: str) -> tuple[str, Finished]:
    made = assemble(
        [
            Segment(kind=SegmentKind.PINNED, name="a.md", text=SEA * 40),
            Segment(kind=SegmentKind.USER, text=question),
        ]
    )
    request = Generate(
        request=new_request_id(), spec=spec, messages=made.messages, segments=made.spans,
        max_tokens=12,
    )  # fmt: skip
    pieces: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, Delta):
            pieces.append(event.text)

    end = client.call(request, listen)
    return "".join(pieces), end


def test_a_stable_prefix_is_restored_after_an_unload_and_changes_no_answer(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    require_llama()
    model = request.getfixturevalue("starter_gguf")
    assert isinstance(model, InstalledModel)
    spec = llama_spec(model)
    folder = tmp_path / "snapshots"
    client = EngineClient(log_dir=tmp_path / "logs", snapshot_dir=folder)
    try:
        _, first = run(client, spec, "What is blue?")
        client.call(Unload(request=new_request_id()))
        assert {path.suffix for path in folder.iterdir()} == {".json", ".state"}
        restored_text, second = run(client, spec, "What is grey?")
        assert second.timings.load_s > 0
        assert second.usage.restored_tokens > 400
        assert second.usage.reused_tokens == second.usage.restored_tokens
        assert second.timings.ttft_s is not None
        assert first.timings.ttft_s is not None
        assert second.timings.ttft_s < first.timings.ttft_s / 2
        client.call(Unload(request=new_request_id()))
        other = msgspec.structs.replace(spec, profile_digest="another")
        computed_text, third = run(client, other, "What is grey?")
        assert third.usage.restored_tokens == 0
        assert third.usage.reused_tokens == 0
    finally:
        client.close()
    assert first.usage.restored_tokens == 0
    assert restored_text == computed_text != ""
