"""ALTI+ (Ferrando et al. 2022): what the rows of the decoder are made of."""

import torch

from headscope.analysis.attribution.alti import alti
from headscope.analysis.attribution.method import Found, Method, Question


def alti_shares(asked: Question) -> Found:
    """The shares of the tokens in each row, see `headscope.analysis.attribution.alti`; rows sum to 1."""
    found, asks = alti(asked.translator, asked.pair), asked.inputs.source
    from_source, from_target, values = (
        torch.as_tensor(array).to(asks)
        for array in (found.shares.from_source, found.shares.from_target, found.log_probs)
    )
    return Found(from_source[..., None], from_target[..., None], values)


METHOD = Method(
    name="ALTI+",
    meaning="the share of the token in the states that the prediction is made from; no sign",
    reference="Ferrando et al. 2022",
    cost="one pass",
    signed=False,
    run=alti_shares,
    explains=False,
)
