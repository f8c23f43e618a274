"""Our side of a comparison with other toolkits: what a benchmark of several toolkits in one process runs in turn.

Such a benchmark hands over a model's sizes as {"enc", "dec", "d", "ff", "h", "vocab"}, and ids in Marian's order: end
of sentence 0, unknown 1, the pieces, and last the pad, which sentences start with too.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.attribution.explained import Explained
from headscope.analysis.benchmarks import write
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.card import Card
from headscope.model.config import ModelConfig, StackConfig
from headscope.model.data.batching import Batch
from headscope.model.interop.marian_import import read_marian
from headscope.model.network.linear import pack
from headscope.model.network.transformer import Transformer
from headscope.model.search.settings import SearchSettings
from headscope.model.training.step import Objective, TrainStep
from headscope.model.translator import Translator

END = 0


def training(size: Mapping[str, int]) -> tuple[nn.Module, Callable[[Any, bool], float]]:
    """A model of random weights with the three dropouts at 0.1, and its update: (batch, bf16?) -> mean loss.

    A batch has `src`, `tgt` and `tgt_in` [B, T] padded with `pad`, and the counts `src_tok` and `tgt_tok`.
    """
    torch.manual_seed(0)
    stacks = {
        side: StackConfig(layers=size[layers], heads=size["h"], feed_forward=size["ff"])
        for side, layers in (("encoder", "enc"), ("decoder", "dec"))
    }
    vocabularies = {"source_vocabulary": size["vocab"], "target_vocabulary": size["vocab"]}
    dropouts = {"dropout": 0.1, "attention_dropout": 0.1, "activation_dropout": 0.1}
    model = Transformer(
        ModelConfig.model_validate({"d_model": size["d"], **stacks, **vocabularies, **dropouts})
    ).train()
    learners = {
        half: TrainStep(Objective(model, smoothing=0.0), lambda _: 1e-4, clip=0.0, precision="bf16" if half else "fp32")
        for half in (False, True)
    }

    def update(batch: Any, half: bool) -> float:
        made = Batch(
            source=batch.src,
            target_in=batch.tgt_in,
            target_out=batch.tgt,
            source_lengths=(batch.src != batch.pad).sum(-1),
            target_lengths=(batch.tgt != batch.pad).sum(-1),
            source_tokens=batch.src_tok,
            target_tokens=batch.tgt_tok,
        )
        return learners[half].update(1, [made]).loss / batch.tgt_tok

    return model, update


def decoding(folder: Path, *, bf16: bool = False) -> Callable[[Sequence[Mapping[str, Any]], int], list[list[int]]]:
    """A search with a Marian model: (sentences, beam) -> exactly 15 ids a sentence. A sentence has its `ids`."""
    model = read_marian(folder).model()
    pack(model, torch.bfloat16 if bf16 else torch.float32)
    pad = model.config.target_vocabulary - 1

    def translate(sentences: Sequence[Mapping[str, Any]], beam: int) -> list[list[int]]:
        source = nn.utils.rnn.pad_sequence(
            [torch.tensor(sentence["ids"]) for sentence in sentences], batch_first=True, padding_value=pad
        )
        return write(
            model,
            source,
            source != pad,
            settings=SearchSettings(beam=beam),
            precision="bf16" if bf16 else "fp32",
            pad=pad,
            start=pad,
            end=END,
        )

    return translate


def attribution(folder: Path, source: str, target: str) -> Callable[[str, int | None], np.ndarray]:
    """Attributions of a Marian model: (method, steps) -> scores [target, source] of all pieces of the target.

    As Inseq has them by default: of the probability of each piece, put down to the source alone, from a baseline of
    unknown pieces. Saliency is reduced by its norm, the others by their sum.
    """
    found = read_marian(folder)
    model = found.model()
    pack(model)
    translator = Translator(model, found.vocabulary, Card(folder, folder.name, model.config, found.languages))
    pair = sentence_pair(translator, source, target)

    def probability(logits: Tensor, predicts: Tensor, row: int) -> Tensor:
        return logits.softmax(-1)[:, predicts[row]]

    explained = Explained("probability", "probability of the piece", "", probability, columns=0)

    def attributed(method: str, steps: int | None) -> np.ndarray:
        scores = attribute(translator, pair, method, explained=explained, base="unknown", steps=steps)
        return scores.reduced("norm" if method == "saliency" else "sum")[0]

    return attributed
