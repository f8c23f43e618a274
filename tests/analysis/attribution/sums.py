"""A model whose logits are sums over its inputs, so that every attribution is known; questions as methods get them."""

from typing import Any

import torch
from torch import Tensor

from headscope.analysis.attribution.explained import Explained
from headscope.analysis.attribution.inputs import Inputs, baseline, inputs
from headscope.analysis.attribution.method import Base, Question
from headscope.analysis.capture.pairs import SentencePair, sentence_pair
from headscope.model.network.transformer import Transformer
from headscope.model.progress import Silent
from headscope.model.translator import Translator
from tests.toys import letter_translator, tiny_config


class Sums(Transformer):
    """Row t's logits are a matrix times the sum of all source tokens and of the target tokens up to t."""

    def __init__(self, matrix: Tensor) -> None:
        super().__init__(tiny_config())
        self.matrix = matrix

    def encode(self, embedded: Tensor, present: Tensor, **_: Any) -> Tensor:
        return embedded.sum(1, keepdim=True)

    def start(self, memory: Tensor) -> list[Tensor]:
        return [memory]

    def decode(
        self, embedded: Tensor, memory: Tensor | None = None, *, cache: list[Tensor] | None = None, **_: Any
    ) -> Tensor:
        cache = self.start(memory) if cache is None else cache
        total = embedded.cumsum(1) + cache[0]
        cache[0] = total[:, -1:]
        return total

    def project(self, states: Tensor, **_: Any) -> Tensor:
        return states @ self.matrix.T


def sums(source: int = 3, target: int = 4, width: int = 5, pieces: int = 6) -> Inputs:
    """Random tokens before it; positions count as well, and are no part of any attribution."""
    torch.manual_seed(0)
    tokens = [torch.randn(length, width) for length in (source, source, target, target)]
    return Inputs(Sums(torch.randn(pieces, width)), *tokens, torch.randint(pieces, (target,)))


def of_sums(found: Inputs) -> tuple[Tensor, Tensor]:
    """What every source token gives to the logit of each row, and what every target token does."""
    weights = found.model.matrix[found.predicts]
    return (weights[:, None] * found.source).sum(-1), (weights[:, None] * found.target).sum(-1).tril()


def ask_of(found: Inputs, explained: Explained, *, steps: int | None = None, seed: int = 0) -> Question:
    """A question about such a model, with a baseline of zeros."""
    translator = letter_translator()
    nothing = torch.zeros_like(found.source), torch.zeros_like(found.target)
    pair = sentence_pair(translator, "a", "b")
    return Question(translator, pair, found, explained, lambda: nothing, steps, seed, Silent())


def ask(
    translator: Translator,
    pair: SentencePair,
    explained: Explained,
    *,
    base: str = "zero",
    steps: int | None = None,
    seed: int = 0,
) -> Question:
    """A question about a pair, as `attribute` asks it."""

    def against() -> Base:
        return baseline(translator, pair, base)

    return Question(translator, pair, inputs(translator, pair), explained, against, steps, seed, Silent())


def logits_of(asked: Question, row: int):
    """What Captum is given: the number of one target row, from both inputs."""
    found = asked.inputs
    return lambda source, target: asked.explained.value(
        found.logits(found.states(source, target)[:, row]), found.predicts, row
    )
