"""Search a corpus in many ways: the larger beam, the greedy one, the exact one; and the sentences that show the
difference best."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sacrebleu import CHRF

from headscope.analysis.capture.pairs import corpus_pairs
from headscope.analysis.corpus.evaluation import Score, evaluate
from headscope.analysis.corpus.texts import Texts
from headscope.analysis.search.exact import exact_search
from headscope.analysis.search.study import (
    Found,
    GreedyAndBeam,
    Lesson,
    Measured,
    Modes,
    Point,
    SearchStudy,
    Worked,
)
from headscope.model.data.parallel_text import Pair
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress, Share, Silent
from headscope.model.search.exact import Budget
from headscope.model.search.settings import SearchSettings
from headscope.model.translator import Translation, Translator

BEAMS = (1, 2, 4, 8, 16, 32, 64)
SENTENCES, EXACT, NODES = 500, 500, 2000
"""Sentences that a study should be taken from, how many of them are searched exactly, and hypotheses of each that are
extended."""
EACH = 2
"""Worked examples of every lesson."""
Setting = tuple[int, float]
"""Beam, and alpha of the length penalty."""


@dataclass(frozen=True, slots=True)
class Searched:
    """A corpus, translated in several ways."""

    pairs: Sequence[Pair]
    own: SearchSettings
    """The checkpoint's own way."""
    points: Mapping[Setting, Point]
    translations: Mapping[Setting, Sequence[Translation]]

    @property
    def best(self) -> Setting:
        """The checkpoint's own beam and penalty."""
        return self.own.beam, self.own.penalty.alpha


def search_study(
    translator: Translator,
    texts: Texts,
    *,
    beams: Sequence[int] = BEAMS,
    exact: int = EXACT,
    nodes: int = NODES,
    progress: Progress | None = None,
) -> SearchStudy:
    """Everything that is kept of a checkpoint's searches.

    Args:
        texts: pairs of which a side is blank, or too long for the model, are left out.
        exact: sentences that are searched exactly, the first ones.
        nodes: hypotheses of each that are extended.
        progress: told how many translations and exact searches are done.

    Raises:
        HeadscopeError: no pair is left.
        Cancelled: `progress` wants it to stop.
    """
    pairs = [(pair.source.text, pair.target.text) for pair in corpus_pairs(translator, texts.pairs)]
    if not pairs:
        raise HeadscopeError(f"none of the {len(texts.pairs):,} sentence pairs can be read by this model: give others")
    progress, before = progress or Silent(), len(_ways(translator.settings, beams)) * len(pairs)
    total = before + min(exact, len(pairs))
    searched = search_corpus(translator, pairs, beams=beams, progress=Share(progress, 0, total))
    return SearchStudy(
        weights=translator.weights_digest,
        data=texts.origin,
        licence=texts.licence,
        attribution=texts.attribution,
        sentences=len(pairs),
        points=tuple(searched.points.values()),
        greedy=greedy_and_beam(searched),
        modes=modes(translator, pairs[:exact], nodes=nodes, progress=Share(progress, before, total)),
        examples=tuple(worked_examples(searched)),
    )


def search_corpus(
    translator: Translator, pairs: Sequence[Pair], *, beams: Sequence[int] = BEAMS, progress: Progress | None = None
) -> Searched:
    """Translate a corpus with every beam (and the checkpoint's own), with its own length penalty and without any.

    Args:
        progress: told how many translations are done.

    Raises:
        HeadscopeError: there are no pairs, or one cannot be translated.
    """
    own = translator.settings
    settings = _ways(own, beams)
    points, translations = {}, {}
    for done, (beam, alpha) in enumerate(settings):
        found = evaluate(
            translator,
            pairs,
            settings=own.override(beam=beam, alpha=alpha),
            progress=Share(progress or Silent(), done * len(pairs), len(settings) * len(pairs)),
        )
        for translation in found.translations:
            if translation.problem or not translation.hypotheses:
                raise HeadscopeError(f"'{translation.source.text}': {translation.problem or 'it is blank'}")
        best = [translation.hypotheses[0] for translation in found.translations]
        translations[beam, alpha] = found.translations
        points[beam, alpha] = Point(
            beam=beam,
            alpha=alpha,
            bleu=measured(found.bleu),
            chrf=measured(found.chrf),
            length_ratio=round(found.length_ratio, 4),
            log_prob=round(sum(h.total for h in best) / len(best), 4),
            empty=sum(h.finished and not h.pieces for h in best),
            cut_off=sum(not h.finished for h in best),
        )
    return Searched(pairs, own, points, translations)


def _ways(own: SearchSettings, beams: Sequence[int]) -> list[Setting]:
    return [(beam, alpha) for beam in sorted({1, own.beam, *beams}) for alpha in sorted({0.0, own.penalty.alpha})]


def measured(score: Score) -> Measured:
    """A corpus score as it is kept."""
    interval = None if score.interval is None else round(score.interval, 3)
    return Measured(value=round(score.value, 3), interval=interval, signature=score.signature)


def greedy_and_beam(searched: Searched) -> GreedyAndBeam:
    """Compare greedy search with the checkpoint's own beam, both with its own penalty."""
    ours, theirs = (searched.translations[beam, searched.own.penalty.alpha] for beam in (1, searched.own.beam))
    right = [
        (greedy.text == reference, beam.text == reference)
        for greedy, beam, (_, reference) in zip(ours, theirs, searched.pairs, strict=True)
    ]
    bests = [(greedy.hypotheses[0], beam.hypotheses[0]) for greedy, beam in zip(ours, theirs, strict=True)]
    return GreedyAndBeam(
        beam=searched.own.beam,
        both=right.count((True, True)),
        beam_alone=right.count((False, True)),
        greedy_alone=right.count((True, False)),
        neither=right.count((False, False)),
        less_probable=sum(greedy.pieces != beam.pieces and greedy.total < beam.total for greedy, beam in bests),
    )


def modes(
    translator: Translator, pairs: Sequence[Pair], *, nodes: int = NODES, progress: Progress | None = None
) -> Modes:
    """Search every sentence exactly, within a budget of hypotheses each.

    Args:
        progress: told how many sentences are done.
    """
    progress = progress or Silent()
    found = []
    for done, (source, _) in enumerate(pairs):
        progress.update(done, len(pairs))
        found.append(exact_search(translator, source, budget=Budget(nodes=nodes)))
    progress.update(len(pairs), len(pairs))
    proven = [each for each in found if each.result.proven]
    return Modes(
        budget=nodes,
        sentences=len(pairs),
        proven=len(proven),
        empty=sum(each.empty_is_mode for each in proven),
        beam_found=sum(
            each.result.best is not None and each.beam.finished and each.result.best.pieces == each.beam.pieces
            for each in proven
        ),
    )


def worked_examples(searched: Searched, *, each: int = EACH) -> list[Worked]:
    """The sentences that show each lesson best: those in which chrF differs most, each source once a lesson."""
    beam, alpha = searched.best
    largest = max(b for b, _ in searched.points)

    def right_by_beam(a: Found, b: Found, reference: str) -> bool:
        return a.text != reference and b.text == reference

    def shorter_and_worse(a: Found, b: Found, reference: str) -> bool:
        return b.pieces < a.pieces and b.log_prob > a.log_prob and b.chrf < a.chrf

    def flipped(a: Found, b: Found, reference: str) -> bool:
        return a.text != b.text and b.chrf > a.chrf

    lessons: list[tuple[Lesson, Setting, Setting, Callable[[Found, Found, str], bool]]] = [
        ("greedy", (1, alpha), (beam, alpha), right_by_beam),
        ("large beam", (beam, 0.0), (largest, 0.0), shorter_and_worse),
        ("penalty", (beam, 0.0), (beam, alpha), flipped),
    ]
    chosen = []
    for lesson, a, b, shows in lessons:
        found = [
            Worked(lesson=lesson, source=source, reference=reference, a=ours, b=theirs)
            for index, (source, reference) in enumerate(searched.pairs)
            for ours, theirs in [(_found(searched, a, index), _found(searched, b, index))]
            if shows(ours, theirs, reference)
        ]
        found.sort(key=lambda worked: -abs(worked.a.chrf - worked.b.chrf))
        chosen += list({worked.source: worked for worked in reversed(found)}.values())[: -each - 1 : -1]
    return chosen


def _found(searched: Searched, setting: Setting, index: int) -> Found:
    translation, (_, reference) = searched.translations[setting][index], searched.pairs[index]
    best = translation.hypotheses[0]
    return Found(
        beam=setting[0],
        alpha=setting[1],
        text=translation.text,
        log_prob=round(best.total, 4),
        score=round(best.score, 4),
        pieces=len(best.log_probs),
        chrf=round(CHRF().sentence_score(translation.text, [reference]).score, 2),
    )
