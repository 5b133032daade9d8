"""Three labelled workloads for maintainers: a prompt of a known size and 64 new tokens.

The labels are those under which figures for other machines were published, so that a figure from
here can stand beside one from there. What can't be run is refused with its reason, never left out.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from app.certify.certificate import DepthFigures
from app.certify.measure import ControlPort, Product, Size, measure_depth
from app.core.errors import ContenoxError

LABELS: Final = (("374", 374), ("2,900", 2900), ("11,600", 11600))
NEW_TOKENS: Final = 64

_SERIES: Final = 70_000


class Workload(Struct, frozen=True, kw_only=True):
    """Either ``figures`` or a ``refusal``."""

    label: str
    prompt_tokens: int
    new_tokens: int = NEW_TOKENS
    figures: DepthFigures | None = None
    refusal: str = ""


def run_workloads(
    product: Product, control: ControlPort | None, context_tokens: int, pairs: int
) -> Iterator[Workload]:
    """Measures each workload, product and bare library in turn, or says why not.

    Args:
        context_tokens: what the model is loaded with.
        pairs: how often each is run.
    """
    for index, (label, tokens) in enumerate(LABELS):
        needed = tokens + NEW_TOKENS
        if needed > context_tokens:
            yield Workload(
                label=label,
                prompt_tokens=tokens,
                refusal=f"{needed:,} tokens are needed, and the context has {context_tokens:,}",
            )
            continue
        size = Size(prompt_tokens=tokens, runs=pairs, decode_tokens=NEW_TOKENS)
        try:
            figures = measure_depth(product, control, size, _SERIES + 100 * index)
        except ContenoxError as error:
            refusal = f"{error.message} [{error.code}]"
            yield Workload(label=label, prompt_tokens=tokens, refusal=refusal)
        else:
            yield Workload(label=label, prompt_tokens=figures.prompt_tokens, figures=figures)
