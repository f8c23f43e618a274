"""A model that another toolkit has trained, in our terms, and how it becomes one of our checkpoints."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from headscope.model.card import TRAINING, UNKNOWN_LANGUAGES
from headscope.model.checkpoint import save_checkpoint
from headscope.model.config import ModelConfig
from headscope.model.errors import HeadscopeError
from headscope.model.network.transformer import Transformer
from headscope.model.search.settings import SearchSettings
from headscope.model.sites import Side
from headscope.model.text.symbol_vocabulary import SymbolVocabulary
from headscope.model.text.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True, eq=False)
class Imported:
    """What was found in the files of another toolkit."""

    config: ModelConfig
    weights: Mapping[str, Tensor]
    """Our parameters by name, in float32."""
    vocabulary: Vocabulary
    languages: tuple[str, str]
    origin: Mapping[str, Any]
    """Where it comes from: toolkit, name, licence (None: none is stated)."""
    search: SearchSettings
    """How its toolkit would search."""
    notes: Sequence[str] = ()
    """What the user should know, a line each."""

    @property
    def languages_known(self) -> bool:
        """Whether the files, or the user, have named its languages."""
        return self.languages != UNKNOWN_LANGUAGES

    @property
    def kind_of_text(self) -> str:
        """What its vocabulary takes for text."""
        symbols = isinstance(self.vocabulary, SymbolVocabulary)
        return "pieces with blanks between them" if symbols else "text, cut by SentencePiece"

    def model(self) -> Transformer:
        """The model, ready for evaluation.

        Raises:
            HeadscopeError: the vocabulary does not fit it.
        """
        rows: dict[Side, int] = {"source": self.config.source_vocabulary, "target": self.config.target_vocabulary}
        for side, count in rows.items():
            if self.vocabulary.size(side) != count:
                raise HeadscopeError(
                    f"the {side} vocabulary has {self.vocabulary.size(side):,} pieces, the model's table {count:,} "
                    "rows: they are not of one model"
                )
        model = Transformer(self.config)
        model.load_state_dict(dict(self.weights), strict=False)
        for name, parameter in model.named_parameters():
            # Tying tables after loading has overwritten trained ones in other programs; here nothing may change.
            assert torch.equal(parameter, self.weights[name].to(parameter.dtype)), name
        return model.eval().requires_grad_(False)

    def save(self, path: Path) -> None:
        """Write it as a checkpoint folder, whole or not at all: in fp16 where that loses nothing, else in fp32.

        Raises:
            HeadscopeError: the vocabulary does not fit the model, or something else than a checkpoint stands there.
        """
        lossless = all(torch.equal(weights.half().float(), weights) for weights in self.weights.values())
        save_checkpoint(
            path,
            self.model(),
            self.vocabulary,
            self.languages,
            dtype=torch.float16 if lossless else torch.float32,
            search=self.search,
            records={TRAINING: {"imported": dict(self.origin)}},
        )


def named_languages(text: str) -> tuple[str, str] | None:
    """The languages that a name such as `opus-mt-tc-big-fr-en` ends with; None: it is no such name."""
    found = re.search(r"(?:^|[-/])([a-z]{2,3}(?:_[A-Za-z]+)*)-([a-z]{2,3}(?:_[A-Za-z]+)*)$", text)
    return (found[1], found[2]) if found else None
