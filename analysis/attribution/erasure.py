"""Attributions by taking tokens away, one at a time: what the value loses.

`S` source pieces, `T` target rows, `D` width of the model.
"""

import torch

from headscope.analysis.attribution.explained import Explained
from headscope.analysis.attribution.gradients import Base, Gradients, batch_rows, values_of
from headscope.analysis.attribution.inputs import Inputs
from headscope.model.progress import Progress


@torch.no_grad()
def occlusion(inputs: Inputs, explained: Explained, base: Base, *, progress: Progress) -> Gradients:
    """The value minus that with the baseline's embedding in the token's place (Zeiler and Fergus 2014, section 4.2)."""
    source, target = len(inputs.source), len(inputs.target)
    whole = values_of(inputs, explained, inputs.source[None], inputs.target[None])
    lost, total, size = [], source + target, batch_rows(inputs)
    for first in range(0, total, size):
        progress.update(first, total)
        tokens = torch.arange(first, min(first + size, total), device=whole.device)
        rows = torch.arange(len(tokens), device=whole.device)
        read, written = (part.repeat(len(tokens), 1, 1) for part in (inputs.source, inputs.target))
        of_source = tokens < source
        read[rows[of_source], tokens[of_source]] = base[0][tokens[of_source]]
        written[rows[~of_source], tokens[~of_source] - source] = base[1][tokens[~of_source] - source]
        lost.append(whole - values_of(inputs, explained, read, written))
    progress.update(total, total)
    by_token = torch.cat(lost, dim=1)[..., None]
    from_target = by_token[:, source:, 0].tril()[..., None]  # not rounding errors of what a row cannot know
    return Gradients(by_token[:, :source], from_target, whole[:, 0], None, None)
