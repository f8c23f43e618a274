"""Sentences in pieces, side by side: batches of like length, padded.

`B` sentences, `T` pieces.
"""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from headscope.model.text.vocabulary import Segmentation


def too_long(segmentation: Segmentation, limit: int | None) -> str | None:
    """What is wrong with a sentence that has more pieces, end of sentence included, than may be; None: nothing."""
    pieces = len(segmentation.ids) + 1
    if limit is None or pieces <= limit:
        return None
    return f"the sentence has {pieces:,} pieces, end of sentence included, and {limit:,} are the most: shorten it"


def by_length(items: Sequence[tuple], budget: int) -> Iterator[list[tuple]]:
    """Batches of items of like length, longest first, of at most `budget` padded pieces (or of one item).

    An item is a tuple of an index and one or more segmentations.
    """

    def length(item: tuple) -> int:
        return 1 + max(len(segmentation.ids) for segmentation in item[1:])

    batch: list[tuple] = []
    for item in sorted(items, key=lambda item: (-length(item), item[0])):
        if batch and length(batch[0]) * (len(batch) + 1) > budget:
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch


def pad(rows: Sequence[Sequence[int]], filler: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Rows of ids as one [B T] tensor, filled up on the right, and where it holds ids of a row [B T]."""
    lengths = torch.tensor([len(row) for row in rows])
    width = int(lengths.max())
    ids = torch.tensor([[*row, *[filler] * (width - len(row))] for row in rows])
    return ids.to(device), (torch.arange(width) < lengths[:, None]).to(device)
