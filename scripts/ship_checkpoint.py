"""Make the folder of a checkpoint that ships from a finished training run, or without one measure that folder anew.

    python scripts/ship_checkpoint.py DATA checkpoints/NAME [--run RUN --recipe FILE.toml] \\
        [--also NAME=SOURCE,REFERENCE ...]

Beside what the training left it writes what was measured: `scores.json` (BLEU, chrF and loss of every part of the data
and of further test sets, and of the test part by source length) and a `README.md` with the licence, the commands and
ten translations. `headscope profile`, `headscope gallery` and `headscope study` make the rest.
"""

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sacrebleu import CHRF

from headscope.analysis.corpus.evaluation import Evaluation, Score, corpus_score, evaluate
from headscope.model.card import SCORES
from headscope.model.data.parallel_text import Pair, read_parallel
from headscope.model.data.prepared import PreparedData, load_prepared
from headscope.model.files import read_json, write_json
from headscope.model.translator import Translator, load_translator

LENGTHS = (1, 6, 9, 12, 16, 24, 40)
"""Lower ends of the bins of source pieces, end of sentence included."""
SHOWN = 10


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--run", type=Path)
    parser.add_argument("--recipe", type=Path)
    parser.add_argument("--also", action="append", default=[], metavar="NAME=SOURCE,REFERENCE")
    options = parser.parse_args()

    if (options.run is None) != (options.recipe is None):
        parser.error("--run and --recipe go together")
    if options.run:
        if options.out.exists():
            shutil.rmtree(options.out)
        shutil.copytree(options.run / "checkpoint", options.out)
        shutil.copy(options.recipe, options.out / "recipe.toml")
    data, translator = load_prepared(options.data), load_translator(options.out, "cpu")
    sets = {part: list(data.read(part).pairs) for part in ("test", "heldout")}
    for further in options.also:
        name, _, files = further.partition("=")
        sets[name] = list(read_parallel(*map(Path, files.split(","))).pairs)

    found = {name: evaluate(translator, pairs) for name, pairs in sets.items()}
    scores: dict[str, Any] = read_json(options.out / SCORES)
    scores |= {name: described(found[name], loss(translator, pairs)) for name, pairs in sets.items()}
    scores["test by source pieces"] = by_length(translator, sets["test"], found["test"])
    write_json(options.out / SCORES, scores)
    readme(options.out, data, scores, sets["heldout"], found["heldout"])


def loss(translator: Translator, pairs: Sequence[Pair]) -> float:
    """Mean negative log-probability of the reference, in nats a piece, end of sentence included."""
    scored = [line for line in translator.score(pairs) if line.problem is None]
    return -sum(line.total for line in scored) / sum(len(line.log_probs) for line in scored)


def described(found: Evaluation, nll: float) -> dict[str, Any]:
    """A row of `scores.json`."""
    return {
        "sentences": found.sentences,
        "sources": found.sources,
        "bleu": plain(found.bleu),
        "chrf": plain(found.chrf),
        "nll": round(nll, 4),
        "length_ratio": round(found.length_ratio, 3),
        "search": "beam 4, GNMT length penalty 0.6, fp32",
    }


def plain(score: Score) -> dict[str, Any]:
    """A score with its interval and signature."""
    interval = None if score.interval is None else round(score.interval, 2)
    return {"score": round(score.value, 2), "interval": interval, "signature": score.signature}


def by_length(translator: Translator, pairs: Sequence[Pair], found: Evaluation) -> list[dict[str, Any]]:
    """chrF and loss in bins of source length. (BLEU of different bins cannot be compared; chrF and loss can.)"""
    lengths = [len(translation.source.ids) + 1 for translation in found.translations]
    rows = []
    for low, high in zip(LENGTHS, (*LENGTHS[1:], None), strict=True):
        inside = [i for i, length in enumerate(lengths) if length >= low and (high is None or length < high)]
        if inside:
            chrf = corpus_score(
                CHRF,
                [pairs[i][0] for i in inside],
                [found.translations[i].text for i in inside],
                [pairs[i][1] for i in inside],
            )
            row: dict[str, Any] = {"from": low, "below": high, "sentences": len(inside)}
            rows.append(row | {"chrf": plain(chrf), "nll": round(loss(translator, [pairs[i] for i in inside]), 4)})
    return rows


def readme(out: Path, data: PreparedData, scores: dict[str, Any], pairs: Sequence[Pair], found: Evaluation) -> None:
    """Say where it comes from, how it was made, and what it does."""
    training = read_json(out / "training.json")
    about = data.metadata
    place = "a GPU" if training["device"] == "cuda" else f"{training['threads']} CPU thread(s)"
    lines = [
        f"# {out.name}",
        "",
        f"Translates {data.source} to {data.target}. Trained on {about['name']} alone: {about['origin']}.",
        f"Licence of the text: {about['licence']}; attribution: {about['attribution']}. So it is for the weights.",
        "",
        "```sh",
        f"headscope data {about['name']} --out data/{about['name']}",
        f"headscope train --recipe recipe.toml --data data/{about['name']} --run runs/{out.name}",
        "```",
        "",
        f"{training['updates']:,} updates, {training['tokens']:,} target pieces, {training['seconds'] / 60:.0f} min "
        f"on {place}. The weights are the mean of those after updates "
        f"{', '.join(f'{step:,}' for step in training['averaged_updates'])}.",
        "",
        "| part | sentences | distinct sources | BLEU | chrF | nats a piece |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, row in scores.items():
        if isinstance(row, dict) and "sentences" in row:
            cells = [f"{row[m]['score']:.1f} ± {row[m]['interval'] or 0:.1f}" for m in ("bleu", "chrf")]
            counts = f"{row['sentences']:,} | {row['sources']:,}"
            lines.append(f"| {name} | {counts} | {cells[0]} | {cells[1]} | {row['nll']:.3f} |")
    lines += [
        "",
        "Beam 4, length penalty 0.6, fp32; ± is half the 95 % interval by bootstrap over distinct sources. Signatures, "
        "and the test part by source length, are in `scores.json`.",
        "",
        f"The first {SHOWN} held-out sentences, as they come:",
        "",
        "```",
    ]
    for (source, reference), translation in list(zip(pairs, found.translations, strict=True))[:SHOWN]:
        lines += [source, f"  → {translation.text}", f"  = {reference}"]
    (out / "README.md").write_text("\n".join([*lines, "```", ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
