"""``contenox backends`` with a library that is absent, or is not the one that is pinned."""

from argparse import Namespace
from types import SimpleNamespace
from typing import Any

import pytest

from app.cli.reports import run_backends
from app.core.errors import EnvironmentFault
from app.engine.outcome import BackendReport


def _failed(name: str, code: str) -> BackendReport:
    error = EnvironmentFault(code, "It is not there.", "Install the program again.").record()
    return BackendReport(name=name, error=error)


LLAMA = BackendReport(name="llama", version="0.3.36")
OPENVINO = BackendReport(name="openvino", version="2026.4.1.0")


@pytest.mark.parametrize(
    ("reports", "names", "code"),
    [
        ((LLAMA, OPENVINO), "llama,openvino", 0),
        ((_failed("llama", "backend_missing"), OPENVINO), "openvino", 0),
        ((LLAMA, _failed("openvino", "backend_missing")), "llama", 0),
        ((_failed("llama", "backend_missing"), _failed("openvino", "backend_missing")), "", 1),
        ((_failed("llama", "version_mismatch"), OPENVINO), "openvino", 1),
        ((LLAMA, _failed("openvino", "version_mismatch")), "llama", 1),
    ],
)
def test_an_absent_backend_is_no_failure_alone_and_another_version_is_one(
    reports: tuple[BackendReport, ...],
    names: str,
    code: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    services: Any = SimpleNamespace(report_backends=lambda: reports)
    assert run_backends(Namespace(json=False), services) == code
    shown = capsys.readouterr()
    assert shown.out.splitlines()[0] == f"backends: {names}"
    for report in reports:
        assert report.error is None or f"[{report.error.code}]" in shown.err
