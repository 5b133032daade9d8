"""After a sleep, another driver or another device nothing is taken for what it was."""

from collections.abc import Iterator

import msgspec
import pytest

from app.core.paths import DataRoot
from app.hardware.surroundings import Surroundings
from app.workflows.watcher import SIGN_OF_LIFE_S, Watcher
from tests.certify.test_devices import Machine


class Engine:
    def __init__(self) -> None:
        self.alive = True
        self.pings: list[float] = []

    def ping(self, timeout_s: float) -> bool:
        self.pings.append(timeout_s)
        return self.alive


class World:
    """The machine as it is said to be."""

    def __init__(self) -> None:
        self.now = Surroundings(asleep_s=5.0, graphics=("card0", "xe 1"))

    def read(self) -> Surroundings:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now = msgspec.structs.replace(self.now, asleep_s=self.now.asleep_s + seconds)

    def update_driver(self) -> None:
        self.now = msgspec.structs.replace(self.now, graphics=("card0", "xe 2"))


def test_an_engine_is_asked_for_a_sign_of_life_after_a_sleep_and_only_then() -> None:
    engine, world = Engine(), World()
    watcher = Watcher(engine, world.read)
    assert not watcher.look().anything
    world.sleep(600)
    seen = watcher.look()
    assert (seen.slept, seen.graphics_changed, seen.engine_ended) == (True, False, False)
    assert engine.pings == [SIGN_OF_LIFE_S]
    assert not watcher.look().anything
    assert len(engine.pings) == 1


def test_an_engine_that_hung_over_a_sleep_is_told() -> None:
    engine, world = Engine(), World()
    watcher = Watcher(engine, world.read)
    engine.alive = False
    world.sleep(600)
    assert watcher.look().engine_ended


@pytest.fixture
def machine(data_root: DataRoot) -> Iterator[Machine]:
    made = Machine(data_root)
    yield made
    made.services.close()


def test_another_driver_makes_a_certificate_stale_without_a_restart(machine: Machine) -> None:
    world = World()
    services = machine.services
    services._watcher = Watcher(services.engine, world.read)
    machine.certify("CPU", 20.0)
    machine.certify("GPU", 35.0)
    assert machine.choose()[0] == "GPU"
    assert services.look_around() == 0
    readings = [
        msgspec.structs.replace(one, driver_version="99.9") if one.is_gpu else one
        for one in machine.inventory.devices
    ]
    machine.inventory = msgspec.structs.replace(machine.inventory, devices=tuple(readings))
    assert machine.choose()[0] == "GPU"  # nobody has looked yet
    world.update_driver()
    assert services.look_around() == 1
    assert machine.choose()[0] == "CPU"
    standing = services.certified.standing(machine.model, "GPU")
    assert standing is not None
    assert standing.stale == "driver"
