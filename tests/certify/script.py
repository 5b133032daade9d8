"""A scripted model that passes every check, and what breaks it."""

from app.certify.checks import (
    COUNT_QUESTION,
    ECHO_LINE,
    KNOWN_ANSWERS,
    LONG_QUESTION,
    MARKER,
    UNICODE_LINE,
)
from app.engine.spec import LoadSpec, Protocols, ScriptedRuntime

PLAIN = Protocols()
STORY = (
    "Mara had kept the light for thirty years. After the storm the sand was full of glass and"
    " rope, and between two stones there lay green glass with paper inside. Somebody far away"
    " asked whether anyone was out there. She read it twice, went up the stairs, and wrote a"
    " reply that was longer than any entry of her log. In the morning the tide took it along,"
    " and she waited, as she had always done, only now for something."
)
REPLIES = (
    (ECHO_LINE, ECHO_LINE),
    (UNICODE_LINE, UNICODE_LINE),
    (COUNT_QUESTION, "1, 2, 3, 4, 5, 6, 7, 8, 9"),
    ("number of the red boat?", f"It is {MARKER}."),
    (LONG_QUESTION, STORY),
    *((question, f"It is {accepted[0]}.") for question, accepted in KNOWN_ANSWERS),
)


def scripted_model(
    fault: str | None = None,
    *,
    replies: tuple[tuple[str, str], ...] = REPLIES,
    cache: str | None = None,
    protocols: Protocols = PLAIN,
    context_tokens: int = 6000,
    token_s: float = 0.0,
    prefill_token_s: float = 0.0,
) -> LoadSpec:
    return LoadSpec(
        model_name="scripted",
        model_path="",
        model_digest="d" * 64,
        profile_digest="p" * 64,
        context_tokens=context_tokens,
        protocols=protocols,
        runtime=ScriptedRuntime(
            replies=replies,
            answer="I have nothing to say.",
            fault=fault,
            compiled_cache_dir=cache,
            token_s=token_s,
            prefill_token_s=prefill_token_s,
        ),
    )
