"""A certificate whose every field is filled."""

from app.certify.certificate import (
    CancelLatency,
    Certificate,
    CertificateKey,
    CheckResult,
    DepthFigures,
    Drift,
    LoadFigures,
    MachineFacts,
    ModelFacts,
    NotTested,
    Pace,
    PowerState,
    Quality,
    Spread,
    Throughput,
    UnsupportedMode,
    Verdict,
    WarmReuse,
    level_of,
)


def spread(value: float) -> Spread:
    return Spread(median=value, low=0.9 * value, high=1.1 * value, runs=3)


def pace(value: float) -> Pace:
    return Pace(product=spread(value), control=spread(value), ratio=spread(1.0))


def key(device: str = "CPU", *, driver: str = "") -> CertificateKey:
    return CertificateKey(
        model_digest="d" * 64,
        profile_digest="p" * 64,
        backend="openvino",
        runtime="2026.4.1.0",
        device=device,
        device_name=f"A {device} | of sorts",
        driver=driver,
        pipeline="paged",
    )


def certificate(
    of: CertificateKey | None = None,
    *,
    variant: str = "openvino",
    rate: float = 20.0,
    quality: Verdict = Verdict.PASSED,
    throughput: Verdict = Verdict.PASSED,
    quick: bool = False,
    date: str = "2026-11-03T12:00:00+00:00",
) -> Certificate:
    of = of or key()
    depths = tuple(
        DepthFigures(
            prompt_tokens=size,
            decode_tokens=64,
            same_ids=True,
            ttft_s=pace(size / 1000),
            prefill_tokens_per_s=pace(1000.0),
            decode_tokens_per_s=pace(rate * 128 / size),
        )
        for size in (128, 512)
    )
    return Certificate(
        level=level_of(quality, throughput, quick=quick),
        quick=quick,
        key=of,
        date=date,
        app_version="1.0",
        machine=MachineFacts(
            cpu="A CPU",
            physical_cores=4,
            logical_cores=8,
            memory_bytes=16 << 30,
            system="Windows 11",
            gpu="An Arc",
            gpu_driver="101.1",
            npu="AI Boost",
            versions={"openvino": "2026.4.1"},
        ),
        power=PowerState(source="mains", source_at_end="mains", charge_percent=98.0),
        model=ModelFacts(
            name="tiny",
            variant=variant,
            source="acme/Tiny",
            repository="acme/Tiny",
            revision="a" * 40,
            digest=of.model_digest,
            profile_digest=of.profile_digest,
        ),
        context_tokens=8192,
        trained_context_tokens=8192,
        tested_prompt_tokens=(128, 512),
        quality=Quality(
            verdict=quality,
            reasons=(),
            checks=(CheckResult(name="no_loops", required=True, passed=True, detail="none"),),
        ),
        throughput=Throughput(
            verdict=throughput,
            reasons=(),
            accounting="ids",
            load=LoadFigures(cold_s=2.0, cached_s=1.0, cached_note="cached", control_s=2.0),
            depths=depths,
            not_tested=(NotTested(prompt_tokens=4096, reason="too long"),),
            warm=WarmReuse(
                prompt_tokens=2048, reused_tokens=2016, cold_ttft_s=2.0, warm_ttft_s=0.1
            ),
            cancel=CancelLatency(decode_ms=spread(50), prefill_ms=spread(100)),
            peak_memory_bytes=1 << 30,
            drift=Drift(first_tokens_per_s=20.0, last_tokens_per_s=19.5),
        ),
        unsupported=(UnsupportedMode(mode="NPU", words="refused"),),
    )
