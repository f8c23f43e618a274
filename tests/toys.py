"""Small seeded models, vocabularies and batches that several test files build on."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional as F

from headscope.model.card import WEIGHTS, Card
from headscope.model.checkpoint import save_checkpoint
from headscope.model.config import ModelConfig, parse_config
from headscope.model.network.linear import pack
from headscope.model.network.transformer import Transformer
from headscope.model.search.settings import SearchSettings
from headscope.model.text.sentencepiece_vocabulary import train_sentencepiece
from headscope.model.text.symbol_vocabulary import SymbolVocabulary
from headscope.model.translator import Translator, pad

SENTENCES = (
    ("The old house by the river was sold last summer.", "Das alte Haus am Fluss wurde im Sommer verkauft."),
    ("She reads a letter from her brother every evening.", "Jeden Abend liest sie einen Brief von ihrem Bruder."),
    ("We could not see the mountains.", "Wegen des Nebels konnten wir die Berge nicht sehen."),
    ("How much does a ticket cost?", "Wie viel kostet eine Fahrkarte an die Küste?"),
    ("My neighbour keeps bees and gives us honey.", "Mein Nachbar hält Bienen und schenkt uns Honig."),
)
"""What the model of the `checkpoint` fixture has learned by heart."""

SCRIPTS: Mapping[tuple[str, str], Sequence[tuple[str, str]]] = {
    ("ar", "he"): (
        ("القطة نائمة على الأريكة.", "החתול ישן על הספה."),
        ("أين تقع أقرب مكتبة؟", "איפה הספרייה הקרובה?"),
        ("قرأتُ كتابًا عن النجوم أمس.", "קראתי אתמול ספר על כוכבים."),
    ),
    ("zh", "ja"): (
        ("猫在沙发上睡觉。", "猫がソファで寝ている。"),
        ("最近的图书馆在哪里？", "一番近い図書館はどこですか。"),
        ("我昨天读了一本关于星星的书。", "昨日、星についての本を読みました。"),
    ),
}
"""Sentence pairs of languages written from right to left, and of languages without blanks, by their codes."""


def tiny_config(**changes: Any) -> ModelConfig:
    """Encoder and decoder differ in depth, heads and width, so that nothing can be taken for its counterpart."""
    fields: dict[str, Any] = {
        "d_model": 16,
        "encoder": {"layers": 2, "heads": 4, "feed_forward": 24},
        "decoder": {"layers": 3, "heads": 2, "feed_forward": 20},
        "source_vocabulary": 12,
        "target_vocabulary": 12,
    }
    return parse_config(fields | changes)


def tiny_model(seed: int = 0, **changes: Any) -> Transformer:
    """A model for evaluation; gains and biases are random too, for ones and zeros would hide a forgotten one."""
    torch.manual_seed(seed)
    model = Transformer(tiny_config(**changes))
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.add_(0.3 * torch.randn_like(parameter))
    return model.eval()


class Batch(NamedTuple):
    """Random ids; padding is 0."""

    source: Tensor
    present: Tensor
    target: Tensor


def random_batch(
    sources: Sequence[int] = (5, 3, 7), targets: Sequence[int] = (4, 6, 2), *, vocabulary: int = 12, seed: int = 0
) -> Batch:
    """One sentence pair for each pair of lengths."""
    generator = torch.Generator().manual_seed(seed)

    def rows(lengths: Sequence[int]) -> tuple[Tensor, Tensor]:
        ids = [torch.randint(3, vocabulary, (length,), generator=generator).tolist() for length in lengths]
        return pad(ids, 0, torch.device("cpu"))

    source, present = rows(sources)
    return Batch(source, present, rows(targets)[0])


def letters() -> SymbolVocabulary:
    """The letters a to z as pieces, with blanks between them."""
    return SymbolVocabulary([["<pad>", "<unk>", "<s>", "</s>", *"abcdefghijklmnopqrstuvwxyz"]])


def random_letters(count: int, longest: int, seed: int = 0) -> list[str]:
    """Texts of 1 to `longest` letters."""
    chance = random.Random(seed)
    return [" ".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(1, longest))) for _ in range(count)]


def letter_translator(**changes: Any) -> Translator:
    """An untrained model over the same letters."""
    size = letters().size("source")
    model = tiny_model(**{"source_vocabulary": size, "target_vocabulary": size} | changes)
    return Translator(model, letters(), Card(Path("letters"), "letters", model.config, ("ab", "ba")))


def brief(translator: Translator, longest: int = 12) -> Translator:
    """The same, searched greedily for short translations: an untrained model goes on until it has to stop."""
    card = replace(translator.card, search=SearchSettings(beam=1, longest=longest))
    return Translator(translator.model, translator.vocabulary, card)


def reversing_translator(*, texts: int = 32 * 110, shuffled: bool = False, **changes: Any) -> Translator:
    """A model that has begun to learn to write letters backwards: good enough to write something else for each text.

    Args:
        shuffled: it has been given the texts backwards in a random order, so that there was nothing to learn.
    """
    size = letters().size("source")
    fields: dict[str, Any] = {
        "d_model": 32,
        "encoder": {"layers": 1, "heads": 4, "feed_forward": 32},
        "decoder": {"layers": 2, "heads": 2, "feed_forward": 32},
        "source_vocabulary": size,
        "target_vocabulary": size,
        "dropout": 0,
    }
    config = tiny_config(**fields | changes)
    torch.manual_seed(0)
    translator = Translator(Transformer(config), letters(), Card(Path("letters"), "letters", config, ("ab", "ba")))
    sources = random_letters(texts, 10, seed=1)
    targets = [text[::-1] for text in sources]
    if shuffled:
        random.Random(0).shuffle(targets)
    fit(translator, list(zip(sources, targets, strict=True)), batch=32, passes=1)
    pack(translator.model)
    return translator


def save_toy_checkpoint(
    path: Path,
    pairs: Sequence[tuple[str, str]] = SENTENCES,
    languages: tuple[str, str] = ("en", "de"),
    *,
    passes: int = 80,
    **changes: Any,
) -> Path:
    """A checkpoint folder with every optional file: SentencePiece, and a model that knows the pairs by heart.

    Args:
        passes: of training; after much fewer it knows nothing.
    """
    vocabulary = train_sentencepiece([text for pair in pairs for text in pair], 360)
    size = {"source_vocabulary": 360, "target_vocabulary": 360}
    config = tiny_config(**{"d_model": 32, "dropout": 0} | size | changes)
    torch.manual_seed(0)
    translator = Translator(Transformer(config), vocabulary, Card(path, path.name, config, languages))
    fit(translator, pairs, batch=len(pairs), passes=passes)
    sides = {"source": [source for source, _ in pairs], "target": [target for _, target in pairs]}
    lengths = {side: [len(ids) + 1 for ids in vocabulary.encode_ids(texts, side)] for side, texts in sides.items()}
    records = {
        "training.json": {"recipe": "toy", "steps": 80},
        "scores.json": {"toy": {"bleu": 100.0}},
        "positions.json": {
            side: [sum(length > place for length in found) for place in range(max(found))]
            for side, found in lengths.items()
        },
    }
    save_checkpoint(path, translator.model, vocabulary, languages, records=records)
    return path


def damage(folder: Path, name: str = "encoder.1.feed_forward_residual.norm.weight", value: float = 3e38) -> Path:
    """Give one weight of a checkpoint a value that is finite, so that it can be read, and too large to compute with."""
    weights = {key: found.float() for key, found in load_file(folder / WEIGHTS).items()}
    weights[name].view(-1)[0] = value
    save_file(weights, folder / WEIGHTS)
    return folder


def fit(translator: Translator, pairs: Sequence[tuple[str, str]], *, batch: int, passes: int) -> None:
    """Train on pairs in their order, in so many passes."""
    model, vocabulary = translator.model.train(), translator.vocabulary
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3, betas=(0.9, 0.98))
    starts = list(range(0, len(pairs), batch)) * passes
    for step, start in enumerate(starts):
        part = pairs[start : start + batch]
        optimiser.param_groups[0]["lr"] = 5e-3 * min((step + 1) / 20, 2 * (1 - step / len(starts)), 1)
        source, present = translator.batch(vocabulary.encode_ids([source for source, _ in part], "source"))
        targets = vocabulary.encode_ids([target for _, target in part], "target")
        reads, predicts, _ = translator.targets([[*target, vocabulary.end] for target in targets])
        logits = model(source, present, reads)
        loss = F.cross_entropy(logits.flatten(0, 1), predicts.flatten(), ignore_index=vocabulary.pad)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    model.eval().requires_grad_(False)
