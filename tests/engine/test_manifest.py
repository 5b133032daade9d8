"""Whose KV may serve whom."""

import msgspec
import pytest

from app.engine.manifest import (
    CacheClass,
    Identity,
    Manifest,
    SegmentKind,
    SegmentRecord,
    compatible,
    from_json,
    reused_by_class,
    to_json,
    token_sha256,
)
from app.engine.reuse import PrefillSpeed

pytestmark = pytest.mark.s2_5

IDENTITY = Identity(
    model_digest="m", tokenizer_digest="t", template_digest="c", profile_digest="p",
    backend="openvino", backend_version="2026.4.1", device="CPU", attention="dense",
    context_tokens=8192, rope="{}", kv_precision="u8", block_tokens=32,
)  # fmt: skip
RECORDS = (
    SegmentRecord(kind=SegmentKind.SYSTEM, name="", text_sha256="a", token_start=0, token_end=10),
    SegmentRecord(kind=SegmentKind.PINNED, name="a", text_sha256="b", token_start=12, token_end=52),
    SegmentRecord(kind=SegmentKind.TOOLS, name="t", text_sha256="c"),
)
MANIFEST = Manifest(
    identity=IDENTITY,
    prompt_tokens=60,
    prompt_token_sha256="p",
    stable_tokens=52,
    stable_token_sha256="s",
    segments=RECORDS,
)


@pytest.mark.parametrize("field", list(Identity.__struct_fields__))
def test_each_difference_is_named(field: str) -> None:
    value: object = 1 if field in ("context_tokens", "block_tokens") else "other"
    other = msgspec.structs.replace(
        MANIFEST, identity=msgspec.structs.replace(IDENTITY, **{field: value})
    )
    assert compatible(MANIFEST, other) == field


def test_the_first_of_several_is_named() -> None:
    identity = msgspec.structs.replace(IDENTITY, kv_precision="f16", backend_version="2027")
    assert compatible(MANIFEST, msgspec.structs.replace(MANIFEST, identity=identity)) == (
        "backend_version"
    )


def test_an_edited_stable_segment_forbids_it_and_a_longer_turn_does_not() -> None:
    edited = msgspec.structs.replace(MANIFEST, stable_token_sha256="x")
    longer = msgspec.structs.replace(MANIFEST, prompt_tokens=90, prompt_token_sha256="y")
    assert compatible(MANIFEST, edited) == "stable_token_sha256"
    assert compatible(MANIFEST, longer) is None


def test_it_is_stored_as_json_and_another_version_s_is_passed_over() -> None:
    assert from_json(to_json(MANIFEST)) == MANIFEST
    assert from_json("{}") is None
    assert from_json("") is None


def test_a_hash_is_of_the_ids_and_their_order() -> None:
    assert token_sha256([1, 2]) != token_sha256([2, 1])
    assert token_sha256([1, 2]) != token_sha256([1, 2, 0])
    assert token_sha256([]) == token_sha256(())


@pytest.mark.parametrize(
    ("reused", "shares"), [(0, (0.0, 0.0)), (10, (1.0, 0.0)), (32, (1.0, 0.5)), (60, (1.0, 1.0))]
)
def test_reuse_is_told_by_class(reused: int, shares: tuple[float, float]) -> None:
    assert reused_by_class(MANIFEST, reused) == {
        CacheClass.HIGHEST: shares[0],
        CacheClass.HIGH: shares[1],
    }


def test_the_speed_of_a_prefill_is_known_after_the_first_long_one() -> None:
    speed = PrefillSpeed()
    speed.note(3, 9.0)
    assert speed.seconds(100) is None
    speed.note(100, 1.0)
    assert speed.seconds(6000) == pytest.approx(60.0)
    speed.note(100, 2.0)
    assert speed.seconds(100) == pytest.approx(1.3)
