"""Rankings of methods that are made up."""

from headscope.analysis.corpus.faithfulness_study import Estimate, FaithfulnessStudy, RankedMethod

Ends = tuple[float, float, float]


def a_method(name: str, gain: Ends, lead: Ends) -> RankedMethod:
    """A method by the mean and the interval of its gain, and of how far it is behind the first."""
    known, behind = (Estimate(mean=mean, low=low, high=high) for mean, low, high in (gain, lead))
    return RankedMethod(name=name, comprehensiveness=known, sufficiency=known, lead=behind)


def a_study(*methods: RankedMethod, weights: str = "f" * 32) -> FaithfulnessStudy:
    """A ranking of these, the first first."""
    return FaithfulnessStudy(
        weights=weights,
        data="letters",
        licence="CC0",
        attribution="nobody",
        sentences=40,
        sources=38,
        base="zero",
        steps=32,
        orders=20,
        methods=methods,
    )
