"""The log-probability of each piece: what attributions are of unless something else is asked for."""

from torch import Tensor

from headscope.analysis.attribution.explained import Explained, explainable


def log_prob(logits: Tensor, predicts: Tensor, row: int) -> Tensor:
    """Of the piece that a row predicts, in nats."""
    return logits[:, predicts[row]] - logits.logsumexp(-1)


LOG_PROB = Explained("log-probability", "log-probability of the piece", "nats", log_prob)
EXPLAINABLE = explainable(LOG_PROB)
