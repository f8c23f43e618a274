"""Exact search: which translation is the most probable, whatever beam search finds (Stahlberg & Byrne 2019)."""

from dataclasses import dataclass, replace

import torch

from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress
from headscope.model.search.constraints import FREE
from headscope.model.search.exact import Budget, ExactResult, most_probable
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings, nothing_found
from headscope.model.search.trace import Hypothesis
from headscope.model.search.words import words_of
from headscope.model.translator import MAX_SOURCE_PIECES, Translator


@dataclass(frozen=True, slots=True)
class ExactSearch:
    """The most probable translation beside the one that beam search gives."""

    source: str
    result: ExactResult
    text: str | None
    """Of the most probable translation; None: none that ends was found."""
    beam: Hypothesis
    """What beam search gives, with its length penalty."""
    beam_text: str
    settings: SearchSettings
    """Of beam search."""
    budget: Budget

    @property
    def empty_is_mode(self) -> bool:
        """Whether the model finds no translation more probable than none at all."""
        return self.result.proven and self.result.best is not None and self.result.best.total == self.result.empty

    @property
    def verdict(self) -> str:
        """What is known, in words."""
        if not self.result.proven:
            return f"not proven within the budget ({self.result.nodes:,} hypotheses extended)"
        if self.result.best is None:
            return "proven: no translation ends within the greatest length"
        if self.empty_is_mode:
            return "proven: the empty translation is the most probable one"
        if self.result.best.pieces == self.beam.pieces:
            return "proven: beam search has found the most probable translation"
        return "proven: the most probable translation, and beam search gives another"


@torch.inference_mode()
def exact_search(
    translator: Translator,
    text: str,
    *,
    settings: SearchSettings | None = None,
    budget: Budget | None = None,
    max_source_pieces: int = MAX_SOURCE_PIECES,
    progress: Progress | None = None,
) -> ExactSearch:
    """Find the most probable translation of a sentence, and prove it, if the budget allows.

    It starts from what beam search without a length penalty finds, which rules out most of all others at once.

    Args:
        settings: of the beam search that it is compared with; its length limits and its words hold for both.

    Raises:
        HeadscopeError: the sentence is blank or too long, or beam search finds no translation with the words.
    """
    settings, budget = settings or translator.settings, budget or Budget()
    vocabulary = translator.vocabulary
    source = translator.source(text, max_source_pieces)
    longest = translator.longest(source, settings)
    plain = replace(settings, penalty=LengthPenalty(0.0), n_best=1)
    found = [
        translator.search(text, settings=each, alternatives=0, max_source_pieces=max_source_pieces).hypotheses
        for each in (settings, plain)
    ]
    if not all(found):
        raise HeadscopeError(nothing_found(settings))
    beam, known = (hypotheses[0] for hypotheses in found)
    result = most_probable(
        translator.stepper([source], translator.constrained(FREE, longest)),
        start=vocabulary.start,
        end=vocabulary.end,
        longest=longest,
        opening=len(vocabulary.prefix),
        known=known if known.finished else None,
        words=words_of(vocabulary, settings),
        budget=budget,
        progress=progress,
    )
    best = None if result.best is None else vocabulary.decode(result.best.pieces, "target")
    return ExactSearch(text, result, best, beam, vocabulary.decode(beam.pieces, "target"), settings, budget)
