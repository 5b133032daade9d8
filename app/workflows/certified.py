"""What the stored certificates say about a model today: on which devices it may run by itself."""

from collections.abc import Callable, Sequence
from importlib import metadata
from typing import Final

from msgspec import Struct

import app
from app.certify.certificate import Certificate, CertificateKey, Verdict, stale_because
from app.certify.certificate_store import CertificateStore, Standing
from app.core.errors import DataFault
from app.hardware.host import read_cpu_name
from app.hardware.readings import CPU, DeviceInventory, DeviceReading, cpu_reading
from app.hardware.selection import CertifiedDevice
from app.models.library import InstalledModel, Library
from app.models.profile import Profile, profile_digest
from app.models.profile_files import profile_of

_DISTRIBUTIONS: Final = {"openvino": "openvino-genai", "llama": "llama-cpp-python"}


NOT_INSTALLED: Final = "not_installed"
"""In the place of a key's field: the certificate's model isn't here any more."""


class Measured(Struct, frozen=True, kw_only=True):
    """A certificate and what makes it stale: a field of its key, or ``NOT_INSTALLED``."""

    certificate: Certificate
    stale: str | None = None

    @property
    def title(self) -> str:
        model = self.certificate.model
        return f"{model.name}/{model.variant}"


class Candidate(Struct, frozen=True, kw_only=True):
    """A model on a device that it could be measured on. ``model`` is the full name."""

    model: str
    device: str
    device_name: str


class FailedDevice(Struct, frozen=True, kw_only=True):
    """A device on which the model failed what it has to pass; ``reasons`` are as in ``Quality``."""

    device: str
    reasons: tuple[str, ...]


class CertifiedDevices:
    """Reads certificates against the machine and the models as they are now.

    Args:
        store: the certificates.
        library: the installed models.
        list_devices: the devices of this machine; blocks, and is only asked where a certificate
            is about another device than the CPU.
    """

    def __init__(
        self,
        store: CertificateStore,
        library: Library,
        list_devices: Callable[[], DeviceInventory],
    ) -> None:
        self.store = store
        self._library = library
        self._list_devices = list_devices

    def passed(self, model: InstalledModel, profile: Profile) -> tuple[CertifiedDevice, ...]:
        """The devices whose certificate holds, with the decode rate that was measured there.

        The answer checks must have passed; a provisional speed is a speed.
        """
        return tuple(
            CertifiedDevice(device=one.key.device, tokens_per_s=one.decode_tokens_per_s)
            for one in self._holding(model, profile)
            if one.quality.verdict is Verdict.PASSED
            and one.throughput.verdict is not Verdict.FAILED
        )

    def fastest(self, model: InstalledModel) -> float | None:
        """The highest decode rate that was measured of ``model`` on any device and still holds.

        Raises:
            ContenoxError: the model's profile can't be read.
        """
        speeds = [one.tokens_per_s for one in self.passed(model, profile_of(model))]
        return max((speed for speed in speeds if speed is not None), default=None)

    def prefill(self, model: InstalledModel, profile: Profile, device: str) -> float | None:
        """The tokens/s of prefill in the longest prompt that was measured on ``device`` and still
        holds. Whether a check failed doesn't matter: a measured speed is a speed.
        """
        for one in self._holding(model, profile):
            if one.key.device == device and one.throughput.depths:
                deepest = max(one.throughput.depths, key=lambda depth: depth.prompt_tokens)
                return deepest.prefill_tokens_per_s.product.median
        return None

    def best_variant(self, variants: Sequence[InstalledModel]) -> InstalledModel | None:
        """The variant of one model with the highest measured rate on any device.

        ``None`` unless every variant was measured here: one number alone decides nothing.
        """
        rates: dict[str, float] = {}
        for model in variants:
            fastest = self.fastest(model)
            if fastest is None:
                return None
            rates[model.full_name] = fastest
        return max(variants, key=lambda model: rates[model.full_name], default=None)

    def failed(self, model: InstalledModel, profile: Profile) -> tuple[FailedDevice, ...]:
        """The devices that are not to be offered for ``model`` until it passes there."""
        found = []
        for one in self._holding(model, profile):
            if one.quality.verdict is Verdict.FAILED:
                found.append(FailedDevice(device=one.key.device, reasons=one.quality.reasons))
        return tuple(found)

    def proven_context(self, model: InstalledModel, profile: Profile, device: str) -> int:
        """The context beyond the trained one that ``model`` has proven on ``device``; 0 is none.

        Its answers were right at that depth. How fast they came isn't what it is about, but a
        quick run never went that far.
        """
        if profile.context_length <= model.context_tokens:
            return 0
        proven = [
            one.context_tokens
            for one in self.store.all()
            if one.beyond_trained
            and one.key.device == device
            and not one.quick
            and one.quality.verdict is Verdict.PASSED
            and stale_because(one, key_of(model, profile, self._reading(device), device=device))
            is None
        ]
        return max(proven, default=0)

    def standing(self, model: InstalledModel, device: str) -> Standing | None:
        """The certificate of ``model`` on ``device`` and what makes it stale, if anything.

        The model's files are looked at, and hashed where they changed.
        """
        return self.store.standing(model.full_name, self._now(model, device))

    def stale(self, model: InstalledModel, certificate: Certificate) -> str | None:
        """The first field in which today differs from ``certificate``; looks at the files."""
        return stale_because(certificate, self._now(model, certificate.key.device))

    def _now(self, model: InstalledModel, device: str) -> CertificateKey:
        digest = model.digest
        try:
            self._library.check(model)
        except DataFault:
            digest = ""
        reading = self._reading(device)
        return key_of(model, profile_of(model), reading, device=device, digest=digest)

    def _holding(self, model: InstalledModel, profile: Profile) -> list[Certificate]:
        newest: dict[str, Certificate] = {}
        for one in self.store.all():
            if one.beyond_trained:
                continue
            if (one.model.name, one.model.variant) != (model.name, model.variant):
                continue
            device = one.key.device
            if stale_because(one, key_of(model, profile, self._reading(device), device=device)):
                continue
            if device not in newest or newest[device].date < one.date:
                newest[device] = one
        return [newest[device] for device in sorted(newest)]

    def _reading(self, device: str) -> DeviceReading | None:
        if device == CPU:
            return cpu_reading(read_cpu_name())
        return self._list_devices().find(device)


def key_of(
    model: InstalledModel,
    profile: Profile,
    reading: DeviceReading | None,
    *,
    device: str,
    digest: str | None = None,
    pipeline: str | None = None,
) -> CertificateKey:
    """The key that a certificate made now would have.

    Args:
        reading: the device; ``None`` if this machine has it no more.
        digest: in place of the model's own.
        pipeline: what really runs; ``None`` before a load.
    """
    return CertificateKey(
        model_digest=model.digest if digest is None else digest,
        profile_digest=profile_digest(profile),
        backend=model.backend,
        runtime=runtime_version(model.backend),
        device=device,
        device_name=reading.full_name if reading is not None else "",
        driver=(reading.driver_version or "") if reading is not None else "",
        pipeline=pipeline,
    )


def runtime_version(backend: str) -> str:
    """The version of the library behind ``backend``, without loading it."""
    distribution = _DISTRIBUTIONS.get(backend)
    if distribution is None:
        return app.__version__
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "not installed"
