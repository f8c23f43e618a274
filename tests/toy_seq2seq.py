"""A model of another architecture: no cross-attention heads, no residual stream."""

from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from headscope.model.card import Card
from headscope.model.config import ModelConfig
from headscope.model.network.masks import Mask, key_mask
from headscope.model.network.positions import PositionScheme
from headscope.model.network.probe import ForwardContext, Links, Probe
from headscope.model.sites import Capabilities, Site
from headscope.model.translator import Translator
from tests.toys import letters, tiny_config


class MixerConfig(ModelConfig):
    """Of a `Mixer`."""

    architecture: ClassVar[str] = "mixer"

    def sites(self) -> tuple[Site, ...]:
        return tuple(Site("encoder", layer, 2, "source", "source", causal=False) for layer in range(2))

    def capabilities(self) -> Capabilities:
        return Capabilities(("encoder",), residual_stream=False, position_limit=None)


class Read:
    """What a `Mixer` keeps between steps: the mean of what each row has read, and the mean of its source."""

    def __init__(self, source: Tensor) -> None:
        self.length, self.source, self.sum = 0, source, torch.zeros_like(source)

    def select(self, rows: Tensor) -> None:
        self.source, self.sum = self.source[rows], self.sum[rows]

    def keep_sentences(self, sentences: Tensor) -> None:
        """Every row has its own source already."""

    def branch(self) -> "Read":
        other = Read(self.source)
        other.length, other.sum = self.length, self.sum
        return other


class Mixer(nn.Module):
    """Two layers of attention over the source; the decoder takes means of what was read, and of the source."""

    def __init__(self, **changes: Any) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.config = MixerConfig.model_validate(tiny_config(**changes).model_dump())
        self.table = nn.Embedding(self.config.target_vocabulary, 16)
        self.output = nn.Linear(16, self.config.target_vocabulary)

    @property
    def device(self) -> torch.device:
        return self.table.weight.device

    def sites(self) -> tuple[Site, ...]:
        return self.config.sites()

    def capabilities(self) -> Capabilities:
        return self.config.capabilities()

    def embed(self, side, pieces: Tensor, *, first: int = 0, probe: Probe | None = None) -> Tensor:
        total = self.table(pieces)
        return total if probe is None else probe.embedded(side, total, torch.zeros_like(total[0]), total)

    def encode(self, embedded: Tensor, present: Tensor, *, probe: Probe | None = None) -> Tensor:
        mask, places = key_mask(present), torch.arange(embedded.shape[1])
        if probe is not None:
            probe.begin(ForwardContext({"encoder": Links(mask, places, places)}, PositionScheme(), probe=probe))
        for site in self.sites():
            embedded = self._mixed(site, embedded, mask, probe)
        return (embedded * present[..., None]).sum(1) / present.sum(1, keepdim=True)

    def _mixed(self, site: Site, x: Tensor, mask: Mask, probe: Probe | None) -> Tensor:
        heads = x.unflatten(-1, (site.heads, -1)).transpose(1, 2)
        weights = (heads @ heads.transpose(2, 3) + mask.fill(x.dtype)).softmax(-1)
        if probe is not None and probe.wants(site):
            weights = probe.weights(site, weights)
        return (weights @ heads).transpose(1, 2).flatten(2)

    def decode(
        self, embedded: Tensor, memory: Tensor, *, written: Tensor | None = None, probe: Probe | None = None
    ) -> Tensor:
        count = torch.arange(1, embedded.shape[1] + 1)[:, None]
        return embedded.cumsum(1) / count + memory.repeat_interleave(len(embedded) // len(memory), 0)[:, None]

    def start(self, memory: Tensor) -> Read:
        return Read(memory)

    def step(self, pieces: Tensor, cache: Read, *, probe: Probe | None = None) -> Tensor:
        cache.sum = cache.sum + self.embed("target", pieces[:, None], first=cache.length, probe=probe)[:, 0]
        cache.length += 1
        return self.project((cache.sum / cache.length + cache.source)[:, None], probe=probe)[:, 0]

    def project(self, states: Tensor, *, probe: Probe | None = None) -> Tensor:
        logits = self.output(states)
        return logits if probe is None else probe.logits(logits)

    def forward(
        self,
        source: Tensor,
        present: Tensor,
        target: Tensor,
        *,
        written: Tensor | None = None,
        probe: Probe | None = None,
    ) -> Tensor:
        memory = self.encode(self.embed("source", source, probe=probe), present, probe=probe)
        return self.project(self.decode(self.embed("target", target, probe=probe), memory, probe=probe), probe=probe)


def mixing_translator() -> Translator:
    """An untrained one over letters."""
    size = letters().size("source")
    model = Mixer(source_vocabulary=size, target_vocabulary=size).eval().requires_grad_(False)
    return Translator(model, letters(), Card(Path("mixer"), "mixer", model.config, ("ab", "ba")))
