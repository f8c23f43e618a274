"""A search as JSON and as a table. What pages and command export is the same; the picture is in `tree_figure`."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from headscope.analysis.search.comparison import SearchComparison
from headscope.analysis.search.record import SearchRecord
from headscope.app.export.table import counted_csv
from headscope.model.search.trace import Hypothesis, Step

if TYPE_CHECKING:
    from headscope.analysis.search.exact import ExactSearch
    from headscope.analysis.search.mbr import Mbr
    from headscope.analysis.search.report import SearchReport


def report_object(report: "SearchReport") -> dict[str, Any]:
    """A search and what stands beside it, for JSON; what was not asked for has no key."""
    content = as_object(report.record)
    for found, kinds in zip(content["hypotheses"], report.warnings, strict=True):
        found["warnings"] = kinds
    if report.free and report.difference:
        content["free"] = comparison_object(report.free, report.difference)
    if report.exact:
        content["exact"] = exact_object(report.exact)
    if report.mbr:
        content["mbr"] = mbr_object(report.mbr)
    return content


def as_object(record: SearchRecord) -> dict[str, Any]:
    """All of a search, for JSON. Steps, parents and places are from 0; log-probabilities and entropies in nats."""
    constraints = record.constraints
    return {
        "checkpoint": record.checkpoint,
        "source": record.source.text,
        "source_pieces": [token.piece for token in record.source.tokens],
        "settings": asdict(record.settings),
        "sampling": asdict(record.sampling) if record.sampling else None,
        "constraints": {
            "prefix": list(constraints.prefix),
            "forbidden": sorted(map(list, constraints.forbidden)),
        },
        "steps": [_step(record, number, step) for number, step in enumerate(record.trace.steps)],
        "hypotheses": [
            {"text": text, **hypothesis(h, [record.pieces[p] for p in h.pieces])}
            for h, text in zip(record.trace.hypotheses, record.texts, strict=True)
        ],
        "problem": record.problem,
        "bound": asdict(record.trace.bound),
    }


def _step(record: SearchRecord, number: int, step: Step) -> dict[str, Any]:
    pieces, texts = record.pieces, record.live_texts[number]
    return {
        "live": [
            {
                "text": text,
                "entropy": expected.entropy,
                "next": [
                    {"piece": pieces[piece], "id": piece, "log_prob": log_prob}
                    for piece, log_prob in zip(expected.pieces, expected.log_probs, strict=True)
                ],
                "rest": expected.rest,
            }
            for text, expected in zip(texts, step.predictions, strict=True)
        ],
        "candidates": [
            asdict(c) | {"piece": pieces[c.piece], "id": c.piece, "prefix": texts[c.parent]} for c in step.candidates
        ],
    }


def hypothesis(found: Hypothesis, pieces: Sequence[str]) -> dict[str, Any]:
    """One translation, as `headscope translate --json` writes it, and its ids."""
    return {
        "score": found.score,
        "log_prob": found.total,
        "pieces": pieces,
        "ids": found.pieces,
        "log_probs": found.log_probs,
        "finished": found.finished,
    }


def comparison_object(free: SearchRecord, found: SearchComparison) -> dict[str, Any]:
    """How a search with constraints differs from the free one."""
    best = free.trace.hypotheses[0] if free.trace.hypotheses else None
    return {
        "text": free.text,
        "log_prob": best.total if best else None,
        "score": best.score if best else None,
        **asdict(found),
    }


def exact_object(found: "ExactSearch") -> dict[str, Any]:
    """An exact search, for JSON; log-probabilities of what is impossible are null."""
    best, empty = found.result.best, found.result.empty
    return {
        "text": found.text,
        "log_prob": best.total if best else None,
        "ids": best.pieces if best else None,
        "proven": found.result.proven,
        "verdict": found.verdict,
        "empty_log_prob": empty if math.isfinite(empty) else None,
        "beam_text": found.beam_text,
        "beam_log_prob": found.beam.total,
        "beam_finished": found.beam.finished,
        "nodes": found.result.nodes,
        "seconds": round(found.result.seconds, 3),
    }


def mbr_object(found: "Mbr") -> dict[str, Any]:
    """A minimum-Bayes-risk choice, for JSON."""
    return {
        "text": found.text,
        "utility": found.utility,
        "tokeniser": found.tokens.name if found.tokens else None,
        "note": found.tokens.note if found.tokens else None,
        "warnings": found.warnings,
        "sampling": asdict(found.sampling) if found.sampling else None,
        "translations": [
            {"text": text, "count": count, "log_prob": log_prob, "expected_utility": float(expected)}
            for text, count, log_prob, expected in zip(
                found.texts, found.counts, found.log_probs, found.expected, strict=True
            )
        ],
        "utilities": found.utilities.round(4).tolist(),
    }


def csv(record: SearchRecord) -> bytes:
    """Every candidate as a row, as `SearchRecord.to_pandas` gives them, but counted from 1."""
    return counted_csv(record.to_pandas(), ["step", "parent"], ["prefix", "piece"])
