"""``contenox describe`` as a person starts it."""

import json
from pathlib import Path

import pytest

from app.models.library import Library
from tests.cli.test_console import run

pytestmark = [pytest.mark.real_model, pytest.mark.s1]


@pytest.fixture
def root(starter_store: Library, tmp_path: Path) -> Path:
    made = tmp_path / "root"
    made.mkdir()
    (made / "models").symlink_to(starter_store.store, target_is_directory=True)
    return made


def test_s1_describe_prints_what_was_asked_and_what_the_library_says(root: Path) -> None:
    done = run(
        "describe", "starter", "--backend", "openvino", "--context", "2048", "--json", data=root
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["backend"], told["device"], told["context_tokens"]) == ("openvino", "CPU", 2048)
    assert told["abilities"] == {
        "chat": "yes", "prompt": "yes", "stream": "yes", "prefix_reuse": "yes",
        "thinking": "profile", "tools": "profile", "embeddings": "profile",
    }  # fmt: skip
    report = told["report"]
    assert report["template"] == ["chat"]
    assert report["pipeline"] == "paged"
    assert report["asked"]["kv_cache_precision"] == "u8"
    assert report["library"]["cache_size"] == "1"
    assert report["library"]["enable_prefix_caching"] == "true"
    assert report["metrics"]["cache_size_in_bytes"] > 10**9
    assert report["metrics"]["kv_bytes_per_token"] == 13_680
    assert any("XATTENTION" in note for note in report["notes"])


def test_describe_is_readable_and_refuses_what_can_not_be(root: Path) -> None:
    done = run("describe", "starter", "--backend", "openvino", "--context", "512", data=root)
    assert done.returncode == 0, done.stderr
    assert "openvino, paged pipeline, 512 tokens of context" in done.stdout
    refused = run("describe", "starter", "--context", "999999", data=root)
    assert (refused.returncode, "context_too_large" in refused.stderr) == (1, True)
    npu = run("describe", "starter", "--device", "NPU.0", data=root)
    assert (npu.returncode, "npu_not_supported" in npu.stderr) == (1, True)
