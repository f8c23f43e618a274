"""From a translator and a sentence to the record of its search."""

import torch

from headscope.analysis.capture.attention import source_tokens
from headscope.analysis.search.record import SearchRecord
from headscope.model.errors import HeadscopeError
from headscope.model.search.constraints import FREE, Constraints
from headscope.model.search.sampling import sample as draw
from headscope.model.search.settings import Sampling, SearchSettings, quoted
from headscope.model.search.trace import SearchTrace
from headscope.model.search.words import words_of
from headscope.model.text.vocabulary import Vocabulary
from headscope.model.translator import MAX_SOURCE_PIECES, Translator

DRAWN_ALTERNATIVES = 8


def search_record(
    translator: Translator,
    text: str,
    *,
    settings: SearchSettings | None = None,
    sampling: Sampling | None = None,
    constraints: Constraints = FREE,
    alternatives: int | None = None,
    max_source_pieces: int = MAX_SOURCE_PIECES,
) -> SearchRecord:
    """Search a sentence's translation, or draw some with `sampling`, and keep all of it in words.

    The arguments are those of `Translator.search` and `sample`; so is what it raises.
    """
    settings = settings or translator.settings
    options = {"settings": settings, "constraints": constraints, "max_source_pieces": max_source_pieces}
    if sampling is None:
        trace = translator.search(text, alternatives=alternatives, **options)
    else:
        trace = sample(translator, text, sampling, alternatives=alternatives or DRAWN_ALTERNATIVES, **options)
    source = translator.source(text, max_source_pieces)
    return SearchRecord(
        checkpoint=translator.card.name,
        source=source_tokens(translator, source),
        trace=trace,
        settings=settings,
        sampling=sampling,
        constraints=translator.constrained(constraints, translator.longest(source, settings)),
        end=translator.vocabulary.end,
        pieces=_spellings(trace, translator.vocabulary),
        live_texts=_live_texts(trace, translator.vocabulary),
        texts=tuple(translator.vocabulary.decode(h.pieces, "target") for h in trace.hypotheses),
    )


@torch.inference_mode()
def sample(
    translator: Translator,
    text: str,
    sampling: Sampling,
    *,
    settings: SearchSettings | None = None,
    constraints: Constraints = FREE,
    alternatives: int = 0,
    max_source_pieces: int = MAX_SOURCE_PIECES,
) -> SearchTrace:
    """Draw translations of a sentence at random.

    Args:
        settings: its length limits, the length penalty of scores and words that no translation may contain; the beam
            has no meaning here.
        constraints: what the translations must and may not be.
        alternatives: next pieces of every sample that the trace remembers.

    Raises:
        HeadscopeError: the sentence is blank or too long, or the constraints cannot be met; words that must appear are
            asked for.
    """
    settings = settings or translator.settings
    if settings.must_contain:
        raise HeadscopeError(
            f"samples are drawn piece by piece, and cannot be made to contain {quoted(settings.must_contain)}: "
            "leave that out, or search"
        )
    source = translator.source(text, max_source_pieces)
    longest = translator.longest(source, settings)
    constraints = translator.constrained(constraints, longest)
    words = words_of(translator.vocabulary, settings)
    if words:
        words.require_possible(constraints.prefix)
    return draw(
        translator.stepper([source], constraints),
        start=translator.vocabulary.start,
        end=translator.vocabulary.end,
        longest=longest,
        sampling=sampling,
        penalty=settings.penalty,
        constraints=constraints,
        words=words,
        alternatives=alternatives,
    )


def _spellings(trace: SearchTrace, vocabulary: Vocabulary) -> dict[int, str]:
    used = {c.piece for step in trace.steps for c in step.candidates}
    used |= {piece for step in trace.steps for known in step.predictions for piece in known.pieces}
    return {index: vocabulary.piece(index, "target") for index in sorted(used)}


def _live_texts(trace: SearchTrace, vocabulary: Vocabulary) -> tuple[tuple[str, ...], ...]:
    paths: list[tuple[int, ...]] = [()]
    found = []
    for step in trace.steps:
        found.append(tuple(vocabulary.decode(path, "target") for path in paths))
        paths = [(*paths[c.parent], c.piece) for c in step.kept]
    return tuple(found)
