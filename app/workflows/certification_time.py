"""About how long a certification takes, told before it begins."""

import math

from app.certify.certificate import Certificate
from app.certify.plan import Plan
from app.hardware.expected_speed import SpeedRange
from app.hardware.readings import CPU
from app.models.library import InstalledModel
from app.workflows.services import Services


def expected_seconds(
    services: Services, model: InstalledModel, device: str, plan: Plan
) -> float | None:
    """By what was measured of ``model`` on ``device``, else by what the processor can do.

    ``None`` for a GPU on which nothing was measured. Blocks for two seconds where the processor
    wasn't probed yet.
    """
    standing = services.certified.standing(model, device)
    if standing is not None and standing.certificate.throughput.depths:
        return _by_certificate(standing.certificate, plan)
    if device != CPU:
        return None
    services.models.rates.require()
    expected = services.models.expected(model)
    if expected is None or expected.prefill is None:
        return None
    return plan.expected_s(_middle(expected.prefill), _middle(expected.decode))


def _by_certificate(certificate: Certificate, plan: Plan) -> float:
    shortest = min(certificate.throughput.depths, key=lambda one: one.prompt_tokens)
    load = certificate.throughput.load
    loads = load.cold_s + (load.cached_s or load.cold_s) + (load.control_s or load.cold_s)
    return loads + plan.expected_s(
        shortest.prefill_tokens_per_s.product.median, shortest.decode_tokens_per_s.product.median
    )


def _middle(speed: SpeedRange) -> float:
    return math.sqrt(speed.low * speed.high)
