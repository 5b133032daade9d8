"""The console command, as far as it needs no weights."""

import json
from pathlib import Path

import pytest

from app.certify.certificate_store import CertificateStore
from app.cli import certify
from app.cli.main import main
from app.composition import build_services
from app.core.paths import DataRoot
from tests.certify.samples import certificate


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that looks like a checkout."""
    folder = tmp_path / "checkout"
    (folder / "docs").mkdir(parents=True)
    monkeypatch.setattr(certify, "profiles_dir", lambda: folder / "profiles")
    return folder


def test_the_page_is_written_from_the_published_certificates(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    CertificateStore(checkout / "profiles" / "certificates").save(certificate())
    assert main(["certify", "--render"], build_services) == 0
    page = (checkout / "docs" / "certification.md").read_text(encoding="utf-8")
    assert "tiny/openvino on CPU" in page
    assert capsys.readouterr().out == "certification.md has 1 certificates.\n"


def test_a_published_file_that_is_no_certificate_is_named(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = checkout / "profiles" / "certificates"
    folder.mkdir(parents=True)
    (folder / "bad.json").write_bytes(b"{}")
    assert main(["certify", "--render"], build_services) == 1
    assert "bad.json" in capsys.readouterr().err
    assert not (checkout / "docs" / "certification.md").exists()


def test_without_a_checkout_there_is_no_page(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / "docs").rmdir()
    assert main(["certify", "--render"], build_services) == 1
    assert "[no_docs]" in capsys.readouterr().err


def test_the_list_says_what_holds(data_root: DataRoot, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["certify"], build_services) == 0
    assert "No model is certified yet." in capsys.readouterr().out
    folder = data_root.path / "certificates"
    CertificateStore(folder).save(certificate())
    (folder / "x.json").write_bytes(b"[]")
    assert main(["certify"], build_services) == 0
    shown = capsys.readouterr()
    assert "tiny/openvino" in shown.out
    assert "not installed" in shown.out
    assert "x.json.broken is no certificate" in shown.err
    assert main(["certify", "--json"], build_services) == 0
    assert [one["model"]["name"] for one in json.loads(capsys.readouterr().out)] == ["tiny"]


def test_the_published_page_is_what_the_published_certificates_say() -> None:
    from app.certify.render import render_page

    folder = certify.published_folder()
    found = CertificateStore(folder).all()
    page = folder.parent.parent / "docs" / "certification.md"
    assert page.read_text(encoding="utf-8") == render_page(found)
