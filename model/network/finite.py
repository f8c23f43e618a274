"""Where numbers have left the range of their precision: nothing that follows from them is a result."""

import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor

from headscope.model.errors import HeadscopeError
from headscope.model.network.seq2seq import Seq2Seq


def require_finite(values: Shaped[Tensor, "*any"], model: Seq2Seq, what: str) -> None:
    """Refuse what a model has computed where some of it is infinite or no number.

    Args:
        what: the values, in the plural.

    Raises:
        HeadscopeError: it names the largest weight, in which the cause lies as a rule.
    """
    if values.isfinite().all():
        return
    sizes = {
        name: float(weights.detach().abs().max().nan_to_num(torch.inf)) for name, weights in model.named_parameters()
    }
    name = max(sizes, key=sizes.__getitem__)
    raise HeadscopeError(
        f"the model's {what} are not finite: its weights are damaged, or too large for this precision (the largest, "
        f"{sizes[name]:.3g}, is in '{name}'): choose another checkpoint"
    )


def log_probs_of(
    model: Seq2Seq, logits: Float[Tensor, "B T V"], pieces: Int[Tensor, "B T"], real: Bool[Tensor, "B T"]
) -> Float[Tensor, "B T"]:
    """Log-probability of each piece by the logits of its row, in nats and in float32 at least; 0 where it is not real.

    Raises:
        HeadscopeError: one is not finite.
    """
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    chosen = logits.gather(-1, pieces[..., None])[..., 0] - logits.logsumexp(-1)
    found = chosen.masked_fill(~real, 0.0)
    require_finite(found, model, "log-probabilities of the translation that it reads")
    return found
