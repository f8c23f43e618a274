"""The encoder-decoder of "Attention Is All You Need" (Vaswani et al. 2017), with the variants that imports need.

`B` batch, `S` source pieces, `T` target pieces, `D` width of the model, `V` target vocabulary. The model holds no state
between calls: what is read or changed inside goes through a probe given to the call.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from headscope.model.config import ModelConfig
from headscope.model.network.cache import DecoderCache
from headscope.model.network.device import for_products
from headscope.model.network.dropout import Dropout
from headscope.model.network.layers import DecoderLayer, EncoderLayer
from headscope.model.network.linear import Linear
from headscope.model.network.masks import Mask, causal_mask, key_mask
from headscope.model.network.positions import position_scheme
from headscope.model.network.probe import Probe


@dataclass(frozen=True, eq=False, slots=True)
class Memory:
    """What the decoder knows of the source."""

    states: Float[Tensor, "B S D"]
    mask: Mask


class Transformer(nn.Module):
    """Text in the form of piece ids in, logits over the next piece out."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.source_embedding = nn.Embedding(config.source_vocabulary, config.d_model)
        self.target_embedding = (
            self.source_embedding
            if config.share_source_target
            else nn.Embedding(config.target_vocabulary, config.d_model)
        )
        self.positions = position_scheme(config)
        self.embedding_dropout = Dropout(config.dropout)
        self.encoder = nn.ModuleList(EncoderLayer(config, i) for i in range(config.encoder.layers))
        self.decoder = nn.ModuleList(DecoderLayer(config, i) for i in range(config.decoder.layers))
        self.encoder_norm = self._final_norm()
        self.decoder_norm = self._final_norm()
        self.projection = Linear(config.d_model, config.target_vocabulary, bias=config.logits_bias)
        if config.share_output:
            self.projection.weight = self.target_embedding.weight
        self.scale = math.sqrt(config.d_model) if config.scale_embedding else 1.0
        self._initialise()

    def _final_norm(self) -> nn.Module:
        # Post-norm layers end normalised; a second norm would change the model.
        config = self.config
        return nn.LayerNorm(config.d_model, config.norm_epsilon) if config.norm == "pre" else nn.Identity()

    def _initialise(self) -> None:
        # Xavier for the layers; tables N(0, 1/D), so that scaled embeddings have unit variance and logits start small.
        for name, parameter in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(parameter)
            elif parameter.dim() > 1 and not name.startswith("positions"):
                nn.init.xavier_uniform_(parameter)
        for table in (self.source_embedding.weight, self.target_embedding.weight, self.projection.weight):
            nn.init.normal_(table, std=self.config.d_model**-0.5)
        self.positions.reset_parameters()

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return self.source_embedding.weight.device

    def embed_source(self, source: Int[Tensor, "B S"], *, probe: Probe | None = None) -> Float[Tensor, "B S D"]:
        """What enters the encoder: scaled embeddings plus positions (sections 3.4 and 3.5).

        Raises:
            HeadscopeError: the sentence is longer than a learned position table.
        """
        tokens = self.source_embedding(source) * self.scale
        return self._place(tokens, 0, "source", probe)

    def embed_target(
        self, target: Int[Tensor, "B T"], *, first: int = 0, probe: Probe | None = None
    ) -> Float[Tensor, "B T D"]:
        """What enters the decoder; the first column stands at position `first`.

        Raises:
            HeadscopeError: the sentence is longer than a learned position table.
        """
        tokens = self.target_embedding(target) * self.scale
        if self.config.zero_start and first == 0:
            tokens = torch.cat([torch.zeros_like(tokens[:, :1]), tokens[:, 1:]], dim=1)
        return self._place(tokens, first, "target", probe)

    def _place(self, tokens: Tensor, first: int, side: Literal["source", "target"], probe: Probe | None) -> Tensor:
        vectors = self.positions.embed(first, tokens.shape[1])
        if vectors is None:
            vectors = tokens.new_zeros(tokens.shape[1:])
        total = tokens + vectors
        if probe is not None:
            total = probe.embedded(side, tokens, vectors, total)
        return self.embedding_dropout(total)

    def encode(
        self, embedded: Float[Tensor, "B S D"], present: Bool[Tensor, "B S"], *, probe: Probe | None = None
    ) -> Memory:
        """Run the encoder. `present` is False where a sentence is padded."""
        mask = key_mask(present)
        places = torch.arange(embedded.shape[1], device=embedded.device)
        x = embedded
        for layer in self.encoder:
            x = layer(x, mask, self.positions, places, probe)
        return Memory(self.encoder_norm(x), mask)

    def start_cache(self, memory: Memory) -> DecoderCache:
        """An empty cache for decoding from `memory`: cross-attention keys and values are computed here, once."""
        places = torch.arange(memory.states.shape[1], device=memory.states.device)
        layers = cast("Iterable[DecoderLayer]", self.decoder)
        states = for_products(memory.states)
        cross = [layer.cross.keys_values(states, self.positions, places) for layer in layers]
        return DecoderCache(cross, memory.mask)

    def decode(
        self,
        embedded: Float[Tensor, "B T D"],
        memory: Memory | None = None,
        *,
        cache: DecoderCache | None = None,
        probe: Probe | None = None,
    ) -> Float[Tensor, "B T D"]:
        """Run the decoder, over whole sentences or, with a cache, over the pieces that follow those already read.

        Give `memory` for a whole pass, or a `cache` started from it, which then holds the source side.
        """
        first = 0
        if cache is None:
            assert memory is not None, "decoding needs a memory or a cache"
            cache = self.start_cache(memory)
        else:
            first = cache.length
        length = embedded.shape[1]
        cache.length = first + length
        own_keys = torch.arange(first + length, device=embedded.device)
        source_keys = torch.arange(cache.cross[0][0].shape[2], device=embedded.device)
        own_mask = causal_mask(length, first + length, embedded.device) if length > 1 else None
        x = embedded
        for layer, own, cross in zip(self.decoder, cache.layers, cache.cross, strict=True):
            x = layer(x, own, cross, own_mask, cache.mask, self.positions, own_keys, source_keys, probe)
        return self.decoder_norm(x)

    def project(self, states: Float[Tensor, "*rows D"], *, probe: Probe | None = None) -> Float[Tensor, "*rows V"]:
        """Logits over the target vocabulary; a tied table is not scaled on this side (section 3.4)."""
        logits = self.projection(states)
        return logits if probe is None else probe.logits(logits)

    def forward(
        self,
        source: Int[Tensor, "B S"],
        present: Bool[Tensor, "B S"],
        target: Int[Tensor, "B T"],
        *,
        probe: Probe | None = None,
    ) -> Float[Tensor, "B T V"]:
        """A teacher-forced pass: row t reads target piece t and gives the logits of the piece after it."""
        memory = self.encode(self.embed_source(source, probe=probe), present, probe=probe)
        states = self.decode(self.embed_target(target, probe=probe), memory, probe=probe)
        return self.project(states, probe=probe)
