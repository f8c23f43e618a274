"""Small records made by hand."""

from collections.abc import Sequence

import numpy as np

from headscope.analysis.records.attention_maps import AttentionMaps, Token, Tokens

START, END = "<s>", "</s>"


def tokens(text: str, spans: Sequence[tuple[int, int]], *, first: str = "", last: str = "") -> Tokens:
    """Pieces at the given places, between special tokens."""
    found = [
        Token(text[start:end].replace(" ", "▁"), 10 + index, (start, end)) for index, (start, end) in enumerate(spans)
    ]
    if first:
        found.insert(0, Token(first, 2, (0, 0), special=True))
    if last:
        found.append(Token(last, 3, (len(text), len(text)), special=True))
    return Tokens(text, tuple(found))


def letters(count: int) -> tuple[str, list[tuple[int, int]]]:
    """A text of so many letters with blanks between them, and where each stands."""
    text = " ".join("abcdefghijklmnopqrstuvwxyz"[:count])
    return text, [(2 * index, 2 * index + 1) for index in range(count)]


def random_maps(
    source: tuple[str, Sequence[tuple[int, int]]],
    target: tuple[str, Sequence[tuple[int, int]]],
    *,
    seed: int = 0,
    encoder: tuple[int, int] = (2, 3),
    decoder: tuple[int, int] = (3, 2),
) -> AttentionMaps:
    """A record of random weights over texts given as text and spans; depths and heads as (layers, heads)."""
    chance = np.random.default_rng(seed)
    queries, keys = len(target[1]) + 1, len(source[1]) + 1

    def layers(shape: tuple[int, int], rows: int, columns: int, *, causal: bool = False) -> tuple[np.ndarray, ...]:
        weights = chance.random((*shape, rows, columns)) ** 3 + 1e-3
        if causal:
            weights = np.tril(weights)
        return tuple(weights / weights.sum(-1, keepdims=True))

    return AttentionMaps(
        maps={
            "encoder": layers(encoder, keys, keys),
            "decoder": layers(decoder, queries, queries, causal=True),
            "cross": layers(decoder, queries, keys),
        },
        allowed={
            "encoder": np.ones((keys, keys), dtype=bool),
            "decoder": np.tri(queries, dtype=bool),
            "cross": np.ones((queries, keys), dtype=bool),
        },
        source=tokens(*source, last=END),
        reads=tokens(*target, first=START),
        predicts=tokens(*target, last=END),
        log_probs=np.log(chance.random(queries)),
        quantity="weight",
        fingerprint="random",
    )


def with_maps(
    *, encoder: np.ndarray | None = None, decoder: np.ndarray | None = None, cross: np.ndarray | None = None
) -> AttentionMaps:
    """A record of letters with one layer of one head a kind; what is not given is even."""
    shape = (3, 3) if cross is None else cross.shape
    queries = len(decoder) if decoder is not None else shape[0]
    keys = len(encoder) if encoder is not None else shape[1]
    even = np.tril(np.ones((queries, queries)))
    maps = random_maps(letters(keys - 1), letters(queries - 1), encoder=(1, 1), decoder=(1, 1))
    given = {
        "encoder": np.full((keys, keys), 1 / keys) if encoder is None else encoder,
        "decoder": even / even.sum(-1, keepdims=True) if decoder is None else decoder,
        "cross": np.full((queries, keys), 1 / keys) if cross is None else cross,
    }
    return maps.mapped(lambda kind, _: given[kind][None], "by hand")
