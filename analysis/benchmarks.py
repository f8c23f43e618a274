"""How fast this machine trains, translates, records attention and attributes, with models of random weights.

Every figure says what was measured and in which unit. Figures of different machines or times are not comparable, so
the rate of matrix products of the same minute stands beside them. Lengths are those of short sentences, drawn alike at
every call; no text is needed. Times are wall times.
"""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.capture.attention import record
from headscope.analysis.capture.forced import forced_batch
from headscope.analysis.capture.pairs import SentencePair
from headscope.model.card import Card
from headscope.model.config import ModelConfig, preset
from headscope.model.data.batching import Batch, EncodedCorpus, Sequences, make_batch
from headscope.model.network.architectures import build
from headscope.model.network.device import Precision, autocast
from headscope.model.network.linear import pack
from headscope.model.network.seq2seq import Seq2Seq
from headscope.model.progress import Progress, Silent
from headscope.model.search.beam import beam_search
from headscope.model.search.settings import SearchSettings
from headscope.model.search.stepper import ModelStepper
from headscope.model.text.symbol_vocabulary import SymbolVocabulary
from headscope.model.training.step import Objective, TrainStep
from headscope.model.translator import Translator

Task = Literal["train", "decode", "capture", "trace", "attribute"]
VOCABULARIES = {"tiny": 10_000, "small": 8_000, "base": 32_000}
PAD, START, END = 0, 2, 3
WRITTEN = 15
"""Pieces that decoding writes of every sentence."""
PAIRS = 40
"""Plain and recording passes that are compared."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number."""

    task: str
    size: str
    value: float
    unit: str
    settings: dict[str, Any]


def measure(
    device: torch.device,
    *,
    task: Task | None = None,
    size: str = "small",
    precision: Precision = "fp32",
    batch: int | None = None,
    beam: int = 4,
    threads: int = 0,
    progress: Progress | None = None,
) -> Iterator[Figure]:
    """One figure after the other: the rate of matrix products, and one of each task. Each says where it was measured.

    Args:
        task: this one alone.
        batch: sentences side by side in decoding (None: 32); of training alone, tokens (None: 4,096).
        threads: of the CPU, from now on; 0: as many as torch has.
    """
    if threads:
        torch.set_num_threads(threads)
    where = {"device": str(device), "threads": torch.get_num_threads(), "torch": torch.__version__}

    def here(figure: Figure) -> Figure:
        return replace(figure, settings=figure.settings | where)

    yield here(matrix_rate(device, precision))
    if task in (None, "train"):
        tokens = batch if batch and task else 4096
        yield here(training_speed(size, device, precision, tokens=tokens, progress=progress))
    if task in (None, "decode"):
        yield here(decoding_speed(size, device, precision, batch=batch or 32, beam=beam, progress=progress))
    if task in (None, "capture"):
        yield here(capture_cost(size, device, progress=progress))
    if task in (None, "trace"):
        yield here(trace_cost(size, device, progress=progress))
    if task in (None, "attribute"):
        yield here(attribution_time("saliency", size, device, progress=progress))
        yield here(attribution_time("integrated gradients", size, device, steps=50, progress=progress))


def model_of(size: str, **changes: Any) -> Seq2Seq:
    """A model of random weights, the same at every call."""
    torch.manual_seed(1)
    return build(preset(size, vocabulary=VOCABULARIES[size], **changes))


def sentences(count: int, vocabulary: int, *, seed: int) -> list[list[int]]:
    """Random ids in the lengths of short sentences: 4 to 40 pieces, 13 on average."""
    random = np.random.default_rng(seed)
    lengths = np.clip(random.gamma(4.0, 3.25, count).round().astype(int), 4, 40)
    return [random.integers(4, vocabulary, length).tolist() for length in lengths]


def matrix_rate(device: torch.device, precision: Precision) -> Figure:
    """Products of two square matrices, side 2,048: what the processor can do at best."""
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    a = torch.randn(2048, 2048, device=device, dtype=dtype)
    seconds = min(_seconds(lambda: a @ a, device) for _ in range(6))
    return Figure("matrix product", "2048", 2 * 2048**3 / seconds / 1e9, "GFLOP/s", {"precision": precision})


def training_speed(
    size: str,
    device: torch.device,
    precision: Precision,
    *,
    tokens: int = 4096,
    updates: int = 12,
    progress: Progress | None = None,
) -> Figure:
    """Real target pieces a second over whole updates: the three dropouts at 0.1, Adam, batches of changing shape."""
    progress = progress or Silent()
    model = model_of(size, attention_dropout=0.1, activation_dropout=0.1).to(device).train()
    train_step = TrainStep(Objective(model, smoothing=0.1), lambda _: 1e-4, clip=0.0, precision=precision)
    batches = list(_batches(model.config, tokens, updates + 2))
    rates = []
    for step, batch in enumerate(batches):
        seconds = _seconds(lambda: train_step.update(step + 1, [batch]), device)  # noqa: B023
        if step >= 2:  # the first ones warm up
            rates.append(batch.target_tokens / seconds)
        progress.update(step + 1, len(batches))
    settings = {"precision": precision, "batch_tokens": tokens, "updates": updates, "dropouts": 0.1}
    return Figure("train", size, statistics.median(rates), "target tokens/s", settings)


def _batches(config: ModelConfig, tokens: int, count: int) -> Iterator[Batch]:
    for index in range(count):
        pairs = sentences(tokens, config.source_vocabulary, seed=index)
        pairs.sort(key=len)
        first = (index * 397) % (tokens // 2)
        rows = [pairs[first]]
        while (1 + len(pairs[first + len(rows)])) * (len(rows) + 1) <= tokens:  # sorted, and each gets an end
            rows.append(pairs[first + len(rows)])
        corpus = EncodedCorpus(Sequences.of(rows), Sequences.of(rows[::-1]), PAD, START, END)
        yield make_batch(corpus, range(len(rows)))


@torch.inference_mode()
def write(
    model: Seq2Seq,
    source: Tensor,
    present: Tensor,
    *,
    settings: SearchSettings,
    precision: Precision = "fp32",
    pieces: int = WRITTEN,
    pad: int = PAD,
    start: int = START,
    end: int = END,
) -> list[list[int]]:
    """Translate sentences [N S] into exactly `pieces` ids each, so that all decoders that are compared write equally
    much: the end of sentence is out of the question."""
    with autocast(model.device, precision):
        memory = model.encode(model.embed("source", source), present)
        stepper = ModelStepper(model, memory, never=(pad, start, end))
        found = beam_search(stepper, start=start, end=end, longest=[pieces] * len(source), settings=settings)
    return [list(search.hypotheses()[0].pieces) for search in found]


def decoding_speed(
    size: str,
    device: torch.device,
    precision: Precision,
    *,
    batch: int = 32,
    beam: int = 4,
    rounds: int = 5,
    progress: Progress | None = None,
) -> Figure:
    """Sentences a second when every sentence is translated into exactly 15 pieces."""
    progress = progress or Silent()
    model = model_of(size).to(device).eval().requires_grad_(False)
    pack(model)
    rows = sorted(sentences(max(batch, 32), model.config.source_vocabulary, seed=0), key=len)
    chunks = [_padded(rows[i : i + batch], device) for i in range(0, len(rows), batch)]
    settings = SearchSettings(beam=beam)

    def translate() -> None:
        for source, present in chunks:
            write(model, source, present, settings=settings, precision=precision)

    translate()
    seconds = []
    for index in range(rounds):
        seconds.append(_seconds(translate, device))
        progress.update(index + 1, rounds)
    value = len(rows) / statistics.median(seconds)
    return Figure(
        "decode", size, value, "sentences/s", {"precision": precision, "batch": batch, "beam": beam, "pieces": WRITTEN}
    )


def capture_cost(
    size: str, device: torch.device, *, tokens: int = 100, pairs: int = PAIRS, progress: Progress | None = None
) -> Figure:
    """Time of taking the whole record of a sentence pair, over that of a plain forward pass: the median over pairs."""
    progress = progress or Silent()
    translator = _translator(size, device)
    text = translator.vocabulary.encode("x " * (tokens - 1))
    pair = SentencePair(text, text)
    forced = forced_batch(translator, [pair])

    @torch.inference_mode()
    def plain() -> None:
        translator.model.forward(forced.source, forced.present, forced.reads)

    def recording() -> None:
        record(translator, pair)

    value = _ratio(plain, recording, device, pairs, progress)
    return Figure("capture", size, value, "× plain pass", {"tokens": tokens, "pairs": pairs})


def trace_cost(
    size: str,
    device: torch.device,
    *,
    beam: int = 8,
    pieces: int = 20,
    pairs: int = PAIRS,
    progress: Progress | None = None,
) -> Figure:
    """Time of a search that leaves its whole trace, over that of one that gives the translation alone: the median.

    The trace has 2·beam candidates of every step, and the entropy and 2·beam next pieces of every live hypothesis.
    """
    translator, text = _translator(size, device), "x " * (pieces - 1)
    settings = SearchSettings(beam=beam).within(pieces)

    def plain() -> None:
        translator.translate([text], settings=settings)

    def recording() -> None:
        translator.search(text, settings=settings)

    value = _ratio(plain, recording, device, pairs, progress or Silent())
    return Figure("trace", size, value, "× search", {"beam": beam, "pieces": pieces, "pairs": pairs})


def attribution_time(
    method: str,
    size: str,
    device: torch.device,
    *,
    steps: int | None = None,
    pieces: int = WRITTEN,
    rounds: int = 3,
    progress: Progress | None = None,
) -> Figure:
    """Seconds that a method takes for all pieces of a translation as long as its source: the median."""
    progress = progress or Silent()
    translator = _translator(size, device)
    drawn = np.random.default_rng(0).integers(VOCABULARIES[size] - 5, size=(2, pieces - 1))
    source, target = (translator.vocabulary.encode(" ".join(f"x{index}" for index in row)) for row in drawn)
    pair = SentencePair(source, target)

    work = partial(attribute, translator, pair, method, base="unknown", steps=steps)
    work()
    seconds = []
    for index in range(rounds):
        seconds.append(_seconds(work, device))
        progress.update(index + 1, rounds)
    used = {"pieces": pieces, "steps": steps, "rounds": rounds}
    return Figure(f"attribute, {method}", size, statistics.median(seconds), "s/sentence", used)


def _ratio(
    plain: Callable[[], None], recording: Callable[[], None], device: torch.device, pairs: int, progress: Progress
) -> float:
    """Time of `recording` over that of `plain`, taken in turns: the median."""
    plain()
    recording()
    ratios = []
    for index in range(pairs):
        first, second = (plain, recording) if index % 2 else (recording, plain)
        times = {first: _seconds(first, device), second: _seconds(second, device)}
        ratios.append(times[recording] / times[plain])
        progress.update(index + 1, pairs)
    return statistics.median(ratios)


def _translator(size: str, device: torch.device) -> Translator:
    model = model_of(size).to(device).eval().requires_grad_(False)
    pack(model)
    symbols = ["<pad>", "<unk>", "<s>", "</s>", "x", *(f"x{i}" for i in range(VOCABULARIES[size] - 5))]
    vocabulary = SymbolVocabulary([symbols])
    return Translator(model, vocabulary, Card(Path(size), size, model.config, ("x", "x")))


def _padded(rows: Sequence[Sequence[int]], device: torch.device) -> tuple[Tensor, Tensor]:
    batch = make_batch(EncodedCorpus(Sequences.of(rows), Sequences.of(rows), PAD, START, END), range(len(rows)))
    return batch.source.to(device), batch.source_mask.to(device)


def _seconds(work: Callable[[], object], device: torch.device) -> float:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    start = time.perf_counter()
    work()
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter() - start
