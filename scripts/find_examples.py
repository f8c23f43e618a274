"""Find the examples of the gallery for a checkpoint, and keep them with it as `gallery.json`.

    python scripts/find_examples.py CHECKPOINT DATA [DATA ...] [--gold NAME=TEXT,LINKS]

DATA is what `headscope data` prepares; its parts `test` and `heldout`, which no training saw, are used. TEXT and LINKS
are a gold set of word alignments of the other direction, target to source, as `analysis.measures.alignment` reads it;
NAME says in the gallery what text it is.
"""

import argparse
import time
from pathlib import Path

from headscope.analysis.gallery.find import Texts, find_examples
from headscope.analysis.gallery.record import save_gallery
from headscope.analysis.gallery.wording import wording
from headscope.analysis.measures.alignment import read_gold
from headscope.model.card import resolve
from headscope.model.data.prepared import load_prepared
from headscope.model.translator import load_translator

PARTS = ("test", "heldout")


class Line:
    """A `Progress` that says how far it is."""

    def update(self, done: int, total: int | None) -> None:
        """One line that is written over again and again."""
        print(f"\r{done:,} of {total or 0:,} translated", end="", flush=True)


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint")
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--gold", default="", metavar="NAME=TEXT,LINKS")
    options = parser.parse_args()

    start, folder = time.monotonic(), resolve(options.checkpoint)
    prepared = [load_prepared(data) for data in options.data]
    pairs = [pair for data in prepared for part in PARTS if part in data.parts for pair in data.read(part).pairs]
    about = [data.metadata for data in prepared]
    texts = Texts(pairs, *("; ".join(dict.fromkeys(str(data[key]) for data in about)) for key in KEYS))
    name, _, files = options.gold.partition("=")
    gold = read_gold(*map(Path, files.split(",")), swap=True) if files else []
    gallery = find_examples(load_translator(folder, "cpu"), texts, gold=gold, gold_name=name, progress=Line())
    save_gallery(gallery, folder)
    print()
    for example in gallery.examples:
        words = wording(example, gallery.gold)
        print(f"\n{words.title}\n{' '.join(words.finding)}\n{words.basis}")
        for said, shown in ((words.sentence, example.sentence), (words.counter, example.counter)):
            print(f"  {shown.source}  →  {shown.target}  [{said}]" if shown else f"  [{said}]")
    print(f"\n{time.monotonic() - start:.0f} s")


KEYS = ("origin", "licence", "attribution")

if __name__ == "__main__":
    main()
