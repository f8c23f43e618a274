"""What is in a text before anything is trained on it: how much, how long, what is doubled, what is wrong. No torch."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from headscope.model.data.parallel_text import Pair, ParallelText
from headscope.model.data.prepared import PreparedData
from headscope.model.data.splits import normalised
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress, Silent

FIRST = 5
"""Pairs that are shown."""
BINS = (1, 2, 4, 6, 8, 11, 16, 24, 40, 80)
"""Least numbers of words of the bars of the histogram."""
LEAST_DEV = 20
"""Development lines below which the loss on them says little."""
UNEQUAL = 3.0
"""Sides of which one has so many times the words of the other, and more than `FEW`, may be no translations."""
FEW = 10


@dataclass(frozen=True, slots=True)
class TextReport:
    """A prepared text, looked through."""

    name: str
    languages: tuple[str, str]
    pairs: Mapping[str, int]
    """By part."""
    first: tuple[Pair, ...]
    """Of the training text."""
    lengths: tuple[tuple[int, ...], tuple[int, ...]]
    """Training sentences of source and target by their words, as many bars as `BINS`."""
    longest: tuple[int, int]
    """Words of the longest training sentence on either side."""
    characters: float
    """Of a training sentence, on average over both sides."""
    doubled: int
    """Training pairs that stand there before, after NFKC, case folding and collapsing of blanks."""
    overlaps: Mapping[str, int]
    """Training pairs of which a side stands on the same side of another part, by that part."""
    problems: tuple[str, ...]
    """What is wrong, a line each."""
    usable: bool
    """Whether anything can be trained on it."""


def inspect_text(data: PreparedData, *, progress: Progress | None = None) -> TextReport:
    """Look through all parts of a prepared text. Nothing is raised for what is wrong with it: the report says it.

    Raises:
        Cancelled: `progress` wants it to stop.
    """
    progress = progress or Silent()
    texts, problems = dict[str, ParallelText](), list[str]()
    for number, part in enumerate(data.parts):
        progress.update(number, len(data.parts) + 1)
        try:
            texts[part] = data.read(part, skip_bad_lines=True)
        except HeadscopeError as error:
            problems.append(f"{part}: {error}")
    for part, text in texts.items():
        problems += _left_out(part, text)
        if not text.pairs:
            problems.append(f"{part}: there is no pair in it")
    progress.update(len(data.parts), len(data.parts) + 1)
    pairs = {part: text.pairs for part, text in texts.items()}
    train = pairs.get("train", ())
    known = [(normalised(source), normalised(target)) for source, target in train]
    overlaps = {part: _shared(known, others) for part, others in pairs.items() if part != "train"}
    doubled = len(known) - len(set(known))
    words = [(len(source.split()), len(target.split())) for source, target in train]
    problems += _remarks(pairs, words, doubled, overlaps)
    progress.update(len(data.parts) + 1, len(data.parts) + 1)
    return TextReport(
        name=data.name,
        languages=(data.source, data.target),
        pairs={part: len(found) for part, found in pairs.items()},
        first=tuple(train[:FIRST]),
        lengths=(_histogram(count for count, _ in words), _histogram(count for _, count in words)),
        longest=(max((count for count, _ in words), default=0), max((count for _, count in words), default=0)),
        characters=sum(len(source) + len(target) for source, target in train) / max(1, 2 * len(train)),
        doubled=doubled,
        overlaps=overlaps,
        problems=tuple(problems),
        usable=bool(train and pairs.get("dev")),
    )


def _left_out(part: str, text: ParallelText) -> list[str]:
    """Lines that cannot be used, by reason, with the first of each."""
    first = {reason: number for number, reason in reversed([*text.left_out.items()])}
    return [
        f"{part}: {_count(count, 'line')} cannot be used ({reason}; the first is line {first[reason]:,})"
        for reason, count in text.skipped.items()
    ]


def _remarks(
    pairs: Mapping[str, Sequence[Pair]], words: Sequence[tuple[int, int]], doubled: int, overlaps: Mapping[str, int]
) -> list[str]:
    found = []
    if doubled:
        found.append(f"train: {_count(doubled, 'pair')} occurring more than once")
    found += [
        f"train: {_count(count, 'pair')} sharing a side with {part}: scores there come out too high"
        for part, count in overlaps.items()
        if count
    ]
    if 0 < len(pairs.get("dev", ())) < LEAST_DEV:
        found.append(f"dev: {_count(len(pairs['dev']), 'line')} only: the loss on them says little")
    unequal = sum(max(sides) > FEW and max(sides) > UNEQUAL * min(sides) for sides in words)
    if unequal:
        found.append(f"train: {_count(unequal, 'pair')} with {UNEQUAL:.0f} times the words on one side")
    same = sum(source == target for source, target in pairs.get("train", ()))
    if same:
        found.append(f"train: {_count(same, 'pair')} with the same text on both sides")
    return found


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _shared(known: Sequence[Pair], others: Iterable[Pair]) -> int:
    sources, targets = set[str](), set[str]()
    for source, target in others:
        sources.add(normalised(source))
        targets.add(normalised(target))
    return sum(source in sources or target in targets for source, target in known)


def _histogram(counts: Iterable[int]) -> tuple[int, ...]:
    found = Counter(counts)
    ends = (*BINS[1:], None)
    return tuple(
        sum(times for count, times in found.items() if count >= least and (end is None or count < end))
        for least, end in zip(BINS, ends, strict=True)
    )
