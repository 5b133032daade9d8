"""The control of a loaded model: the bare library, in a process of its own, on the same ids."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from app.certify.measure import ControlPort, ControlRun
from app.core.errors import EnvironmentFault
from app.engine.backends.jinja_template import ChatTemplate
from app.engine.backends.raw_control import RawControl, raw_control
from app.engine.chat import ChatMessage, Role
from app.engine.spec import LlamaRuntime, LoadSpec, OpenVinoRuntime
from app.models.gguf import read_gguf
from app.models.identity import never_stop


class LibraryControl:
    """Implements ``ControlPort``.

    Args:
        raw: the loaded library.
        render: writes the prompt where the library has no engine for chat templates.
    """

    def __init__(self, raw: RawControl, render: Callable[[str], str] | None) -> None:
        self._raw = raw
        self._render = render

    @property
    def load_s(self) -> float:
        return self._raw.load_s

    def run(self, prompt: str, max_tokens: int) -> ControlRun:
        if self._render is None:
            run = self._raw.run(prompt, max_tokens, as_message=True)
        else:
            run = self._raw.run(self._render(prompt), max_tokens)
        return ControlRun(
            prompt_tokens=run.prompt_tokens,
            completion_tokens=run.completion_tokens,
            ids_sha256=run.ids_sha256,
            ttft_s=run.ttft_s,
            decode_tokens_per_s=run.decode_tokens_per_s,
        )


@contextmanager
def library_control(
    spec: LoadSpec, stop: Callable[[], bool] = never_stop
) -> Iterator[ControlPort | None]:
    """Lends the control for ``spec``; ``None`` where there is none or it can't be loaded.

    ``stop`` ends a run of it, which raises ``Stopped`` then.
    A certificate without a control says so and is provisional.
    """
    runtime = spec.runtime
    render: Callable[[str], str] | None = None
    threads = 0
    if isinstance(runtime, LlamaRuntime):
        render = _template_of(Path(spec.model_path))
        threads = runtime.threads
    elif not isinstance(runtime, OpenVinoRuntime):
        yield None
        return
    with ExitStack() as stack:
        control: LibraryControl | None = None
        try:
            raw = stack.enter_context(
                raw_control(
                    spec.backend, spec.model_path, spec.device, threads, spec.context_tokens, stop
                )
            )
            control = LibraryControl(raw, render)
        except EnvironmentFault:
            pass
        yield control


def _template_of(path: Path) -> Callable[[str], str]:
    gguf = read_gguf(path)
    template = ChatTemplate(gguf.chat_template)
    texts = {token.id: token.text for token in gguf.special_tokens()}
    tokens = {
        "bos_token": texts.get(gguf.tokenizer.bos_id or 0, ""),
        "eos_token": texts.get(gguf.tokenizer.eos_id or 0, ""),
    }

    def render(text: str) -> str:
        return template.render((ChatMessage(role=Role.USER, content=text),), tokens)

    return render
