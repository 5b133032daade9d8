"""Moving the store: whatever stops it, each model is whole in one place at least."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.core.errors import DataFault, EnvironmentFault, UserError
from app.core.paths import DataRoot
from app.core.settings import SettingsFile
from app.models.download_lock import WriterLock
from app.models.identity import Stopped
from app.models.library import Library
from app.models.remembered import ModelMemory, mark_store
from app.workflows import model_move
from app.workflows.model_move import MoveProgress, MoveStep, StoreMove
from tests.support.model_folders import install_tiny, manifest_of, stage

ROOT = Path(__file__).parents[2]


class Machine:
    """One data root; each ``restarted`` is a new program on it."""

    def __init__(self, root: DataRoot) -> None:
        self.root = root
        self.settings_file = SettingsFile(root.settings_file)
        self.memory = ModelMemory(root.path / "seen.json")
        self.lock = WriterLock(root.path / "downloads.lock")
        self.restart()

    def restart(self) -> None:
        chosen = self.settings_file.load().model_store
        self.library = Library(Path(chosen) if chosen else self.root.models)
        self.move = StoreMove(self.root, self.settings_file, self.library, self.memory, self.lock)

    def observe(self) -> None:
        whole, broken = self.library.survey()
        self.memory.observe(self.library.store, whole, broken=bool(broken))

    def names(self) -> list[str]:
        for model in self.library.installed():
            self.library.verify(model)
        return [model.full_name for model in self.library.installed()]


@pytest.fixture
def machine(data_root: DataRoot) -> Machine:
    made = Machine(data_root)
    for name in ("alpha", "beta", "gamma"):
        install_tiny(made.library, name)
    made.observe()
    return made


ALL = ["alpha/openvino", "beta/openvino", "gamma/openvino"]


def test_everything_moves_and_nothing_is_left(machine: Machine, tmp_path: Path) -> None:
    old, target = machine.library.store, tmp_path / "neues Laufwerk é漢" / "models"
    partial = old / ".downloads" / "x--y--z" / "weights.bin.part"
    partial.parent.mkdir(parents=True)
    partial.write_bytes(b"half")
    (old / "alpha" / "openvino" / "contenox-openvino.json").write_text("{}")
    seen: list[MoveProgress] = []
    end = machine.move.run(target, seen.append)
    assert (list(end.moved), end.left, end.broken) == (ALL, (), ())
    assert not old.exists()
    assert not end.old_store_remains
    assert machine.library.store == target
    assert (target / "alpha" / "openvino" / "contenox-openvino.json").read_text() == "{}"
    assert (target / ".downloads" / "x--y--z" / "weights.bin.part").read_bytes() == b"half"
    machine.restart()
    assert machine.library.store == target
    assert machine.names() == ALL
    assert machine.move.unfinished() is None
    assert list(dict.fromkeys(one.step for one in seen)) == list(MoveStep)
    copies = [one for one in seen if one.step is MoveStep.COPY]
    assert copies[-1].done_bytes == copies[-1].total_bytes


def test_back_to_the_usual_place_is_the_default_again(machine: Machine, tmp_path: Path) -> None:
    usual = machine.library.store
    machine.move.run(tmp_path / "elsewhere")
    machine.restart()
    machine.move.run(usual)
    assert machine.settings_file.load().model_store is None
    machine.restart()
    assert machine.names() == ALL


def test_what_is_not_ours_stays_in_the_old_folder(machine: Machine, tmp_path: Path) -> None:
    old = machine.library.store
    (old / "alpha" / "openvino" / "note.txt").write_text("mine")
    (old / "beta" / "openvino" / "model.bin").unlink()
    end = machine.move.run(tmp_path / "new")
    assert end.broken == ("beta/openvino",)
    assert end.old_store_remains
    assert (old / "alpha" / "openvino" / "note.txt").read_text() == "mine"
    assert (old / "beta" / "openvino" / "manifest.json").exists()


@pytest.mark.parametrize("where", ["same", "inside", "above", "file", "other files"])
def test_a_bad_place_is_refused_before_anything_happens(
    machine: Machine, tmp_path: Path, where: str
) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine")
    store = machine.library.store
    target = {
        "same": store,
        "inside": store / "below",
        "above": store.parent,
        "file": tmp_path / "file",
        "other files": tmp_path / "full",
    }[where]
    with pytest.raises(UserError) as caught:
        machine.move.run(target)
    assert caught.value.code == "move_target"
    assert machine.names() == ALL
    assert machine.move.unfinished() is None


def test_another_store_is_joined_and_nothing_in_it_replaced(
    machine: Machine, tmp_path: Path
) -> None:
    other = Library(tmp_path / "other store")
    kept = install_tiny(other, "delta")
    install_tiny(other, "alpha")
    staging = stage(other, {"model.bin": b"another"})
    beta = other.install(staging, manifest_of(staging, "beta"))
    mark_store(other.store)
    with pytest.raises(UserError, match="another version of beta/openvino") as caught:
        machine.move.run(other.store)
    assert caught.value.code == "move_target"
    other.verify(beta)
    other.delete(beta)
    machine.move.run(other.store)
    assert machine.names() == ["alpha/openvino", "beta/openvino", kept.full_name, ALL[2]]


def test_a_damaged_model_stops_it_before_the_switch(machine: Machine, tmp_path: Path) -> None:
    (machine.library.store / "beta" / "openvino" / "model.bin").write_bytes(b"Weights")
    with pytest.raises(DataFault, match=r"model\.bin"):
        machine.move.run(tmp_path / "new")
    assert machine.settings_file.load().model_store is None
    assert len(machine.library.installed()) == 3


def test_a_stopped_move_goes_on_or_is_given_up(machine: Machine, tmp_path: Path) -> None:
    target = tmp_path / "new"

    def stop_in_beta() -> bool:
        return (target / "alpha").exists()

    with pytest.raises(Stopped):
        machine.move.run(target, stop=stop_in_beta)
    machine.restart()
    assert machine.move.unfinished() == target
    assert machine.names() == ALL
    with pytest.raises(UserError, match="not finished") as caught:
        machine.move.run(tmp_path / "third")
    assert caught.value.code == "move_unfinished"
    machine.move.abandon()
    assert not target.exists()
    assert machine.move.unfinished() is None
    assert machine.names() == ALL
    machine.move.run(tmp_path / "third")
    assert machine.names() == ALL


def test_a_move_waits_for_nobody_that_downloads(machine: Machine, tmp_path: Path) -> None:
    other = WriterLock(machine.root.path / "downloads.lock")
    assert other.acquire()
    with pytest.raises(UserError) as caught:
        machine.move.run(tmp_path / "new")
    assert caught.value.code == "downloads_running"
    other.release()
    machine.move.run(tmp_path / "new")


def test_a_drive_that_is_away_can_not_be_moved_from(machine: Machine, tmp_path: Path) -> None:
    machine.library.store.rename(tmp_path / "pulled out")
    with pytest.raises(EnvironmentFault) as caught:
        machine.move.run(tmp_path / "new")
    assert caught.value.code == "store_missing"


def test_a_drive_that_goes_away_in_between_switches_nothing(
    machine: Machine, tmp_path: Path
) -> None:
    target, store = tmp_path / "new", machine.library.store
    with pytest.raises(Stopped):
        machine.move.run(target, stop=lambda: (target / "alpha").exists())
    store.rename(tmp_path / "pulled out")
    machine.restart()
    with pytest.raises(EnvironmentFault) as caught:
        machine.move.run(target)
    assert caught.value.code == "store_missing"
    (tmp_path / "pulled out").rename(store)
    machine.restart()
    machine.move.run(target)
    assert machine.names() == ALL


def test_old_files_that_are_in_use_are_left_and_finished_later(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "new"
    real = Library.delete

    def refuse_beta(self: Library, model: object) -> None:
        if "beta" in str(model):
            raise EnvironmentFault("data_root_unwritable", "It is in use.", "Close it.")
        real(self, model)  # type: ignore[arg-type]  # the parameter is only looked at here

    monkeypatch.setattr(Library, "delete", refuse_beta)
    end = machine.move.run(target)
    assert end.left == ("beta/openvino",)
    monkeypatch.undo()
    machine.restart()
    assert machine.names() == ALL
    assert machine.move.unfinished() == target
    with pytest.raises(UserError) as caught:
        machine.move.abandon()
    assert caught.value.code == "move_switched"
    assert machine.move.run(target).left == ()
    assert not (machine.root.models).exists()


_PROGRAM = """
import os, sys
from pathlib import Path
from app.core.paths import DataRoot
from app.models.library import Library
from app.workflows import model_move
from tests.workflows.test_model_move import Machine

point, target = sys.argv[1], Path(sys.argv[2])
machine = Machine(DataRoot.from_environment())

def die(*_):
    os.kill(os.getpid(), 9)

def second(progress):
    if progress.step == point and (progress.model or "beta").startswith("beta"):
        die()

if point == "settings":
    machine.settings_file.save = die
elif point == "journal":
    model_move._remove_ours = die
machine.move.run(target, second)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX; the order is the same")
@pytest.mark.parametrize("point", ["copy", "switch", "settings", "delete", "journal"])
@pytest.mark.parametrize("links", [True, False])
def test_a_kill_at_any_step_loses_nothing(
    machine: Machine, tmp_path: Path, point: str, links: bool
) -> None:
    target = tmp_path / "new"
    program = _PROGRAM
    if not links:
        program = "import os\nos.link = None\n" + program.replace(
            "from app.models.library",
            "import app.models.carry as c\nc.link = lambda *_: False\nfrom app.models.library",
        )
    done = subprocess.run(
        [sys.executable, "-c", program, point, target],
        cwd=ROOT, timeout=60, check=False, capture_output=True,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    machine.restart()
    assert machine.names() == ALL
    assert machine.move.unfinished() == target
    machine.move.run(target)
    machine.restart()
    assert machine.library.store == target
    assert machine.names() == ALL
    assert not machine.root.models.exists()
    assert sorted(path.name for path in target.iterdir()) == [
        ".contenox-store", "alpha", "beta", "gamma",
    ]  # fmt: skip


def test_a_model_that_arrives_meanwhile_is_moved_too(machine: Machine, tmp_path: Path) -> None:
    old = Library(machine.library.store)

    def install_late(progress: MoveProgress) -> None:
        if progress.model == "gamma/openvino" and not (old.store / "late").exists():
            staging = stage(old, {"model.bin": b"late"})
            old.install(staging, manifest_of(staging, "late"))

    end = machine.move.run(tmp_path / "new", install_late)
    assert "late/openvino" in end.moved
    assert not (machine.root.path / model_move.JOURNAL_FILE).exists()
