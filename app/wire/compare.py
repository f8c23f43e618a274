"""A translation before and after an intervention: the words that changed, and the log-probability of every token."""

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import numpy as np

from headscope.analysis.records.labels import Label, direction, labels
from headscope.app.wire.encoding import number

if TYPE_CHECKING:
    from headscope.analysis.attribution.importance import HeadImportance
    from headscope.analysis.interventions.effects import WhatIf


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a translation."""

    text: str
    changed: bool


@dataclass(frozen=True, slots=True)
class Change:
    """What became of the log-probability of a token, in nats."""

    label: Label
    change: float


@dataclass(frozen=True, slots=True)
class Compare:
    """What the component gets."""

    names: tuple[str, str]
    """What tells the two apart."""
    before: tuple[Word, ...]
    after: tuple[Word, ...]
    cut_off: tuple[bool, bool]
    """Which of both, before and after, ends without the end of sentence, for its search did."""
    changes: tuple[Change, ...]
    most: float
    """Change, without its sign, at which a bar has its full width."""
    scale: str
    """That, in words."""
    direction: str
    """Of the text: ltr or rtl."""
    facts: str


def compare(
    found: "WhatIf",
    names: tuple[str, str] = ("With all heads", "Without"),
    *,
    importance: "HeadImportance | None" = None,
) -> Compare:
    """Both translations of an intervention.

    Args:
        names: what the first translation and the second one are called.
        importance: of every head for the first translation, by which bars keep their scale whatever is taken away;
            None: they are as wide as the changes in sight.
    """
    before, after = (translation.text.split() for translation in (found.before, found.after))
    kept = SequenceMatcher(a=before, b=after, autojunk=False).get_matching_blocks()
    same_before = {block.a + at for block in kept for at in range(block.size)}
    same_after = {block.b + at for block in kept for at in range(block.size)}
    effect = found.effect
    was, now = (float(side.sum(dtype=float)) for side in (effect.before, effect.after))
    as_it_is, changed = (name[0].lower() + name[1:] for name in names)
    facts = f"The first translation: log p {was:.2f} nats {as_it_is}, {now:.2f} {changed} ({effect.total:+.2f}). "
    facts += (
        "The search finds it again."
        if found.before.text == found.after.text
        else f"The second: log p {found.after.hypotheses[0].total:.2f} nats {changed}."
    )
    kept = None if importance is None or importance.by_token is None else np.abs(importance.by_token)
    changes = [round(change, 4) for change in effect.change.tolist()]
    most = float(max(map(abs, changes), default=0.0) if kept is None else kept.max())
    return Compare(
        names=names,
        before=tuple(Word(word, at not in same_before) for at, word in enumerate(before)),
        after=tuple(Word(word, at not in same_after) for at, word in enumerate(after)),
        cut_off=(not found.before.finished, not found.after.finished),
        changes=tuple(Change(*pair) for pair in zip(labels(effect.predicts), changes, strict=True)),
        most=most,
        scale=f"A bar of full width is a change of {number(most)} nats, "
        + ("the largest in sight." if kept is None else "the largest that any one head makes; longer ones end in ›."),
        direction=direction(found.before.text),
        facts=facts.replace("-", "−"),
    )
