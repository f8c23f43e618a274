"""The searches that stand side by side: settings A, settings B, and branches of A. No streamlit here."""

from dataclasses import dataclass, replace

from headscope.analysis.search.comparison import SearchComparison, compare_searches
from headscope.analysis.search.record import SearchRecord
from headscope.app.view.search_state import Other, Place
from headscope.app.view.state import View
from headscope.app.workbench import searches
from headscope.app.workbench.sentences import Sentence
from headscope.app.workbench.workbench import Workbench
from headscope.model.errors import HeadscopeError
from headscope.model.search.constraints import FREE, Constraints
from headscope.model.search.settings import Sampling, SearchSettings, searched
from headscope.model.search.trace import Bound, Candidate, Ending

MINUS = str.maketrans("-", "−")


@dataclass(frozen=True, slots=True)
class Lane:
    """One search among others."""

    name: str
    """As in `app.view.search_state.Place`."""
    title: str
    settings: SearchSettings
    sampling: Sampling | None
    constraints: Constraints
    record: SearchRecord | None
    """None: it cannot be made, as `problem` says."""
    problem: str = ""
    comparison: SearchComparison | None = None
    """With settings A; None: it is that search, or one of both cannot be made."""

    @property
    def how(self) -> str:
        """How it searches, in words."""
        return searched(self.settings, self.sampling)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The candidate that is selected."""

    place: Place
    lane: Lane
    candidate: Candidate
    path: tuple[int, ...]
    """Its pieces, from the first one on."""
    text: str
    """What its hypothesis reads before it."""


def lanes(bench: Workbench, sentence: Sentence, view: View) -> list[Lane]:
    """All searches of a view, made once each; A comes first.

    Raises:
        HeadscopeError: the sentence cannot be searched with settings A.
    """
    search = view.search
    own = settings_a(bench, sentence, view)
    first = searches.search(bench, sentence, settings=own)
    found = [Lane("a", "A", own, None, FREE, first)]
    if search.other is not None:
        theirs = settings_b(bench, sentence, search.other)
        found.append(_lane(bench, sentence, Lane("b", "B", theirs, search.other.sampling, FREE, None), first))
    for number, branch in enumerate(search.branches, 1):
        lane = Lane(str(number), f"What if {number}", own, None, branch, None)
        found.append(_lane(bench, sentence, lane, first))
    return found


def settings_a(bench: Workbench, sentence: Sentence, view: View) -> SearchSettings:
    """The view's beam and length penalty, and what the search page says beyond that."""
    search = view.search
    return searches.search_settings(
        bench,
        sentence,
        kind=search.kind,
        n_best=min(search.n_best, sentence.beam),
        max_length=search.longest,
        must_contain=search.must_contain,
        must_not_contain=search.must_not_contain,
    )


def settings_b(bench: Workbench, sentence: Sentence, other: Other) -> SearchSettings:
    """What B searches with; of samples, the length limit and the penalty of scores."""
    asked = replace(sentence, beam=other.beam, length_penalty=other.length_penalty)
    search = other.method == "search"
    return searches.search_settings(
        bench,
        asked,
        kind=other.kind,
        n_best=min(other.n_best, other.beam) if search else 1,
        max_length=other.longest,
        must_contain=other.must_contain if search else (),
        must_not_contain=other.must_not_contain,
    )


def _lane(bench: Workbench, sentence: Sentence, lane: Lane, first: SearchRecord) -> Lane:
    try:
        record = searches.search(
            bench, sentence, settings=lane.settings, sampling=lane.sampling, constraints=lane.constraints
        )
    except HeadscopeError as error:
        return replace(lane, problem=str(error))
    return replace(lane, record=record, comparison=compare_searches(first.trace, record.trace))


def chosen(found: list[Lane], place: Place | None) -> Chosen | None:
    """The candidate of that place; where there is none, the first one of the winner of A. None: A has no candidates."""
    for lane in found:
        if place and lane.name == place.lane and lane.record and place.step < len(lane.record.trace.steps):
            candidates = lane.record.trace.steps[place.step].candidates
            if place.index < len(candidates):
                return _chosen(lane, lane.record, place)
    first = found[0]
    if first.record is None or not first.record.trace.steps[0].candidates:
        return None
    best = first.record.trace.hypotheses[0].pieces if first.record.trace.hypotheses else ()
    opening = best[0] if best else first.record.end
    pieces = [c.piece for c in first.record.trace.steps[0].candidates]
    return _chosen(first, first.record, Place("a", 0, pieces.index(opening) if opening in pieces else 0))


def _chosen(lane: Lane, record: SearchRecord, place: Place) -> Chosen:
    candidate = record.trace.steps[place.step].candidates[place.index]
    path = record.trace.path(place.step, place.index)
    return Chosen(place, lane, candidate, path, record.live_texts[place.step][candidate.parent])


def difference(lane: Lane, first: Lane) -> str:
    """How a search differs from A, in words. Scores are compared where both have the same length penalty."""
    found, a, b = lane.comparison, first.record, lane.record
    if found is None or a is None or b is None:
        return ""
    if found.step is None and found.piece is None:
        return "the same as A at every step" if lane.sampling is None else "the same as A"
    other = [] if found.step is None else [f"other hypotheses from step {found.step + 1} on"]
    if found.piece is None:
        return " · ".join([*(["the same translation"] if a.texts else []), *other])
    if a.text == b.text and a.texts and b.texts:
        words = [f"the same translation in other pieces, from piece {found.piece + 1} on"]
    else:
        words = [f"another translation, from piece {found.piece + 1} on"] if a.texts and b.texts else []
    words += other
    if found.log_prob_difference is not None:
        words.append(f"log p {found.log_prob_difference:+.3f} against A")
    if found.score_difference is not None and lane.settings.penalty == first.settings.penalty:
        words.append(f"score {found.score_difference:+.3f}")
    return " · ".join(words).translate(MINUS)


def ended(bound: Bound, returned: int) -> str:
    """Why a search ended, in words."""
    if bound.ending is Ending.LENGTH:
        return "Ended at the greatest length."
    if bound.ending is Ending.EXHAUSTED or bound.best_possible is None or bound.worst_returned is None:
        return "Ended: no live hypothesis was left."
    which = "the best finished one" if returned == 1 else f"number {returned} of the finished ones"
    text = f"Ended: no live hypothesis could still reach more than {bound.best_possible:.3f}, and {which} has "
    return f"{text}{bound.worst_returned:.3f}.".translate(MINUS)


def forced(lane: Lane, path: tuple[int, ...]) -> Constraints:
    """What a lane is told, and then to begin with a path; what forbade that path is taken back."""
    forbidden = frozenset(banned for banned in lane.constraints.forbidden if path[: len(banned)] != banned)
    return Constraints(prefix=path, forbidden=forbidden)


def forbade(lane: Lane, path: tuple[int, ...]) -> Constraints:
    """What a lane is told, and then never to begin with a path; a prescription stops where it would."""
    prefix = lane.constraints.prefix
    if prefix[: len(path)] == path:
        prefix = path[:-1]
    return Constraints(prefix=prefix, forbidden=lane.constraints.forbidden | {path})


def written(chosen: Chosen) -> str:
    """What the selected hypothesis reads with its piece, as far as the search went on from it."""
    record, place = chosen.lane.record, chosen.place
    assert record is not None, "a candidate of a search that was not made"
    steps = record.trace.steps
    kept = steps[place.step].kept
    goes_on = chosen.candidate in kept and place.step + 1 < len(steps)
    return record.live_texts[place.step + 1][kept.index(chosen.candidate)] if goes_on else chosen.text
