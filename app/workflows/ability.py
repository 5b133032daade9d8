"""What a model can do here: only what its profile, the library, the pipeline and the template say.

One no is enough, and the first one to say it is named. What was not seen is not claimed: a model
that isn't loaded has no pipeline yet, and its template was not rendered.
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from app.engine.outcome import BackendReport, SessionReport
from app.engine.spec import Pipeline
from app.engine.template_controls import HEEDS_CHAT, HEEDS_TOOLS, THINKS
from app.models.profile import LlamaProfile, Profile, capabilities


class Ability(StrEnum):
    CHAT = "chat"
    PROMPT = "prompt"
    STREAM = "stream"
    THINKING = "thinking"
    TOOLS = "tools"
    EMBEDDINGS = "embeddings"
    REUSE = "prefix_reuse"


class Voice(StrEnum):
    """Who is asked, in this order."""

    PROFILE = "profile"
    LIBRARY = "library"
    PIPELINE = "pipeline"
    TEMPLATE = "template"


class Judged(Struct, frozen=True, kw_only=True):
    """``denied_by`` is absent where the ability holds."""

    ability: Ability
    denied_by: Voice | None = None

    @property
    def holds(self) -> bool:
        return self.denied_by is None


_ANSWERING: Final = frozenset({Pipeline.PAGED, Pipeline.STATEFUL, "llama", "scripted"})
_PIPELINES: Final = {
    Ability.EMBEDDINGS: frozenset({"embedding"}),
    Ability.REUSE: _ANSWERING - {Pipeline.STATEFUL},
}
_TEMPLATE: Final = {
    Ability.CHAT: HEEDS_CHAT,
    Ability.PROMPT: HEEDS_CHAT,
    Ability.STREAM: HEEDS_CHAT,
    Ability.THINKING: THINKS,
    Ability.TOOLS: HEEDS_TOOLS,
}


def judge(
    profile: Profile, library: BackendReport, session: SessionReport | None
) -> tuple[Judged, ...]:
    """Judges each ability.

    Args:
        profile: what is declared.
        library: whether the backend's native library loads here.
        session: the loaded model; absent means that it isn't loaded.
    """
    allowed = capabilities(profile)
    declared = {
        Ability.CHAT: allowed.chat,
        Ability.PROMPT: allowed.prompt,
        Ability.STREAM: allowed.stream,
        Ability.THINKING: allowed.think,
        Ability.TOOLS: allowed.tools,
        Ability.EMBEDDINGS: allowed.embed,
        Ability.REUSE: isinstance(profile, LlamaProfile) or profile.genai.enable_prefix_caching,
    }

    def denied_by(ability: Ability) -> Voice | None:
        if not declared[ability]:
            return Voice.PROFILE
        if library.error is not None:
            return Voice.LIBRARY
        if session is None or session.pipeline not in _PIPELINES.get(ability, _ANSWERING):
            return Voice.PIPELINE
        wanted = _TEMPLATE.get(ability)
        if wanted is not None and wanted not in session.template:
            return Voice.TEMPLATE
        return None

    return tuple(Judged(ability=one, denied_by=denied_by(one)) for one in Ability)
