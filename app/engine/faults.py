"""What the native libraries say when they fail, and what it means.

The libraries raise ``RuntimeError`` for everything; their words are all there is to go by. This is
the one table of them. Each needle names the version it was seen on.
"""

from dataclasses import dataclass
from typing import Final

from app.core.errors import ContenoxError, DataFault, EnvironmentFault


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of native failure.

    Args:
        needles: any of them in the library's message tells the fault.
        seen_on: library and version whose words these are.
        fatal: the pipeline must not be used again.
    """

    code: str
    needles: tuple[str, ...]
    seen_on: str
    message: str
    remedy: str
    fatal: bool = True
    data: bool = False

    def error(self) -> ContenoxError:
        cls = DataFault if self.data else EnvironmentFault
        return cls(self.code, self.message, self.remedy)


_GENAI: Final = "openvino-genai 2026.4.1"

FAULTS: Final = (
    Fault(
        code="paged_attention_not_supported",
        needles=("No ScaledDotProductAttention operation observed in the graph",),
        seen_on=_GENAI,
        message="This model can't run with paged attention: it has no attention operation that the"
        " library can page.",
        remedy="Choose the automatic pipeline, which falls back to the stateful one.",
    ),
    Fault(
        code="device_unavailable",
        needles=(
            "no supported devices found or an error happened during devices query",
            "is not registered in the OpenVINO Runtime",
            "Context was not initialized for",
            "no supported devices can be used",
            # "Cannot load library ...": no driver, hence no OpenCL library.
            "openvino_intel_gpu_plugin",
        ),
        seen_on=_GENAI,
        message="The chosen device isn't there, or its driver doesn't work with OpenVINO.",
        remedy="Choose CPU, or install the graphics driver of the device's maker.",
    ),
    Fault(
        code="pool_corrupted",
        needles=(
            "BlockManager leaked",
            "BlockAllocator leaked",
            "leaked sequence block tables",
            "Expected num free blocks",
            "m_ref_count > 0",
            "double free when prefix caching",
            "block hashes for all layers must be equal",
            "cannot free logical block",
            "too many blocks to free",
            "has zero reference count",
        ),
        seen_on="openvino-genai 2026.2 and 2026.4.1",
        message="The library lost track of its memory for the context.",
        remedy="Send the message again; the model is loaded anew.",
    ),
    Fault(
        code="pool_exhausted",
        needles=(
            "was dropped by the scheduler because it did not fit",
            "Not enough cache blocks to reserve",
            "Cache block pool cannot grow to",
            "can_allocate_blocks",
        ),
        seen_on=_GENAI,
        message="The memory set aside for the context was used up.",
        remedy="Start a new chat or shorten the message, and send it again.",
    ),
    Fault(
        code="out_of_memory",
        needles=(
            "std::bad_alloc",
            "bad allocation",
            "Failed to allocate",
            "larger than available memory size on the system",
            "require more memory than available on the system",
            "CL_OUT_OF_RESOURCES",
            "CL_OUT_OF_HOST_MEMORY",
            "CL_MEM_OBJECT_ALLOCATION_FAILURE",
        ),
        seen_on=_GENAI,
        message="There isn't enough memory for this model with this context.",
        remedy="Close other programs, or choose a smaller model or a shorter context.",
    ),
    Fault(
        code="device_lost",
        needles=("CL_DEVICE_NOT_AVAILABLE", "device lost", "DeviceLost", "CL_INVALID_CONTEXT"),
        seen_on="public reports of Intel GPU drivers 101.8629 and 32.0.101.8132",
        message="The graphics device stopped answering.",
        remedy="Send the message again, or choose CPU.",
    ),
    Fault(
        code="model_damaged",
        needles=(
            "Incorrect weights in bin file",
            "Empty weights data in bin file",
            "Start-end tags mismatch",
            "Unable to read the model",
            "Could not find a model in the directory",
            "parse_error",
            "type_error",
        ),
        seen_on=_GENAI,
        message="A file of this model is damaged or missing.",
        remedy="Verify the model, or delete it and get it again.",
        data=True,
    ),
    Fault(
        code="template_failed",
        needles=(
            "failed to apply chat template",
            "Chat template wasn't found",
            "Applied chat template resulted in an empty string",
            "Expected closing expression tag",
        ),
        seen_on=_GENAI,
        message="The model's chat template can't render this conversation.",
        remedy="Choose another model, or report this one with its name.",
        fatal=False,
        data=True,
    ),
)

UNKNOWN: Final = Fault(
    code="engine_failed",
    needles=(),
    seen_on="",
    message="The library that runs the model failed.",
    remedy="Send the message again; if it happens twice, choose another model or device.",
)


def fault(code: str) -> Fault:
    """Returns the fault with ``code``."""
    return next(one for one in (*FAULTS, UNKNOWN) if one.code == code)


def classify(message: str) -> Fault:
    """Finds the fault that the library's ``message`` tells; an unknown one counts as fatal."""
    for known in FAULTS:
        if any(needle in message for needle in known.needles):
            return known
    return UNKNOWN


class NativeFailure(Exception):
    """A translated native failure on its way to the inference thread.

    ``detail`` is the library's own first line, for the log.
    """

    def __init__(self, fault: Fault, detail: str) -> None:
        super().__init__(detail)
        self.fault = fault
        self.detail = detail


def translate(error: BaseException) -> NativeFailure:
    """Wraps what a native call raised."""
    if isinstance(error, MemoryError):
        return NativeFailure(classify("std::bad_alloc"), "MemoryError")
    return NativeFailure(classify(str(error)), str(error).strip() or type(error).__name__)
