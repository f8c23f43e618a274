"""The encoder-decoder of "Attention Is All You Need" (Vaswani et al. 2017), with the variants that imports need.

`B` batch, `N` sentences, `R` rows of a search, `S` source pieces, `T` target pieces, `D` width of the model, `V` target
vocabulary. The model holds no state between calls: what is read or changed inside goes through a probe given to the
call.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from headscope.model.config import ModelConfig
from headscope.model.errors import HeadscopeError
from headscope.model.network.attention import MultiHeadAttention
from headscope.model.network.cache import DecoderCache
from headscope.model.network.device import for_products
from headscope.model.network.dropout import Dropout
from headscope.model.network.layers import DecoderLayer, EncoderLayer, Residual
from headscope.model.network.linear import Linear
from headscope.model.network.masks import Mask, causal_mask, key_mask
from headscope.model.network.positions import PositionScheme
from headscope.model.network.probe import ForwardContext, Links, Probe
from headscope.model.network.schemes import position_scheme
from headscope.model.network.seq2seq import Seq2Seq
from headscope.model.sites import AttentionKind, Capabilities, Side, Site


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

    @property
    def output(self) -> Linear:
        """What `project` applies."""
        return self.projection

    def sites(self) -> tuple[Site, ...]:
        """Every sub-layer, in the order of a pass."""
        return self.config.sites()

    def capabilities(self) -> Capabilities:
        """What can be asked of it."""
        return self.config.capabilities()

    def attention(self, site: Site) -> tuple[MultiHeadAttention, Residual]:
        """The attention at a site, and the residual sum around it."""
        layer = (self.encoder if site.queries == "source" else self.decoder)[site.layer]
        name = "cross" if site.kind == "cross" else "attention"
        return getattr(layer, name), getattr(layer, f"{name}_residual")

    def embed(
        self,
        side: Side,
        pieces: Int[Tensor, "B T"],
        *,
        first: int = 0,
        probe: Probe | None = None,
    ) -> Float[Tensor, "B T D"]:
        """What enters encoder or decoder: scaled embeddings plus positions (sections 3.4 and 3.5).

        The first column stands at position `first`.

        Raises:
            HeadscopeError: the sentence is longer than a learned position table.
        """
        table = self.source_embedding if side == "source" else self.target_embedding
        tokens = table(pieces) * self.scale
        if side == "target" and self.config.zero_start and first == 0:
            tokens = torch.cat([torch.zeros_like(tokens[:, :1]), tokens[:, 1:]], dim=1)
        vectors = self._scheme(side, probe).embed(first, tokens.shape[1])
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
        forward = self._context("source", {"encoder": Links(mask, places, places)}, None, probe)
        x = embedded
        for layer in self.encoder:
            x = layer(x, forward)
        return Memory(self.encoder_norm(x), mask)

    def start(self, memory: Memory) -> DecoderCache:
        """An empty cache for decoding from `memory`: cross-attention keys and values are computed here, once."""
        cache = self._cache(memory)
        cache.drop_idle_mask()
        return cache

    def _cache(self, memory: Memory) -> DecoderCache:
        places = torch.arange(memory.states.shape[1], device=memory.states.device)
        layers = cast("Iterable[DecoderLayer]", self.decoder)
        states = for_products(memory.states)
        cross = [layer.cross.keys_values(states, self.positions, places) for layer in layers]
        return DecoderCache(cross, memory.mask)

    def step(
        self, pieces: Int[Tensor, " R"], cache: DecoderCache, *, probe: Probe | None = None
    ) -> Float[Tensor, "R V"]:
        """Read one more piece a row, and give the logits of the piece after it."""
        embedded = self.embed("target", pieces[:, None], first=cache.length, probe=probe)
        return self.project(self.decode(embedded, cache=cache, probe=probe), probe=probe)[:, 0]

    def decode(
        self,
        embedded: Float[Tensor, "B T D"],
        memory: Memory | None = None,
        *,
        cache: DecoderCache | None = None,
        written: Bool[Tensor, "B T"] | None = None,
        probe: Probe | None = None,
    ) -> Float[Tensor, "B T D"]:
        """Run the decoder, over whole sentences or, with a cache, over the pieces that follow those already read.

        Give `memory` for a whole pass, or a `cache` started from it, which then holds the source side. `written` is
        False where a target is padded: a decoder without a causal mask would look at that.
        """
        if cache is None:
            assert memory is not None, "decoding needs a memory or a cache"
            cache = self._cache(memory)
        length, device = embedded.shape[1], embedded.device
        first, cache.length = cache.length, cache.length + length
        own_keys = torch.arange(cache.length, device=device)
        source_keys = torch.arange(cache.cross[0][0].shape[2], device=device)
        queries = own_keys[first:]
        own_mask = None if self.config.attention.causal or written is None else key_mask(written)
        # A single newest piece may look at all that was read.
        if self.config.attention.causal and length > 1:
            own_mask = causal_mask(length, cache.length, device)
        links: dict[AttentionKind, Links] = {
            "decoder": Links(own_mask, queries, own_keys),
            "cross": Links(cache.mask, queries, source_keys),
        }
        forward = self._context("target", links, cache, probe)
        x = embedded
        for layer in self.decoder:
            x = layer(x, forward)
        return self.decoder_norm(x)

    def _scheme(self, side: Side, probe: Probe | None) -> PositionScheme:
        return self.positions if probe is None else probe.positions(side, self.positions)

    def _context(
        self,
        side: Side,
        links: dict[AttentionKind, Links],
        cache: DecoderCache | None,
        probe: Probe | None,
    ) -> ForwardContext:
        """One pass, told to the probe: masks also hide what the position scheme does."""
        scheme = self._scheme(side, probe)
        for kind, link in links.items():
            visible = scheme.visible(link.queries, link.keys, kind)
            if visible is not None:
                mask = Mask.of(visible[None, None]) if link.mask is None else link.mask.narrowed(visible)
                links[kind] = Links(mask, link.queries, link.keys)
        forward = ForwardContext(links, scheme, cache, probe)
        if probe is not None:
            probe.begin(forward)
        return forward

    def project(self, states: Float[Tensor, "*rows D"], *, probe: Probe | None = None) -> Float[Tensor, "*rows V"]:
        """Logits over the target vocabulary; a tied table is not scaled on this side (section 3.4)."""
        logits = self.projection(states)
        return logits if probe is None else probe.logits(logits)

    def forward(
        self,
        source: Int[Tensor, "N S"],
        present: Bool[Tensor, "N S"],
        target: Int[Tensor, "B T"],
        *,
        written: Bool[Tensor, "B T"] | None = None,
        probe: Probe | None = None,
    ) -> Float[Tensor, "B T V"]:
        """A teacher-forced pass: row t reads target piece t and gives the logits of the piece after it.

        There may be several targets a source: with N sources and N·n targets, target i belongs to source i // n.
        `written` is False where a target is padded.
        """
        memory = self.encode(self.embed("source", source, probe=probe), present, probe=probe)
        states = self.decode(self.embed("target", target, probe=probe), memory, written=written, probe=probe)
        return self.project(states, probe=probe)


def transformer(model: Seq2Seq, what: str) -> Transformer:
    """The model as one whose layers can be taken apart, as `what` (in the plural) needs it.

    Raises:
        HeadscopeError: it is of another architecture.
    """
    if not isinstance(model, Transformer):
        raise HeadscopeError(f"{what} need the layers of a Transformer, which this model is not: choose another model")
    return model
