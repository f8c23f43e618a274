"""Why the model said this: attributions of a sentence pair, by any method, of anything that can be explained."""

from dataclasses import replace
from functools import cache

import torch

from headscope.analysis.attribution.attribution import Attribution, Settings
from headscope.analysis.attribution.explained import Explained
from headscope.analysis.attribution.inputs import Baseline, baseline, inputs
from headscope.analysis.attribution.method import Base, Found, Question
from headscope.analysis.attribution.registry import METHODS
from headscope.analysis.attribution.values.log_probability import LOG_PROB
from headscope.analysis.capture.attention import source_tokens, target_tokens
from headscope.analysis.capture.forced import to_numpy
from headscope.analysis.capture.pairs import SentencePair
from headscope.analysis.records.attention_maps import Token, Tokens
from headscope.analysis.records.words import SEVERAL
from headscope.model.errors import HeadscopeError
from headscope.model.network.finite import require_finite
from headscope.model.progress import Progress, Silent
from headscope.model.translator import Translator


def attribute(
    translator: Translator,
    pair: SentencePair,
    method: str = "integrated gradients",
    *,
    explained: Explained = LOG_PROB,
    base: Baseline = "zero",
    steps: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Attribution:
    """What every source token, and every target token before it, did for each target token.

    Args:
        method: one of `METHODS`.
        explained: what is put down to them; see `explained` of the registry for others than the log-probability.
        base: what tokens are compared with, where the method compares.
        steps: passes of the integral, or samples of the mean; None: as many as it takes for sums to be right to 1 %.
        seed: of the places that gradient SHAP draws.

    Raises:
        HeadscopeError: there is no such method, it explains nothing but the pass itself, there are no steps, or a
            number is not finite.
        Cancelled: `progress` wants it to stop.
    """
    if method not in METHODS:
        raise HeadscopeError(f"there is no method '{method}': choose {', '.join(METHODS)}")
    chosen = METHODS[method]
    if not chosen.explains and explained is not LOG_PROB:
        raise HeadscopeError(f"{method} is the same whatever is explained: for {explained.name} choose another method")

    def of(translator: Translator, pair: SentencePair) -> Found:
        asked = asked_of(translator, pair, explained, base=base, steps=steps, seed=seed, progress=progress)
        found = chosen.run(asked)
        return found._replace(from_target=found.from_target[:, : explained.columns])

    found = of(translator, pair)
    if explained.minus is not None:
        found = _minus(found, of(*explained.minus))
    for numbers in (found.from_source, found.from_target, found.values):
        require_finite(numbers, translator.model, "attributions")
    reads = target_tokens(translator, pair)[0]
    return Attribution(
        source=source_tokens(translator, pair.source),
        reads=replace(reads, tokens=reads.tokens[: explained.columns]),
        predicts=predicted(translator, pair, explained),
        from_source=to_numpy(found.from_source),
        from_target=to_numpy(found.from_target),
        values=to_numpy(found.values),
        at_baseline=None if found.at_baseline is None else to_numpy(found.at_baseline),
        settings=Settings(method, explained.name, base if chosen.compares else None, found.steps),
    )


def asked_of(
    translator: Translator,
    pair: SentencePair,
    explained: Explained,
    *,
    base: Baseline = "zero",
    steps: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Question:
    """The question of a pair, as methods want it; what is subtracted is one of its own."""
    entering, columns = inputs(translator, pair), explained.columns

    @cache
    def against() -> Base:
        source, target = baseline(translator, pair, base)
        # What the number is not put down to stays as it is.
        return source, target if columns is None else torch.cat([target[:columns], entering.target[columns:]])

    return Question(translator, pair, entering, explained, against, steps, seed, progress or Silent())


def predicted(translator: Translator, pair: SentencePair, explained: Explained) -> Tokens:
    """What each number is of: a token of the translation, or several as one."""
    predicts = target_tokens(translator, pair)[1]
    if explained.first is None:
        return predicts
    some = predicts.tokens[explained.first :]
    if len(some) == 1:
        return replace(predicts, tokens=some)
    place = some[0].span[0], some[-1].span[1]
    return replace(predicts, tokens=(Token(predicts.text[slice(*place)], SEVERAL, place),))


def _minus(found: Found, other: Found) -> Found:
    """The difference of two: token by token, for models may differ in width."""
    of_source, of_target = (
        one - two if one.shape == two.shape else (one.sum(-1) - two.sum(-1))[..., None]
        for one, two in zip(found[:2], other[:2], strict=True)
    )
    ends = (found.at_baseline, other.at_baseline)
    return Found(
        of_source,
        of_target,
        found.values - other.values,
        None if ends[0] is None or ends[1] is None else ends[0] - ends[1],
        None if found.steps is None or other.steps is None else max(found.steps, other.steps),
    )
