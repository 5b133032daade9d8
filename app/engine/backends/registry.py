"""Which backends there are. A backend's module is imported when it is first asked for."""

from typing import Final

from app.core.errors import UserError
from app.engine.backends.base import Backend
from app.engine.spec import LlamaRuntime, OpenVinoRuntime, Runtime, ScriptedRuntime

NATIVE_BACKENDS: Final = ("llama", "openvino")
"""The backends that run real models, sorted by name."""


def backend_for(runtime: Runtime) -> Backend:
    """Returns the backend that runs a spec with ``runtime``."""
    match runtime:
        case OpenVinoRuntime():
            return backend_named("openvino")
        case LlamaRuntime():
            return backend_named("llama")
        case ScriptedRuntime():
            return backend_named("scripted")


def backend_named(name: str) -> Backend:
    """Returns a backend by its name.

    Raises:
        UserError: ``unknown_backend``.
    """
    match name:
        case "openvino":
            from app.engine.backends.openvino import OpenVinoBackend

            return OpenVinoBackend()
        case "llama":
            from app.engine.backends.llama import LlamaBackend

            return LlamaBackend()
        case "scripted":
            from app.engine.backends.scripted import ScriptedBackend

            return ScriptedBackend()
    raise UserError(
        "unknown_backend",
        f"There is no backend named {name!r}.",
        f"Choose one of: {', '.join(NATIVE_BACKENDS)}.",
    )
