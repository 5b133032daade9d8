"""Reads the devices in a process of its own, so that no driver can take the program along.

A crash, a hang or nonsense in there costs the GPU, never the CPU: the inventory that comes back
then holds the CPU alone and says what happened.
"""

import contextlib
import faulthandler
import logging
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Final

import msgspec

from app.core.units import format_duration
from app.core.windows import end_with_this_process
from app.hardware.host import read_cpu_name
from app.hardware.readings import DeviceInventory, ProbeOutcome

_log = logging.getLogger(__name__)

DEFAULT_TIMEOUT_S: Final = 30.0
"""Loading OpenVINO and a driver takes about a second; a virus scanner on a cold disk can take many
times that."""

_JOIN_S: Final = 5.0
_MAX_MESSAGE_BYTES: Final = 1024 * 1024

_decoder = msgspec.msgpack.Decoder(DeviceInventory)

Probe = Callable[[], DeviceInventory]


def probe_devices(
    *, timeout_s: float = DEFAULT_TIMEOUT_S, probe: Probe | None = None
) -> DeviceInventory:
    """Reads all devices. Blocks for ``timeout_s`` at most, and always returns the CPU.

    Args:
        probe: what the child calls, OpenVINO's reader if absent. It must be a function of a module,
            so that a new process can find it.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(
        target=_answer,
        args=(theirs, probe or _read_inventory, timeout_s),
        name="device-probe",
        daemon=True,
    )
    try:
        child.start()
        end_with_this_process(child.sentinel)
        theirs.close()
        return _receive(ours.recv_bytes, child, timeout_s)
    except OSError as error:
        _log.warning("the device probe could not be started: %s", error)
        return _cpu_only(
            ProbeOutcome.CRASHED, "A process to read the devices could not be started."
        )
    finally:
        ours.close()
        _end(child)


def _receive(
    receive: Callable[[int], bytes], child: BaseProcess, timeout_s: float
) -> DeviceInventory:
    timed_out = threading.Event()

    def give_up() -> None:
        timed_out.set()
        child.kill()  # which ends the read below

    timer = threading.Timer(timeout_s, give_up)
    timer.daemon = True
    timer.start()
    try:
        return _decoder.decode(receive(_MAX_MESSAGE_BYTES))
    except (EOFError, OSError):
        child.join(_JOIN_S)
        if timed_out.is_set():
            return _cpu_only(
                ProbeOutcome.TIMED_OUT,
                f"Reading the devices did not end within {format_duration(timeout_s)}, which "
                "usually is a hanging graphics driver; only the CPU is used.",
            )
        return _cpu_only(
            ProbeOutcome.CRASHED,
            f"Reading the devices ended with code {child.exitcode} and no answer, which usually is "
            "a crash in the graphics driver; only the CPU is used.",
        )
    except msgspec.MsgspecError as error:
        _log.warning("the device probe sent something unreadable: %s", error)
        return _cpu_only(
            ProbeOutcome.UNREADABLE,
            "Reading the devices gave an answer that can't be understood; only the CPU is used.",
        )
    finally:
        timer.cancel()
        timer.join()


def _cpu_only(outcome: ProbeOutcome, explanation: str) -> DeviceInventory:
    _log.warning("device probe: %s: %s", outcome, explanation)
    return DeviceInventory.cpu_only(read_cpu_name(), outcome, explanation)


def _end(child: BaseProcess) -> None:
    if child.pid is None:
        return
    child.join(_JOIN_S)
    if child.is_alive():
        child.kill()
        child.join()
    child.close()


# --- In the child -------------------------------------------------------------------------------


def _read_inventory() -> DeviceInventory:
    from app.engine.backends.openvino_devices import read_inventory

    return read_inventory()


def _answer(connection: Connection, probe: Probe, timeout_s: float) -> None:
    nowhere = _be_quiet()
    # The parent kills a hanging child; this is for the child of a parent that was killed itself.
    # It needs no interpreter lock, so a hang in native code can't hold it up.
    faulthandler.dump_traceback_later(timeout_s + _JOIN_S, exit=True, file=nowhere)
    with connection:
        try:
            inventory = probe()
        except (ImportError, OSError, RuntimeError) as error:
            inventory = DeviceInventory.cpu_only(
                read_cpu_name(),
                ProbeOutcome.FAILED,
                f"OpenVINO could not be asked for its devices ({_first_line(error)}).",
            )
        connection.send_bytes(msgspec.msgpack.encode(inventory))
    faulthandler.cancel_dump_traceback_later()


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__


def _be_quiet() -> int:
    """Keeps drivers off the parent's console and Windows from showing a crash dialog.

    Returns the descriptor of the null device, which stays open.
    """
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (1, 2):
        with contextlib.suppress(OSError):
            os.dup2(nowhere, standard)
    if sys.platform == "win32":
        import ctypes

        # SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX
        ctypes.windll.kernel32.SetErrorMode(0x0001 | 0x0002 | 0x8000)
    return nowhere
