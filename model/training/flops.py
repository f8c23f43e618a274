"""Floating-point operations of a training update, from shapes alone.

Counted are the matrix products, two operations a multiply-add: the projections of attention (4 D² a position; in
cross-attention 2 D² a target and 2 D² a source position), scores and weighted sums (2 D a query and key), feed-forward
(2 D F a position) and the output projection (D V a real target position; padding is not projected). Where d_k and d_v
are not D over heads, queries and keys, and values and outputs, count by their own widths. Fixed patterns have no
queries, keys and scores, and no gradient of weights. Additive scores count as products do. Padded positions count,
because they are computed. The backward pass is taken as twice the forward pass. Softmax, norms, dropout, tanh and the
optimiser are left out: they are few operations (though not little time).
"""

from headscope.model.config import ModelConfig
from headscope.model.sites import AttentionKind


def update_flops(config: ModelConfig, *, rows: int, source: int, target: int, real: int) -> float:
    """Forward and backward pass of a batch of `rows` pairs padded to `source` and `target` pieces, `real` predicted."""
    width = config.d_model
    encoder, decoder = config.encoder, config.decoder
    encoder_layer = _attention(config, "encoder", source, source) + 3 * source * 2 * width * encoder.feed_forward
    decoder_layer = (
        _attention(config, "decoder", target, target)
        + _attention(config, "cross", target, source)
        + 3 * target * 2 * width * decoder.feed_forward
    )
    multiply_adds = rows * (encoder.layers * encoder_layer + decoder.layers * decoder_layer)
    multiply_adds += 3 * real * width * config.target_vocabulary
    return 2 * float(multiply_adds)


def _attention(config: ModelConfig, kind: AttentionKind, queries: int, keys: int) -> int:
    """Multiply-adds of both passes of one layer and sentence."""
    heads = (config.encoder if kind == "encoder" else config.decoder).heads
    compared, fetched = heads * config.key_width(heads), heads * config.value_width(heads)
    projected = (queries + keys) * config.d_model
    if config.attention.of(kind).pattern != "learned":  # its weights are fixed, and take no gradient
        return 3 * projected * fetched + 2 * queries * keys * fetched
    return 3 * (projected + queries * keys) * (compared + fetched)
