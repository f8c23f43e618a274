"""What may be said of an example: sentences filled from its numbers, and no more than these show. No torch here."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from headscope.analysis.gallery.questions import QUESTIONS, Question, Unit
from headscope.analysis.gallery.record import Example, Measured, Number, Shown
from headscope.analysis.records.heads import Head
from headscope.model.sites import KIND_NAMES

CONTROLS = {"layer": "other heads of its layer", "model": "another head of the model"}
ELSEWHERE = "from the half that the head was chosen on; on the other half it never failed"
NEVER = "none: it did not fail in any sentence that was looked at."
ALSO = {
    "aer": "As a word aligner, against links made by people in {number} of {gold}, {head} is best: its alignment error "
    "rate is {value}, where 0 % would be perfect; that of the head above {control}.",
    "between": "In the rows between verb and prefix, its largest weight is on the verb in {value}; that of the other "
    "heads of its layer in {control}.",
    "unchanged": "The search finds the same translation without it for {value} of {number}; without another head of "
    "the model, drawn at random, for {control}.",
}


@dataclass(frozen=True, slots=True)
class Wording:
    """The texts of one example: plain text, no Markdown."""

    title: str
    question: str
    figure: str
    """The head's number, and what it is of."""
    beside: str
    """Which head it is, and the number of its control."""
    finding: tuple[str, ...]
    """One paragraph a number."""
    basis: str
    """Over how many sentences, and what else to know."""
    sentence: str
    """The number of the sentence shown."""
    counter: str
    """The number of the counter-example, or that there is none."""


def supported(example: Example) -> bool:
    """Whether the whole interval is on the right side of the question's threshold."""
    asked = QUESTIONS[example.question]
    return asked.met(example.number.high if asked.least else example.number.low, example.control.high)


def wording(example: Example, gold: str) -> Wording:
    """All texts of an example; `gold` is that of its gallery."""
    asked, made = QUESTIONS[example.question], supported(example)
    finding = _fill(asked.finding if made else asked.otherwise, example, asked.unit, head=name(example.head))
    also = [
        _fill(ALSO[key], more, "share", gold=gold, head=name(more.head or example.head))
        for key, more in sorted(example.also.items())
    ]
    halves = (
        f"Numbers from {_count(example.number)} that had no part in the choice of the head; in brackets the 95 % "
        "interval."
    )
    return Wording(
        title=asked.claim if made else asked.denial,
        question=asked.question,
        figure=_tied(f"{_short(example.number, asked.unit)} {asked.measured}"),
        beside=_tied(f"{name(example.head)}; {CONTROLS[asked.control]}: {_short(example.control, asked.unit)}"),
        finding=(finding, *also),
        basis=_tied(" ".join(filter(None, [halves, asked.note]))),
        sentence=_plain(example.sentence, asked),
        counter=_counter(example, asked),
    )


def by_weight(examples: Sequence[Example]) -> list[Example]:
    """Clear findings first, and among them the heads whose number is the largest multiple of their control's; heads
    that do least stand behind those that do most. Then the rest, in the same order.
    """

    def key(example: Example) -> tuple[bool, bool, float]:
        least = QUESTIONS[example.question].least
        more, less = (example.control, example.number) if least else (example.number, example.control)
        return not supported(example), least, -more.value / less.value if less.value > 0 else -math.inf

    return sorted(examples, key=key)


def _counter(example: Example, asked: Question) -> str:
    if example.counter is None:
        return NEVER
    said = _plain(example.counter, asked)
    return said if example.counter.counted else f"{said} ({ELSEWHERE})"


def name(head: Head) -> str:
    """As in "cross-attention 4.1": layer and head count from 1, as on the pages."""
    return f"{KIND_NAMES[head.kind]} {head.layer + 1}.{head.head + 1}"


def _fill(text: str, measured: Measured, unit: Unit, **more: str) -> str:
    value, control = (_interval(number, unit) for number in (measured.number, measured.control))
    filled = text.format(value=value, control=control, number=_count(measured.number), **more)
    return _tied(filled[0].upper() + filled[1:])


def _tied(text: str) -> str:
    """No line begins with a unit."""
    return text.replace(" %", "\u00a0%").replace(" nats", "\u00a0nats")


def _interval(number: Number, unit: Unit) -> str:
    """As in "50.3 % (49.1 to 51.4)"."""
    low, high = _digits(number.low, unit), _digits(number.high, unit)
    return f"{_short(number, unit)} ({low} to {high})"


def _short(number: Number, unit: Unit) -> str:
    return f"{_digits(number.value, unit)}{_sign(unit)}"


def _plain(shown: Shown, asked: Question) -> str:
    if asked.outcomes and shown.value in (0, 1):
        return asked.outcomes[0 if shown.value else 1]
    return _tied(f"{_digits(shown.value, asked.unit)}{_sign(asked.unit)} {asked.measured}")


def _digits(value: float, unit: Unit) -> str:
    if unit == "share":
        return f"{100 * value:.1f}" if 0 < value < 1 else f"{100 * value:.0f}"
    return f"{value:.2f}".replace("-", "−")


def _sign(unit: Unit) -> str:
    return {"share": " %", "nats": " nats", "number": ""}[unit]


def _count(number: Number) -> str:
    return f"{number.sentences:,} sentences"
