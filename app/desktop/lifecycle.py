"""What the window is doing: one enum, one transition table, and what may be pressed when.

Every button and shortcut asks ``allows``; no widget keeps a flag of its own.
"""

from enum import StrEnum
from typing import Final


class TurnState(StrEnum):
    """Exactly one of these is true at any moment."""

    LOOKING = "looking"  # the list of models isn't here yet
    NO_MODEL = "no_model"
    FETCHING = "fetching"  # the starter model is being installed
    IDLE = "idle"
    PREPARING = "preparing"  # the request is being made and handed to the engine
    LOADING = "loading"
    READING = "reading"
    ANSWERING = "answering"
    STOPPING = "stopping"
    CLOSING = "closing"


class Happening(StrEnum):
    """What can change the state."""

    MODELS_FOUND = "models_found"
    NO_MODELS_FOUND = "no_models_found"
    FETCH_STARTED = "fetch_started"
    FETCH_DONE = "fetch_done"
    FETCH_FAILED = "fetch_failed"
    SENT = "sent"
    SUMMARY_BEGUN = "summary_begun"  # the oldest messages, before the turn itself
    LOAD_SEEN = "load_seen"
    PREFILL_SEEN = "prefill_seen"
    TEXT_SEEN = "text_seen"
    RETRIED = "retried"  # on the CPU, after another device failed
    STOP_ASKED = "stop_asked"
    ENDED = "ended"
    CLOSED = "closed"


class Action(StrEnum):
    """What a person can ask for."""

    TYPE = "type"
    SEND = "send"
    STOP = "stop"
    RESUME = "resume"  # continue, regenerate, or resend an edited message
    CHOOSE_MODEL = "choose_model"
    NEW_CHAT = "new_chat"
    FETCH_STARTER = "fetch_starter"
    STOP_FETCHING = "stop_fetching"


_S = TurnState
_H = Happening

BUSY: Final = frozenset({_S.PREPARING, _S.LOADING, _S.READING, _S.ANSWERING, _S.STOPPING})
"""A turn is running."""

_STOPPABLE: Final = BUSY - {_S.STOPPING}

# A state that isn't listed for a happening ignores it: a late event changes nothing.
TRANSITIONS: Final[dict[Happening, dict[TurnState, TurnState]]] = {
    _H.MODELS_FOUND: {_S.LOOKING: _S.IDLE, _S.NO_MODEL: _S.IDLE, _S.IDLE: _S.IDLE},
    _H.NO_MODELS_FOUND: {_S.LOOKING: _S.NO_MODEL, _S.NO_MODEL: _S.NO_MODEL, _S.IDLE: _S.NO_MODEL},
    _H.FETCH_STARTED: {_S.NO_MODEL: _S.FETCHING},
    _H.FETCH_DONE: {_S.FETCHING: _S.LOOKING},
    _H.FETCH_FAILED: {_S.FETCHING: _S.NO_MODEL},
    _H.SENT: {_S.IDLE: _S.PREPARING},
    _H.SUMMARY_BEGUN: {_S.PREPARING: _S.PREPARING},
    _H.LOAD_SEEN: {_S.PREPARING: _S.LOADING, _S.LOADING: _S.LOADING},
    _H.PREFILL_SEEN: {
        _S.PREPARING: _S.READING,
        _S.LOADING: _S.READING,
        _S.READING: _S.READING,
    },
    _H.TEXT_SEEN: {
        _S.PREPARING: _S.ANSWERING,
        _S.LOADING: _S.ANSWERING,
        _S.READING: _S.ANSWERING,
        _S.ANSWERING: _S.ANSWERING,
    },
    _H.RETRIED: dict.fromkeys(_STOPPABLE, _S.PREPARING),
    _H.STOP_ASKED: dict.fromkeys(_STOPPABLE, _S.STOPPING),
    _H.ENDED: dict.fromkeys(BUSY, _S.IDLE),
    _H.CLOSED: dict.fromkeys(TurnState, _S.CLOSING),
}

ALLOWED: Final[dict[Action, frozenset[TurnState]]] = {
    Action.TYPE: frozenset(TurnState) - {_S.CLOSING},
    Action.SEND: frozenset({_S.IDLE}),
    Action.STOP: _STOPPABLE,
    Action.RESUME: frozenset({_S.IDLE}),
    Action.CHOOSE_MODEL: frozenset({_S.IDLE}),
    Action.NEW_CHAT: frozenset(TurnState) - {_S.CLOSING},
    Action.FETCH_STARTER: frozenset({_S.NO_MODEL}),
    Action.STOP_FETCHING: frozenset({_S.FETCHING}),
}


def after(state: TurnState, happening: Happening) -> TurnState:
    """Returns the state that follows; the same one where the happening means nothing."""
    return TRANSITIONS[happening].get(state, state)


def allows(state: TurnState, action: Action) -> bool:
    """Whether ``action`` can be taken in ``state``."""
    return state in ALLOWED[action]
