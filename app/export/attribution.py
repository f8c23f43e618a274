"""An attribution as JSON, and as lines to read. No torch here."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from headscope.analysis.attribution.attribution import ERROR_TO_WARN_OF, Attribution, Reduction
from headscope.analysis.records.attention_maps import Tokens
from headscope.analysis.records.labels import labels

TOLD = 4
"""Tokens that are named for each number."""


def attribution_object(found: Attribution, reduction: Reduction) -> dict[str, Any]:
    """Everything but the components of tokens: plain values, rows as in `Attribution`."""
    settings, error = found.settings, found.error
    source, target = found.reduced(reduction)
    return {
        "method": settings.method,
        "explained": settings.explained,
        "baseline": settings.baseline,
        "steps": settings.steps,
        "reduction": reduction,
        "source": _pieces(found.source),
        "reads": _pieces(found.reads),
        "predicts": _pieces(found.predicts),
        "values": found.values.tolist(),
        "at_baseline": None if found.at_baseline is None else found.at_baseline.tolist(),
        "completeness_error": None if error is None else error.tolist(),
        "source_share": [None if np.isnan(share) else share for share in found.source_share.tolist()],
        "from_source": source.tolist(),
        "from_target": target.tolist(),
    }


def attribution_lines(found: Attribution, reduction: Reduction) -> Iterator[str]:
    """A line a number: of what, the number, the share of the source, and the tokens with the largest attributions."""
    source, target = found.reduced(reduction)
    names = [*map(str, labels(found.source)), *(f"{label} (read)" for label in labels(found.reads))]
    predicts = [*map(str, labels(found.predicts))]
    width = max(map(len, predicts))
    shares, both = found.source_share, np.concatenate([source, target], axis=1)
    yield f"{'predicts':{max(width, 8)}}  {'value':>9}  {'source':>6}  largest attributions"
    for name, value, share, row in zip(predicts, found.values, shares, both, strict=True):
        largest = [column for column in np.argsort(-np.abs(row), kind="stable")[:TOLD] if row[column]]
        told = "  ".join(f"{names[column]} {row[column]:+.3f}" for column in largest)
        part = "–" if np.isnan(share) else f"{share:.0%}"
        yield f"{name:{max(width, 8)}}  {value:9.3f}  {part:>6}  {told}".rstrip()


def incomplete(found: Attribution) -> str:
    """What is to be warned of: rows whose attributions do not sum to what they should. Blank: nothing."""
    error = found.error
    if error is None or error.max(initial=0.0) <= ERROR_TO_WARN_OF:
        return ""
    many, worst = int((error > ERROR_TO_WARN_OF).sum()), int(error.argmax())
    return (
        f"{found.settings.method}: of {len(error)} rows, {many} miss their sum by more than {ERROR_TO_WARN_OF:.0%}, "
        f"that of {labels(found.predicts)[worst]} by {error[worst]:.0%}"
    )


def _pieces(tokens: Tokens) -> list[str]:
    return [token.piece for token in tokens.tokens]
