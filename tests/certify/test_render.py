from app.certify.certificate import Verdict
from app.certify.render import render_page
from tests.certify.samples import certificate, key


def test_the_page_names_the_machine_and_lists_intel_gpus_as_open() -> None:
    page = render_page([certificate()])
    assert "A CPU, 4 cores (8 logical)" in page
    assert "**certified**" in page
    assert "## Open: Intel GPUs" in page
    assert "contenox certify MODEL --device GPU --backend openvino" in page
    assert "AI Boost (named, never used)" in page
    assert "4,096 tokens not tested: too long" in page


def test_the_page_is_the_same_in_any_order_and_survives_odd_words() -> None:
    one, two = certificate(), certificate(key("CPU"), throughput=Verdict.PROVISIONAL, rate=3)
    assert render_page([one, two]).count("\n## tiny/openvino") == 2
    other = certificate(key("GPU", driver="1"))
    assert render_page([one, other]) == render_page([other, one])
    assert "A CPU \\| of sorts" in render_page([one])


def test_a_gpu_that_is_certified_closes_what_was_open() -> None:
    assert "## Open" not in render_page([certificate(key("GPU", driver="1"))])


def test_a_page_without_certificates_claims_nothing() -> None:
    assert "No certificate is published." in render_page([])
