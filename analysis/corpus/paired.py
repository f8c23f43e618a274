"""Several systems on the same test set: their scores with intervals, and paired tests against the first."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice
from typing import Any, TypeVar, cast

from sacrebleu import BLEU, CHRF
from sacrebleu.significance import PairedTest

from headscope.analysis.corpus.evaluation import by_source
from headscope.model.text.bleu_tokens import bleu_tokens

M = TypeVar("M", bound=BLEU | CHRF)


@dataclass(frozen=True, slots=True)
class SystemScore:
    """One metric of one system."""

    metric: str
    value: float
    interval: float
    """Half the width of the 95 % interval by bootstrap over distinct sources, of the system by itself."""
    p: float | None
    """Of a difference from the first system as large where there is none, by paired bootstrap over distinct sources
    (Koehn 2004; as sacreBLEU's): about these models and other text, not about other trainings. A large one does not say
    that they are equal. None: it is the first."""
    signature: str


def paired_test(
    outputs: Sequence[Sequence[str]], sources: Sequence[str], references: Sequence[str], language: str
) -> list[list[SystemScore]]:
    """BLEU and chrF of every system, in this order, each on the same sentences.

    Args:
        outputs: one text a sentence, of every system; two at least.
        sources: by which sentences are grouped: those of one source are not independent of one another.
        language: of the texts, by which BLEU cuts them.
    """
    order = sorted(range(len(sources)), key=lambda index: sources[index])
    sources, references = [sources[index] for index in order], [references[index] for index in order]
    sizes = [len(list(group)) for _, group in groupby(sources)]
    grouped = [_in_groups([texts[index] for index in order], sizes) for texts in outputs]
    systems: list[tuple[str, Any]] = [(str(number), groups) for number, groups in enumerate(grouped)]
    metrics = {
        "BLEU": _of_groups(by_source(bleu_tokens(language, references).bleu(), sources)),
        "chrF": _of_groups(by_source(CHRF(), sources)),
    }
    signatures, found = PairedTest(systems, metrics, [references], test_type="bs")()
    results = [(name, cast("list[Any]", found[called])) for name, called in zip(metrics, signatures, strict=True)]

    def p(system: int, result: Any) -> float | None:
        # sacreBLEU's test says 0.001 of equal ones.
        return None if system == 0 else 1.0 if grouped[system] == grouped[0] else float(result.p_value)

    return [
        [
            SystemScore(
                name, float(each[system].score), float(each[system].ci), p(system, each[system]), signature.format()
            )
            for (name, each), signature in zip(results, signatures.values(), strict=True)
        ]
        for system in range(len(systems))
    ]


def _in_groups(texts: Sequence[str], sizes: Sequence[int]) -> list[list[str]]:
    left = iter(texts)
    return [list(islice(left, size)) for size in sizes]


def _of_groups(metric: M) -> M:
    """The same for hypotheses in groups: sacreBLEU's paired test draws as many as it is given hypotheses, and these
    have to be as many as there are statistics, one for each source."""
    statistics = metric._extract_corpus_statistics

    def of_groups(hypotheses: Any, references: Any) -> Any:
        return statistics(list(chain.from_iterable(hypotheses)), references)

    metric._extract_corpus_statistics = of_groups
    return metric
