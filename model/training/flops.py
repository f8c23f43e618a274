"""Floating-point operations of a training update, from shapes alone.

Counted are the matrix products, two operations a multiply-add: the projections of attention (4 D² a position; in
cross-attention 2 D² a target and 2 D² a source position), scores and weighted sums (2 D a query and key), feed-forward
(2 D F a position) and the output projection (D V a real target position; padding is not projected). Padded positions
count, because they are computed. The backward pass is taken as twice the forward pass. Softmax, norms, dropout and the
optimiser are left out: they are few operations (though not little time).
"""

from headscope.model.config import ModelConfig


def update_flops(config: ModelConfig, *, rows: int, source: int, target: int, real: int) -> float:
    """Forward and backward pass of a batch of `rows` pairs padded to `source` and `target` pieces, `real` predicted."""
    width = config.d_model
    encoder, decoder = config.encoder, config.decoder
    encoder_layer = source * (4 * width**2 + 2 * width * encoder.feed_forward) + 2 * width * source**2
    decoder_layer = (
        target * (6 * width**2 + 2 * width * decoder.feed_forward)
        + source * 2 * width**2
        + 2 * width * target * (target + source)
    )
    multiply_adds = rows * (encoder.layers * encoder_layer + decoder.layers * decoder_layer)
    multiply_adds += real * width * config.target_vocabulary
    return 3 * 2 * float(multiply_adds)
