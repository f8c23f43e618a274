"""The parts of a model, and how large each is. No torch here."""

from collections.abc import Mapping

PARTS = {
    "embeddings": ("source_embedding", "target_embedding"),
    "positions": ("positions",),
    "encoder": ("encoder", "encoder_norm"),
    "decoder": ("decoder", "decoder_norm"),
    "projection": ("projection",),
}
"""Parts of a model, and the modules each consists of. A table that is shared counts as an embedding."""


def by_part(counts: Mapping[str, int]) -> dict[str, int]:
    """Number of parameters: in total, and of each part that has any.

    Args:
        counts: of each parameter, by its name in the model.
    """
    owner = {module: part for part, modules in PARTS.items() for module in modules}
    parts = dict.fromkeys(PARTS, 0)
    for name, count in counts.items():
        parts[owner[name.split(".")[0]]] += count
    return {"total": sum(parts.values())} | {part: count for part, count in parts.items() if count}
