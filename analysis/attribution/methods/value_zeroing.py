"""Value zeroing (Mohebbi et al. 2023): how far a layer's output moves when one token's value is taken out of it.

`S` source pieces, `T` target rows, `K` keys, `R` rows of a batch, `D` width of the model.

The paper has encoders. In a decoder layer values are taken out of self-attention and of cross-attention, one at a time,
and what moves is measured at the same place, so a row's moves together are made to sum to 1; the rollout then follows
both ways, that to the target so far and that to the source, as in ALTI+ (Ferrando et al. 2022).
"""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from headscope.analysis.attribution.gradients import ends
from headscope.analysis.attribution.inputs import Inputs
from headscope.analysis.attribution.method import Found, Method, Question
from headscope.model.network.probe import Probe
from headscope.model.sites import Site

_LAST = ("encoder feed-forward", "decoder feed-forward")
"""Where a layer ends."""


class _OneByOne(Probe):
    """In row 0 of a batch nothing is done, in each of the others one token's value is zero, at one kind of attention.

    All rows go on from what row 0 leaves, so in every layer values are taken out of what the model really computes.
    """

    def __init__(self, kinds: dict[str, range]) -> None:
        self._kinds = kinds
        """Which rows of the batch take out the values of a kind of attention, token by token."""
        self.moved: list[Float[Tensor, "K Q"]] = []
        """What each token's value moves, one minus the cosine, a layer each."""

    def wants(self, site: Site) -> bool:
        return site.kind in (*self._kinds, *_LAST)

    def projections(self, site: Site, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        value, rows = value.clone(), self._kinds[site.kind]
        value[list(rows), :, list(range(len(rows)))] = 0
        return query, key, value

    def residual(self, site: Site, stream: Tensor, update: Tensor, normed: Tensor) -> Tensor:
        if site.kind not in _LAST:
            return normed
        self.moved.append(1 - F.cosine_similarity(normed[1:], normed[:1], dim=-1))
        return normed[:1].expand_as(normed)


@torch.no_grad()
def value_zeroing(asked: Question) -> Found:
    """What each token makes of the last layer's rows, as shares that sum to 1: the layers' moves, rolled out."""
    asked.translator.model.capabilities().require_residual_stream("outputs of layers")
    encoder, decoder = moves(asked.inputs)
    source, target = len(asked.inputs.source), len(asked.inputs.target)
    read = torch.eye(source).to(asked.inputs.source)
    for layer in encoder:
        read = _shares(layer) @ read
    from_source, from_target = read.new_zeros(target, source), torch.eye(target).to(read)
    for layer in decoder:
        shares = _shares(layer)
        own, other = shares[:, :target], shares[:, target:]
        from_source, from_target = own @ from_source + other @ read, own @ from_target
    values, _ = ends(asked.inputs, asked.explained, (asked.inputs.source, asked.inputs.target))
    asked.progress.update(1, 1)
    return Found(from_source[..., None], from_target[..., None], values)


@torch.no_grad()
def moves(inputs: Inputs) -> tuple[list[Float[Tensor, "S S"]], list[Float[Tensor, "T K"]]]:
    """How far each row moves with each token's value taken out, layer by layer; in the decoder the columns are target
    tokens and then source tokens."""
    model, source, target = inputs.model, len(inputs.source), len(inputs.target)
    reading = _OneByOne({"encoder": range(1, 1 + source)})
    read = (inputs.source + inputs.source_positions).expand(1 + source, -1, -1)
    model.encode(read, torch.ones(read.shape[:2], dtype=torch.bool, device=read.device), probe=reading)
    memory = model.encode(read[:1], torch.ones(1, source, dtype=torch.bool, device=read.device))
    writing = _OneByOne({"decoder": range(1, 1 + target), "cross": range(1 + target, 1 + target + source)})
    written = (inputs.target + inputs.target_positions).expand(1 + target + source, -1, -1)
    model.decode(written, memory, probe=writing)
    decoder = [layer.T.clone() for layer in writing.moved]
    for layer in decoder:
        layer[:, :target].tril_()  # not rounding errors of what a row cannot see
    return [layer.T for layer in reading.moved], decoder


def _shares(moved: Float[Tensor, "Q K"]) -> Float[Tensor, "Q K"]:
    total = moved.sum(-1, keepdim=True)
    return torch.where(total > 0, moved / total, 0)


METHOD = Method(
    name="value zeroing",
    meaning="how far the layers' outputs move without the token's value: shares that sum to 1",
    reference="Mohebbi et al. 2023",
    cost="one pass",
    signed=False,
    run=value_zeroing,
    explains=False,
)
