"""A room whose engine is a process of its own."""

from pathlib import Path

from app.chats.records import SamplingFields
from app.desktop.services import Engine, ModelEntry
from app.engine.client import EngineClient
from app.engine.protocol import Generate, new_request_id
from app.engine.spec import LoadSpec, Runtime
from app.hardware.readings import DeviceReading
from app.models.library import InstalledModel
from app.workflows.context import ChatParts, chat_segments, with_context
from tests.desktop.rooms import Room


class RealRoom(Room):
    """A room whose engine is a process; the runtime is the test's choice."""

    def __init__(
        self,
        root: Path,
        runtime: Runtime,
        model: InstalledModel | None = None,
        *,
        max_tokens: int = 200,
        context_tokens: int = 4096,
    ) -> None:
        super().__init__(root)
        self.engine.close()
        self.client = EngineClient(log_dir=root / "logs")
        self._runtime = runtime
        self._model = model
        self._max_tokens = max_tokens
        self._context_tokens = context_tokens
        if model is not None:
            self.models = (model,)

    def _open(self, _on_notice: object) -> Engine:
        return self.client

    def _prepare(
        self,
        model: ModelEntry,
        _device: DeviceReading | None,
        parts: ChatParts,
        _wishes: SamplingFields,
    ) -> Generate:
        installed = self._model
        spec = LoadSpec(
            model_name=model.name,
            model_path=str(installed.path) if installed else "nowhere",
            model_digest=installed.digest if installed else "sha256:0",
            context_tokens=min(self._context_tokens, model.context_tokens),
            runtime=self._runtime,
        )
        request = Generate(
            request=new_request_id(), spec=spec, messages=(), max_tokens=self._max_tokens
        )
        return with_context(request, chat_segments(parts))
