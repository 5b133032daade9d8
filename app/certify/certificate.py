"""What was measured and checked for one model on one device of one machine, and nothing else.

A certificate is a local fact, not a promise. It names everything that it depends on in its key; if
any of that changes, it is stale: shown as such, never silently taken for true.
"""

import hashlib
from enum import StrEnum
from typing import Final

import msgspec
from msgspec import Struct

SCHEMA: Final = 1


class _Strict(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all records of a certificate."""


class Verdict(StrEnum):
    """``PROVISIONAL``: nothing speaks against it, but it was not measured as it has to be."""

    PASSED = "passed"
    PROVISIONAL = "provisional"
    FAILED = "failed"


class Level(StrEnum):
    """What a certificate is worth: the worse one of its two verdicts."""

    CERTIFIED = "certified"
    PROVISIONAL = "provisional"
    FAILED = "failed"


class CertificateKey(_Strict, frozen=True, kw_only=True):
    """Everything that a certificate holds for; the order is that of the staleness check.

    ``pipeline`` is what really ran. In a key of today it may be ``None``: the choice is left to the
    library, which decides alike for the same model, profile and version. ``driver`` is empty for a
    processor.
    """

    model_digest: str
    profile_digest: str
    backend: str
    runtime: str
    device: str
    device_name: str
    driver: str = ""
    pipeline: str | None = None

    @property
    def slug(self) -> str:
        """A file name's stem for this key, readable first and unique last."""
        names = (self.model_digest, self.profile_digest, self.device, self.device_name)
        more = (self.driver, self.runtime, self.backend, self.pipeline or "")
        whole = hashlib.sha256("\0".join((*names, *more)).encode()).hexdigest()
        device = self.device.lower().replace(".", "-")
        return f"{self.model_digest[:12]}-{self.backend}-{device}-{whole[:12]}"


class PowerState(_Strict, frozen=True, kw_only=True):
    """``source`` is ``mains``, ``battery`` or ``unknown``, at the beginning and at the end."""

    source: str
    source_at_end: str
    charge_percent: float | None = None


class MachineFacts(_Strict, frozen=True, kw_only=True):
    """The machine. ``npu`` is a name out of an inventory: nothing ever ran on it."""

    cpu: str
    physical_cores: int
    logical_cores: int
    memory_bytes: int
    system: str
    gpu: str | None = None
    gpu_driver: str | None = None
    npu: str | None = None
    versions: dict[str, str] = {}


class ModelFacts(_Strict, frozen=True, kw_only=True):
    """``repository`` and ``revision`` are absent for a model that came from no repository."""

    name: str
    variant: str
    source: str
    repository: str | None = None
    revision: str | None = None
    digest: str
    profile_digest: str


class Spread(_Strict, frozen=True, kw_only=True):
    """Repeated measurements of one thing: the middle one, the least and the greatest."""

    median: float
    low: float
    high: float
    runs: int

    @property
    def width(self) -> float:
        """How far they lie apart, as a share of the middle one."""
        return (self.high - self.low) / self.median if self.median else 0.0


class Pace(_Strict, frozen=True, kw_only=True):
    """One figure of the product and of the control; ``ratio`` is product over control by pairs."""

    product: Spread
    control: Spread | None = None
    ratio: Spread | None = None


class DepthFigures(_Strict, frozen=True, kw_only=True):
    """What was measured with prompts of one size; prefill and decode are never mixed.

    ``decode_tokens``: what an answer wrote, at most. ``turns``: how many answers of each side make
    a run. ``same_ids``: both read exactly the same token ids, by their sha256.
    """

    prompt_tokens: int
    decode_tokens: int
    turns: int = 1
    same_ids: bool
    ttft_s: Pace
    prefill_tokens_per_s: Pace
    decode_tokens_per_s: Pace


class NotTested(_Strict, frozen=True, kw_only=True):
    """A prompt size that was not measured, and why."""

    prompt_tokens: int
    reason: str


class LoadFigures(_Strict, frozen=True, kw_only=True):
    """Seconds to load. ``cached_note`` says what a second load was on this device."""

    cold_s: float
    cached_s: float | None = None
    cached_note: str
    control_s: float | None = None


class WarmReuse(_Strict, frozen=True, kw_only=True):
    """A prompt read a second time. ``ratio`` is warm over cold time to the first token."""

    prompt_tokens: int
    reused_tokens: int
    cold_ttft_s: float
    warm_ttft_s: float

    @property
    def ratio(self) -> float:
        return self.warm_ttft_s / self.cold_ttft_s if self.cold_ttft_s else 1.0


class CancelLatency(_Strict, frozen=True, kw_only=True):
    """Milliseconds from a cancel to the end of the request; absent where none could be timed."""

    decode_ms: Spread | None = None
    prefill_ms: Spread | None = None


class Drift(_Strict, frozen=True, kw_only=True):
    """The same control at the beginning and at the end, in decoded tokens a second."""

    first_tokens_per_s: float
    last_tokens_per_s: float

    @property
    def share(self) -> float:
        """How much the machine changed meanwhile; 0 is not at all."""
        if not self.first_tokens_per_s:
            return 1.0
        return abs(self.last_tokens_per_s / self.first_tokens_per_s - 1)


class Estimated(_Strict, frozen=True, kw_only=True):
    """What was expected beforehand, in tokens a second, and what came of it.

    ``error`` is how far ``measured`` lies outside, as a share of the nearer end; 0 inside.
    """

    low: float
    high: float
    measured: float
    error: float


class Estimate(_Strict, frozen=True, kw_only=True):
    """The estimate from the machine's probes, held against the shortest prompt."""

    decode: Estimated
    prefill: Estimated | None = None


class Throughput(_Strict, frozen=True, kw_only=True):
    """All that was measured. ``accounting`` says how tokens were counted."""

    verdict: Verdict
    reasons: tuple[str, ...]
    accounting: str
    load: LoadFigures
    depths: tuple[DepthFigures, ...]
    not_tested: tuple[NotTested, ...] = ()
    warm: WarmReuse | None = None
    cancel: CancelLatency = CancelLatency()
    peak_memory_bytes: int | None = None
    drift: Drift | None = None
    estimate: Estimate | None = None


class CheckResult(_Strict, frozen=True, kw_only=True):
    """``passed`` is absent where the check doesn't apply; ``detail`` says what was seen."""

    name: str
    required: bool
    passed: bool | None
    detail: str


class Quality(_Strict, frozen=True, kw_only=True):
    verdict: Verdict
    reasons: tuple[str, ...]
    checks: tuple[CheckResult, ...]


class UnsupportedMode(_Strict, frozen=True, kw_only=True):
    """What doesn't work here, in the words of whoever refused it."""

    mode: str
    words: str


class Certificate(_Strict, frozen=True, kw_only=True):
    """``date`` is in UTC, ISO 8601. ``quick``: the short run, which is never certified."""

    schema: int = SCHEMA
    level: Level
    quick: bool
    key: CertificateKey
    date: str
    app_version: str
    machine: MachineFacts
    power: PowerState
    model: ModelFacts
    context_tokens: int
    trained_context_tokens: int
    tested_prompt_tokens: tuple[int, ...]
    quality: Quality
    throughput: Throughput
    unsupported: tuple[UnsupportedMode, ...] = ()

    @property
    def beyond_trained(self) -> bool:
        """Whether it is about more context than the model was trained for, and about that alone."""
        return self.context_tokens > self.trained_context_tokens

    @property
    def decode_tokens_per_s(self) -> float | None:
        """The product's rate at the shortest prompt that was measured."""
        if not self.throughput.depths:
            return None
        shortest = min(self.throughput.depths, key=lambda one: one.prompt_tokens)
        return shortest.decode_tokens_per_s.product.median


def level_of(quality: Verdict, throughput: Verdict, *, quick: bool) -> Level:
    """Certified needs both verdicts, and a full run."""
    if Verdict.FAILED in (quality, throughput):
        return Level.FAILED
    if quick or Verdict.PROVISIONAL in (quality, throughput):
        return Level.PROVISIONAL
    return Level.CERTIFIED


def stale_because(certificate: Certificate, now: CertificateKey) -> str | None:
    """The first field of the key that isn't any more what it was; ``None`` while it holds."""
    for name in CertificateKey.__struct_fields__:
        value = getattr(now, name)
        if name == "pipeline" and value is None:
            continue
        if getattr(certificate.key, name) != value:
            return name
    return None


def encode_certificate(certificate: Certificate) -> bytes:
    """The form in which a certificate is stored and published."""
    return msgspec.json.format(msgspec.json.encode(certificate), indent=2) + b"\n"


def decode_certificate(data: bytes) -> Certificate:
    """Reads one strictly.

    Raises:
        msgspec.MsgspecError: it is none of this schema.
    """
    certificate = msgspec.json.decode(data, type=Certificate)
    if certificate.schema != SCHEMA:
        raise msgspec.ValidationError(f"schema {certificate.schema}, this program reads {SCHEMA}")
    expected = level_of(
        certificate.quality.verdict, certificate.throughput.verdict, quick=certificate.quick
    )
    if certificate.level is not expected:
        raise msgspec.ValidationError(f"level {certificate.level}, its verdicts say {expected}")
    return certificate
