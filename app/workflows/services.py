"""What the window and the console work with: the same objects, built once."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from msgspec import Struct

from app.certify.certificate_store import FOLDER as CERTIFICATES_FOLDER
from app.certify.certificate_store import CertificateStore
from app.core.errors import ContenoxError, UserError
from app.core.paths import DataRoot
from app.core.settings import SettingsFile
from app.engine.backends.registry import NATIVE_BACKENDS
from app.engine.chat import ChatMessage, Sampling, ThinkingLevel
from app.engine.client import EngineClient, Notice
from app.engine.device_probe import probe_devices
from app.engine.outcome import BackendReport, SessionReport
from app.engine.protocol import (
    BackendReported,
    Describe,
    Described,
    Event,
    Generate,
    ReportBackend,
    new_request_id,
)
from app.engine.spec import LoadSpec
from app.hardware.host import private_bytes, read_memory
from app.hardware.readings import CPU, DeviceInventory
from app.hardware.selection import DeviceChoice
from app.models.identity import never_stop
from app.models.library import InstalledModel, Library, preference
from app.models.profile import capabilities, profile_digest
from app.models.profile_files import profile_of
from app.workflows.certified import CertifiedDevices, FailedDevice
from app.workflows.context_ceiling import require_declared
from app.workflows.cpu_retry import CpuLoad, RetryingEngine, tested_tokens
from app.workflows.load_preparation import (
    budget_for_load,
    fitting_context,
    keep_compiled,
    require_text_model,
)
from app.workflows.load_spec import load_spec
from app.workflows.machine_devices import MachineDevices
from app.workflows.model_services import ModelServices
from app.workflows.starter import StarterProgress, ensure_starter
from app.workflows.watcher import Watcher


class TurnOptions(Struct, frozen=True, kw_only=True):
    """What a person chose for one answer; what is ``None`` is decided by settings and profile.

    ``measuring``: what was proven beyond the trained context doesn't count, and what the profile
    declares may be asked for.
    """

    device: str | None = None
    context_tokens: int | None = None
    measuring: bool = False
    sampling: Sampling = Sampling()
    max_tokens: int = 1024
    thinking: ThinkingLevel = ThinkingLevel.AUTO
    max_thinking_tokens: int | None = None


@dataclass
class Services:
    """The collaborators of a skin. Nothing is created on disk and no process is started by it.

    Args:
        data_root: the user's folder tree.
        settings_file: the settings.
        library: the installed models.
        engine: the engine client.
        probe: reads the devices of this machine; blocks.
    """

    data_root: DataRoot
    settings_file: SettingsFile
    library: Library
    engine: EngineClient
    probe: Callable[[], DeviceInventory] = field(default=probe_devices)
    _on_notice: Callable[[Notice], None] = field(default=lambda _: None, repr=False)
    _prepared: dict[tuple[str | int | None, ...], LoadSpec] = field(
        default_factory=dict, repr=False
    )

    def __post_init__(self) -> None:
        self.engine.observe(self._heed)
        self._watcher = Watcher(self.engine)
        self.changes = 0  # how often the machine slept or its devices changed

    def look_around(self) -> int:
        """Before the engine is used: how often the machine slept or its devices changed so far.

        The engine is asked for a sign of life then, and the devices are read anew when they are
        needed next; a certificate holds or not by what they say then.
        """
        seen = self._watcher.look()
        if seen.anything:
            self.changes += 1
            self.devices.forget()
        if seen.graphics_changed:
            self._prepared.clear()
        return self.changes

    @cached_property
    def models(self) -> ModelServices:
        """What can be done with models beside running them."""
        return ModelServices(
            self.data_root,
            self.settings_file,
            self.library,
            self.list_devices,
            lambda: private_bytes(self.engine.pid),
            measured=self.certified.fastest,
        )

    @cached_property
    def devices(self) -> MachineDevices:
        """The devices of this machine, and which of them a model runs on."""
        return MachineDevices(self.probe, self.settings_file, self.certified.passed)

    @cached_property
    def certified(self) -> CertifiedDevices:
        """What was measured and checked on this machine."""
        store = CertificateStore(self.data_root.path / CERTIFICATES_FOLDER)
        return CertifiedDevices(store, self.library, self.list_devices)

    @cached_property
    def turns(self) -> RetryingEngine:
        """The engine as a person's turn meets it; measurements ask ``engine`` itself."""
        return RetryingEngine(
            self.engine, lambda: self.settings_file.load().retry_on_cpu, self._tested_on_cpu
        )

    def observe(self, on_notice: Callable[[Notice], None]) -> None:
        """Tells ``on_notice`` of the engine's notices from now on, after they were noted here."""
        self._on_notice = on_notice

    def _heed(self, notice: Notice) -> None:
        """On the engine's reader thread."""
        self.models.notes.heed(notice)
        self._on_notice(notice)

    def list_devices(self) -> DeviceInventory:
        """The devices of this machine; read once. Blocks for up to half a minute."""
        return self.devices.read()

    def list_models(self) -> tuple[InstalledModel, ...]:
        """The installed models by name; of a model's variants the one that was measured faster
        here comes first, or else the preferred one.

        Raises:
            EnvironmentFault: ``store_unreadable``.
        """
        self.library.require_readable()
        models = sorted(self.library.installed(), key=lambda one: (one.name, preference(one)))
        first: set[str] = set()
        for name in {model.name for model in models}:
            with contextlib.suppress(ContenoxError):  # a profile that can't be read hides no model
                best = self._fastest_of(name, models)
                first.update(() if best is None else (best.full_name,))
        return tuple(sorted(models, key=lambda one: (one.name, one.full_name not in first)))

    def _fastest_of(self, name: str, models: Sequence[InstalledModel]) -> InstalledModel | None:
        """The variant that was measured faster here; ``None`` where there is no choice to make."""
        variants = [one for one in models if one.name == name]
        return self.certified.best_variant(variants) if len(variants) > 1 else None

    def find_model(self, name: str | None, backend: str | None = None) -> InstalledModel:
        """The model called ``name``; without a name that of the settings, or any.

        Where both backends have it and neither is named, the one that was measured to be faster
        here is taken, if both were.

        Raises:
            UserError: ``model_not_found``, ``model_not_installed``, ``no_model``.
            EnvironmentFault: ``store_missing``, the drive of the models is away;
                ``store_unreadable``.
        """
        self.models.require_store()
        name = name or self.settings_file.load().default_model
        if name is not None:
            return self._faster(self.models.find(name, backend), name, backend)
        for model in self.library.installed():
            if backend in (None, model.backend):
                return self.library.find(model.name, backend)
        raise UserError(
            "no_model",
            "No model is installed yet.",
            "Get the starter model with: contenox starter",
        )

    def _faster(self, found: InstalledModel, name: str, backend: str | None) -> InstalledModel:
        if backend is not None or "/" in name:
            return found
        return self._fastest_of(found.name, self.library.installed()) or found

    def failed_devices(self, name: str, backend: str) -> tuple[FailedDevice, ...]:
        """The devices that a model isn't offered on, since it failed its checks there."""
        model = self.find_model(name, backend)
        return self.certified.failed(model, profile_of(model))

    def choose_device(self, model: InstalledModel, wanted: str | None) -> DeviceChoice:
        """Decides where ``model`` runs, and says why."""
        return self.devices.choose(model, profile_of(model), wanted)

    def prepare_load(self, model: InstalledModel, options: TurnOptions | None = None) -> LoadSpec:
        """What to load for ``model``. Reads files.

        As long as the model is loaded, the answer stays what it was: what is free changes with each
        load, and another context would be another load.

        Raises:
            EnvironmentFault: ``does_not_fit``, with the sum.
            ContenoxError: the device or the profile can't be used.
        """
        options = options or TurnOptions()
        self.look_around()
        self.library.check(model)
        profile = profile_of(model)
        choice = self.devices.choose(model, profile, options.device)
        asked = options.context_tokens
        proven = 0
        if not options.measuring:
            proven = self.certified.proven_context(model, profile, choice.device)
        elif asked is not None:
            require_declared(model, profile, asked)
            proven = asked
        key = (model.full_name, model.digest, profile_digest(profile), choice.device, asked, proven)
        prepared = self._prepared.get(key)
        if prepared is not None and prepared == self.engine.loaded:
            return prepared
        require_text_model(model)
        reading = self.devices.reading(choice.device)
        held = private_bytes(self.engine.pid)
        budget = budget_for_load(reading, read_memory(), held)
        context = fitting_context(model, profile, budget, asked, proven)
        tokens = asked if context is None else context
        spec = load_spec(model, profile, choice.device, tokens, proven)
        spec = keep_compiled(spec, self.data_root.cache / "compiled", reading)
        self._prepared[key] = spec
        return spec

    def prepare_turn(
        self,
        model: InstalledModel,
        messages: tuple[ChatMessage, ...],
        options: TurnOptions | None = None,
    ) -> Generate:
        """The request that answers ``messages`` with ``model``.

        Raises:
            UserError: ``chat_not_supported``: the profile says so.
            ContenoxError: the device or the profile can't be used.
        """
        options = options or TurnOptions()
        profile = profile_of(model)
        if not capabilities(profile).chat:
            raise UserError(
                "chat_not_supported",
                f"The profile of {model.name} says that it doesn't chat.",
                "Choose a chat model.",
            )
        most = profile.max_output_tokens or options.max_tokens
        spec = self.prepare_load(model, options)
        setting = self.settings_file.load().thinking_budget_tokens
        budget = thinking_budget(spec, options.max_thinking_tokens, setting)
        return Generate(
            request=new_request_id(),
            spec=spec,
            messages=messages,
            sampling=options.sampling,
            # The thinking has room of its own: it takes nothing from the answer.
            max_tokens=min(options.max_tokens, most) + (budget or 0),
            thinking=options.thinking,
            max_thinking_tokens=budget,
        )

    def _tested_on_cpu(self, failed: LoadSpec) -> CpuLoad:
        """The same model on the CPU.

        Raises:
            ContenoxError: it isn't certified there as it is now, or can't be loaded.
        """
        found = (one for one in self.library.installed() if one.digest == failed.model_digest)
        model = next(found, None)
        if model is None:
            raise UserError("model_not_found", "the model is gone", "Get it again.")
        tested = tested_tokens(self.certified.standing(model, CPU))
        return CpuLoad(spec=self.prepare_load(model, TurnOptions(device=CPU)), tested_tokens=tested)

    def report_backends(self) -> tuple[BackendReport, ...]:
        """Loads each native library in the engine; one that ends it is a report too."""
        return tuple(self.report_backend(name) for name in NATIVE_BACKENDS)

    def describe(self, spec: LoadSpec) -> SessionReport:
        """Loads ``spec`` and reports what was asked and what the library says.

        Raises:
            ContenoxError: the load failed.
        """
        found: list[SessionReport] = []

        def listen(event: Event) -> None:
            if isinstance(event, Described):
                found.append(event.report)

        self.engine.call(Describe(request=new_request_id(), spec=spec), listen)
        return found[0]

    def ensure_starter(
        self,
        progress: Callable[[StarterProgress], None],
        stop: Callable[[], bool] = never_stop,
    ) -> tuple[InstalledModel, ...]:
        """Installs what is missing of the starter model. Blocks.

        Raises:
            ContenoxError: a step failed; what earlier steps made stays.
            Stopped: ``stop`` said so.
        """
        return ensure_starter(self.library, self.data_root, self.engine, progress, stop)

    def close(self) -> None:
        """Ends the engine, and with it the time in which a deletion can be undone."""
        self.engine.close()
        self.models.close()

    def report_backend(self, name: str) -> BackendReport:
        """Loads one native library in the engine; one that ends it is a report too."""
        found: list[BackendReport] = []

        def listen(event: Event) -> None:
            if isinstance(event, BackendReported):
                found.append(event.report)

        try:
            self.engine.call(ReportBackend(request=new_request_id(), backend=name), listen)
        except ContenoxError as error:
            return BackendReport(name=name, error=error.record())
        return found[0]


def thinking_budget(spec: LoadSpec, asked: int | None, setting: int) -> int | None:
    """How many tokens the model may think; ``None`` for one that doesn't, or without a limit.

    Args:
        spec: what is loaded; its protocols say whether it thinks.
        asked: what a person wants for this answer.
        setting: what counts without; 0 means no limit.
    """
    if spec.protocols.reasoning is None:
        return None
    return asked if asked is not None else setting or None
