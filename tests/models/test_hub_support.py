"""The loopback Hub is believable: the real client downloads from it."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.loopback_hub import LoopbackHub

FILES = {"config.json": b'{"a": 1}', "openvino_model.bin": bytes(range(256)) * 900}
_CLIENT = """
import json, sys
from huggingface_hub import HfApi, snapshot_download
info = HfApi().model_info("acme/tiny", files_metadata=True, timeout=10, token=False)
tree = list(HfApi(token=False).list_repo_tree("acme/tiny", recursive=True))
folder = snapshot_download("acme/tiny", local_dir=sys.argv[1], token=False)
print(json.dumps({"sha": info.sha, "lfs": [s.rfilename for s in info.siblings if s.lfs],
                  "tree": len(tree)}))
"""


@pytest.fixture
def hub() -> Iterator[LoopbackHub]:
    with LoopbackHub() as running:
        yield running


def test_the_real_client_lists_and_downloads(hub: LoopbackHub, tmp_path: Path) -> None:
    hub.add("acme/tiny", FILES)
    hub.page_size = 1
    environment = os.environ | {
        "HF_ENDPOINT": hub.endpoint,
        "HF_HOME": str(tmp_path / "home"),
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", _CLIENT, str(tmp_path / "out")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    said = json.loads(done.stdout.splitlines()[-1])
    assert said == {"sha": "a" * 40, "lfs": ["openvino_model.bin"], "tree": 2}
    for name, content in FILES.items():
        got = (tmp_path / "out" / name).read_bytes()
        assert hashlib.sha256(got).digest() == hashlib.sha256(content).digest()
    assert all(seen.authorization is None for seen in hub.seen)
