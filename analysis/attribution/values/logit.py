"""The logit of each piece: what the model says for it, whatever it says for others."""

from torch import Tensor

from headscope.analysis.attribution.explained import Explained, explainable


def _logit(logits: Tensor, predicts: Tensor, row: int) -> Tensor:
    return logits[:, predicts[row]]


LOGIT = Explained("logit", "logit of the piece, before the softmax", "logits", _logit)
EXPLAINABLE = explainable(LOGIT)
