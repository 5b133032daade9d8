import json
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from app.certify.certificate import (
    CertificateKey,
    Level,
    Verdict,
    decode_certificate,
    encode_certificate,
    level_of,
    stale_because,
)
from app.certify.certificate_store import CertificateStore
from app.core.errors import EnvironmentFault
from tests.certify.samples import certificate, key


def test_a_certificate_survives_its_file() -> None:
    assert decode_certificate(encode_certificate(certificate())) == certificate()


@pytest.mark.parametrize("path", [(), ("key",), ("machine",), ("throughput", "load")])
def test_unknown_fields_are_refused_at_every_depth(path: tuple[str, ...]) -> None:
    document = json.loads(encode_certificate(certificate()))
    place = document
    for name in path:
        place = place[name]
    place["surplus"] = 1
    with pytest.raises(msgspec.ValidationError, match="surplus"):
        decode_certificate(json.dumps(document).encode())


def test_a_level_that_its_verdicts_do_not_bear_is_refused() -> None:
    document = json.loads(encode_certificate(certificate(throughput=Verdict.PROVISIONAL)))
    document["level"] = "certified"
    with pytest.raises(msgspec.ValidationError, match="verdicts say provisional"):
        decode_certificate(json.dumps(document).encode())


def test_another_schema_is_refused() -> None:
    document = json.loads(encode_certificate(certificate())) | {"schema": 2}
    with pytest.raises(msgspec.ValidationError, match="schema 2"):
        decode_certificate(json.dumps(document).encode())


@pytest.mark.parametrize("quality", Verdict)
@pytest.mark.parametrize("throughput", Verdict)
@pytest.mark.parametrize("quick", [False, True])
def test_certified_needs_both_verdicts_and_a_full_run(
    quality: Verdict, throughput: Verdict, quick: bool
) -> None:
    both = quality is throughput is Verdict.PASSED
    assert (level_of(quality, throughput, quick=quick) is Level.CERTIFIED) == (both and not quick)
    failed = Verdict.FAILED in (quality, throughput)
    assert (level_of(quality, throughput, quick=quick) is Level.FAILED) == failed


@pytest.mark.parametrize("name", CertificateKey.__struct_fields__)
def test_a_change_of_any_field_of_the_key_makes_it_stale(name: str) -> None:
    now = structs.replace(key(), **{name: "other"})
    assert stale_because(certificate(), now) == name
    assert stale_because(certificate(), key()) is None


def test_a_pipeline_that_is_left_to_the_library_is_no_change() -> None:
    assert stale_because(certificate(), structs.replace(key(), pipeline=None)) is None


def test_the_store_prefers_what_holds_and_names_what_changed(tmp_path: Path) -> None:
    store = CertificateStore(tmp_path / "certificates")
    assert store.all() == ()
    old = certificate(key("GPU", driver="101.1"), date="2026-11-01")
    new = certificate(key("GPU", driver="101.2"), date="2026-11-02")
    store.save(old)
    store.save(new)
    standing = store.standing("tiny/openvino", old.key)
    assert standing is not None
    assert (standing.certificate, standing.stale) == (old, None)
    standing = store.standing("tiny/openvino", key("GPU", driver="101.3"))
    assert standing is not None
    assert (standing.certificate, standing.stale) == (new, "driver")
    assert store.standing("tiny/openvino", key("CPU")) is None
    assert store.standing("other/openvino", old.key) is None


def test_a_broken_file_is_set_aside_and_named_once(tmp_path: Path) -> None:
    store = CertificateStore(tmp_path)
    path = store.save(certificate())
    (tmp_path / "half.json").write_bytes(path.read_bytes()[:100])
    found, broken = store.survey()
    assert found == (certificate(),)
    assert [one.path.name for one in broken] == ["half.json.broken"]
    assert broken[0].reason
    assert (tmp_path / "half.json.broken").is_file()
    assert store.survey() == (found, ())


def test_a_certificate_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(EnvironmentFault, match="is a file, and a folder is needed there"):
        CertificateStore(tmp_path / "file" / "below").save(certificate())


def test_the_same_key_is_replaced_and_a_dropped_one_is_gone(tmp_path: Path) -> None:
    store = CertificateStore(tmp_path)
    store.save(certificate(rate=10))
    store.save(certificate(rate=30))
    assert [one.decode_tokens_per_s for one in store.all()] == [30]
    store.drop(certificate())
    store.drop(certificate())
    assert store.all() == ()
