"""How well invented and omitted passages are found: pairs that are made wrong in a known way, beside right ones.

Two sentence pairs are joined into one, in either order, which is right. Then

    invented        the source has one of the two sentences, the translation both
    omitted         the source has both, the translation one

so it is known of every piece whether it is wrong. Of a single pair, against itself unchanged,

    other source      the source is that of another pair
    source words lost one to three words in a row are taken out of the source: the translation invents them
    target words lost one to three words in a row are taken out of the translation

and further pairs may be given of which one translation is right and one leaves something out.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from headscope.analysis.capture.pairs import SentencePair
from headscope.analysis.corpus.passages import Fault, Support, passage_support
from headscope.analysis.corpus.roc import Roc, roc
from headscope.analysis.records.attention_maps import Tokens
from headscope.analysis.records.table import Table
from headscope.model.data.parallel_text import Pair
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress, Silent
from headscope.model.translator import Translator

if TYPE_CHECKING:
    from pandas import DataFrame

WORDS = 4, 12
"""Of the sentences that are joined and changed, on either side."""
LOST = 3
"""Words that are taken out, at most."""
SUSPICION = "suspicion"
"""The combined score, beside those that it is made of."""


class Omission(NamedTuple):
    """A source with a right translation, and one that leaves something out."""

    source: str
    right: str
    wrong: str


@dataclass(frozen=True, slots=True)
class Found:
    """How well one score tells wrong from right. Scores of suspicion: high where something is wrong."""

    condition: str
    of: str
    """Which items are told apart: pieces, or pairs."""
    fault: Fault | Literal["either"]
    """The side that is looked at: the translation for what is invented, the source for what is omitted."""
    score: str
    roc: Roc


@dataclass(frozen=True, slots=True, eq=False)
class PassageTrial(Table):
    """All of a trial."""

    pairs: int
    found: tuple[Found, ...]
    fall: tuple[float, float, float]
    """Mean source share (ALTI+) of the pieces of one sentence with their source, without it, and what it falls by in
    the same pieces."""

    def to_pandas(self) -> "DataFrame":
        """One row a score: condition, of, fault, score, auc, low, high, positives, negatives."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"condition": each.condition, "of": each.of, "fault": each.fault, "score": each.score}
                | {"auc": each.roc.area, "low": each.roc.low, "high": each.roc.high}
                | {"positives": each.roc.positives, "negatives": each.roc.negatives}
                for each in self.found
            ]
        )

    def curves(self) -> "DataFrame":
        """One row a point: condition, of, fault, score, false_positive, true_positive."""
        import pandas as pd

        return pd.concat(
            [
                pd.DataFrame(
                    {"condition": each.condition, "of": each.of, "fault": each.fault, "score": each.score}
                    | {"false_positive": each.roc.false_positive, "true_positive": each.roc.true_positive}
                )
                for each in self.found
            ],
            ignore_index=True,
        )


class _Item(NamedTuple):
    group: int
    wrong: bool
    support: Support


def passage_trial(
    translator: Translator,
    texts: Sequence[Pair],
    *,
    pairs: int = 100,
    omissions: Sequence[Omission] = (),
    seed: int = 0,
    progress: Progress | None = None,
) -> PassageTrial:
    """Make pairs wrong, and tell them from right ones by every number of `Support`, and by suspicion.

    Args:
        texts: right sentence pairs that the model was not trained on.
        pairs: that are joined by two, and changed by one, at most; twice as many texts are drawn.
        omissions: of these as many at most.
        progress: told how many pairs are read.

    Raises:
        HeadscopeError: there are fewer than four usable texts.
        Cancelled: `progress` wants it to stop.
    """
    chance, progress = random.Random(seed), progress or Silent()
    usable = [pair for pair in texts if all(WORDS[0] <= len(side.split()) <= WORDS[1] for side in pair)]
    chosen = chance.sample(usable, min(2 * pairs, len(usable) // 2 * 2))
    if len(chosen) < 4:
        raise HeadscopeError(f"only {len(usable):,} pairs have {WORDS[0]} to {WORDS[1]} words a side: give more text")
    twos = list(zip(chosen[::2], chosen[1::2], strict=True))
    given = chance.sample(omissions, min(pairs, len(omissions)))
    total, done = 7 * len(twos) + 2 * len(given), 0

    def read(source: str, target: str) -> Support:
        nonlocal done
        progress.update(done, total)
        done += 1
        encode = translator.vocabulary.encode
        return passage_support(translator, SentencePair(encode(source, "source"), encode(target, "target")))

    items: defaultdict[str, list[_Item]] = defaultdict(list)
    pieces: defaultdict[Fault, list[tuple[int, Support, np.ndarray]]] = defaultdict(list)
    falls: list[list[np.ndarray]] = []
    for group, (one, two) in enumerate(twos):
        backwards = chance.random() < 0.5
        source, target = (_joined(*sides, backwards) for sides in zip(one, two, strict=True))
        right, invented, omitted = read(source, target), read(one[0], target), read(source, one[1])
        made: tuple[tuple[Fault, Support, Tokens, str], ...] = (
            ("invented", invented, invented.target, one[1]),
            ("omitted", omitted, omitted.source, one[0]),
        )
        for fault, wrong, side, lone in made:
            items[fault] += [_Item(group, False, right), _Item(group, True, wrong)]
            inside = _beyond(side.text, [token.span for token in side.tokens], lone, backwards)
            pieces[fault].append((group, wrong, inside))
            if fault == "invented":
                falls.append([each.of_target["source share"][inside] for each in (right, wrong)])
        plain = _Item(group, False, read(*one))
        for condition, changed in _changed(one, two, chance):
            items[condition] += [plain, _Item(group, True, read(*changed))]
    for group, (source, right, wrong) in enumerate(given):
        items["given omissions"] += [_Item(group, False, read(source, right)), _Item(group, True, read(source, wrong))]
    progress.update(total, total)
    before, after = (np.concatenate(shares) for shares in zip(*falls, strict=True))
    return PassageTrial(
        pairs=len(twos),
        found=(
            *(each for fault, found in pieces.items() for each in _of_pieces(fault, found)),
            *(each for condition, found in items.items() for each in _of_pairs(condition, found)),
        ),
        fall=(float(before.mean()), float(after.mean()), float((before - after).mean())),
    )


def _joined(one: str, two: str, backwards: bool) -> str:
    return f"{two} {one}" if backwards else f"{one} {two}"


def _beyond(text: str, spans: Sequence[tuple[int, int]], lone: str, backwards: bool) -> np.ndarray:
    """Which pieces of a joined text are not of the lone sentence in it."""
    edge = len(text) - len(lone) if backwards else len(lone)
    middles = np.array([sum(span) / 2 for span in spans])
    return middles < edge if backwards else middles > edge


def _changed(one: Pair, two: Pair, chance: random.Random) -> Iterator[tuple[str, Pair]]:
    yield "other source", (two[0], one[1])
    yield "source words lost", (_shortened(one[0], chance), one[1])
    yield "target words lost", (one[0], _shortened(one[1], chance))


def _shortened(text: str, chance: random.Random) -> str:
    words = text.split()
    count = chance.randint(1, min(LOST, len(words) - 2))
    first = chance.randint(0, len(words) - 1 - count)
    return " ".join(words[:first] + words[first + count :])


def _scores(found: Support, fault: Fault) -> dict[str, np.ndarray]:
    """Of every piece of a side: one minus each number, and the suspicion."""
    signals = found.of_target if fault == "invented" else found.of_source
    return {name: 1 - values for name, values in signals.items()} | {SUSPICION: found.suspicion(fault)}


def _of_pieces(fault: Fault, found: Sequence[tuple[int, Support, np.ndarray]]) -> Iterator[Found]:
    groups = np.concatenate([np.full(len(inside), group) for group, _, inside in found])
    wrong = np.concatenate([inside for _, _, inside in found])
    scores = [_scores(each, fault) for _, each, _ in found]
    for name in scores[0]:
        values = np.concatenate([each[name] for each in scores])
        yield Found(fault, "pieces", fault, name, roc(values, wrong, groups))


def _of_pairs(condition: str, items: Sequence[_Item]) -> Iterator[Found]:
    """By the mean over pieces, on either side, and by the mean of both sides' suspicions."""
    groups, wrong = np.array([item.group for item in items]), np.array([item.wrong for item in items])
    faults: tuple[Fault, Fault] = "invented", "omitted"
    for fault in faults:
        scores = [_scores(item.support, fault) for item in items]
        for name in scores[0]:
            means = np.array([each[name].mean() for each in scores])
            yield Found(condition, "pairs", fault, name, roc(means, wrong, groups))
    both = np.array([[item.support.total(fault) for fault in faults] for item in items]).mean(-1)
    yield Found(condition, "pairs", "either", SUSPICION, roc(both, wrong, groups))
