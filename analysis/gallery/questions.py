"""The questions of the gallery: what is measured of every head, and what may be said of the best. No torch here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from headscope.model.sites import KINDS, AttentionKind

Unit = Literal["share", "nats", "number"]


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    In the texts, `{value}` and `{control}` are numbers with their intervals, and `{head}` is the head's name.
    """

    kinds: tuple[AttentionKind, ...]
    """In which kinds of attention a head is looked for."""
    unit: Unit
    measured: str
    """What the number is, to stand behind it."""
    threshold: float | None
    """The claim is made where the whole interval is above it, or below it where the least is wanted; None: above the
    whole interval of the control."""
    question: str
    claim: str
    """Title where it is made."""
    denial: str
    """Title where it is not."""
    finding: str
    """What is said where the claim is made."""
    otherwise: str
    """What is said where it is not."""
    least: bool = False
    """Whether the head with the smallest number is wanted."""
    control: Literal["layer", "model"] = "layer"
    """The control is the mean over all other heads of the layer, or of the model."""
    page: Literal["head", "what_if"] = "head"
    """Where the example is to be seen."""
    language: tuple[str, str] | None = None
    """The languages it can be asked of; None: any."""
    note: str = ""
    """What else a reader must know."""
    outcomes: tuple[str, str] | None = None
    """What a sentence shows where its number is 1, and where it is 0; None: the number is shown."""

    def met(self, value: float, control: float) -> bool:
        """Whether a value is on the right side of the threshold, or of the control's upper end."""
        threshold = control if self.threshold is None else self.threshold
        return value < threshold if self.least else value > threshold


_ALONG: tuple[AttentionKind, ...] = ("encoder", "decoder")
_GERMAN = ("en", "de")

QUESTIONS: Mapping[str, Question] = {
    "twins": Question(
        kinds=("cross",),
        unit="share",
        measured="of names and numbers",
        threshold=0.5,
        question="When the decoder is about to write a name or a number, which head looks at it in the source?",
        claim="Finds names and numbers in the source",
        denial="No head clearly finds names and numbers in the source",
        finding="Where a name or a number is about to be written, the largest weight of {head} is on the same word of "
        "the source in {value} of cases; in the other heads of its layer in {control}.",
        otherwise="The best, {head}, has its largest weight on the same word of the source in {value} of cases; the "
        "other heads of its layer in {control}.",
        note="Words that are spelt the same on both sides, once on each: there the right link is certain. The source's "
        "end of sentence is left aside.",
    ),
    "diagonality": Question(
        kinds=("cross",),
        unit="number",
        measured="of the way to the diagonal",
        threshold=0.5,
        question="Which head walks along the source at the pace at which the translation is written?",
        claim="Follows the diagonal",
        denial="No head clearly gets half of the way to the diagonal",
        finding="The weights of {head} lie {value} of the way from evenly spread to the diagonal; those of the other "
        "heads of its layer {control}.",
        otherwise="{head} comes nearest, {value} of the way from evenly spread to the diagonal; the other heads of its "
        "layer {control}.",
        note="0 is evenly spread or all on the end of sentence, 1 is the diagonal.",
    ),
    "previous_peak": Question(
        kinds=_ALONG,
        unit="share",
        measured="of rows",
        threshold=0.9,
        question="Which head looks back one token?",
        claim="Looks back one token",
        denial="No head clearly looks back one token nine times in ten",
        finding="The largest weight of {head} is on the token before in {value} of rows; in the other heads of its "
        "layer in {control}.",
        otherwise="{head} does it most often, in {value} of rows; the other heads of its layer in {control}. Voita et "
        "al. (2019) call a head positional from 90 % on.",
    ),
    "next_peak": Question(
        kinds=("encoder",),
        unit="share",
        measured="of rows",
        threshold=0.9,
        question="Which head looks ahead one token?",
        claim="Looks ahead one token",
        denial="No head clearly looks ahead one token nine times in ten",
        finding="The largest weight of {head} is on the token after in {value} of rows; in the other heads of its "
        "layer in {control}.",
        otherwise="{head} does it most often, in {value} of rows; the other heads of its layer in {control}. Voita et "
        "al. (2019) call a head positional from 90 % on.",
    ),
    "end": Question(
        kinds=("encoder", "cross"),
        unit="share",
        measured="of the weight",
        threshold=0.5,
        question="Which head rests on the end of the source sentence?",
        claim="Rests on the end of sentence",
        denial="No head clearly has most of its weight on the end of sentence",
        finding="{head} has {value} of its weight on the source's end of sentence; the other heads of its layer "
        "{control}.",
        otherwise="Nearest to it, {head} has {value} of its weight on the source's end "
        "of sentence; the other heads of its layer {control}.",
    ),
    "start": Question(
        kinds=("decoder",),
        unit="share",
        measured="of the weight",
        threshold=0.5,
        question="Which head of the decoder rests on the start symbol?",
        claim="Rests on the start symbol",
        denial="No head clearly has most of its weight on the start symbol",
        finding="{head} has {value} of its weight on the start symbol; the other heads of its layer {control}.",
        otherwise="Nearest to it, {head} has {value} of its weight on the start "
        "symbol; the other heads of its layer {control}.",
    ),
    "punctuation": Question(
        kinds=KINDS,
        unit="share",
        measured="of the weight",
        threshold=0.5,
        question="Which head looks at punctuation?",
        claim="Looks at punctuation",
        denial="No head clearly has most of its weight on punctuation",
        finding="{head} has {value} of its weight on punctuation; the other heads of its layer {control}.",
        otherwise="Nearest to it, {head} has {value} of its weight on punctuation; the "
        "other heads of its layer {control}.",
    ),
    "final_verb": Question(
        kinds=("cross",),
        unit="share",
        measured="of sentences",
        threshold=0.5,
        question="When German puts the verb at the end, which head finds it in the English sentence, where it stands "
        "well before the end?",
        claim="Finds the verb over a distance",
        denial="No head clearly finds the verb over a distance",
        finding="About to write the verb at the end, {head} has its largest weight on the English verb in {value} of "
        "sentences; the other heads of its layer in {control}.",
        otherwise="The best, {head}, has its largest weight on the English verb in {value} of sentences; the other "
        "heads of its layer in {control}.",
        language=_GERMAN,
        note="Infinitives and participles of a fixed list of verbs, with two English words or more behind the English "
        "verb; the end of sentence is left aside.",
        outcomes=("largest weight on the verb", "largest weight elsewhere"),
    ),
    "prefix": Question(
        kinds=("decoder",),
        unit="share",
        measured="of sentences",
        threshold=0.5,
        question="When the decoder writes the separated prefix at the end, as in “Ich rufe dich morgen an”, which head "
        "looks back at the verb?",
        claim="A separated prefix looks back at its verb",
        denial="No head clearly looks from the prefix back at its verb",
        finding="About to write the prefix, {head} has its largest weight on the verb in {value} of sentences; the "
        "other heads of its layer in {control}.",
        otherwise="The best, {head}, has its largest weight on the verb in {value} of sentences; the other heads of "
        "its layer in {control}.",
        language=_GERMAN,
        note="Verbs and prefixes of a fixed list, with two words or more between them; the start symbol is left aside.",
        outcomes=("largest weight on the verb", "largest weight elsewhere"),
    ),
    "referent": Question(
        kinds=("encoder",),
        unit="share",
        measured="of sentences",
        threshold=0.5,
        question="Which head looks from “it” at what it stands for?",
        claim="“it” looks at what it stands for",
        denial="No head clearly looks from “it” at what it stands for",
        finding="From “it”, {head} gives more weight to the thing it stands for than to the other one in {value} of "
        "sentences; the other heads of its layer in {control}. Chance gives 50 %.",
        otherwise="The best of one half of the sentences, {head}, gives more weight to the thing that “it” stands for "
        "than to the other one in {value} of the others; the other heads of its layer in {control}. Chance gives 50 %.",
        language=_GERMAN,
        note="Sentences of our own, in twins that differ in their end alone: a head that always looks at the first "
        "thing is right in half. They are made from eight frames, four to choose the head and four for the numbers, so "
        "the interval speaks for sentences like these.",
        outcomes=("more weight on what it stands for", "more weight on the other thing"),
    ),
    "idle": Question(
        kinds=KINDS,
        unit="nats",
        measured="of change in the log-probability",
        threshold=0.1,
        question="Which head can be taken away without any effect?",
        claim="Does next to nothing",
        denial="No head can clearly be taken away without effect",
        finding="Without {head}, the log-probability of a translation changes by {value}; without another head of the "
        "model by {control}.",
        otherwise="Without {head}, which matters least, the log-probability of a translation changes by {value}; "
        "without another head of the model by {control}.",
        least=True,
        control="model",
        page="what_if",
        note="Size of the change when the head puts out zeros, teacher-forced on the model's own translation. What one "
        "head does alone says nothing about several.",
    ),
    "needed": Question(
        kinds=KINDS,
        unit="nats",
        measured="of change in the log-probability",
        threshold=None,
        question="Without which head does the translation suffer most?",
        claim="Matters most",
        denial="No head clearly matters more than the others",
        finding="Without {head}, the log-probability of a translation changes by {value}; without another head of the "
        "model by {control}.",
        otherwise="Without {head}, which matters most, the log-probability of a translation changes by {value}; "
        "without another head of the model by {control}.",
        control="model",
        page="what_if",
        note="Size of the change when the head puts out zeros, teacher-forced on the model's own translation.",
    ),
}
"""By name; a name of a measure in `analysis.measures.head_measures` is that measure."""
