"""The three cards of a first start."""

from app.desktop.models.picks import choose_cards
from app.desktop.models.ports import ModelRow, Source, Verdict
from app.models.catalog import load_catalog
from tests.desktop.models.shelf_double import CODER, GB, HUGE, LARGE, ROWS, SMALL, STARTER, fit, row


def test_the_starter_is_always_there_and_first() -> None:
    assert choose_cards(ROWS) == (STARTER, SMALL, LARGE)
    assert choose_cards((HUGE, STARTER, CODER)) == (STARTER,)


def test_what_does_not_fit_well_or_is_restricted_is_not_recommended() -> None:
    tight = row("tight", fit=fit(Verdict.TIGHT))
    unknown = row("unknown", fit=fit(Verdict.UNKNOWN))
    restricted = row("restricted", is_permissive=False)
    mine = row("mine", source=Source.IMPORT)
    endless = row("endless", size_bytes=12 * GB)
    assert choose_cards((STARTER, tight, unknown, restricted, mine, endless)) == (STARTER,)


def test_a_model_is_offered_once_in_the_variant_that_runs_best() -> None:
    gguf = row("small-chat", "gguf", size_bytes=GB, parameters=SMALL.parameters)
    assert choose_cards((gguf, SMALL, STARTER)) == (STARTER, SMALL)


def test_of_two_as_large_ones_openvino_is_the_better() -> None:
    gguf = row("other-8b", "gguf", size_bytes=5 * GB + 1, parameters=8_100_000_000)
    assert choose_cards((STARTER, SMALL, gguf, LARGE))[-1] == LARGE


def test_the_real_list_gives_three() -> None:
    rows = tuple(
        ModelRow(
            model=model.name,
            variant=variant.name,
            title=model.title,
            backend=variant.backend.value,
            size_bytes=variant.size_bytes,
            use=model.use.value,
            parameters=model.parameters,
            is_permissive=model.licence.kind == "permissive",
            trust=variant.trust.value,
            source=Source.STARTER if variant.origin == "starter" else Source.HUB,
            fit=fit(Verdict.FITS),
        )
        for model, variant in load_catalog().rows()
    )
    names = [card.model for card in choose_cards(rows)]
    assert names == ["smollm2-135m-instruct", "qwen2.5-1.5b-instruct", "qwen3-8b"]
