"""What a Transformer is made of, as plain validated values. No torch here: pages and commands read it at once."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from headscope.model.errors import HeadscopeError
from headscope.model.sites import KINDS, AttentionKind, Capabilities, Site

SinusoidLayout = Literal["interleaved", "halves", "halves_tensor2tensor", "halves_opennmt", "halves_fairseq"]
"""The tables in use. `interleaved`: the paper, sin and cos in turn. `halves`: the paper's frequencies, all sines
before all cosines (Hugging Face Marian). `halves_tensor2tensor`: halves whose last wavelength is exactly 10000·2π
(tensor2tensor, Marian). `halves_opennmt`, `halves_fairseq`: the former, first position index 1 (OpenNMT-tf) or 2."""

Positions = Literal["sinusoidal", "learned", "rotary", "alibi", "shaw", "t5", "none"]
"""How a model knows where a token stands: vectors added to the embeddings, from a formula or learned (Vaswani et al.
2017); rotary: queries and keys turned (Su et al. 2021); alibi: scores that fall with the distance (Press et al. 2022);
shaw: keys with a vector for the distance (Shaw et al. 2018); t5: a learned number for the distance (Raffel et al.
2020); none."""
ENTER_SCORES: tuple[Positions, ...] = ("rotary", "alibi", "shaw", "t5")
"""Schemes that change queries and keys, or add to the scores of self-attention."""


Score = Literal["scaled", "unscaled", "additive"]
"""What a query and a key are compared by. scaled: q·k / √d_k (Vaswani et al. 2017, equation 1); unscaled: q·k;
additive: v·tanh(q + k) with a trained v for each head, where q and k are projected (Bahdanau et al. 2014)."""
Pattern = Literal["learned", "uniform", "positional"]
"""Where weights come from. learned: from scores of queries and keys; uniform: every key that may be looked at gets the
same; positional: each head looks at one fixed distance, such as the previous token (after Raganato et al. 2020). The
latter two have no queries and keys, and no parameters for them."""


class StackConfig(BaseModel):
    """One side: the encoder or the decoder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    layers: int = Field(ge=1)
    heads: int = Field(ge=1)
    feed_forward: int = Field(ge=1)


class AttentionConfig(BaseModel):
    """How the weights of one kind of attention come about."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    score: Score = "scaled"
    temperature: float = Field(default=1.0, gt=0, le=1e6)
    """The softmax is taken of scores divided by it: above 1 it is flatter, below 1 sharper."""
    pattern: Pattern = "learned"
    offsets: tuple[int, ...] = Field(default=(-1, 0), min_length=1)
    """Of the pattern `positional`: key less query, by head; with more heads than offsets they begin again. Where no key
    that may be looked at stands there, the nearest one is."""

    @model_validator(mode="after")
    def _consistent(self) -> "AttentionConfig":
        if self.pattern != "learned" and (self.score, self.temperature) != ("scaled", 1.0):
            raise ValueError(f"pattern = '{self.pattern}' has no scores that `score` or `temperature` could change")
        return self

    @property
    def plain(self) -> bool:
        """Whether it is softmax(QKᵀ/√d_k), the paper's."""
        return (self.score, self.temperature, self.pattern) == ("scaled", 1.0, "learned")


class AttentionKinds(BaseModel):
    """How attention works in the three kinds of sub-layer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    encoder: AttentionConfig = AttentionConfig()
    decoder: AttentionConfig = AttentionConfig()
    cross: AttentionConfig = AttentionConfig()
    causal: bool = True
    """Whether decoder self-attention hides what comes later. Without it a model is shown in training the very piece
    that it is to predict: its loss says nothing, and in translation, where nothing comes later, it fails."""

    @model_validator(mode="after")
    def _consistent(self) -> "AttentionKinds":
        if self.cross.pattern == "positional":
            raise ValueError("cross.pattern = 'positional': there are no distances between two sentences")
        if self.causal and self.decoder.pattern == "positional" and max(self.decoder.offsets) > 0:
            raise ValueError(
                f"decoder.offsets = {list(self.decoder.offsets)}: what comes later is hidden; take 0 or less"
            )
        return self

    def of(self, kind: AttentionKind) -> AttentionConfig:
        """That of a kind."""
        return getattr(self, kind)


class ModelConfig(BaseModel):
    """Everything that decides the shape and the arithmetic of a model.

    The defaults are those of "Attention Is All You Need" (2017): post-norm, ReLU, biases, sinusoidal positions in the
    paper's layout, one table for source, target and output scaled by sqrt(d_model) on the way in, dropout 0.1 on
    sub-layer outputs and embeddings only.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    architecture: ClassVar[str] = "transformer"
    """Its name in `model.network.architectures`; another architecture is a configuration derived from this one."""

    d_model: int = Field(ge=2)
    encoder: StackConfig
    decoder: StackConfig
    source_vocabulary: int = Field(ge=4)
    target_vocabulary: int = Field(ge=4)

    key_size: int | None = Field(None, ge=1)
    """Width of a head's queries and keys, d_k; None: d_model / heads, as in the paper."""
    value_size: int | None = Field(None, ge=1)
    """Width of a head's values, d_v; None: d_model / heads."""
    attention: AttentionKinds = AttentionKinds()

    positions: Positions = "sinusoidal"
    sinusoid_layout: SinusoidLayout = "interleaved"
    position_table: int = Field(256, ge=1)
    """Rows of a learned table: the longest sentence, in pieces, that such a model can read or write."""
    rotary_base: float = Field(10_000.0, gt=1)
    """The slowest pair of dimensions turns once in about that many positions, times 2π."""
    shaw_reach: int = Field(16, ge=1, le=4096)
    """Distances told apart on either side; the paper's base model has 16."""
    t5_buckets: int = Field(32, ge=4, le=4096, multiple_of=4)
    t5_furthest: int = Field(128, ge=1)
    """Distances beyond it share a bucket; more than a bucket's worth of `t5_buckets`."""

    norm: Literal["post", "pre"] = "post"
    norm_epsilon: float = Field(1e-5, gt=0)
    activation: Literal["relu", "gelu", "silu"] = "relu"
    attention_bias: bool = True
    feed_forward_bias: bool = True
    share_source_target: bool = True
    """One embedding table for both sides (then the vocabularies have one size)."""
    share_output: bool = True
    """The decoder's table is the output projection too."""
    logits_bias: bool = False
    scale_embedding: bool = True
    zero_start: bool = False
    """The first decoder input has a zero embedding (Marian), whatever the start symbol's row says."""
    source_end: bool = True
    """A source sentence is closed by the end-of-sentence piece (in OpenNMT it is not)."""

    dropout: float = Field(0.1, ge=0, lt=1)
    attention_dropout: float = Field(0.0, ge=0, lt=1)
    activation_dropout: float = Field(0.0, ge=0, lt=1)

    @model_validator(mode="after")
    def _consistent(self) -> "ModelConfig":
        for side, stack in (("encoder", self.encoder), ("decoder", self.decoder)):
            if self.d_model % stack.heads and None in (self.key_size, self.value_size):
                raise ValueError(f"{side}.heads = {stack.heads} does not divide d_model = {self.d_model}")
        if self.d_model % 2:
            raise ValueError(f"d_model = {self.d_model} is odd; sines and cosines come in pairs")
        if self.positions == "rotary":
            for side, stack in (("encoder", self.encoder), ("decoder", self.decoder)):
                if self.key_width(stack.heads) % 2:
                    raise ValueError(f"{side}.heads = {stack.heads} makes heads of odd width, which cannot be turned")
        for kind in ("encoder", "decoder"):
            attention = self.attention.of(kind)
            if self.positions in ENTER_SCORES and not attention.plain:
                raise ValueError(
                    f"positions = '{self.positions}' enter the scaled dot product of self-attention, which "
                    f"attention.{kind} replaces: choose sinusoidal or learned positions, or none"
                )
        if self.t5_furthest <= self.t5_buckets // 2:
            raise ValueError(f"t5_furthest = {self.t5_furthest} must be above half of t5_buckets = {self.t5_buckets}")
        if self.share_source_target and self.source_vocabulary != self.target_vocabulary:
            raise ValueError(
                f"share_source_target needs vocabularies of one size, not {self.source_vocabulary} and "
                f"{self.target_vocabulary}"
            )
        return self

    def key_width(self, heads: int) -> int:
        """d_k where a layer has so many heads."""
        return self.key_size or self.d_model // heads

    def value_width(self, heads: int) -> int:
        """d_v where a layer has so many heads."""
        return self.value_size or self.d_model // heads

    @property
    def position_limit(self) -> int | None:
        """Pieces a sentence may have at most, end of sentence included; None: no limit (sinusoidal)."""
        return self.position_table if self.positions == "learned" else None

    def sites(self) -> tuple[Site, ...]:
        """Every sub-layer, in the order of a pass."""
        found = []
        for layer in range(self.encoder.layers):
            found.append(Site("encoder", layer, self.encoder.heads, "source", "source", causal=False))
            found.append(Site("encoder feed-forward", layer, 0, "source", "source", causal=False))
        for layer in range(self.decoder.layers):
            found.append(Site("decoder", layer, self.decoder.heads, "target", "target", self.attention.causal))
            found.append(Site("cross", layer, self.decoder.heads, "target", "source", causal=False))
            found.append(Site("decoder feed-forward", layer, 0, "target", "target", causal=False))
        return tuple(found)

    def capabilities(self) -> Capabilities:
        """What can be asked of such a model."""
        return Capabilities(
            KINDS,
            residual_stream=True,
            position_limit=self.position_limit,
            other_scores=tuple(kind for kind in KINDS if not self.attention.of(kind).plain),
            looks_ahead=not self.attention.causal,
        )


PRESETS: Mapping[str, tuple[int, StackConfig]] = {
    "tiny": (128, StackConfig(layers=4, heads=4, feed_forward=256)),
    "small": (256, StackConfig(layers=4, heads=8, feed_forward=1024)),
    "base": (512, StackConfig(layers=6, heads=8, feed_forward=2048)),
    "big": (1024, StackConfig(layers=6, heads=16, feed_forward=4096)),
}
"""Width and stack of each named size; `base` and `big` are the paper's (Table 3)."""


def preset(name: str, *, vocabulary: int, **changes: Any) -> ModelConfig:
    """The named size over one joint vocabulary, with any other field changed by keyword; of a stack, what is given.

    Raises:
        HeadscopeError: there is no such preset, or the changed values do not fit together.
    """
    if name not in PRESETS:
        raise HeadscopeError(f"there is no preset '{name}'; choose one of {', '.join(PRESETS)}")
    d_model, stack = PRESETS[name]
    fields: dict[str, Any] = {"d_model": d_model, "encoder": stack, "decoder": stack}
    for side in ("encoder", "decoder"):
        if isinstance(changes.get(side), Mapping):
            changes[side] = stack.model_dump() | changes[side]
    fields |= {"source_vocabulary": vocabulary, "target_vocabulary": vocabulary}
    if name == "big":
        fields["dropout"] = 0.3
    return parse_config(fields | changes)


def parse_config(fields: Mapping[str, Any], made: type[ModelConfig] = ModelConfig) -> ModelConfig:
    """A configuration from plain values, as they stand in `config.json`.

    Args:
        made: the configuration of another architecture.

    Raises:
        HeadscopeError: names the key, its value and what is allowed.
    """
    try:
        return made.model_validate(fields)
    except ValidationError as error:
        raise HeadscopeError(f"model configuration: {explain(error)}") from error


def explain(error: ValidationError) -> str:
    """The first finding of a pydantic validation as one line: key, value, what is allowed."""
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        return f"there is no key '{key}'"
    if first["type"] == "missing":
        return f"the key '{key}' is missing"
    if not key:
        return message
    return f"{key} = {first['input']!r}: {message[0].lower()}{message[1:]}"
