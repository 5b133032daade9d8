"""``contenox catalog``: pins what the Hub has, and finds what drifted."""

import json
from pathlib import Path

import pytest

from app.models.catalog import Trust, canonical_bytes, load_catalog
from tests.cli.conftest import Console
from tests.support.loopback_hub import LoopbackHub
from tests.support.model_files import (
    GGUF_REPOSITORY,
    OPENVINO_REPOSITORY,
    gguf_files,
    openvino_files,
    tiny_catalog,
)


@pytest.fixture
def listed(hub: LoopbackHub, tmp_path: Path) -> Path:
    """A list of one model whose commit nobody knows yet."""
    files = openvino_files(tmp_path / "tiny")
    hub.add(OPENVINO_REPOSITORY, files)
    hub.add(GGUF_REPOSITORY, gguf_files())
    path = tmp_path / "catalog.json"
    path.write_bytes(canonical_bytes(tiny_catalog(files, trust=Trust.FIRST_USE)))
    return path


def test_refresh_pins_every_row_and_check_agrees(
    console: Console, listed: Path, hub: LoopbackHub
) -> None:
    code, out, _ = console("catalog", "refresh", "--file", listed)
    assert code == 0
    assert out.endswith("serial 2.\n")
    for _, variant in load_catalog(listed).rows():
        assert (variant.trust, variant.revision) == (Trust.PINNED, "a" * 40)
    before = listed.read_bytes()
    assert console("catalog", "refresh", "--file", listed)[1].endswith("Nothing changed.\n")
    assert listed.read_bytes() == before
    assert console("catalog", "check", "--file", listed)[:2] == (
        0, "Every pinned row is as listed.\n",
    )  # fmt: skip


def test_check_fails_on_drift_and_changes_nothing(
    console: Console, listed: Path, hub: LoopbackHub
) -> None:
    console("catalog", "refresh", "--file", listed)
    before = listed.read_bytes()
    repository = hub.repositories[OPENVINO_REPOSITORY]
    repository.files["config.json"] += b"\n"
    code, out, _ = console("catalog", "check", "--file", listed)
    assert code == 1
    assert "drift: tiny/openvino: OpenVINO/Tiny-int4-ov has other bytes in config.json." in out
    findings = json.loads(console("catalog", "check", "--json", "--file", listed)[1])
    assert any(finding["drift"] for finding in findings)
    assert listed.read_bytes() == before


def test_check_fails_on_a_list_that_is_not_canonical(console: Console, listed: Path) -> None:
    console("catalog", "refresh", "--file", listed)
    listed.write_bytes(listed.read_bytes() + b"\n")
    code, _, err = console("catalog", "check", "--file", listed)
    assert code == 1
    assert "canonical" in err


def test_a_name_that_is_not_in_the_list_is_no_silent_success(
    console: Console, listed: Path
) -> None:
    code, _, err = console("catalog", "check", "nope", "--file", listed)
    assert (code, err.endswith("[model_not_curated]\n")) == (1, True)
    code, _, err = console("catalog", "check", "--file", listed.with_name("missing.json"))
    assert (code, err.endswith("[catalog_invalid]\n")) == (1, True)
