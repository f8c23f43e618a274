"""What a model does with long sentences, and with short ones at other positions.

Three measurements, for length is not position: loss and translations by length, of sentences as they come and of short
ones joined; loss by the position of the decoder; and loss of short sentences moved as a whole, which changes nothing
but where they stand.
"""

from collections.abc import Sequence

import numpy as np
import torch

from headscope.analysis.capture.forced import forced_batch, log_probs, to_numpy
from headscope.analysis.capture.pairs import SentencePair, corpus_pairs, numbered_batches
from headscope.analysis.interventions.positions import Shifted
from headscope.analysis.positions.decoding import decoded
from headscope.analysis.positions.length_record import (
    AtOffset,
    AtPosition,
    Condition,
    LengthBin,
    LengthStudy,
    Mean,
    Sums,
)
from headscope.analysis.positions.regions import SIDES, training
from headscope.model.data.parallel_text import Pair
from headscope.model.errors import HeadscopeError
from headscope.model.network.probe import Probe
from headscope.model.progress import Progress, Share, Silent
from headscope.model.search.settings import searched
from headscope.model.translator import Translator

Bounds = tuple[int, int]
BINS: tuple[Bounds, ...] = ((1, 8), (9, 12), (13, 16), (17, 24), (25, 32), (33, 64))
OFFSETS = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 248, 256)
MOST = 200
"""Sentences of a bin."""
RESAMPLES = 1000


def length_study(
    translator: Translator,
    texts: Sequence[Pair],
    *,
    bins: Sequence[Bounds] = BINS,
    offsets: Sequence[int] = OFFSETS,
    most: int = MOST,
    seed: int = 0,
    progress: Progress | None = None,
) -> LengthStudy:
    """All that is measured of a checkpoint.

    Args:
        texts: drawn from, at most `most` pairs a bin; those of the first bin are joined and moved. Pairs of which a
            side is blank or too long for the model are left out.
        progress: told how many sentences were translated, of those that are.

    Raises:
        HeadscopeError: no pair is as short as the first bin wants.
        Cancelled: `progress` wants it to stop.
    """
    pairs = corpus_pairs(translator, texts)
    chance = np.random.default_rng(seed)
    natural = {bounds: drawn(within(pairs, bounds), most, chance) for bounds in bins}
    short = within(pairs, bins[0])
    if not short:
        raise HeadscopeError(f"no sentence pair has at most {bins[0][1]} pieces a side: give text with shorter ones")
    joined = {bounds: join(translator, short, bounds, most, chance) for bounds in bins}
    progress, counted = progress or Silent(), sum(map(len, natural.values()))
    total = 2 * (counted + sum(map(len, joined.values())))
    still = drawn(short, most, chance)
    return LengthStudy(
        weights=translator.weights_digest,
        natural=condition(translator, natural, Share(progress, 0, total)),
        joined=condition(translator, joined, Share(progress, 2 * counted, total)),
        shortest=bins[0][1],
        moved=len(still),
        offsets=tuple(at_offsets(translator, still, offsets)),
        search=searched(translator.settings),
    )


def length(pair: SentencePair) -> int:
    """Pieces of the longer side, end of sentence counted."""
    return 1 + max(len(pair.source.ids), len(pair.target.ids))


def within(pairs: Sequence[SentencePair], bounds: Bounds) -> list[SentencePair]:
    """Those of a length in the bounds, both of which are in."""
    return [pair for pair in pairs if bounds[0] <= length(pair) <= bounds[1]]


def drawn(pairs: Sequence[SentencePair], most: int, chance: np.random.Generator) -> list[SentencePair]:
    """At most so many of them, by chance."""
    return [pairs[index] for index in sorted(chance.permutation(len(pairs))[:most].tolist())]


def join(
    translator: Translator, short: Sequence[SentencePair], bounds: Bounds, most: int, chance: np.random.Generator
) -> list[SentencePair]:
    """Short pairs, drawn by chance and joined with blanks until they are as long as a bin wants.

    None for a length that the model cannot read. Where joins keep missing narrow bounds, there are fewer.
    """
    limit = translator.model.config.position_limit
    low, high = bounds[0], bounds[1] if limit is None else min(bounds[1], limit)
    made: list[SentencePair] = []
    for _ in range(4 * most if low <= high else 0):
        if len(made) == most:
            break
        aim, parts, pieces = int(chance.integers(low, high + 1)), [], 0
        while pieces < aim - 1:
            parts.append(short[int(chance.integers(len(short)))])
            pieces += length(parts[-1]) - 1
        sides = (" ".join(part.source.text for part in parts), " ".join(part.target.text for part in parts))
        made += within(corpus_pairs(translator, [sides]), (low, high))
    return made


def condition(
    translator: Translator, by_length: dict[Bounds, list[SentencePair]], progress: Progress | None = None
) -> Condition:
    """Loss and translations by bin, and loss by position over all bins."""
    progress, total = progress or Silent(), 2 * sum(map(len, by_length.values()))
    bins, losses, done = [], [], 0
    for bounds, pairs in by_length.items():
        found = piece_losses(translator, pairs)
        free, to_length = None, None
        if pairs:
            free = decoded(translator, pairs, Share(progress, done, total))
            to_length = decoded(translator, pairs, Share(progress, done + len(pairs), total), exactly=True)
        losses += found
        done += 2 * len(pairs)
        bins.append(
            LengthBin(
                low=bounds[0],
                high=bounds[1],
                sentences=len(pairs),
                loss=mean(found, pairs),
                by_sentence=by_sentence(found, pairs),
                free=free,
                to_length=to_length,
            )
        )
    return Condition(bins=tuple(bins), positions=tuple(by_position(losses)))


def piece_losses(
    translator: Translator, pairs: Sequence[SentencePair], *, probe: Probe | None = None
) -> list[np.ndarray]:
    """−log p of every target piece but the end of sentence, in nats, for each pair: entry t is read off at position t
    of the decoder."""
    found: dict[int, np.ndarray] = {}
    with torch.inference_mode():
        for batch in numbered_batches(pairs):
            forced = forced_batch(translator, [pair for _, pair in batch])
            values = to_numpy(log_probs(translator.model, forced, probe=probe))
            for (index, pair), row in zip(batch, values, strict=True):
                found[index] = -row[: len(pair.target.ids)].astype(float)
    return [found[index] for index in range(len(pairs))]


def mean(losses: Sequence[np.ndarray], pairs: Sequence[SentencePair]) -> Mean | None:
    """Over all pieces, with the interval by bootstrap over distinct sources, for translations of one are no independent
    samples; None where there are none.

    Args:
        pairs: whose losses these are, in the same order.
    """
    if not sum(map(len, losses)):
        return None
    of = np.array(_sources(pairs))
    sums, counts = (np.bincount(of, [float(number(values)) for values in losses]) for number in (np.sum, len))
    half = None
    if len(sums) > 1:
        rows = np.random.default_rng(0).integers(len(sums), size=(RESAMPLES, len(sums)))
        low, high = np.quantile(sums[rows].sum(1) / counts[rows].sum(1).clip(1), [0.025, 0.975])
        half = float(high - low) / 2
    return Mean(value=float(sums.sum() / counts.sum()), interval=half)


def by_sentence(losses: Sequence[np.ndarray], pairs: Sequence[SentencePair]) -> Sums:
    """What `mean` is taken of."""
    return Sums(
        nats=tuple(round(float(values.sum()), 4) for values in losses),
        pieces=tuple(len(values) for values in losses),
        sources=_sources(pairs),
    )


def _sources(pairs: Sequence[SentencePair]) -> tuple[int, ...]:
    """The number of each pair's source among the distinct ones."""
    numbers: dict[str, int] = {}
    return tuple(numbers.setdefault(pair.source.text, len(numbers)) for pair in pairs)


def by_position(losses: Sequence[np.ndarray]) -> list[AtPosition]:
    """Mean over the sentences that reach a position, with 1.96 standard errors; positions that none reaches are left
    out."""
    found = []
    for position in range(max((len(values) for values in losses), default=0)):
        there = np.array([values[position] for values in losses if len(values) > position])
        half = float(1.96 * there.std(ddof=1) / len(there) ** 0.5) if len(there) > 1 else None
        at = Mean(value=float(there.mean()), interval=half)
        found.append(AtPosition(position=position, sentences=len(there), loss=at))
    return found


def at_offsets(translator: Translator, pairs: Sequence[SentencePair], offsets: Sequence[int]) -> list[AtOffset]:
    """Loss of the same sentences at other positions: both sides are moved by as much."""
    sizes = {
        "source": [len(pair.source.ids) + 1 for pair in pairs],
        "target": [len(pair.target.ids) + 1 for pair in pairs],
    }
    longest = max(max(lengths) for lengths in sizes.values())
    regions = training(translator.card, max(offsets) + longest).regions
    limit = translator.model.config.position_limit
    still = piece_losses(translator, pairs)
    found = []
    for offset in offsets:
        places = [regions[side][offset + at] for side in SIDES for size in sizes[side] for at in range(size)]
        shares = {region: places.count(region) / len(places) for region in dict.fromkeys(places)}
        loss = change = None
        there = []
        if limit is None or offset + longest <= limit:
            there = piece_losses(translator, pairs, probe=Shifted(offset))
            moved = [a - b for a, b in zip(there, still, strict=True)]
            loss, change = mean(there, pairs), mean(moved, pairs)
        sums = by_sentence(there, pairs if there else ())
        found.append(AtOffset(offset=offset, regions=shares, loss=loss, by_sentence=sums, change=change))
    return found
