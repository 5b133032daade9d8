"""Which device a model runs on, who decided it, and why (rules OV-3 and OV-5).

Order: a choice by hand, ``CONTENOX_OPENVINO_DEVICE``, the profile,
``CONTENOX_OPENVINO_TEST_DEVICE``, then the automatic choice. Whoever speaks first is the only one
who is read. OpenVINO's own AUTO plug-in is never used: it hides which device answers.
"""

import os
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Self

from msgspec import Struct

from app.core.errors import EnvironmentFault, UserError
from app.hardware.readings import CPU, DeviceInventory, DeviceKind, DeviceReading
from app.hardware.selector import AUTOMATIC, Selector, npu_refusal

DEVICE_VARIABLE: Final = "CONTENOX_OPENVINO_DEVICE"
TEST_DEVICE_VARIABLE: Final = "CONTENOX_OPENVINO_TEST_DEVICE"
PRIORITY_VARIABLE: Final = "CONTENOX_OPENVINO_DEVICE_PRIORITY"

_KINDS_BY_WORD: Final = {
    "gpu": DeviceKind.DISCRETE_GPU,
    "igpu": DeviceKind.INTEGRATED_GPU,
    "cpu": DeviceKind.CPU,
}
_DEFAULT_PRIORITY: Final = (DeviceKind.DISCRETE_GPU, DeviceKind.INTEGRATED_GPU, DeviceKind.CPU)


class DeviceSource(StrEnum):
    """Who decided."""

    HAND = "hand"
    ENVIRONMENT = "environment"
    PROFILE = "profile"
    TEST_ENVIRONMENT = "test_environment"
    AUTOMATIC = "automatic"


class DeviceChoice(Struct, frozen=True, kw_only=True):
    """One concrete device as OpenVINO names it, and a sentence that says why."""

    device: str
    source: DeviceSource
    reason: str


class CertifiedDevice(Struct, frozen=True, kw_only=True):
    """A device on which this model passed the answer checks, and its measured speed there."""

    device: str
    tokens_per_s: float | None = None


class DeviceWishes(Struct, frozen=True, kw_only=True):
    """What each source says about the device, as it was written; ``None`` or blank is silence."""

    by_hand: str | None = None
    environment: str | None = None
    profile: str | None = None
    test_environment: str | None = None
    priority: str | None = None

    @classmethod
    def collect(
        cls,
        *,
        by_hand: str | None = None,
        profile: str | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Self:
        """Joins a choice by hand and a profile with the variables of ``environment``.

        ``environment`` is ``os.environ`` if absent.
        """
        variables = os.environ if environment is None else environment
        return cls(
            by_hand=by_hand,
            environment=variables.get(DEVICE_VARIABLE),
            profile=profile,
            test_environment=variables.get(TEST_DEVICE_VARIABLE),
            priority=variables.get(PRIORITY_VARIABLE),
        )

    def first(self) -> tuple[DeviceSource, str, str] | None:
        """The first source that speaks: who, how it is called in a sentence, what it says."""
        spoken = (
            (DeviceSource.HAND, "the chosen device", self.by_hand),
            (DeviceSource.ENVIRONMENT, DEVICE_VARIABLE, self.environment),
            (DeviceSource.PROFILE, "the model's profile", self.profile),
            (DeviceSource.TEST_ENVIRONMENT, TEST_DEVICE_VARIABLE, self.test_environment),
        )
        for source, name, text in spoken:
            if text is not None and text.strip():
                return source, name, text
        return None


def choose_device(
    wishes: DeviceWishes,
    inventory: DeviceInventory,
    certified: tuple[CertifiedDevice, ...] = (),
) -> DeviceChoice:
    """Decides the device for one model.

    Args:
        certified: the devices on which this model passed the answer checks.

    Raises:
        UserError: ``npu_not_supported``, ``composite_device``, ``unknown_device``,
            ``unknown_device_kind``.
        EnvironmentFault: ``device_unavailable``, ``no_memory_telemetry`` for a named device.
    """
    spoken = wishes.first()
    if spoken is not None:
        source, name, text = spoken
        selector = Selector.parse(text, said_by=name)
        if selector.device is not None:
            reading = _named(selector.device, inventory)
            reason = f"{_titled(reading)} was chosen by {_in_words(source)}."
            return DeviceChoice(device=reading.id, source=source, reason=reason)
    return _automatic(parse_priority(wishes.priority), inventory, certified)


def choose_for_llama(by_hand: str | None) -> DeviceChoice:
    """The device for a model of llama.cpp, which is built for the CPU alone here.

    The variables and the probe speak of OpenVINO's devices, so they aren't asked.

    Raises:
        UserError: ``npu_not_supported``, ``composite_device``, ``unknown_device``;
            ``llama_on_cpu_only`` for a GPU.
    """
    asked = by_hand if by_hand and by_hand.strip() else AUTOMATIC
    device = Selector.parse(asked, said_by="the chosen device").device
    if device is None:
        return _cpu_because("llama.cpp runs models on the CPU only here.")
    if device != CPU:
        raise UserError(
            "llama_on_cpu_only",
            f"llama.cpp runs models on the CPU only here, and {device} was asked for.",
            f"Choose {CPU} or {AUTOMATIC}, or the model's OpenVINO variant for a GPU.",
        )
    return DeviceChoice(
        device=CPU,
        source=DeviceSource.HAND,
        reason=f"{CPU} was chosen by {_in_words(DeviceSource.HAND)}.",
    )


def parse_priority(text: str | None) -> tuple[DeviceKind, ...]:
    """Reads ``CONTENOX_OPENVINO_DEVICE_PRIORITY``: gpu, igpu and cpu, separated by commas.

    Kinds that aren't named are not used, except the CPU, which always comes last.

    Raises:
        UserError: ``npu_not_supported``, ``unknown_device_kind``.
    """
    if text is None or not text.strip():
        return _DEFAULT_PRIORITY
    kinds: list[DeviceKind] = []
    for word in (part.strip().lower() for part in text.split(",")):
        if word in ("npu", "accel"):
            raise npu_refusal(PRIORITY_VARIABLE)
        kind = _KINDS_BY_WORD.get(word)
        if kind is None:
            raise UserError(
                "unknown_device_kind",
                f"{PRIORITY_VARIABLE} names “{word}”, which is no kind of device.",
                "Name gpu (discrete), igpu (integrated) and cpu in the order you want, "
                "separated by commas.",
            )
        if kind not in kinds:
            kinds.append(kind)
    if DeviceKind.CPU not in kinds:
        kinds.append(DeviceKind.CPU)
    return tuple(kinds)


def _named(device: str, inventory: DeviceInventory) -> DeviceReading:
    reading = inventory.find(device)
    if reading is None:
        raise _unavailable(device, inventory)
    if not reading.has_telemetry:
        raise EnvironmentFault(
            "no_memory_telemetry",
            f"{_titled(reading)} doesn't report how much memory it has and how much of it is "
            "free, so it can't be known whether a model fits.",
            f"Choose another device or {AUTOMATIC}, or update the graphics driver.",
        )
    return reading


def _unavailable(device: str, inventory: DeviceInventory) -> EnvironmentFault:
    row = inventory.unavailable_gpu()
    why = row.explanation if row is not None else inventory.explanation
    names = ", ".join(one.id for one in inventory.selectable())
    message = f"{device} was asked for, and this machine has no such device."
    return EnvironmentFault(
        "device_unavailable",
        f"{message} {why}".strip(),
        f"Choose {AUTOMATIC} or one of: {names}.",
    )


def _automatic(
    priority: tuple[DeviceKind, ...],
    inventory: DeviceInventory,
    certified: tuple[CertifiedDevice, ...],
) -> DeviceChoice:
    speeds = {one.device: one.tokens_per_s for one in certified}
    ordered = [
        reading
        for kind in priority
        for reading in inventory.selectable()
        if reading.kind is kind
        and reading.has_telemetry
        and (kind is DeviceKind.CPU or reading.id in speeds)
    ]
    if all(reading.id == CPU for reading in ordered):
        return _cpu_because(_why_no_gpu(inventory, speeds))
    measured = [(one, speed) for one in ordered if (speed := speeds.get(one.id)) is not None]
    figures = ", ".join(f"{one.id} {speed:.1f} tokens/s" for one, speed in measured)
    best = ordered[0]
    if priority == _DEFAULT_PRIORITY and len(measured) == len(ordered):
        # Everything was measured here, so the numbers decide: a GPU is not always the faster one.
        best = max(measured, key=lambda pair: pair[1])[0]
        if best.id == CPU:
            return _cpu_because(f"it is the fastest here ({figures}).")
    elif best.id == CPU:
        return _cpu_because(f"{PRIORITY_VARIABLE} puts it first.")
    reason = f"{_titled(best)} was chosen automatically: the model passed the answer checks there"
    return DeviceChoice(
        device=best.id,
        source=DeviceSource.AUTOMATIC,
        reason=f"{reason} (measured: {figures})." if figures else f"{reason}.",
    )


def _cpu_because(why: str) -> DeviceChoice:
    return DeviceChoice(
        device=CPU,
        source=DeviceSource.AUTOMATIC,
        reason=f"The CPU was chosen automatically: {why}",
    )


def _why_no_gpu(inventory: DeviceInventory, speeds: Mapping[str, float | None]) -> str:
    gpus = inventory.gpus()
    if not gpus:
        row = inventory.unavailable_gpu()
        why = row.explanation if row is not None else inventory.explanation
        return f"there is no GPU to use. {why}".strip()
    silent = [one for one in gpus if not one.has_telemetry]
    passed = sum(one.id in speeds for one in gpus)
    counted = f"1 GPU was found ({gpus[0].full_name})"
    if len(gpus) > 1:
        counted = f"{len(gpus)} GPUs were found"
    text = f"{counted}, and this model has passed the answer checks on {passed} of {len(gpus)}"
    if silent:
        names = ", ".join(one.full_name for one in silent)
        text += f"; memory can't be budgeted on {len(silent)} ({names})"
    return text + "."


def _titled(reading: DeviceReading) -> str:
    return f"{reading.id} ({reading.full_name})" if reading.full_name else reading.id


def _in_words(source: DeviceSource) -> str:
    return {
        DeviceSource.HAND: "hand",
        DeviceSource.ENVIRONMENT: f"the variable {DEVICE_VARIABLE}",
        DeviceSource.PROFILE: "the model's profile",
        DeviceSource.TEST_ENVIRONMENT: f"the variable {TEST_DEVICE_VARIABLE}",
    }.get(source, "the program")
