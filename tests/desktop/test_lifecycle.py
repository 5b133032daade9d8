"""The transition table and the buttons, cell by cell."""

import pytest

from app.desktop.lifecycle import BUSY, Action, Happening, TurnState, after, allows

S, H, A = TurnState, Happening, Action

# One row for each happening: what it makes of each state. What isn't named stays as it is.
EXPECTED: dict[Happening, dict[TurnState, TurnState]] = {
    H.MODELS_FOUND: {S.LOOKING: S.IDLE, S.NO_MODEL: S.IDLE},
    H.NO_MODELS_FOUND: {S.LOOKING: S.NO_MODEL, S.IDLE: S.NO_MODEL},
    H.FETCH_STARTED: {S.NO_MODEL: S.FETCHING},
    H.FETCH_DONE: {S.FETCHING: S.LOOKING},
    H.FETCH_FAILED: {S.FETCHING: S.NO_MODEL},
    H.SENT: {S.IDLE: S.PREPARING},
    H.SUMMARY_BEGUN: {},
    H.LOAD_SEEN: {S.PREPARING: S.LOADING},
    H.PREFILL_SEEN: {S.PREPARING: S.READING, S.LOADING: S.READING},
    H.TEXT_SEEN: {S.PREPARING: S.ANSWERING, S.LOADING: S.ANSWERING, S.READING: S.ANSWERING},
    H.RETRIED: dict.fromkeys((S.PREPARING, S.LOADING, S.READING, S.ANSWERING), S.PREPARING),
    H.STOP_ASKED: {
        S.PREPARING: S.STOPPING,
        S.LOADING: S.STOPPING,
        S.READING: S.STOPPING,
        S.ANSWERING: S.STOPPING,
    },
    H.ENDED: dict.fromkeys((S.PREPARING, S.LOADING, S.READING, S.ANSWERING, S.STOPPING), S.IDLE),
    H.CLOSED: dict.fromkeys(S, S.CLOSING),
}

BUTTONS: dict[Action, str] = {
    # LOOKING NO_MODEL FETCHING IDLE PREPARING LOADING READING ANSWERING STOPPING CLOSING
    A.TYPE: "yyyyyyyyyn",
    A.SEND: "nnnynnnnnn",
    A.STOP: "nnnnyyyynn",
    A.RESUME: "nnnynnnnnn",
    A.CHOOSE_MODEL: "nnnynnnnnn",
    A.NEW_CHAT: "yyyyyyyyyn",
    A.FETCH_STARTER: "nynnnnnnnn",
    A.STOP_FETCHING: "nnynnnnnnn",
}


@pytest.mark.parametrize("happening", Happening)
@pytest.mark.parametrize("state", TurnState)
def test_each_cell_of_the_table(state: TurnState, happening: Happening) -> None:
    assert after(state, happening) is EXPECTED[happening].get(state, state)


@pytest.mark.parametrize("action", Action)
def test_what_may_be_pressed_in_each_state(action: Action) -> None:
    row = "".join("y" if allows(state, action) else "n" for state in TurnState)
    assert row == BUTTONS[action]


def test_a_state_that_works_can_always_be_left() -> None:
    for state in BUSY:
        assert after(state, Happening.ENDED) is TurnState.IDLE
