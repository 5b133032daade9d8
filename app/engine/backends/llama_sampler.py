"""Chooses the next token, with llama.cpp's own samplers."""

import secrets
from collections.abc import Sequence
from typing import Any, Final

from app.engine.chat import Sampling

# The library takes 32 bits; the largest value would mean "take a random one" to it.
_SEEDS: Final = 0xFFFF_FFFF


def choose_seed(sampling: Sampling) -> int | None:
    """The seed that is asked for, else a random one; none is needed for greedy decoding."""
    if sampling.seed is None and sampling.temperature > 0:
        return secrets.randbelow(_SEEDS)
    return sampling.seed


class Sampler:
    """A chain of samplers for one request.

    The order is that of the models' own settings files and of OpenVINO GenAI, so that a profile's
    values mean the same on each backend: repetition penalty, temperature, top-k, top-p, min-p.

    Args:
        api: the binding's module.
        sampling: the settings.
        seed: see ``choose_seed``.
        prompt: the tokens before the answer, which the repetition penalty counts.
        context_tokens: how far back that penalty looks: over everything.
        token_count: the size of the vocabulary.
    """

    def __init__(
        self,
        api: Any,
        sampling: Sampling,
        seed: int | None,
        prompt: Sequence[int],
        context_tokens: int,
        token_count: int,
    ) -> None:
        self._api = api
        self._chain = api.llama_sampler_chain_init(api.llama_sampler_chain_default_params())
        penalised = sampling.repetition_penalty != 1
        if penalised:
            self._add(
                api.llama_sampler_init_penalties(
                    token_count, context_tokens, sampling.repetition_penalty, 0.0, 0.0
                )
            )
        if sampling.temperature <= 0:
            self._add(api.llama_sampler_init_greedy())
        else:
            self._add_random(sampling, seed)
        if penalised:
            for token in prompt:
                api.llama_sampler_accept(self._chain, token)

    def _add_random(self, sampling: Sampling, seed: int | None) -> None:
        api = self._api
        self._add(api.llama_sampler_init_temp(sampling.temperature))
        if sampling.top_k > 0:
            self._add(api.llama_sampler_init_top_k(sampling.top_k))
        if sampling.top_p < 1:
            self._add(api.llama_sampler_init_top_p(sampling.top_p, 1))
        if sampling.min_p > 0:
            self._add(api.llama_sampler_init_min_p(sampling.min_p, 1))
        self._add(api.llama_sampler_init_dist((seed or 0) % _SEEDS))

    def _add(self, sampler: Any) -> None:
        self._api.llama_sampler_chain_add(self._chain, sampler)

    def sample(self, context: Any) -> int:
        """Returns the next token after the last computed one of the native ``context``."""
        token: int = self._api.llama_sampler_sample(self._chain, context, -1)
        return token

    def constrain(self, grammar: Any) -> None:
        """Lets ``grammar``, a native sampler that is now ours, rule out tokens before all else."""
        api = self._api
        chain = api.llama_sampler_chain_init(api.llama_sampler_chain_default_params())
        api.llama_sampler_chain_add(chain, grammar)
        while api.llama_sampler_chain_n(self._chain) > 0:
            # They are moved with what they remember: the penalties' tokens, the random state.
            moved = api.llama_sampler_chain_remove(self._chain, 0)
            api.llama_sampler_chain_add(chain, moved)
        api.llama_sampler_free(self._chain)
        self._chain = chain

    def release(self) -> None:
        """Takes the grammar away again and frees it."""
        self._api.llama_sampler_free(self._api.llama_sampler_chain_remove(self._chain, 0))

    def close(self) -> None:
        """Frees the chain. Idempotent."""
        chain, self._chain = self._chain, None
        if chain:
            self._api.llama_sampler_free(chain)
