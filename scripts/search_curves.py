"""Search a corpus in many ways, and keep what comes of it with the checkpoint as `searches.json`.

    python scripts/search_curves.py CHECKPOINT DATA [--sentences N] [--exact N] [--nodes N]

DATA is what `headscope data` prepares; the first N sentences of its part `heldout`, which no training saw, are used.
BLEU, chrF and length against the beam, greedy search against the checkpoint's own, how often the empty translation is
the most probable one, and sentences that show each of these.
"""

import argparse
import time
from pathlib import Path

from headscope.analysis.search.curves import greedy_and_beam, modes, search_corpus, worked_examples
from headscope.analysis.search.study import SearchStudy, save_study
from headscope.model.card import resolve
from headscope.model.data.prepared import load_prepared
from headscope.model.translator import load_translator


class Line:
    """A `Progress` that says how far it is."""

    def __init__(self, what: str) -> None:
        self.what = what

    def update(self, done: int, total: int | None) -> None:
        """One line that is written over again and again."""
        print(f"\r{done:,} of {total or 0:,} {self.what}", end="\n" if done == total else "", flush=True)


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint")
    parser.add_argument("data", type=Path)
    parser.add_argument("--sentences", type=int, default=500, metavar="N")
    parser.add_argument("--exact", type=int, default=500, metavar="N", help="sentences that are searched exactly")
    parser.add_argument("--nodes", type=int, default=2000, metavar="N", help="hypotheses of each that are extended")
    options = parser.parse_args()

    start, folder = time.monotonic(), resolve(options.checkpoint)
    data, translator = load_prepared(options.data), load_translator(folder, "cpu")
    pairs = data.read("heldout").pairs[: options.sentences]
    searched = search_corpus(translator, pairs, progress=Line("searches"))
    study = SearchStudy(
        weights=translator.weights_digest,
        data=str(data.metadata["origin"]),
        licence=str(data.metadata["licence"]),
        attribution=str(data.metadata["attribution"]),
        sentences=len(pairs),
        points=tuple(searched.points.values()),
        greedy=greedy_and_beam(searched),
        modes=modes(translator, pairs[: options.exact], nodes=options.nodes, progress=Line("searched exactly")),
        examples=tuple(worked_examples(searched)),
    )
    save_study(study, folder)
    for p in study.points:
        print(
            f"beam {p.beam:2}, alpha {p.alpha:g}: BLEU {p.bleu.value:.2f} ± {p.bleu.interval or 0:.2f}, chrF "
            f"{p.chrf.value:.2f} ± {p.chrf.interval or 0:.2f}, length {p.length_ratio:.3f}, log p {p.log_prob:.2f}, "
            f"{p.empty} empty, {p.cut_off} cut off"
        )
    print(study.greedy, study.modes, sep="\n")
    for example in study.examples:
        print(f"\n{example.lesson}: {example.source}\n  = {example.reference}")
        for found in (example.a, example.b):
            print(f"  beam {found.beam}, alpha {found.alpha:g}: {found.text}  (log p {found.log_prob:.2f})")
    print(f"\n{time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
