"""What was measured on this machine, what could be, and what a skin offers to measure."""

import hashlib
from collections.abc import Callable

from app.certify.certificate import Certificate
from app.certify.certifier import Step
from app.certify.plan import plan_for
from app.hardware.surroundings import read_surroundings
from app.models.catalog import Backend
from app.models.identity import never_stop
from app.models.library import InstalledModel
from app.models.profile_files import profile_of
from app.workflows.certification import Certification, ignore_step
from app.workflows.certification_time import expected_seconds
from app.workflows.certified import NOT_INSTALLED, Candidate, Measured
from app.workflows.context_ceiling import context_ceiling
from app.workflows.offers import OFFERS_FILE, MadeOffers
from app.workflows.services import Services


class MeasuredModels:
    """Reads certificates for a skin, and makes them. Every method may block.

    Args:
        services: the collaborators.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._offers = MadeOffers(services.data_root.cache / OFFERS_FILE)

    def survey(self) -> tuple[Measured, ...]:
        """Every certificate of this machine, by model and device; looks at the models' files."""
        services = self._services
        models = {model.full_name: model for model in services.list_models()}
        found = []
        for one in services.certified.store.all():
            model = models.get(f"{one.model.name}/{one.model.variant}")
            stale = NOT_INSTALLED if model is None else services.certified.stale(model, one)
            found.append(Measured(certificate=one, stale=stale))
        order = [(one.title, one.certificate.key.device, one.certificate.date) for one in found]
        return tuple(one for _, one in sorted(zip(order, found, strict=True), key=lambda it: it[0]))

    def candidates(self) -> tuple[Candidate, ...]:
        """Each installed model on each device that runs it; asks for the devices."""
        services = self._services
        found = []
        for model in services.list_models():
            for reading in services.list_devices().selectable():
                if reading.is_gpu and (
                    model.backend != Backend.OPENVINO or not reading.has_telemetry
                ):
                    continue
                found.append(
                    Candidate(
                        model=model.full_name, device=reading.id, device_name=reading.full_name
                    )
                )
        return tuple(found)

    def expected_s(self, candidate: Candidate, *, quick: bool) -> float | None:
        """About how long a run takes; see ``expected_seconds``.

        Raises:
            ContenoxError: the model or its profile can't be read.
        """
        model = self._services.find_model(candidate.model)
        plan = plan_for(context_ceiling(model, profile_of(model)), quick=quick)
        return expected_seconds(self._services, model, candidate.device, plan)

    def certify(
        self,
        candidate: Candidate,
        *,
        quick: bool,
        report: Callable[[Step], None] = ignore_step,
        stop: Callable[[], bool] = never_stop,
    ) -> Certificate:
        """Measures and stores; raises as ``Certification.run``. Nobody else may use the engine."""
        model = self._services.find_model(candidate.model)
        run = Certification(self._services, model, device=candidate.device, quick=quick)
        return run.run(report, stop)

    def offer(self, model: InstalledModel) -> Candidate | None:
        """The first GPU on which ``model`` was never checked, to be offered after its first load.

        Once for a model with these graphics devices and drivers, and a GPU where it failed not
        before something changes. Where the system names no graphics device, none is asked for.
        """
        graphics = read_surroundings().graphics
        if model.backend != Backend.OPENVINO or not graphics:
            return None
        key = hashlib.sha256("\0".join((model.digest, *graphics)).encode()).hexdigest()[:24]
        return self.unchecked(model) if self._offers.first_time(key) else None

    def unchecked(self, model: InstalledModel) -> Candidate | None:
        """The first GPU without a certificate of ``model`` that holds; asks for the devices."""
        certified = self._services.certified
        for reading in self._services.list_devices().gpus():
            if not reading.has_telemetry:
                continue
            standing = certified.standing(model, reading.id)
            if standing is None or standing.stale is not None:
                return Candidate(
                    model=model.full_name, device=reading.id, device_name=reading.full_name
                )
        return None
