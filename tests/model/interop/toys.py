"""Small models of other toolkits, with random weights, as folders that their own programs could have written."""

import gzip
import json
import os
import random
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from headscope.analysis.capture.attention import AttentionProbe
from headscope.model.card import Card
from headscope.model.interop.imported import Imported
from headscope.model.search.penalty import LengthPenalty
from headscope.model.text.sentencepiece_vocabulary import train_sentencepiece
from headscope.model.translator import Translator, pad
from tests.toys import SENTENCES

TEXTS = [text for pair in SENTENCES for text in pair]
SOURCES = [source for source, _ in SENTENCES]
LONGEST = 40
SHAPE: dict[str, Any] = {
    "d_model": 16,
    "encoder_layers": 2,
    "encoder_attention_heads": 4,
    "encoder_ffn_dim": 24,
    "decoder_layers": 3,
    "decoder_attention_heads": 2,
    "decoder_ffn_dim": 20,
}
"""Encoder and decoder differ in everything, so that nothing can be taken for its counterpart."""


def sentencepiece(size: int = 360) -> tuple[bytes, list[str]]:
    """A SentencePiece model and its pieces; the first four are pad, unknown, start and end."""
    vocabulary = train_sentencepiece(TEXTS, size)
    return vocabulary._models[0], [vocabulary.piece(index, "source") for index in range(size)]


def randomise(model: torch.nn.Module, noise: float = 0.3, seed: int = 0) -> None:
    """Weights, gains and biases of a size that lets everything in the model matter."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "embed_positions" not in name:
                parameter.add_(torch.randn(parameter.shape, generator=generator), alpha=noise)


def marian_pieces(pieces: Sequence[str], *more: str) -> list[str]:
    """Pieces in an order of their own, as OPUS-MT has them: not SentencePiece's, end first, padding last."""
    own = [piece for piece in reversed(pieces) if piece not in ("<pad>", "<s>", "</s>", "<unk>")]
    return ["</s>", *own[:100], "<unk>", *own[100:], *more, "<pad>"]


def write_marian(
    folder: Path,
    pieces: Sequence[str],
    target: Sequence[str] | None = None,
    *,
    dtype: torch.dtype = torch.float32,
    noise: float = 0.3,
    **changes: Any,
) -> Any:
    """A MarianMT model with random weights as `transformers` writes it, without its tokenizer; and the model."""
    from transformers import MarianConfig, MarianMTModel

    last, target = len(pieces) - 1, target or pieces
    special = {"pad_token_id": last, "decoder_start_token_id": last, "eos_token_id": pieces.index("</s>")}
    config = MarianConfig(
        vocab_size=len(pieces),
        decoder_vocab_size=len(target),
        share_encoder_decoder_embeddings=target is pieces,
        forced_eos_token_id=None,
        bos_token_id=None,
        **{"activation_function": "swish", "scale_embedding": True} | SHAPE | special | changes,
    )
    torch.manual_seed(0)
    model = MarianMTModel(config)
    randomise(model, noise)
    with torch.no_grad():
        model.final_logits_bias.add_(torch.randn(len(target), generator=torch.Generator().manual_seed(1)))
        for table in (model.get_encoder().embed_tokens, model.get_decoder().embed_tokens):
            table.weight[last] = 0
    model = model.to(dtype).eval()
    model.generation_config.bad_words_ids = [[last]]
    model.save_pretrained(folder)
    (folder / "vocab.json").write_text(json.dumps({piece: index for index, piece in enumerate(pieces)}))
    if target is not pieces:
        (folder / "target_vocab.json").write_text(json.dumps({piece: index for index, piece in enumerate(target)}))
    return MarianMTModel.from_pretrained(folder, dtype=torch.get_default_dtype())


def small_marian(folder: Path, *more: str, **options: Any) -> Any:
    """A complete folder over a small vocabulary, with further pieces if wanted; and the model."""
    model, pieces = sentencepiece()
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("source.spm", "target.spm"):
        (folder / name).write_bytes(model)
    return write_marian(folder, marian_pieces(pieces, *more), **options)


def real_marian(folder: Path, files: Path, **options: Any) -> Any:
    """A complete folder with the tokenizer files of a real OPUS-MT model; and the model."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("source.spm", "target.spm", "tokenizer_config.json"):
        shutil.copy(files / name, folder)
    ids = json.loads(gzip.decompress((files / "vocab.json.gz").read_bytes()))
    return write_marian(folder, sorted(ids, key=ids.get), **options)


def learn(
    model: Any, rows: Sequence[tuple[Sequence[int], Sequence[int]]], *, steps: int, before: Sequence[int]
) -> None:
    """Train a model of `transformers` a little on pairs of ids, so that it writes something else for each sentence."""
    config, cpu = model.config, torch.device("cpu")
    end, padding = config.eos_token_id, config.pad_token_id
    source, present = pad([[*source, end] for source, _ in rows], padding, cpu)
    reads, _ = pad([[*before, *target] for _, target in rows], padding, cpu)
    labels, real = pad([[*before[1:], *target, end] for _, target in rows], padding, cpu)
    parameters = [parameter for name, parameter in model.named_parameters() if "embed_positions" not in name]
    optimiser = torch.optim.Adam(parameters, lr=5e-3, betas=(0.9, 0.98))
    model.train()
    for step in range(steps):
        optimiser.param_groups[0]["lr"] = 5e-3 * min((step + 1) / 20, 2 * (1 - step / steps), 1)
        logits = model(source, attention_mask=present, decoder_input_ids=reads).logits
        loss = torch.nn.functional.cross_entropy(logits[real], labels[real])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    model.eval()


def mixtures(count: int, seed: int = 0) -> list[str]:
    """Sentences made of the words of the known ones."""
    chance = random.Random(seed)
    words = " ".join(SOURCES).split()
    return [" ".join(chance.choices(words, k=chance.randint(1, 9))) for _ in range(count)]


def translator_of(imported: Imported) -> Translator:
    """The imported model at work."""
    card = Card(Path("imported"), "imported", imported.config, imported.languages, imported.search)
    return Translator(imported.model(), imported.vocabulary, card)


def assert_same_inside(
    translator: Translator,
    theirs: Any,
    texts: Sequence[str],
    *,
    channels: Sequence[int] | None = None,
    tolerance: float = 1e-6,
    **options: Any,
) -> None:
    """Encoder output, log-probabilities and all attention maps equal those of a model of `transformers`.

    Args:
        channels: where each of their channels stands in ours; None: in its place.
        options: for their model.
    """
    vocabulary, model = translator.vocabulary, translator.model
    source, present = translator.batch([vocabulary.encode(text, "source").ids for text in texts])
    rows = [vocabulary.encode(text, "source").ids[:7] for text in reversed(texts)]
    reads, real = pad([[vocabulary.start, *row] for row in rows], vocabulary.pad, translator.device)
    probe = AttentionProbe()
    with torch.inference_mode():
        memory = model.encode(model.embed("source", source, probe=probe), present, probe=probe)
        logits = model.project(model.decode(model.embed("target", reads, probe=probe), memory, probe=probe))
        theirs.set_attn_implementation("eager")
        found = theirs(source, attention_mask=present, decoder_input_ids=reads, output_attentions=True, **options)
    states = memory.states if channels is None else memory.states[..., list(channels)]
    assert_close(states[present], found.encoder_last_hidden_state[present], tolerance)
    assert_close(logits.log_softmax(-1)[real], found.logits.log_softmax(-1)[real], tolerance)
    for kind, maps in (
        ("encoder", found.encoder_attentions),
        ("decoder", found.decoder_attentions),
        ("cross", found.cross_attentions),
    ):
        ours = [weights for site, weights in sorted(probe.weights_at.items()) if site.kind == kind]
        assert len(ours) == len(maps)
        for mine, other in zip(ours, maps, strict=True):
            queries = (present if kind == "encoder" else real)[:, None, :, None]
            assert_close(mine * queries, other * queries, tolerance)


def assert_close(ours: Tensor, theirs: Tensor, tolerance: float) -> None:
    """Both are the same numbers, and not all of them nothing."""
    assert ours.shape == theirs.shape
    assert theirs.abs().max() > 0
    assert (ours - theirs).abs().max() < tolerance


def assert_same_translations(
    translator: Translator, theirs: Any, texts: Sequence[str], *, beam: int, alpha: float = 1.0, **options: Any
) -> None:
    """Pieces and scores are those of `generate`, for every text whose best translation it finishes.

    `early_stopping="never"` ends a search when nothing can get better any more, as ours does. By default `generate`
    stops when the best live hypothesis would not win if it ended now, which misses longer ones that win later. What
    reaches the greatest length without an end competes with what has ended there, but not here.
    """
    settings = replace(
        translator.settings, beam=beam, penalty=LengthPenalty(alpha, "power"), extra_length=LONGEST, longest=LONGEST
    )
    found = translator.translate(texts, settings=settings)
    source, present = translator.batch([translation.source.ids for translation in found])
    with torch.inference_mode():
        made = theirs.generate(
            source,
            attention_mask=present,
            num_beams=beam,
            length_penalty=alpha,
            early_stopping="never" if beam > 1 else False,
            max_new_tokens=LONGEST,
            return_dict_in_generate=True,
            output_scores=True,
            **options,
        )
    end, compared = translator.vocabulary.end, set()
    for row, translation in enumerate(found):
        pieces = made.sequences[row, 1:].tolist()
        if end in pieces:
            best = translation.hypotheses[0]
            assert [*best.pieces, end] == pieces[: pieces.index(end) + 1]
            assert beam == 1 or abs(float(made.sequences_scores[row]) - best.score) < 1e-4
            compared.add(best.pieces)
    assert len(compared) > len(texts) / 6


def change_json(folder: Path, file: str = "config.json", **values: Any) -> None:
    """Change keys of a JSON file; None takes one out."""
    content = json.loads((folder / file).read_text()) | values
    (folder / file).write_text(json.dumps({key: value for key, value in content.items() if value is not None}))


class Harmful:
    """Would run a command when it is unpickled."""

    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self) -> tuple:
        return os.system, (self.command,)
