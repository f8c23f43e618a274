"""Why the model said this: attributions of a sentence pair, by any method, of anything that can be explained."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from headscope.analysis.attribution.adaptive import adaptive_gradients
from headscope.analysis.attribution.attribution import Attribution, Settings
from headscope.analysis.attribution.erasure import occlusion
from headscope.analysis.attribution.explained import LOG_PROB, Explained
from headscope.analysis.attribution.gradients import (
    Base,
    Gradients,
    gradient_shap,
    input_x_gradient,
    integrated_gradients,
    saliency,
)
from headscope.analysis.attribution.inputs import Baseline, Inputs, baseline, inputs
from headscope.analysis.capture.attention import source_tokens, target_tokens
from headscope.analysis.capture.forced import to_numpy
from headscope.analysis.capture.pairs import SentencePair
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress, Silent
from headscope.model.translator import Translator


@dataclass(frozen=True, slots=True)
class Question:
    """All that a method is told."""

    inputs: Inputs
    explained: Explained
    base: Base
    steps: int | None
    """None: as many as it takes."""
    seed: int
    progress: Progress


@dataclass(frozen=True, slots=True)
class Method:
    """A way to attribute."""

    name: str
    meaning: str
    reference: str
    signed: bool
    """Whether the sum of a token's components has a sign that means something."""
    compares: bool
    """Whether it compares with a baseline."""
    run: Callable[[Question], Gradients]


def _integrated(asked: Question) -> Gradients:
    given = asked.inputs, asked.explained, asked.base
    if asked.steps is None:
        return adaptive_gradients(*given, progress=asked.progress)
    return integrated_gradients(*given, steps=asked.steps, progress=asked.progress)


def _shap(asked: Question) -> Gradients:
    steps = SAMPLES if asked.steps is None else asked.steps
    given = asked.inputs, asked.explained, asked.base
    return gradient_shap(*given, steps=steps, seed=asked.seed, progress=asked.progress)


SAMPLES = 50
"""Of gradient SHAP, unless a number is given."""

METHODS: Mapping[str, Method] = MappingProxyType(
    {
        method.name: method
        for method in (
            Method(
                "saliency",
                "the gradient: how fast the value would change",
                "Simonyan et al. 2014",
                False,
                False,
                lambda asked: saliency(asked.inputs, asked.explained, asked.progress),
            ),
            Method(
                "input x gradient",
                "gradient times embedding: to first order, what the value would lose",
                "Denil et al. 2014",
                True,
                False,
                lambda asked: input_x_gradient(asked.inputs, asked.explained, asked.progress),
            ),
            Method(
                "integrated gradients",
                "the gradient along the way from a baseline, times the way",
                "Sundararajan et al. 2017",
                True,
                True,
                _integrated,
            ),
            Method(
                "gradient SHAP",
                "the mean of the gradient at random places of that way, times the way",
                "Lundberg and Lee 2017",
                True,
                True,
                _shap,
            ),
            Method(
                "occlusion",
                "what the value loses with a baseline in the token's place",
                "Zeiler and Fergus 2014",
                True,
                True,
                lambda asked: occlusion(asked.inputs, asked.explained, asked.base, progress=asked.progress),
            ),
        )
    }
)


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
        base: what tokens are compared with, where the method compares.
        steps: passes of the integral, or samples of the mean; None: as many as it takes for sums to be right to 1 %.
        seed: of the places that gradient SHAP draws.

    Raises:
        HeadscopeError: there is no such method, or no steps.
        Cancelled: `progress` wants it to stop.
    """
    if method not in METHODS:
        raise HeadscopeError(f"there is no method '{method}': choose {', '.join(METHODS)}")
    chosen, entering = METHODS[method], inputs(translator, pair)

    against = baseline(translator, pair, base)
    asked = Question(entering, explained, against, steps, seed, progress or Silent())
    found = chosen.run(asked)
    reads, predicts = target_tokens(translator, pair)
    return Attribution(
        source=source_tokens(translator, pair.source),
        reads=reads,
        predicts=predicts,
        from_source=to_numpy(found.from_source),
        from_target=to_numpy(found.from_target),
        values=to_numpy(found.values),
        at_baseline=None if found.at_baseline is None else to_numpy(found.at_baseline),
        settings=Settings(method, explained.name, base if chosen.compares else None, found.steps),
    )
