"""Finding the examples of a checkpoint: every question is put to every head, on the model's own translations.

`N` sentences, `H` heads of all kinds in the order of `all_heads`.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import numpy as np

from headscope.analysis.attribution.importance import removal_importance
from headscope.analysis.capture.attention import record, records
from headscope.analysis.capture.pairs import SentencePair, batches, found_pair
from headscope.analysis.corpus.texts import Texts
from headscope.analysis.gallery.choice import Answers, best, number, others
from headscope.analysis.gallery.further import alignment_error, between_verb_and_prefix, unchanged
from headscope.analysis.gallery.lexicon import references
from headscope.analysis.gallery.places import FINDERS, Place, referent, shares
from headscope.analysis.gallery.questions import QUESTIONS, Question
from headscope.analysis.gallery.record import Also, Example, Further, Gallery, Shown, as_rows
from headscope.analysis.measures.alignment import Gold
from headscope.analysis.measures.head_measures import MEASURES, head_measures
from headscope.analysis.measures.warnings import mostly_unknown
from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.heads import Head, all_heads
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress, Share, Silent
from headscope.model.search.settings import SearchSettings
from headscope.model.sites import AttentionKind
from headscope.model.translator import Translator

MEASURED, REMOVED = 4_000, 1_000
"""Sentences that measures are taken from, and that heads are taken away in; half of them for the choice."""
TOGETHER = 64
"""Sentences of our own that are read side by side."""
SHORTEST, LONGEST = 6, 12
"""Source words of a sentence that is shown."""


def find_examples(
    translator: Translator,
    texts: Texts,
    *,
    gold: Sequence[Gold] = (),
    gold_name: str = "",
    settings: SearchSettings | None = None,
    measured: int = MEASURED,
    removed: int = REMOVED,
    progress: Progress | None = None,
) -> Gallery:
    """Answer every question that the checkpoint's languages allow, as far as there are sentences for it.

    Args:
        gold: sentence pairs aligned by people, for one further number; `gold_name` says what they are.
        progress: told how many sentences are translated, read again, and read without each head.

    Raises:
        HeadscopeError: none of the sentences can be translated.
        Cancelled: `progress` wants it to stop.
    """
    settings, progress = settings or translator.settings, progress or Silent()
    wanted = defaultdict(set)
    for source, target in texts.pairs:
        wanted[source].add(target)
    # Each source once, and shuffled, so that the first of them are a sample.
    sources = sorted(wanted)
    random.Random(0).shuffle(sources)
    total = 2 * len(sources) + min(removed, len(sources))
    done = translator.translate(sources, settings=settings, progress=Share(progress, 0, total))
    pairs = [found_pair(done) for done in done if done.targets and done.targets[0].ids]
    if not pairs:
        raise HeadscopeError(f"none of the {len(sources):,} sentences can be translated by this model: give others")
    right = {pair.source.text for pair in pairs if pair.target.text in wanted[pair.source.text]}

    answers = _observed(translator, pairs, measured, Share(progress, len(sources), total))
    if _speaks(translator, QUESTIONS["referent"]) and (found := _referents(translator, settings)):
        answers["referent"] = found
    removals = _removals(translator, pairs[:removed], Share(progress, 2 * len(sources), total))
    answers["idle"] = answers["needed"] = removals
    progress.update(total, total)

    def also(name: str, head: Head) -> dict[Also, Further]:
        if name == "twins" and gold:
            return {"aer": alignment_error(translator, head, gold)}
        if name == "prefix":
            return {"between": between_verb_and_prefix(translator, head, answers[name].reported()[0])}
        if QUESTIONS[name].page == "what_if":
            return {"unchanged": unchanged(translator, head, answers[name].reported()[0], settings)}
        return {}

    examples = [
        _example(translator, name, answers[name], right, also)
        for name in QUESTIONS
        if name in answers and answers[name].useful
    ]
    return Gallery(
        weights=translator.weights_digest,
        data=texts.origin,
        licence=texts.licence,
        attribution=texts.attribution,
        gold=gold_name,
        beam=settings.beam,
        length_penalty=settings.penalty.alpha,
        examples=tuple(examples),
    )


def _observed(
    translator: Translator, pairs: Sequence[SentencePair], measured: int, progress: Progress
) -> dict[str, Answers]:
    """The questions that a look at the record answers."""
    sample = {id(pair) for pair in pairs[:measured]}
    heads, rows = all_heads(translator.model), defaultdict(list)
    finders = {name: find for name, find in FINDERS.items() if _speaks(translator, QUESTIONS[name])}
    for batch in batches(pairs, progress=progress):
        for pair, maps in zip(batch, records(translator, batch), strict=True):
            for name, find in finders.items():
                if places := find(maps):
                    rows[name].append((pair, _by_head(maps, QUESTIONS[name].kinds[0], places, heads)))
            if id(pair) in sample:
                values = head_measures(maps).values
                for name in QUESTIONS.keys() & MEASURES.keys():
                    about = [head.kind in QUESTIONS[name].kinds for head in heads]
                    rows[name].append((pair, np.where(about, values[name], np.nan)))
    return {name: Answers.of(found) for name, found in rows.items()}


def _referents(translator: Translator, settings: SearchSettings) -> Answers | None:
    """The sentences of our own; half of their frames for the choice. None: the model cannot read them, as one that
    wants its pieces."""
    done = translator.translate([reference.text for reference in references()], settings=settings)
    read = [
        (reference, translation)
        for reference, translation in zip(references(), done, strict=True)
        if translation.targets and not mostly_unknown(translator, translation.source)
    ]
    if not read:
        return None
    asked = [reference for reference, _ in read]
    pairs = [found_pair(translation) for _, translation in read]
    groups = [pairs[first : first + TOGETHER] for first in range(0, len(pairs), TOGETHER)]
    found = [maps for group in groups for maps in records(translator, group)]
    heads = all_heads(translator.model)
    rows = [
        (pair, _by_head(maps, "encoder", referent(maps, reference), heads))
        for pair, maps, reference in zip(pairs, found, asked, strict=True)
    ]
    return replace(Answers.of(rows), counted=np.array([bool(reference.frame % 2) for reference in asked]))


def _removals(translator: Translator, pairs: Sequence[SentencePair], progress: Progress) -> Answers:
    """Size of the change of the log-probability without each head."""
    rows = []
    for done, pair in enumerate(pairs):
        progress.update(done, len(pairs))
        rows.append((pair, removal_importance(translator, pair).importance))
    return Answers.of(rows)


def _example(
    translator: Translator,
    name: str,
    answers: Answers,
    right: Collection[str],
    also: Callable[[str, Head], dict[Also, Further]],
) -> Example:
    """The head that answers best on one half, its numbers from the other, and two sentences of that."""
    asked, heads = QUESTIONS[name], all_heads(translator.model)
    at = best(answers.values[~answers.counted], least=asked.least)
    own, control = answers.values[:, at], others(answers.values, [_beside(asked, heads[at], head) for head in heads])
    there = np.flatnonzero(~np.isnan(own)).tolist()
    reported = [i for i in there if answers.counted[i]]
    numbers = number(own[reported]), number(control[reported])
    # Best shown are sentences neither short nor long, and translated as in a reference.
    texts = [pair.source.text for pair in answers.pairs]
    usable = [i for i in reported if SHORTEST <= len(texts[i].split()) <= LONGEST]
    well = [i for i in usable if texts[i] in right]
    failing = (
        [i for i in group if not asked.met(float(own[i]), numbers[1].high)] for group in (well, usable, reported, there)
    )
    sign = -1 if asked.least else 1

    def shown(group: Sequence[int], pick: Callable) -> Shown:
        """Of equals, the sentence in which the head stands out most from the others, or lags most."""
        i = pick(group, key=lambda i: (sign * own[i], sign * (own[i] - control[i])))
        found = _shown(translator, heads[at], name, answers.pairs[i], float(own[i]))
        return found.model_copy(update={"counted": bool(answers.counted[i])})

    return Example(
        question=name,
        head=heads[at],
        number=numbers[0],
        control=numbers[1],
        sentence=shown(next(filter(len, (well, usable, reported))), max),
        counter=next((shown(group, min) for group in failing if group), None),
        also=also(name, heads[at]),
    )


def _shown(translator: Translator, head: Head, name: str, pair: SentencePair, value: float) -> Shown:
    maps = record(translator, pair)
    places = FINDERS[name](maps) if name in FINDERS else []
    if name == "referent":
        places = [place for r in references() if r.text == pair.source.text for place in referent(maps, r)]
    return Shown(
        source=pair.source.text,
        target=pair.target.text,
        finished=pair.finished,
        value=round(value, 4),
        map=as_rows(maps.layers(head.kind)[head.layer][head.head]),
        pin=places[0].pin if places else None,
    )


def _beside(asked: Question, chosen: Head, head: Head) -> bool:
    """Whether a head belongs to the control."""
    return head.kind in asked.kinds and head != chosen and (asked.control == "model" or head[:2] == chosen[:2])


def _by_head(maps: AttentionMaps, kind: AttentionKind, places: Sequence[Place], heads: Sequence[Head]) -> np.ndarray:
    """[H]: share of the places, for heads of one kind."""
    values = np.full(len(heads), np.nan)
    values[[head.kind == kind for head in heads]] = np.concatenate(shares(maps, kind, places))
    return values


def _speaks(translator: Translator, asked: Question) -> bool:
    return asked.language in (None, tuple(translator.card.languages))
