"""Splitting parallel text so that no sentence of one part, on either side, occurs in another.

Sentences count as the same when they are after NFKC, case folding and collapsing of blanks. Two pairs that share a side
are connected; whole connected components go to one part, because a sentence with several translations would otherwise
stand on both sides of the split. Everything is decided by hashes of the text: the order of the lines does not matter,
and no random generator is involved.
"""

import hashlib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from headscope.model.data.parallel_text import Pair


def normalised(text: str) -> str:
    """What two sentences have in common when they count as the same."""
    if text.isascii():  # the same, faster
        return " ".join(text.casefold().split())
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def without_overlap(pairs: Iterable[Pair], reserved: Iterable[Pair]) -> list[Pair]:
    """The pairs of which neither side occurs on the same side of `reserved`."""
    sources, targets = set[str](), set[str]()
    for source, target in reserved:
        sources.add(normalised(source))
        targets.add(normalised(target))
    return [
        (source, target)
        for source, target in pairs
        if normalised(source) not in sources and normalised(target) not in targets
    ]


def divide(pairs: Sequence[Pair], sizes: Mapping[str, int], rest: str) -> dict[str, list[Pair]]:
    """Draw parts of exactly the given numbers of pairs; what remains is the part called `rest`.

    Components are taken in the order of their hashes, each into the first part that still has room for all of it.
    Within a part the pairs are in the order of their own hashes, that is, shuffled.

    Raises:
        ValueError: there are not enough pairs in small components to fill the parts.
    """
    parts: dict[str, list[Pair]] = {name: [] for name in sizes}
    remaining: list[Pair] = []
    for component in sorted(_components(pairs), key=_component_hash):
        for name, size in sizes.items():
            if len(parts[name]) + len(component) <= size:
                parts[name] += component
                break
        else:
            remaining += component
    short = [name for name, size in sizes.items() if len(parts[name]) < size]
    if short:
        raise ValueError(f"{len(pairs)} pairs are too few, or too connected, to fill {', '.join(short)}")
    return {name: shuffled(part) for name, part in (parts | {rest: remaining}).items()}


def shuffled(pairs: Iterable[Pair]) -> list[Pair]:
    """The pairs in the order of their hashes."""
    return sorted(pairs, key=lambda pair: (_digest("\t".join(pair)), pair))


def _components(pairs: Iterable[Pair]) -> list[list[Pair]]:
    """Pairs joined by a common side, by union-find over the sentences of both sides."""
    parent: dict[Pair, Pair] = {}

    def root(node: Pair) -> Pair:
        parent.setdefault(node, node)
        while parent[node] != node:
            parent[node] = node = parent[parent[node]]
        return node

    nodes = [(("source", normalised(source)), ("target", normalised(target))) for source, target in pairs]
    for source, target in nodes:
        parent[root(source)] = root(target)
    components: defaultdict[Pair, list[Pair]] = defaultdict(list)
    for pair, (source, _) in zip(pairs, nodes, strict=True):
        components[root(source)].append(pair)
    return list(components.values())


def _component_hash(component: Iterable[Pair]) -> bytes:
    return _digest(min("\t".join(map(normalised, pair)) for pair in component))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8")).digest()
