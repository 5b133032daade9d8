"""A machine whose GPU is played by the scripted backend and fails in each answer."""

import queue
from collections.abc import Callable
from typing import Final

from app.certify.certificate import CertificateKey, Verdict
from app.core.paths import DataRoot
from app.core.settings import Settings, SettingsFile
from app.engine.backends.scripted import ScriptedFault
from app.engine.chat import ChatMessage, Role
from app.engine.client import EngineClient, Listener
from app.engine.engine_child import EntryPoint
from app.engine.process import run_engine
from app.engine.protocol import Failed, Finished, Generate, Request, new_request_id
from app.engine.spec import LoadSpec, Protocols, ScriptedRuntime
from app.hardware.host import read_cpu_name
from app.hardware.readings import CPU, cpu_reading
from app.models.library import InstalledModel, Library
from app.models.profile_files import profile_of
from app.workflows.certified import key_of
from app.workflows.cpu_retry import TurnEvent
from app.workflows.services import Services, TurnOptions
from tests.certify.samples import certificate
from tests.support.model_folders import install_tiny

ANSWER: Final = "one two three four five six seven"
BEFORE_THE_FAULT: Final = "one two three "
TESTED: Final = 512 + 64
"""The longest prompt of the sample certificate and what was written after it."""


class _Engine(EngineClient):
    """Remembers which answers it was asked for, and on which device."""

    devices: list[str]
    on_count: Callable[[], None] = staticmethod(lambda: None)

    def submit(self, request: Request, listener: Listener) -> None:
        if isinstance(request, Generate):
            self.devices.append(request.spec.device)
        else:
            self.on_count()
        super().submit(request, listener)


class _Scripted(Services):
    """Services whose installed model is played by the scripted backend."""

    faults: dict[str, ScriptedFault]
    thinks = False

    def prepare_load(self, model: InstalledModel, options: TurnOptions | None = None) -> LoadSpec:
        device = (options and options.device) or "GPU.0"
        answer = f"<think>a b c d</think>{ANSWER}" if self.thinks else ANSWER
        return LoadSpec(
            model_name=model.name,
            model_path="",
            model_digest=model.digest,
            context_tokens=1000,
            protocols=Protocols(reasoning="openvino:reasoning_parser" if self.thinks else None),
            runtime=ScriptedRuntime(device=device, answer=answer, fault=self.faults.get(device)),
        )


class Machine:
    """A model that fails on the GPU in the middle of each answer, and a person who asks."""

    def __init__(self, root: DataRoot, entry: EntryPoint = run_engine) -> None:
        self.engine = _Engine(log_dir=root.logs, entry=entry)
        self.engine.devices = []
        self.services = _Scripted(
            data_root=root,
            settings_file=SettingsFile(root.settings_file),
            library=Library(root.models),
            engine=self.engine,
        )
        self.services.faults = {"GPU.0": ScriptedFault.DECODE_FAILS}
        self.model = install_tiny(self.services.library)
        self.switch(on=True)

    def switch(self, *, on: bool) -> None:
        root = self.services.data_root.path
        root.mkdir(parents=True, exist_ok=True)
        self.services.settings_file.save(Settings(retry_on_cpu=on))

    def certify(
        self,
        *,
        throughput: Verdict = Verdict.PASSED,
        changed: Callable[[CertificateKey], CertificateKey] = lambda key: key,
    ) -> None:
        reading = cpu_reading(read_cpu_name())
        key = key_of(self.model, profile_of(self.model), reading, device=CPU, pipeline="paged")
        made = certificate(changed(key), variant=self.model.variant, throughput=throughput)
        self.services.certified.store.save(made)

    def request(self, *messages: ChatMessage, device: str = "GPU.0") -> Generate:
        asked = messages or (ChatMessage(role=Role.USER, content="count"),)
        spec = self.services.prepare_load(self.model, TurnOptions(device=device))
        return Generate(request=new_request_id(), spec=spec, messages=asked)

    def ask(self, request: Generate | None = None) -> list[TurnEvent]:
        """All events of one answer, to its end."""
        arrived: queue.SimpleQueue[TurnEvent] = queue.SimpleQueue()
        self.services.turns.submit(request or self.request(), arrived.put)
        events = [arrived.get(timeout=60)]
        while not isinstance(events[-1], Finished | Failed):
            events.append(arrived.get(timeout=60))
        return events
