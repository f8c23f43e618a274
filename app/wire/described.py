"""What a model is made of, in words: the same on the command line and on the pages."""

from collections.abc import Mapping
from typing import Any

from headscope.model.config import ModelConfig
from headscope.model.sites import KIND_NAMES, KINDS


def architecture(config: ModelConfig) -> dict[str, str]:
    """What a model is made of, as names and values."""
    rows = {"width": f"{config.d_model:,}"}
    for side, stack in (("encoder", config.encoder), ("decoder", config.decoder)):
        rows[side] = f"{stack.layers} layers, {stack.heads} heads, feed-forward {stack.feed_forward:,}"
    shared = "joint" if config.share_source_target else f"source, {config.target_vocabulary:,} target"
    return rows | {
        "vocabulary": f"{config.source_vocabulary:,} {shared}",
        "output table": "shared with the target embedding" if config.share_output else "its own",
        "attention": attention(config),
        "positions": positions(config),
        "layer norm": f"{config.norm}, epsilon {config.norm_epsilon:g}",
        "activation": config.activation,
        "dropout": f"{config.dropout:g} (attention {config.attention_dropout:g}, "
        f"activation {config.activation_dropout:g})",
    }


def attention(config: ModelConfig) -> str:
    """How weights come about, and how wide heads are where that is not the width over their number."""
    said = []
    for kind in KINDS:
        chosen = config.attention.of(kind)
        if chosen.plain:
            continue
        if chosen.pattern == "positional":
            what = "at " + ", ".join(f"{offset:+d}" if offset else "0" for offset in chosen.offsets)
        elif chosen.pattern == "uniform":
            what = "uniform"
        else:
            what = chosen.score + (f", temperature {chosen.temperature:g}" if chosen.temperature != 1 else "")
        said.append(f"{KIND_NAMES[kind]}: {what}")
    if not config.attention.causal:
        said.append("no causal mask: the decoder is shown in training what it is to predict")
    said += [f"d_{name} {size:,}" for name, size in (("k", config.key_size), ("v", config.value_size)) if size]
    return "; ".join(said) or "scaled dot products"


def positions(config: ModelConfig) -> str:
    """How a model knows where a token stands."""
    return {
        "sinusoidal": f"sinusoidal, {config.sinusoid_layout}",
        "learned": f"learned, {config.position_table:,} at most",
        "rotary": f"rotary, base {config.rotary_base:,g}",
        "alibi": "ALiBi",
        "shaw": f"relative (Shaw et al.), {config.shaw_reach:,} on either side",
        "t5": f"relative (T5), {config.t5_buckets:,} buckets up to {config.t5_furthest:,}",
        "none": "none",
    }[config.positions]


def plain(value: Any) -> str:
    """A value of a record, in one line."""
    if isinstance(value, Mapping):
        if {"score", "interval"} <= set(value):
            return f"{value['score']} ± {value['interval']}"
        return ", ".join(f"{name} {plain(part)}" for name, part in value.items())
    if isinstance(value, list):
        return "; ".join(map(plain, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)
