"""What llama.cpp writes to its log when it fails, in the form of ``engine/faults.py``."""

from typing import Final

from app.engine.faults import Fault, NativeFailure, classify

_SEEN: Final = "llama.cpp 0.5.0-dev of llama-cpp-python 0.3.36"

LLAMA_FAULTS: Final = (
    Fault(
        code="out_of_memory",
        needles=(
            "failed to allocate",
            "unable to allocate",
            "failed to initialize the context: std::bad_alloc",
        ),
        seen_on=_SEEN,
        message="There isn't enough memory for this model with this context.",
        remedy="Close other programs, or choose a smaller model or a shorter context.",
    ),
    Fault(
        code="model_unsupported",
        needles=("unknown model architecture", "unknown pre-tokenizer type"),
        seen_on=_SEEN,
        message="The llama backend does not know this kind of model.",
        remedy="Choose another model, or update the program.",
        data=True,
    ),
    Fault(
        code="model_damaged",
        needles=("error loading model", "failed to load model", "invalid magic", "gguf_init_from"),
        seen_on=_SEEN,
        message="The model file is damaged.",
        remedy="Delete the model and download it again.",
        data=True,
    ),
)


def native_failure(log_text: str, what: str) -> NativeFailure:
    """Translates a failed call by what the library wrote.

    Args:
        log_text: the last lines of its log.
        what: the call and its result, for our own log.
    """
    for fault in LLAMA_FAULTS:
        telling = _telling_line(log_text, fault)
        if telling is not None:
            return NativeFailure(fault, f"{what}: {telling}")
    lines = log_text.strip().splitlines()
    return NativeFailure(classify(log_text), f"{what}: {lines[-1]}" if lines else what)


def _telling_line(log_text: str, fault: Fault) -> str | None:
    """The first line with one of the fault's needles, which says the most."""
    for line in log_text.splitlines():
        if any(needle in line for needle in fault.needles):
            return line.strip()
    return None
