"""What a certificate says about the machine and about what doesn't work on it."""

import re
import sys
from importlib import metadata
from platform import platform, python_version
from typing import Final

from app.certify.certificate import MachineFacts, UnsupportedMode
from app.engine.backends.openvino_sparse import plan_sparse
from app.engine.outcome import BackendReport, SessionReport
from app.engine.spec import LlamaRuntime, LoadSpec, OpenVinoRuntime, Pipeline
from app.hardware.host import read_host
from app.hardware.readings import DeviceInventory
from app.hardware.selector import npu_refusal

_DISTRIBUTIONS: Final = (
    "openvino",
    "openvino-genai",
    "openvino-tokenizers",
    "llama-cpp-python",
)

_FOLDERS: Final = re.compile(r"(?<![\w.])(?:[A-Za-z]:)?[\\/](?:[^\\/\s\"']+[\\/])+")


def machine_facts(
    inventory: DeviceInventory, reports: tuple[BackendReport, ...] = ()
) -> MachineFacts:
    """The machine as it is now. The NPU is a name in an inventory, and nothing more."""
    host = read_host()
    gpus = inventory.gpus()
    versions = {"python": python_version()}
    for name in _DISTRIBUTIONS:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    for report in reports:
        versions |= {name: one for name, one in report.components.items() if name != "cpu"}
    return MachineFacts(
        cpu=host.cpu_name,
        physical_cores=host.physical_cores,
        logical_cores=host.logical_cores,
        memory_bytes=host.memory.total_bytes,
        system=f"{platform(terse=True)} ({sys.platform})",
        gpu=", ".join(one.full_name for one in gpus) or None,
        gpu_driver=", ".join(one.driver_version or "unknown" for one in gpus) or None,
        npu=inventory.npu_name,
        versions=versions,
    )


def unsupported_modes(
    spec: LoadSpec, inventory: DeviceInventory, session: SessionReport
) -> tuple[UnsupportedMode, ...]:
    """What this model can't do here, each in the words of whoever refused it."""
    modes = [UnsupportedMode(mode="NPU", words=npu_refusal("a choice by hand").message)]
    missing = inventory.unavailable_gpu()
    if missing is not None and not inventory.gpus():
        words = f"{missing.explanation} {without_folders(missing.detail)}".strip()
        modes.append(UnsupportedMode(mode="GPU", words=words))
    runtime = spec.runtime
    if isinstance(runtime, OpenVinoRuntime):
        told = [note for note in session.notes if "attention" in note.lower()]
        words = " ".join(dict.fromkeys((*told, plan_sparse(runtime).reason)))
        modes.append(UnsupportedMode(mode="XAttention", words=words))
        if session.pipeline == Pipeline.STATEFUL:
            why = " ".join(session.notes) or "The stateful pipeline runs this model."
            modes.append(UnsupportedMode(mode="paged attention", words=why))
            modes.append(UnsupportedMode(mode="prefix reuse", words=why))
    if isinstance(runtime, LlamaRuntime):
        words = "The llama backend of this program runs models on the CPU only."
        modes.append(UnsupportedMode(mode="GPU with llama.cpp", words=words))
    words = "This program neither saves nor restores a KV cache."
    modes.append(UnsupportedMode(mode="KV export", words=words))
    return tuple(modes)


def cached_note(spec: LoadSpec, *, paged: bool) -> str:
    """What a second load is on this device."""
    if not isinstance(spec.runtime, OpenVinoRuntime):
        return "nothing is compiled; the second load finds the file in the system's memory"
    if paged and not spec.device.startswith("GPU"):
        return "the paged pipeline keeps no compiled form on a CPU; both loads compile"
    return "the second load reads the compiled form that the first one left"


def without_folders(words: str) -> str:
    """A library's words without the folders in them: a certificate may be published."""
    return _FOLDERS.sub("", words)
