"""Which buttons a row has follows from one state, cell by cell."""

import pytest

from app.core.errors import ErrorKind, ErrorRecord
from app.desktop.models import facts
from app.desktop.models.ports import Presence, Source
from app.desktop.models.row_state import PRESSES, Amount, Line, Press, RowState
from app.models.download_state import DownloadState
from tests.desktop.models.shelf_double import SMALL, STARTER, Queued, row

S, P, D = RowState, Press, DownloadState


@pytest.mark.parametrize(
    ("presence", "download", "expected"),
    [
        (Presence.ABSENT, None, S.ABSENT),
        (Presence.INSTALLED, None, S.INSTALLED),
        (Presence.DAMAGED, None, S.DAMAGED),
        (Presence.AWAY, None, S.AWAY),
        (Presence.ABSENT, D.QUEUED, S.QUEUED),
        (Presence.ABSENT, D.WAITING, S.WAITING),
        (Presence.ABSENT, D.RUNNING, S.RUNNING),
        (Presence.ABSENT, D.VERIFYING, S.VERIFYING),
        (Presence.ABSENT, D.PAUSED, S.PAUSED),
        (Presence.ABSENT, D.FAILED, S.FAILED),
        (Presence.ABSENT, D.CANCELLED, S.ABSENT),
        (Presence.ABSENT, D.INSTALLED, S.ABSENT),  # deleted since
        (Presence.INSTALLED, D.INSTALLED, S.INSTALLED),
        (Presence.INSTALLED, D.RUNNING, S.RUNNING),  # a new version is on its way
    ],
)
def test_a_row_is_in_one_state(
    presence: Presence, download: DownloadState | None, expected: RowState
) -> None:
    view = None if download is None else Queued(model="a", variant="b", state=download)
    line = Line(row=row("small-chat", presence=presence), download=view)
    assert line.state is expected


@pytest.mark.parametrize(
    ("state", "presses"),
    [
        (S.ABSENT, {P.GET}),
        (S.QUEUED, {P.PAUSE, P.CANCEL}),
        (S.WAITING, {P.RESUME, P.PAUSE, P.CANCEL}),
        (S.RUNNING, {P.PAUSE, P.CANCEL}),
        (S.VERIFYING, {P.PAUSE, P.CANCEL}),
        (S.PAUSED, {P.RESUME, P.CANCEL}),
        (S.FAILED, {P.RESUME, P.CANCEL}),
        (S.INSTALLED, {P.CHAT, P.VERIFY, P.OPEN_FOLDER, P.DELETE}),
        (S.CHECKING, {P.STOP_VERIFY, P.OPEN_FOLDER}),
        (S.DAMAGED, {P.GET, P.VERIFY, P.OPEN_FOLDER, P.DELETE}),
        (S.AWAY, set()),
    ],
)
def test_each_state_has_its_buttons(state: RowState, presses: set[Press]) -> None:
    assert set(PRESSES[state]) == presses


def test_every_state_is_in_the_table() -> None:
    assert set(PRESSES) == set(RowState)


def test_what_the_queue_refuses_has_no_button() -> None:
    moves = {P.PAUSE: "pause", P.RESUME: "resume", P.CANCEL: "cancel"}
    for state in DownloadState:
        view = Queued(model="a", variant="b", state=state)
        for press in Line(row=SMALL, download=view).presses:
            if press in moves:
                from app.models.download_state import Move, allows

                assert allows(state, Move(moves[press])), (state, press)


def test_the_starter_takes_no_pause_and_an_import_is_not_fetched_again() -> None:
    running = Queued(model="a", variant="b", state=D.RUNNING)
    assert Line(row=STARTER, download=running).presses == (P.CANCEL,)
    mine = row("mine", source=Source.IMPORT, presence=Presence.DAMAGED)
    assert P.GET not in Line(row=mine).presses


def test_the_words_of_a_download_have_bytes_speed_and_time() -> None:
    view = Queued(
        model="a", variant="b", state=D.RUNNING, done_bytes=500_000_000, bytes_per_s=12_400_000,
        eta_s=121.0,
    )  # fmt: skip
    line = Line(row=SMALL, download=view)
    assert facts.state(line) == "Downloading 25%"
    assert facts.progress(line) == "500 MB of 2.0 GB · 12 MB/s · 2 min 1 s left"


def test_a_waiting_download_says_why() -> None:
    reason = ErrorRecord(
        kind=ErrorKind.ENVIRONMENT, code="no_network", message="No network.", remedy="Connect."
    )
    view = Queued(model="a", variant="b", state=D.WAITING, reason=reason)
    assert facts.why(Line(row=SMALL, download=view)) == ("No network.", "Connect.")


def test_other_bytes_than_the_installed_ask_first() -> None:
    reason = ErrorRecord(
        kind=ErrorKind.DATA, code="revision_changed", message="It is newer.", remedy="Agree."
    )
    line = Line(row=SMALL, download=Queued(model="a", variant="b", state=D.PAUSED, reason=reason))
    assert facts.wants_consent(line)
    assert facts.press(Press.RESUME, line) == "Take the new version"


def test_delete_says_how_much_it_frees() -> None:
    assert facts.press(Press.DELETE, Line(row=SMALL)) == "Delete, frees 2.0 GB"


def test_an_amount_stays_between_nothing_and_all() -> None:
    assert Amount(5, 0).fraction == 0
    assert Amount(20, 10).fraction == 1
