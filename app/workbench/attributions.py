"""What can be asked of why a sentence was translated so; as in `sentences`, each answer is computed once."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from headscope.app.workbench import sentences
from headscope.app.workbench.sentences import Sentence
from headscope.app.workbench.workbench import Workbench
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress

if TYPE_CHECKING:
    from headscope.analysis.attribution.attribution import Attribution
    from headscope.analysis.attribution.by_head import HeadAttribution
    from headscope.analysis.attribution.contributions import LayerContributions
    from headscope.analysis.attribution.explained import Explained
    from headscope.analysis.attribution.faithfulness import Faithfulness
    from headscope.analysis.attribution.inputs import Baseline
    from headscope.analysis.attribution.lens import LogitLens
    from headscope.analysis.attribution.patching import Patching
    from headscope.analysis.capture.pairs import SentencePair
    from headscope.analysis.gallery.minimal_pairs import MinimalPair
    from headscope.model.translator import Translator

MOST_ALTERNATIVES = 8


@dataclass(frozen=True, slots=True)
class Instead:
    """A contrast of one target row with a piece of the visitor's choice; the other rows have their second-best."""

    row: int
    piece: int


@dataclass(frozen=True, slots=True)
class Alternative:
    """A piece that could have stood in a row."""

    piece: int
    spelt: str
    probability: float


def attribution(
    bench: Workbench,
    sentence: Sentence,
    method: str,
    explained: str,
    *,
    base: "Baseline" = "zero",
    instead: Instead | None = None,
    rival: str = "",
    progress: Progress | None = None,
) -> "Attribution":
    """What every token did for each token of the translation, in pieces.

    Args:
        instead: for a contrast; None: with the second-best of every row.
        rival: another translation, or the name of another checkpoint, for what is explained by the difference to it.
    """
    pair, what = sentences.read(bench, sentence).pair, _called(method, explained, base, instead, rival)

    def compute(translator: "Translator", other: "Translator | None" = None) -> "Attribution":
        from headscope.analysis.attribution import registry
        from headscope.analysis.attribution.attribute import attribute

        if explained == "contrast" and instead is not None:
            value = _contrast(translator, pair, instead)
        else:
            value = registry.explained(translator, pair, explained, text=rival or None, other=other)
        return attribute(translator, pair, method, explained=value, base=base, progress=progress)

    if not _between_checkpoints(explained):
        return sentences.once(bench, sentence, what, compute, progress)

    def both(translator: "Translator", other: "Translator") -> "Attribution":
        pieces = sentence.entry == "pieces"
        return compute(*(of.in_pieces() if pieces else of for of in (translator, other)))

    if not rival:
        raise HeadscopeError("no other checkpoint here has the same languages: there is nothing to subtract")
    return bench.once_with(sentence.checkpoint, rival, (sentence, what), both, progress)


def at_hand(
    bench: Workbench,
    sentence: Sentence,
    method: str,
    explained: str,
    *,
    base: "Baseline" = "zero",
    instead: Instead | None = None,
    rival: str = "",
) -> bool:
    """Whether `attribution` has been computed before."""
    what = (sentence, _called(method, explained, base, instead, rival))
    if _between_checkpoints(explained) and rival:
        return bench.has_with(sentence.checkpoint, rival, what)
    return bench.has(sentence.checkpoint, what)


def rivals(bench: Workbench, sentence: Sentence) -> tuple[str, ...]:
    """The other translations that the search found of the sentence, the best first."""
    shown = sentences.read(bench, sentence).pair.target.text

    def compute(translator: "Translator") -> tuple[str, ...]:
        settings = sentence.settings(translator.settings).override(n_best=sentence.beam)
        found = translator.translate([sentence.source], settings=settings)[0]
        return tuple(dict.fromkeys(target.text for target in found.targets if target.text != shown))

    return sentences.once(bench, sentence, "rivals", compute)


def other_checkpoints(bench: Workbench, checkpoint: str) -> tuple[str, ...]:
    """Those of the same languages."""
    languages, found = bench.card(checkpoint).languages, []
    for name in bench.names:
        try:
            if name != checkpoint and bench.card(name).languages == languages:
                found.append(name)
        except HeadscopeError:  # a broken folder is none; its own page says what is wrong with it
            continue
    return tuple(found)


def alternatives(bench: Workbench, sentence: Sentence, row: int) -> tuple[Alternative, ...]:
    """The most probable pieces of a target row other than its own, as the search would find them after this prefix."""
    pair = sentences.read(bench, sentence).pair

    def compute(translator: "Translator") -> tuple[Alternative, ...]:
        logits, predicts = _rows(translator, pair)
        found = logits[row].log_softmax(-1).exp().topk(MOST_ALTERNATIVES + 1)
        pairs = zip(found.indices.tolist(), found.values.tolist(), strict=True)
        others = [(piece, share) for piece, share in pairs if piece != int(predicts[row])][:MOST_ALTERNATIVES]
        spell = translator.vocabulary.piece
        return tuple(Alternative(piece, spell(piece, "target"), share) for piece, share in others)

    return sentences.once(bench, sentence, ("alternatives", row), compute)


def by_head(bench: Workbench, sentence: Sentence, *, progress: Progress | None = None) -> "HeadAttribution":
    """What every head did for the log-probability of each piece of the translation."""
    from headscope.analysis.attribution.by_head import attention_by_head

    pair = sentences.read(bench, sentence).pair
    return sentences.once(
        bench, sentence, "by head", lambda translator: attention_by_head(translator, pair, progress=progress), progress
    )


def trusted(
    bench: Workbench, sentence: Sentence, methods: tuple[str, ...], *, progress: Progress | None = None
) -> "Faithfulness":
    """What is lost when source tokens are taken away in the order of each method, and in random orders."""
    from headscope.analysis.attribution.faithfulness import faithfulness

    pair = sentences.read(bench, sentence).pair

    def compute(translator: "Translator") -> "Faithfulness":
        return faithfulness(translator, pair, methods, progress=progress)

    return sentences.once(bench, sentence, ("faithfulness", methods), compute, progress)


def lens(bench: Workbench, sentence: Sentence) -> "LogitLens":
    """What the decoder would predict after each of its layers."""
    from headscope.analysis.attribution.lens import logit_lens

    pair = sentences.read(bench, sentence).pair
    return sentences.once(bench, sentence, "lens", lambda translator: logit_lens(translator, pair, top=3))


def contributions(bench: Workbench, sentence: Sentence) -> "LayerContributions":
    """How much each token adds to a row in every layer."""
    from headscope.analysis.attribution.contributions import layer_contributions

    pair = sentences.read(bench, sentence).pair
    return sentences.once(
        bench, sentence, "layer contributions", lambda translator: layer_contributions(translator, pair)
    )


def compared(bench: Workbench, sentence: Sentence, other: str, given: tuple[str, str]) -> tuple[str, str]:
    """The translations that patching compares.

    Args:
        other: the second source.
        given: by the visitor; blank: the translation of the sentence, and that of the second source.
    """
    both = sentence, replace(sentence, source=other, target=None)
    first, second = (
        text or sentences.read(bench, each).pair.target.text for text, each in zip(given, both, strict=True)
    )
    return first, second


def patched(
    bench: Workbench,
    sentence: Sentence,
    other: str,
    translations: tuple[str, str],
    *,
    prefix: str = "",
    progress: Progress | None = None,
) -> "Patching":
    """What single activations of the run over another source, or behind another prefix, do in that over the sentence.

    Args:
        prefix: what the translations begin with in the other run, see `begun`; blank: as in this one.
    """
    from headscope.analysis.attribution.patching import begun, patching

    others = begun(translations, prefix) if prefix else None
    return sentences.once(
        bench,
        sentence,
        ("patching", other, translations, prefix),
        lambda translator: patching(
            translator, sentence.source, other, translations, other_translations=others, progress=progress
        ),
        progress,
    )


def minimal_pairs(bench: Workbench, checkpoint: str) -> "tuple[MinimalPair, ...]":
    """Pairs of runs that differ in little and that the model tells apart: none for other languages than theirs."""
    from headscope.analysis.gallery.minimal_pairs import fits, told_apart

    if not fits(bench.card(checkpoint)):
        return ()
    return bench.once(checkpoint, "minimal pairs", lambda translator: tuple(told_apart(translator)))


def piece_of(bench: Workbench, sentence: Sentence, text: str) -> int | None:
    """The first piece of what was typed; None: it has none."""
    return sentences.once(
        bench,
        sentence,
        ("piece", text),
        lambda translator: next(iter(translator.vocabulary.encode(text, "target").ids), None),
    )


def _called(method: str, explained: str, base: str, instead: Instead | None, rival: str) -> tuple[object, ...]:
    return "attribution", method, explained, base, instead, rival


def _between_checkpoints(explained: str) -> bool:
    from headscope.analysis.attribution.registry import EXPLAINABLE

    return explained in EXPLAINABLE and EXPLAINABLE[explained].against == "checkpoint"


def _contrast(translator: "Translator", pair: "SentencePair", instead: Instead) -> "Explained":
    from headscope.analysis.attribution.values.contrast import contrast, second_best

    others = second_best(*_rows(translator, pair))
    others[instead.row] = instead.piece
    return contrast(others)


def _rows(translator: "Translator", pair: "SentencePair"):
    import torch

    from headscope.analysis.capture.forced import forced_batch

    batch = forced_batch(translator, [pair])
    with torch.no_grad():
        return translator.model.forward(batch.source, batch.present, batch.reads)[0], batch.predicts[0]
