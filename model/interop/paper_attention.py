"""Whether attention is the paper's, which is all that other toolkits have."""

from headscope.model.config import ModelConfig
from headscope.model.errors import HeadscopeError
from headscope.model.sites import KIND_NAMES, KINDS


def require_paper_attention(config: ModelConfig, whose: str) -> None:
    """Check that another toolkit's model can hold this one's attention.

    Args:
        whose: the toolkit's model, with its article.

    Raises:
        HeadscopeError: names the field that it cannot hold.
    """
    for kind in KINDS:
        if not config.attention.of(kind).plain:
            chosen = config.attention.of(kind)
            what = (
                chosen.pattern if chosen.pattern != "learned" else f"{chosen.score}, temperature {chosen.temperature:g}"
            )
            raise HeadscopeError(
                f"attention.{kind} is {what}: {whose} computes {KIND_NAMES[kind]} by scaled dot products alone"
            )
    if not config.attention.causal:
        raise HeadscopeError(f"attention.causal = False: {whose} always hides later target pieces from its decoder")
    for name, size in (("key_size", config.key_size), ("value_size", config.value_size)):
        for stack in (config.encoder, config.decoder):
            if size not in (None, config.d_model / stack.heads):
                raise HeadscopeError(
                    f"{name} = {size}: {whose} has heads of d_model / heads = {config.d_model} / {stack.heads}"
                )
