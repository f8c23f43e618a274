"""The entropy of each row's distribution: why the model is sure, or not."""

from torch import Tensor

from headscope.analysis.attribution.explained import Explained, explainable


def _entropy(logits: Tensor, predicts: Tensor, row: int) -> Tensor:
    log_probs = logits.log_softmax(-1)
    return -(log_probs.exp() * log_probs).sum(-1)


ENTROPY = Explained("entropy", "entropy of the distribution over all pieces", "nats", _entropy)
EXPLAINABLE = explainable(ENTROPY)
