"""How much every head looks at what stands how far away, over a corpus.

Distance is key minus query: −1 is the token before. In cross-attention it is the place in the source minus the place of
the row in the target, where the row that writes the first piece is 0: no distance in one sentence, but on the diagonal
of two. Every link that the mask allows counts once, but for those that have to do with no position: keys that are the
end of sentence or the start symbol, where much attention rests (Clark et al. 2019), and rows that read the end.

`H` heads in the order of `all_heads`, `R` distances.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from headscope.analysis.capture.attention import AttentionProbe
from headscope.analysis.capture.forced import ForcedBatch, forced_batch, log_probs
from headscope.analysis.capture.pairs import SentencePair, batches
from headscope.analysis.positions.study_record import REACH
from headscope.analysis.records.heads import Head, all_heads
from headscope.analysis.records.table import Table
from headscope.model.errors import HeadscopeError
from headscope.model.network.probe import Probe, Probes
from headscope.model.progress import Progress
from headscope.model.sites import Side, Site
from headscope.model.translator import BATCH_TOKENS, Translator

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True, eq=False)
class HeadDistances(Table):
    """Attention by distance."""

    heads: tuple[Head, ...]
    distances: np.ndarray
    """[R]: key minus query."""
    mean: np.ndarray
    """[H, R]: weight of a link; NaN where there is none."""
    deviation: np.ndarray
    """[H, R]: standard deviation over links."""
    links: np.ndarray
    """[H, R]: how many there are."""
    sentences: int

    def to_pandas(self) -> "DataFrame":
        """One row a head and distance."""
        import pandas as pd

        return pd.concat(
            [
                pd.DataFrame(
                    {
                        **head._asdict(),
                        "distance": self.distances,
                        "mean": self.mean[index],
                        "deviation": self.deviation[index],
                        "links": self.links[index],
                    }
                )
                for index, head in enumerate(self.heads)
            ],
            ignore_index=True,
        )


@torch.inference_mode()
def head_distances(
    translator: Translator,
    pairs: Sequence[SentencePair],
    *,
    reach: int = REACH,
    probe: Probe | None = None,
    batch_tokens: int = BATCH_TOKENS,
    progress: Progress | None = None,
) -> HeadDistances:
    """Attention of every head by distance, teacher-forced.

    Args:
        reach: distances told apart on either side; links further apart are left out.
        probe: changes the passes.
        progress: told how many pairs are done.

    Raises:
        HeadscopeError: there are no pairs.
        Cancelled: `progress` wants it to stop.
    """
    if not pairs:
        raise HeadscopeError("there is no sentence pair to measure attention in: give some that the model can read")
    heads = all_heads(translator.model)
    sums = np.zeros((3, len(heads), 2 * reach + 1))
    for batch in batches(pairs, tokens=batch_tokens, progress=progress):
        forced, seen = forced_batch(translator, batch), AttentionProbe()
        log_probs(translator.model, forced, probe=seen if probe is None else Probes(probe, seen))
        words = word_tokens(translator, forced)
        found = {
            site: _sums(weights, word_links(site, words, seen, forced), reach)
            for site, weights in seen.weights_at.items()
        }
        by_head = {(site.kind, site.layer): values for site, values in found.items()}
        sums += np.stack([by_head[head.kind, head.layer][:, head.head] for head in heads], axis=1)
    weight, square, links = sums
    with np.errstate(invalid="ignore"):
        mean = weight / links
        deviation = np.sqrt(np.maximum(square / links - mean**2, 0))
    return HeadDistances(heads, np.arange(-reach, reach + 1), mean, deviation, links.astype(int), len(pairs))


def word_tokens(translator: Translator, forced: ForcedBatch) -> dict[Side, Tensor]:
    """Which tokens of each side are pieces of the sentence: no padding, end of sentence or start symbol. [N, T]."""
    ended = translator.model.config.source_end
    first = torch.zeros_like(forced.real)
    first[:, 0] = True
    source = forced.present & ~_last(forced.present) if ended else forced.present
    return {"source": source, "target": forced.real & ~first}


def _last(present: Tensor) -> Tensor:
    return present & ~torch.cat([present[:, 1:], torch.zeros_like(present[:, :1])], dim=1)


def word_links(site: Site, words: dict[Side, Tensor], seen: AttentionProbe, forced: ForcedBatch) -> Tensor:
    """[N, Q, K]: links between words; the row that reads the start symbol counts in cross-attention, where it writes
    the first piece, and the row that writes the end of sentence does not."""
    queries = forced.real & ~_last(forced.real) if site.kind == "cross" else words[site.queries]
    links = queries[:, :, None] & words[site.keys][:, None, :]
    mask = seen.links[site.kind].mask  # pyright: ignore[reportArgumentType]
    return links if mask is None else links & mask.allowed[:, 0]


def _sums(weights: Tensor, links: Tensor, reach: int) -> np.ndarray:
    """[3, H, R]: sums of weights and of their squares, and numbers of links, by distance."""
    queries, keys = weights.shape[-2:]
    apart = torch.arange(keys, device=weights.device)[None] - torch.arange(queries, device=weights.device)[:, None]
    near = apart.abs() <= reach
    index = (apart + reach)[near]
    kept = links[:, None] * weights.double()
    parts = (kept.sum(0), kept.square().sum(0), links.double().sum(0).expand(weights.shape[1], -1, -1))
    found = torch.zeros(3, weights.shape[1], 2 * reach + 1, dtype=torch.float64, device=weights.device)
    for total, part in zip(found, parts, strict=True):
        total.index_add_(1, index, part[:, near])
    return found.cpu().numpy()
