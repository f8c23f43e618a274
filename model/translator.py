"""Text in, translations and scores out.

In float32 a sentence's translation does not depend on the sentences translated beside it: the same pieces, and scores
within 1e-5 + 1e-6·|score|, unless two candidates are closer than that. bf16 promises none of this.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from headscope.model.card import Card, read_card, resolve
from headscope.model.checkpoint import load_model, weights_of
from headscope.model.errors import HeadscopeError
from headscope.model.network.device import Precision, autocast, choose_device
from headscope.model.network.finite import log_probs_of
from headscope.model.network.linear import pack
from headscope.model.network.probe import Probe
from headscope.model.network.seq2seq import Seq2Seq
from headscope.model.progress import Progress, Silent
from headscope.model.search.beam import SentenceSearch, beam_search
from headscope.model.search.constraints import FREE, Constraints
from headscope.model.search.settings import SearchSettings, nothing_found
from headscope.model.search.spelling import require_writable
from headscope.model.search.stepper import ModelStepper
from headscope.model.search.trace import SearchTrace
from headscope.model.search.words import Words, words_of
from headscope.model.sites import Side
from headscope.model.text.segments import by_length, pad, too_long
from headscope.model.text.symbol_vocabulary import pieces_of
from headscope.model.text.vocabulary import Segmentation, Vocabulary, load_vocabulary
from headscope.model.translation import Scored, Translation

MAX_SOURCE_PIECES = 1024
BATCH_TOKENS = 2048
BUFFER = 1024
ALTERNATIVES = 32


class Translator:
    """A model with its vocabulary. It holds no state between calls, so several threads may use one."""

    def __init__(self, model: Seq2Seq, vocabulary: Vocabulary, card: Card) -> None:
        sizes: dict[Side, int] = {"source": model.config.source_vocabulary, "target": model.config.target_vocabulary}
        for side, rows in sizes.items():
            if vocabulary.size(side) != rows:
                raise HeadscopeError(
                    f"{card.path}: the {side} vocabulary has {vocabulary.size(side):,} pieces, the model's table "
                    f"{rows:,} rows: they are not of one checkpoint"
                )
        self.model = model
        self.vocabulary = vocabulary
        self.card = card

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return self.model.device

    def in_pieces(self) -> "Translator":
        """The same model, for text that is pieces of its vocabulary with blanks between them."""
        return self._in_pieces

    @cached_property
    def _in_pieces(self) -> "Translator":
        return Translator(self.model, pieces_of(self.vocabulary), self.card)

    @property
    def settings(self) -> SearchSettings:
        """How the checkpoint wants to be searched: the paper's way, where it does not say another."""
        return self.card.search

    @cached_property
    def weights_digest(self) -> str:
        """Identifies the values of all parameters."""
        digest = hashlib.blake2b(digest_size=16)
        for name, weights in weights_of(self.model).items():
            digest.update(name.encode())
            digest.update(weights.numpy().tobytes())
        return digest.hexdigest()

    def translate(
        self,
        texts: Sequence[str],
        *,
        settings: SearchSettings | None = None,
        max_source_pieces: int = MAX_SOURCE_PIECES,
        batch_tokens: int = BATCH_TOKENS,
        precision: Precision = "fp32",
        probe: Probe | None = None,
        progress: Progress | None = None,
    ) -> list[Translation]:
        """Translate each text. Blank ones give empty translations; a text that is too long gives a `problem`.

        Args:
            batch_tokens: padded source pieces that are translated side by side.
            probe: reads or changes what the model computes, in encoder and search; it sees the batches one by one.
            progress: told how many texts are done.

        Raises:
            HeadscopeError: the vocabulary cannot write a word that must appear, or one must and must not.
        """
        settings, progress = settings or self.settings, progress or Silent()
        limit = self._limit(max_source_pieces)
        words = words_of(self.vocabulary, settings)
        results: dict[int, Translation] = {}
        waiting = []
        for index, text in enumerate(texts):
            source, problem = self._cut(text, "source", limit)
            if problem or not source.ids:
                results[index] = Translation(source, (), (), problem)
            else:
                waiting.append((index, source))
        progress.update(len(results), len(texts))
        for batch in by_length(waiting, batch_tokens):
            found = self._search([source for _, source in batch], settings, precision, probe, words=words)
            for (index, source), search in zip(batch, found, strict=True):
                hypotheses = search.hypotheses()
                targets = tuple(self.vocabulary.locate(h.pieces, "target") for h in hypotheses)
                problem = None if hypotheses else nothing_found(settings)
                results[index] = Translation(source, hypotheses, targets, problem)
            progress.update(len(results), len(texts))
        return [results[index] for index in range(len(texts))]

    def translate_stream(self, lines: Iterable[str], *, buffer: int = BUFFER, **options) -> Iterator[Translation]:
        """Translate lines as they come, in order. Up to `buffer` lines are read ahead to fill batches of like lengths.

        `options` are those of `translate`.
        """
        lines = iter(lines)
        while chunk := list(islice(lines, buffer)):
            yield from self.translate(chunk, **options)

    def search(
        self,
        text: str,
        *,
        settings: SearchSettings | None = None,
        constraints: Constraints = FREE,
        alternatives: int | None = None,
        max_source_pieces: int = MAX_SOURCE_PIECES,
        probe: Probe | None = None,
    ) -> SearchTrace:
        """Everything that beam search looked at for one sentence.

        Args:
            constraints: what the translation must and may not be; see `model.search.spelling` for those in words.
            alternatives: next pieces of every live hypothesis that the trace remembers; None: 2·beam, at most 32.

        Raises:
            HeadscopeError: the sentence is blank or too long, or the constraints cannot be met.
        """
        settings = settings or self.settings
        source = self.source(text, max_source_pieces)
        if alternatives is None:
            alternatives = min(2 * settings.beam, ALTERNATIVES)
        words = words_of(self.vocabulary, settings)
        return self._search([source], settings, "fp32", probe, constraints, alternatives, words)[0].trace()

    def stepper(
        self, sources: Sequence[Segmentation], constraints: Constraints, *, probe: Probe | None = None
    ) -> ModelStepper:
        """The model that has read these sentences, as a search sees it. `constraints` are those of `constrained`."""
        vocabulary = self.vocabulary
        memory = self._encode([source.ids for source in sources], probe)
        never = {vocabulary.pad, vocabulary.start} - {vocabulary.end}
        given = vocabulary.prefix if constraints.prefix[: len(vocabulary.prefix)] == vocabulary.prefix else ()
        return ModelStepper(self.model, memory, never=sorted(never), prefix=given, probe=probe)

    def longest(self, source: Segmentation, settings: SearchSettings) -> int:
        """Pieces that its translation may have, end of sentence counted."""
        limits = (len(source.ids) + settings.extra_length, settings.longest, self.model.config.position_limit)
        return min(limit for limit in limits if limit is not None)

    def constrained(self, constraints: Constraints, longest: int) -> Constraints:
        """The constraints as a search takes them: one without a prefix begins as the vocabulary prescribes.

        Raises:
            HeadscopeError: they are longer than a translation may be, or name pieces that cannot be written.
        """
        prefix = constraints.prefix or self.vocabulary.prefix
        require_writable(self.vocabulary, prefix, longest)
        return replace(constraints, prefix=prefix)

    def source(self, text: str, max_source_pieces: int = MAX_SOURCE_PIECES) -> Segmentation:
        """The pieces of one source sentence.

        Raises:
            HeadscopeError: the sentence is blank or too long.
        """
        source = self.vocabulary.encode(text, "source")
        if not source.ids:
            raise HeadscopeError("the sentence is blank: type something to translate")
        if problem := too_long(source, self._limit(max_source_pieces)):
            raise HeadscopeError(problem)
        return source

    def score(
        self,
        pairs: Sequence[tuple[str, str]],
        *,
        batch_tokens: int = BATCH_TOKENS,
        precision: Precision = "fp32",
        progress: Progress | None = None,
    ) -> list[Scored]:
        """Log-probability of each target, given its source, in one teacher-forced pass.

        As in a search, the pieces that the vocabulary prescribes (the language, for some models) are certain: 0.
        """
        progress = progress or Silent()
        limit = self._limit(None)
        results: dict[int, Scored] = {}
        waiting = []
        for index, (source_text, target_text) in enumerate(pairs):
            source, problem = self._cut(source_text, "source", limit)
            target, target_problem = self._cut(target_text, "target", limit)
            if not source.ids and not self.model.config.source_end:
                problem = problem or "the source is blank: this model cannot read it"
            if problem or target_problem:
                results[index] = Scored(source, target, (), problem or target_problem)
            else:
                waiting.append((index, source, target))
        progress.update(len(results), len(pairs))
        for batch in by_length(waiting, batch_tokens):
            for (index, source, target), values in zip(batch, self._score(batch, precision), strict=True):
                results[index] = Scored(source, target, values)
            progress.update(len(results), len(pairs))
        return [results[index] for index in range(len(pairs))]

    def batch(self, rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        """Source sentences, closed as the model wants it, padded: ids [B S], and which are not padding [B S]."""
        end = [self.vocabulary.end] if self.model.config.source_end else []
        return pad([[*row, *end] for row in rows], self.vocabulary.pad, self.device)

    def targets(self, rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor, Tensor]:
        """Target pieces, padded: what the decoder reads [B T], what it should predict [B T], which are real [B T].

        Args:
            rows: what is predicted, the end of sentence included where there is one.
        """
        vocabulary = self.vocabulary
        reads, real = pad([[vocabulary.start, *row[:-1]] for row in rows], vocabulary.pad, self.device)
        predicts, _ = pad(rows, vocabulary.pad, self.device)
        return reads, predicts, real

    def _cut(self, text: str, side: Side, limit: int | None) -> tuple[Segmentation, str | None]:
        """A text in pieces, and why the model cannot take it (None: it can)."""
        try:
            segmentation = self.vocabulary.encode(text, side)
        except HeadscopeError as error:
            return Segmentation(text, (), (), ()), str(error)
        return segmentation, too_long(segmentation, limit)

    def _limit(self, max_source_pieces: int | None) -> int | None:
        limits = [n for n in (max_source_pieces, self.model.config.position_limit) if n is not None]
        return min(limits, default=None)

    @torch.inference_mode()
    def _search(
        self,
        sources: Sequence[Segmentation],
        settings: SearchSettings,
        precision: Precision,
        probe: Probe | None,
        constraints: Constraints = FREE,
        alternatives: int = 0,
        words: Words | None = None,
    ) -> list[SentenceSearch]:
        longest = [self.longest(source, settings) for source in sources]
        constraints = self.constrained(constraints, min(longest))
        if words:
            words.require_possible(constraints.prefix)
        if precision == "bf16":
            pack(self.model, torch.bfloat16)
        with autocast(self.device, precision):
            return beam_search(
                self.stepper(sources, constraints, probe=probe),
                start=self.vocabulary.start,
                end=self.vocabulary.end,
                longest=longest,
                settings=settings,
                constraints=constraints,
                words=words,
                alternatives=alternatives,
            )

    def _encode(self, rows: Sequence[Sequence[int]], probe: Probe | None) -> Any:
        source, present = self.batch(rows)
        return self.model.encode(self.model.embed("source", source, probe=probe), present, probe=probe)

    @torch.inference_mode()
    def _score(self, pairs: Sequence[tuple[Any, Segmentation, Segmentation]], precision: Precision) -> list[Any]:
        targets = [target.ids for _, _, target in pairs]
        reads, predicts, real = self.targets([[*row, self.vocabulary.end] for row in targets])
        with autocast(self.device, precision):
            logits = self.model.forward(*self.batch([source.ids for _, source, _ in pairs]), reads, written=real)
        chosen = log_probs_of(self.model, logits, predicts, real)
        given = self.vocabulary.prefix
        for row, target in zip(chosen, targets, strict=True):
            if tuple(target[: len(given)]) == given:
                row[: len(given)] = 0.0
        return [tuple(row[: len(target) + 1]) for row, target in zip(chosen.tolist(), targets, strict=True)]


def load_translator(name: str | Path, device: str = "auto") -> Translator:
    """The translator of a checkpoint, by folder or by the name of one that ships.

    Raises:
        HeadscopeError: there is no such checkpoint or device, or something in the folder is broken.
    """
    card = read_card(resolve(name))
    chosen = choose_device(device)
    vocabulary = load_vocabulary(card.path / "vocabulary")
    return Translator(load_model(card.path, card.config, chosen), vocabulary, card)
