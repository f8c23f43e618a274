"""Several models side by side, as plain objects: what pages save and the command prints. Heads count from 1 there."""

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from headscope.analysis.comparison.cka import LayerCka
    from headscope.analysis.comparison.corpus import ComparedCorpus, Order
    from headscope.analysis.comparison.heads import ComparedHead
    from headscope.analysis.comparison.translations import ComparedTranslations


def translations_object(found: "ComparedTranslations") -> dict[str, Any]:
    """A sentence in several models."""
    return {
        "source": found.source,
        "models": list(found.names),
        "translations": [
            {
                "by": name,
                "text": text,
                "finished": finished,
                "log_probs": dict(zip(found.names, map(float, values), strict=True)),
                "words": [{"text": w.text, "start": w.span[0], "end": w.span[1], "differs": w.differs} for w in words],
            }
            for name, text, finished, values, words in zip(
                found.names, found.texts, found.finished, found.log_probs, found.words, strict=True
            )
        ],
    }


def head_object(found: "ComparedHead") -> dict[str, Any]:
    """A head beside those of other models; divergences in nats."""
    return {
        "head": str(found.head),
        "unit": "words" if found.in_words else "pieces",
        "others": [
            {
                "model": each.model,
                "same_place": each.place,
                "nearest": str(each.nearest),
                "divergence": each.divergence,
            }
            for each in found.partners
        ],
    }


def corpus_object(found: "ComparedCorpus", order: "Order", most: int) -> dict[str, Any]:
    """Scores, and the sentences that differ most."""
    return {
        "sentences": len(found.sentences),
        "sources": found.sources,
        "translated_alike": found.same,
        "scores": {
            name: {
                each.metric: {
                    "score": each.value,
                    "interval": each.interval,
                    "p": each.p,
                    "signature": each.signature,
                }
                for each in scores
            }
            for name, scores in zip(found.names, found.scores, strict=True)
        },
        "differ_most": [
            {
                "line": each.index + 1,
                "source": each.source,
                "reference": each.reference,
                "likeness": each.likeness,
                "spread": each.spread if math.isfinite(each.spread) else None,
                "outputs": dict(zip(found.names, each.outputs, strict=True)),
                "log_probs": dict(zip(found.names, each.log_probs, strict=True)),
            }
            for each in found.ranked(order)[:most]
        ],
    }


def layers_object(found: "LayerCka") -> dict[str, Any]:
    """Layers of two models; row and column 0 are what enters the first layer."""
    return {
        "models": list(found.names),
        "sentences": found.sentences,
        "unit": found.unit,
        "tokens": {"source": found.tokens[0], "target": found.tokens[1]},
        "cka": {stack: _finite(found.of(stack)) for stack in ("encoder", "decoder")},
    }


def _finite(values: "np.ndarray") -> list[list[float | None]]:
    return [[float(value) if math.isfinite(value) else None for value in row] for row in values]
