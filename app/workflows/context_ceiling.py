"""The most context that a load may have: what model, profile and a certificate allow together."""

from app.core.errors import UserError
from app.models.library import InstalledModel
from app.models.profile import LlamaProfile, Profile


def context_ceiling(model: InstalledModel, profile: Profile, proven_tokens: int = 0) -> int:
    """What the model was trained for, or what was proven beyond it, as far as the profile allows.

    Args:
        proven_tokens: the context of a certificate beyond the trained one that holds; 0 is none.
            A profile that merely declares more changes nothing.
    """
    limits = [max(model.context_tokens, proven_tokens)]
    if profile.context_length:
        limits.append(profile.context_length)
    if isinstance(profile, LlamaProfile) and profile.runtime.num_ctx:
        limits.append(profile.runtime.num_ctx)
    return min(limits)


def require_declared(model: InstalledModel, profile: Profile, asked: int) -> None:
    """What is measured beyond the trained context has to be declared by the profile first.

    Raises:
        UserError: ``context_not_declared``.
    """
    declared = context_ceiling(model, profile, proven_tokens=asked)
    if asked > model.context_tokens and (declared < asked or not profile.context_length):
        raise UserError(
            "context_not_declared",
            f"{model.name} was trained for {model.context_tokens:,} tokens, and its profile doesn't"
            f" declare {asked:,}.",
            f"Set context_length to {asked} in a profile in the model's folder, {model.folder}, to"
            " measure it; nothing uses it before it passed.",
        )
