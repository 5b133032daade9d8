"""Certifies an installed model on a device of this machine, and keeps the certificate."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

import app
from app.certify.certificate import Certificate, CertificateKey, ModelFacts
from app.certify.certifier import Certifier, Ports, Step, Subject
from app.certify.control import library_control
from app.certify.measure import Product
from app.certify.plan import LEAST_CONTEXT_TOKENS, Plan, plan_for
from app.certify.product import EngineModel
from app.certify.progress import ProgressFile
from app.core.errors import UserError
from app.engine.outcome import BackendReport, SessionReport
from app.engine.spec import LoadSpec, OpenVinoRuntime, Pipeline
from app.hardware.expected_speed import ExpectedSpeed
from app.hardware.host import read_cpu_name, read_power
from app.hardware.readings import CPU, DeviceInventory, cpu_reading
from app.models.identity import never_stop
from app.models.library import InstalledModel
from app.models.profile_files import profile_of
from app.workflows.certification_facts import cached_note, machine_facts, unsupported_modes
from app.workflows.certification_time import expected_seconds
from app.workflows.certified import key_of
from app.workflows.services import Services, TurnOptions


def ignore_step(_: Step) -> None:
    """The default listener."""


class Certification:
    """One model on one device, prepared to be certified.

    Args:
        services: the collaborators; their engine is used and nobody else may use it meanwhile.
        model: what to certify.
        device: as a person may name it; ``None`` is the automatic choice.
        context_tokens: ``None`` is what the model would be loaded with.
        quick: about a minute, and never more than provisional.
        rounds: see ``plan_for``.

    Raises:
        ContenoxError: device, profile, context or model can't be used.
    """

    def __init__(
        self,
        services: Services,
        model: InstalledModel,
        *,
        device: str | None = None,
        context_tokens: int | None = None,
        quick: bool = False,
        rounds: int | None = None,
    ) -> None:
        self._services = services
        self.model = model
        options = TurnOptions(device=device, context_tokens=context_tokens, measuring=True)
        self.spec = services.prepare_load(model, options)
        if self.spec.context_tokens < LEAST_CONTEXT_TOKENS:
            raise UserError(
                "context_too_small",
                f"The answer checks need a context of {LEAST_CONTEXT_TOKENS} tokens, and"
                f" {self.spec.context_tokens} were asked for.",
                f"Choose at least {LEAST_CONTEXT_TOKENS} tokens.",
            )
        self.plan: Plan = plan_for(
            self.spec.context_tokens,
            quick=quick,
            rounds=rounds,
            beyond_trained=self.spec.context_tokens > model.context_tokens,
        )

    def expected_s(self) -> float | None:
        """About how long it takes; see ``expected_seconds``."""
        return expected_seconds(self._services, self.model, self.spec.device, self.plan)

    def run(
        self,
        report: Callable[[Step], None] = ignore_step,
        stop: Callable[[], bool] = never_stop,
    ) -> Certificate:
        """Runs what is left of the plan, stores the certificate and returns it.

        Raises:
            Stopped: ``stop`` said so; the next run goes on from there.
            ContenoxError: a step failed; what was finished before is kept.
        """
        services = self._services
        inventory = services.list_devices()
        reports = services.report_backends()
        session = services.describe(self.spec)
        key = self._key(inventory, session)
        subject = self._subject(key, inventory, reports, session)
        store = services.certified.store
        services.data_root.ensure(store.folder)
        with self._cold_folder(key) as spec:
            ports = self._ports(spec, stop)
            certifier = Certifier(
                subject, self.plan, ports, ProgressFile(store.folder, key), report
            )
            certificate = certifier.run()
        store.save(certificate)
        return certificate

    def _key(self, inventory: DeviceInventory, session: SessionReport) -> CertificateKey:
        device = self.spec.device
        on_cpu = device == CPU
        return key_of(
            self.model,
            profile_of(self.model),
            cpu_reading(read_cpu_name()) if on_cpu else inventory.find(device),
            device=device,
            pipeline=str(session.pipeline),
        )

    def _subject(
        self,
        key: CertificateKey,
        inventory: DeviceInventory,
        reports: tuple[BackendReport, ...],
        session: SessionReport,
    ) -> Subject:
        model, spec = self.model, self.spec
        paged = session.pipeline != Pipeline.STATEFUL
        return Subject(
            key=key,
            model=ModelFacts(
                name=model.name,
                variant=model.variant,
                source=model.source,
                repository=model.origin.repository if model.origin else None,
                revision=model.origin.commit if model.origin else None,
                digest=model.digest,
                profile_digest=spec.profile_digest,
            ),
            machine=machine_facts(inventory, reports),
            app_version=app.__version__,
            context_tokens=spec.context_tokens,
            trained_context_tokens=model.context_tokens,
            protocols=spec.protocols,
            cached_note=cached_note(spec, paged=paged),
            reuses_prefixes=paged,
            expected=self._expected(),
            unsupported=unsupported_modes(spec, inventory, session),
        )

    def _expected(self) -> ExpectedSpeed | None:
        """What the probes let expect; the machine is quiet now, so they are made again."""
        if self.spec.device != CPU:
            return None
        self._services.models.rates.renew()
        return self._services.models.expected(self.model)

    def _ports(self, spec: LoadSpec, stop: Callable[[], bool]) -> Ports:
        services = self._services

        @contextmanager
        def open_cpu() -> Iterator[Product]:
            on_cpu = services.prepare_load(self.model, TurnOptions(device=CPU))
            yield EngineModel(services.engine, on_cpu, stop)

        def peak_memory_bytes() -> int | None:
            peaks = services.models.peaks.of(spec.model_digest, spec.device)
            fitting = [one for one in peaks if one.context_tokens == spec.context_tokens]
            return max((one.peak_bytes for one in fitting), default=None)

        def power() -> tuple[str, float | None]:
            now = read_power()
            return now.source.value, now.charge_percent

        return Ports(
            product=EngineModel(services.engine, spec, stop),
            open_control=lambda: library_control(spec, stop),
            open_cpu=None if spec.device == CPU else open_cpu,
            read_power=power,
            peak_memory_bytes=peak_memory_bytes,
        )

    @contextmanager
    def _cold_folder(self, key: CertificateKey) -> Iterator[LoadSpec]:
        """The spec with a folder for compiled models that is empty, and removed afterwards."""
        runtime = self.spec.runtime
        if not isinstance(runtime, OpenVinoRuntime):
            yield self.spec
            return
        folder: Path = self._services.data_root.cache / "certify" / key.slug
        shutil.rmtree(folder, ignore_errors=True)
        cold = msgspec.structs.replace(runtime, compiled_cache_dir=str(folder))
        try:
            yield msgspec.structs.replace(self.spec, runtime=cold)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
