"""What the native libraries say when they fail, and what it means.

The libraries raise ``RuntimeError``, or write to their log, for everything; their words are all
there is to go by. This is the one table of them, in the order in which they are tried. Each needle
names where its words come from; ``docs/upstream.md`` has the upstream reports and the scripts that
make the library say them.
"""

from dataclasses import dataclass
from typing import Final

from app.core.errors import ContenoxError, DataFault, EnvironmentFault


@dataclass(frozen=True, slots=True)
class Needle:
    """Words of a message that tell a fault.

    Args:
        words: must be in the message as they are.
        seen_on: the library and the version whose words they are.
        any_of: if given, one of these must be in the message too; then case doesn't matter.
        not_after: if given, it must not stand anywhere behind the words.
    """

    words: str
    seen_on: str
    any_of: tuple[str, ...] = ()
    not_after: str | None = None

    def matches(self, message: str) -> bool:
        if self.not_after is not None:
            _, found, behind = message.partition(self.words)
            return bool(found) and self.not_after not in behind
        if not self.any_of:
            return self.words in message
        lowered = message.lower()
        return self.words.lower() in lowered and any(word in lowered for word in self.any_of)


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of native failure.

    Args:
        needles: any of them in the library's message tells the fault.
        fatal: the pipeline must not be used again.
        data: the model's files are to blame, not the machine.
    """

    code: str
    needles: tuple[Needle, ...]
    message: str
    remedy: str
    fatal: bool = True
    data: bool = False

    def error(self) -> ContenoxError:
        cls = DataFault if self.data else EnvironmentFault
        return cls(self.code, self.message, self.remedy)


_GENAI: Final = "openvino-genai 2026.4.1.0"
_OPENVINO: Final = "openvino 2026.4.1"
_LLAMA: Final = "llama.cpp 0.5.0-dev of llama-cpp-python 0.3.36"
# Words of devices that the maintainers' machines don't have; each is in the GPU plug-in's binary.
_GPU: Final = "openvino 2026.4.1, GPU plug-in"
_REPORTED: Final = "public reports on Intel GPU drivers 101.8629 and 32.0.101.8132"


def _said(seen_on: str, *words: str) -> tuple[Needle, ...]:
    return tuple(Needle(one, seen_on) for one in words)


FAULTS: Final = (
    Fault(
        code="paged_attention_not_supported",
        needles=_said(_OPENVINO, "No ScaledDotProductAttention operation observed in the graph"),
        message="This model can't run with paged attention: it has no attention operation that the"
        " library can page.",
        remedy="Choose the automatic pipeline, which falls back to the stateful one.",
    ),
    Fault(
        code="sparse_attention_unsupported",
        needles=(Needle("xattention", _GPU, ("not supported", "unsupported", "not available")),),
        message="The device can't do the sparse attention that the model's profile requires.",
        remedy="Remove use_sparse_attention from the profile, or choose another device.",
    ),
    # Of the program itself: without these three the words would blame a model or a driver.
    Fault(
        code="tokenizers_missing",
        needles=_said(_OPENVINO, "Cannot find entry point to the extension library"),
        message="A library of this program is missing or damaged: openvino_tokenizers, which turns"
        " text into tokens.",
        remedy="Install the program again.",
    ),
    Fault(
        code="model_reader_missing",
        needles=(Needle("Available frontends:", _OPENVINO, not_after=" ir "),),
        message="A library of this program is missing or damaged: openvino_ir_frontend, which reads"
        " models.",
        remedy="Install the program again.",
    ),
    Fault(
        code="cpu_plugin_missing",
        needles=_said(
            _OPENVINO, 'Device with "CPU" name is not registered', "openvino_intel_cpu_plugin"
        ),
        message="A library of this program is missing or damaged: openvino_intel_cpu_plugin, which"
        " computes on the CPU.",
        remedy="Install the program again.",
    ),
    Fault(
        code="device_unavailable",
        needles=_said(
            _OPENVINO,
            "no supported devices found or an error happened during devices query",
            "is not registered in the OpenVINO Runtime",
            "Context was not initialized for",
            "no supported devices can be used",
            # "Cannot load library ...": no driver, hence no OpenCL library.
            "openvino_intel_gpu_plugin",
        ),
        message="The chosen device isn't there, or its driver doesn't work with OpenVINO.",
        remedy="Choose CPU, or install the graphics driver of the device's maker.",
    ),
    Fault(
        code="pool_corrupted",
        needles=_said(
            "openvino-genai 2026.2.0.0 and 2026.4.1.0",
            "BlockManager leaked",
            "BlockAllocator leaked",
            "leaked sequence block tables",
            "Expected num free blocks",
            "m_ref_count > 0",
        )
        + _said(
            _GENAI,
            "double free when prefix caching",
            "block hashes for all layers must be equal",
            "each sequence in the same group must have the same number of blocks evicted",
            "not found in BlockManager, but requested to free",
            "cannot free logical block",
            "too many blocks to free",
            "has zero reference count",
            "blocks across layers must be freed simultaneously",
            "A number of physical and logic blocks must be the same in this code path",
            "get_finished_sequences() must be called when",
            "current request is supposed to be dropped within step()",
        ),
        message="The library lost track of its memory for the context.",
        remedy="Send the message again; the model is loaded anew.",
    ),
    Fault(
        code="pipeline_busy",
        needles=_said(_OPENVINO, "Infer Request is busy")
        + _said(
            _GENAI,
            "Generate cannot be called while ContinuousBatchingPipeline is already in running",
        ),
        message="The library still holds on to an earlier request.",
        remedy="Send the message again; the model is loaded anew.",
    ),
    Fault(
        code="pool_exhausted",
        needles=_said(
            _GENAI,
            "was dropped by the scheduler because it did not fit",
            "Not enough cache blocks to reserve",
            "Cache block pool cannot grow to",
            "can_allocate_blocks",
        ),
        message="The memory set aside for the context was used up.",
        remedy="Start a new chat or shorten the message, and send it again.",
    ),
    Fault(
        code="device_lost",
        needles=_said(
            _GPU,
            "CL_DEVICE_NOT_AVAILABLE",
            "CL_INVALID_CONTEXT",
            "CL_INVALID_COMMAND_QUEUE",
            "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
        )
        + _said(_REPORTED, "device lost", "DeviceLost"),
        message="The graphics device stopped answering.",
        remedy="Send the message again, or choose CPU.",
    ),
    Fault(
        code="out_of_memory",
        needles=_said(
            _GENAI,
            "std::bad_alloc",
            "bad allocation",
            "larger than available memory size on the system",
            "require more memory than available on the system",
        )
        + _said(_OPENVINO, "Failed to allocate")
        + _said(
            _GPU,
            "CL_OUT_OF_RESOURCES",
            "CL_OUT_OF_HOST_MEMORY",
            "CL_MEM_OBJECT_ALLOCATION_FAILURE",
            "out of GPU resources",
            "Exceeded max size of memory object allocation",
        )
        + _said(_LLAMA, "failed to allocate", "unable to allocate"),
        message="There isn't enough memory for this model with this context.",
        remedy="Close other programs, or choose a smaller model or a shorter context.",
    ),
    Fault(
        code="prompt_too_long",
        needles=_said(_GENAI, "is longer than max number of tokens in batch"),
        message="The prompt is longer than the batch, and the model's profile forbids to split it.",
        remedy="Set dynamic_split_fuse to true in the profile, or shorten the message.",
        fatal=False,
    ),
    Fault(
        code="length_capped",
        needles=_said(_GENAI, "must be greater than the number of prompt tokens"),
        message="The model's files cap the length of prompt and answer together.",
        remedy="Shorten the message, or choose another model.",
        fatal=False,
        data=True,
    ),
    Fault(
        code="setting_refused",
        needles=_said(
            _OPENVINO,
            "Wrong value",
            "Unsupported property",
            "xattention_block_size) >= block_size",
        )
        + _said(_GENAI, "in tokens must be a multiple of block size"),
        message="The library refuses a value of the model's profile.",
        remedy="Correct the profile, or delete it from the model's folder.",
        data=True,
    ),
    Fault(
        code="model_unsupported",
        needles=_said(_LLAMA, "unknown model architecture", "unknown pre-tokenizer type"),
        message="The llama backend does not know this kind of model.",
        remedy="Choose another model, or update the program.",
        data=True,
    ),
    Fault(
        code="model_damaged",
        needles=_said(
            _OPENVINO,
            "Incorrect weights in bin file",
            "Empty weights data in bin file",
            "Start-end tags mismatch",
            "Unable to read the model",
        )
        + _said(
            _GENAI,
            "Could not find a model in the directory",
            "parse_error",
            "type_error",
            "Either openvino_tokenizer.xml was not provided",
            # The tokenizer's graph runs at the load; it fails on a damaged vocabulary.
            "Node BPETokenizer",
        )
        + _said(
            _LLAMA,
            "error loading model",
            "failed to load model",
            "invalid magic",
            "gguf_init_from",
        ),
        message="A file of this model is damaged or missing.",
        remedy="Verify the model, or delete it and get it again.",
        data=True,
    ),
    Fault(
        code="template_failed",
        needles=_said(
            _GENAI,
            "failed to apply chat template",
            "Chat template wasn't found",
            "Applied chat template resulted in an empty string",
            "Expected closing expression tag",
        ),
        message="The model's chat template can't render this conversation.",
        remedy="Choose another model, or report this one with its name.",
        fatal=False,
        data=True,
    ),
)

UNKNOWN: Final = Fault(
    code="engine_failed",
    needles=(),
    message="The library that runs the model failed.",
    remedy="Send the message again; if it happens twice, choose another model or device.",
)


def fault(code: str) -> Fault:
    """Returns the fault with ``code``."""
    return next(one for one in (*FAULTS, UNKNOWN) if one.code == code)


def classify(message: str) -> Fault:
    """Finds the fault that the library's ``message`` tells; an unknown one counts as fatal."""
    for known in FAULTS:
        if any(needle.matches(message) for needle in known.needles):
            return known
    return UNKNOWN
