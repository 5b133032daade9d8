"""What the program chose by itself because of numbers, so that a skin can say so with them."""

from msgspec import Struct

from app.hardware.readings import CPU
from app.hardware.selection import DeviceSource
from app.models.library import InstalledModel
from app.models.profile_files import profile_of
from app.workflows.services import Services


class AutomaticChoice(Struct, frozen=True, kw_only=True):
    """``taken`` was chosen among ``rates``: each candidate's tokens a second while writing."""

    taken: str
    rates: tuple[tuple[str, float], ...]

    @property
    def sentence(self) -> str:
        """For the console."""
        figures = ", ".join(f"{name} {rate:.1f}" for name, rate in self.rates)
        return f"{self.taken} was taken by itself; measured here, in tokens/s: {figures}."


def automatic_choices(services: Services, name: str, backend: str) -> tuple[AutomaticChoice, ...]:
    """What numbers chose for a model of the window's list; its library only where the person has
    never chosen a model.
    """
    model = services.find_model(name, backend)
    chosen = [automatic_device(services, model, None)]
    if services.settings_file.load().default_model is None:
        chosen.insert(0, automatic_variant(services, model))
    return tuple(one for one in chosen if one is not None)


def automatic_variant(services: Services, model: InstalledModel) -> AutomaticChoice | None:
    """Why ``model`` was taken and no other variant of it; ``None`` where no numbers decided."""
    variants = [one for one in services.library.installed() if one.name == model.name]
    if len(variants) < 2:
        return None
    rates = [(one, services.certified.fastest(one)) for one in variants]
    known = tuple((one.backend, rate) for one, rate in rates if rate is not None)
    if len(known) < len(variants):
        return None
    return AutomaticChoice(taken=model.backend, rates=_fastest_first(known))


def automatic_device(
    services: Services, model: InstalledModel, wanted: str | None
) -> AutomaticChoice | None:
    """Why ``model`` runs where it does; ``None`` where somebody chose, or nothing was measured
    beside the CPU.
    """
    choice = services.choose_device(model, wanted)
    if choice.source is not DeviceSource.AUTOMATIC:
        return None
    passed = services.certified.passed(model, profile_of(model))
    known = tuple((one.device, one.tokens_per_s) for one in passed if one.tokens_per_s is not None)
    if all(device == CPU for device, _ in known):
        return None
    return AutomaticChoice(taken=choice.device, rates=_fastest_first(known))


def _fastest_first(rates: tuple[tuple[str, float], ...]) -> tuple[tuple[str, float], ...]:
    return tuple(sorted(rates, key=lambda pair: -pair[1]))
