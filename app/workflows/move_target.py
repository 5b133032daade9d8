"""Where the model store may move to."""

from pathlib import Path

from app.core.errors import ContenoxError, UserError
from app.models.library import InstalledModel, Library
from app.models.remembered import is_store
from app.models.variant import open_variant


def check_target(source: Path, target: Path) -> None:
    """Refuses a place that is the old one, inside it, somebody else's, or has other versions.

    Raises:
        UserError: ``move_target``.
    """
    old, new = source.resolve(), target.resolve()
    if old == new:
        problem, remedy = "the models are there already", "Choose another folder."
    elif old in new.parents or new in old.parents:
        problem, remedy = "one folder is inside the other", "Choose a folder beside the old one."
    elif target.is_file():
        problem, remedy = "that is a file", "Choose a folder."
    elif target.is_dir() and not is_store(target) and any(target.iterdir()):
        problem = "that folder has other files in it"
        remedy = f"Choose an empty or new folder, such as {target / 'Contenox models'}"
    elif (other := _in_the_way(source, target)) is not None:
        problem = f"another version of {other} is there already"
        remedy = "Delete one of the two, or choose an empty folder."
    else:
        return
    raise UserError("move_target", f"The models can't move to {target}: {problem}.", remedy)


def _in_the_way(source: Path, target: Path) -> str | None:
    """A model of ``source`` that ``target`` has as something else, which a move would replace."""
    there = {model.full_name: model.digest for model in Library(target).installed()}
    for model in Library(source).installed():
        if there.get(model.full_name, model.digest) != model.digest:
            return model.full_name
    return None


def has_same(model: InstalledModel, store: Path) -> bool:
    """Whether ``store`` has the same model, whole."""
    try:
        there = open_variant(store / model.name / model.variant)
    except ContenoxError:
        return False
    return there.digest == model.digest
