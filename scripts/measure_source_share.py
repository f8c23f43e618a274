"""Measure how far the source's share falls in content that the source does not support, and print a line a method.

    python scripts/measure_source_share.py

Two sentence pairs of the test text are joined. The share is that of the source in the pieces of the second translation,
with both source sentences and with the first alone, by ALTI+ and by integrated gradients. Intervals are by bootstrap
over the joined pairs.
"""

import gzip
from collections import defaultdict

import numpy as np
import torch

import headscope
from headscope.model.card import SHIPPED

CHECKPOINT, TEXT = "tatoeba-en-de-sinusoidal", "tatoeba-en-de-text"
PAIRS = 10
RESAMPLES = 2000


def main() -> None:
    """Measure and print."""
    torch.set_num_threads(1)
    translator = headscope.load(CHECKPOINT)
    sources, targets = (lines(language) for language in translator.card.languages)
    chance = np.random.default_rng(0)
    chosen = [
        at
        for at in chance.permutation(len(sources))
        if 4 <= len(sources[at].split()) <= 8 and 3 <= len(targets[at].split()) <= 9
    ]
    shares = defaultdict(list)
    for one, two in zip(chosen[: 2 * PAIRS : 2], chosen[1 : 2 * PAIRS : 2], strict=True):
        target = f"{targets[one]} {targets[two]}"
        for supported in (True, False):
            source = f"{sources[one]} {sources[two]}" if supported else sources[one]
            pair = headscope.sentence_pair(translator, source, target)
            second = [row for row, (begin, _) in enumerate(pair.target.spans) if begin >= len(targets[one])]
            for method, found in headscope.source_share(translator, pair).by_method.items():
                shares[method, supported].append(np.nanmean(found[second]))
    for method in dict.fromkeys(method for method, _ in shares):
        there, not_there = (np.array(shares[method, supported]) for supported in (True, False))
        falls = there - not_there
        means = [chance.choice(falls, len(falls)).mean() for _ in range(RESAMPLES)]
        low, high = np.quantile(means, (0.025, 0.975))
        print(
            f"{method}: {there.mean():.3f} with its source, {not_there.mean():.3f} without; falls by "
            f"{falls.mean():.3f} [{low:.3f}, {high:.3f}], in {(falls > 0).sum()} of {len(falls)} pairs"
        )


def lines(language: str) -> list[str]:
    """The test text in a language."""
    packed = (SHIPPED / TEXT / f"test.{language}.gz").read_bytes()
    return gzip.decompress(packed).decode("utf-8").removesuffix("\n").split("\n")


if __name__ == "__main__":
    main()
