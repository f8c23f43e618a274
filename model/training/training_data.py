"""What a run trains on: the prepared text cut into pieces, in batches."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from headscope.model.data.batching import Batch, EncodedCorpus, TokenBatches, encode_corpus, join_pairs
from headscope.model.data.parallel_text import Pair, ParallelText
from headscope.model.data.prepared import PreparedData
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress
from headscope.model.text.bleu_tokens import BleuTokens, bleu_tokens
from headscope.model.text.sentencepiece_vocabulary import train_sentencepiece
from headscope.model.text.vocabulary import Vocabulary, load_vocabulary
from headscope.model.training.process_group import ALONE, ProcessGroup
from headscope.model.training.recipe import Recipe
from headscope.model.training.run_directory import RunDirectory

DEV_TOKENS = 4096
"""Padded tokens of a batch of development lines."""


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Everything on the data's side of a run."""

    name: str
    languages: tuple[str, str]
    vocabulary: Vocabulary
    train: TokenBatches
    dev: TokenBatches
    dev_pairs: tuple[Pair, ...]
    """Those that are translated at each validation."""
    bleu_tokens: BleuTokens
    """How BLEU cuts their translations."""
    pairs: int
    """Training pairs in use."""
    notes: tuple[str, ...]
    """What was left out."""
    fingerprint: str
    """Of the training examples: a resumed run has to find the same."""

    def dev_batches(self) -> Iterator[Batch]:
        """The development lines, always in the same order."""
        return (self.dev.batch(0, index) for index in range(self.dev.count(0)))


def gather(
    recipe: Recipe,
    data: PreparedData,
    run: RunDirectory,
    *,
    skip_bad_lines: bool,
    progress: Progress,
    group: ProcessGroup = ALONE,
) -> TrainingData:
    """Read the text, take its vocabulary or learn one unless the run has begun with one, and encode.

    Every process does so for itself, but the first alone provides the vocabulary.

    Raises:
        HeadscopeError: the text, the vocabulary of the run or the recipe's limits do not allow it.
        Cancelled: `progress` wants it to stop.
    """
    train = data.read("train", skip_bad_lines=skip_bad_lines)
    dev = data.read("dev", skip_bad_lines=skip_bad_lines)
    if not run.state.exists():
        group.from_first(lambda: _provide_vocabulary(recipe, data, train.pairs, run))
    vocabulary = load_vocabulary(run.vocabulary)
    if vocabulary.size("source") != vocabulary.size("target"):
        raise HeadscopeError(f"the vocabulary in {data.folder} has two tables: one for both sides is needed")

    limit = recipe.model_for(vocabulary.size("target")).position_limit
    if limit is not None and recipe.max_pieces > limit:
        raise HeadscopeError(
            f"max_pieces = {recipe.max_pieces} is more than the {limit} learned positions of the model: lower it, or "
            "raise model.position_table"
        )
    corpus = encode_corpus(train.pairs, vocabulary, max_pieces=recipe.max_pieces, progress=progress)
    if recipe.join_pairs:
        corpus = join_pairs(corpus, share=recipe.join_pairs, seed=recipe.seed, max_pieces=recipe.max_pieces)
    dev_corpus = encode_corpus(dev.pairs, vocabulary, max_pieces=limit)
    if not len(dev_corpus):
        raise HeadscopeError(f"the part 'dev' of {data.folder} has no line to validate on: add some")
    dev_pairs = dev.pairs[: recipe.dev_lines]
    tokens = bleu_tokens(data.target, [reference for _, reference in dev_pairs])
    longest = int(dev_corpus.lengths.max())
    return TrainingData(
        name=data.name,
        languages=(data.source, data.target),
        vocabulary=vocabulary,
        train=TokenBatches(corpus, tokens=recipe.batch_tokens // recipe.accumulate, seed=recipe.seed),
        dev=TokenBatches(dev_corpus, tokens=max(DEV_TOKENS, longest), seed=0),
        dev_pairs=dev_pairs,
        bleu_tokens=tokens,
        pairs=len(train.pairs) - corpus.dropped - corpus.blank,
        notes=tuple(_notes(recipe, train, corpus, dev_corpus, tokens if dev_pairs else None)),
        fingerprint=_fingerprint(corpus),
    )


def _provide_vocabulary(recipe: Recipe, data: PreparedData, pairs: Sequence[Pair], run: RunDirectory) -> None:
    texts = (side for pair in pairs for side in pair)
    prepared = load_vocabulary(data.vocabulary) if data.vocabulary else train_sentencepiece(texts, recipe.vocabulary)
    run.writer.replace_folder(run.vocabulary, prepared.save)


def _notes(
    recipe: Recipe,
    train: ParallelText,
    corpus: EncodedCorpus,
    dev_corpus: EncodedCorpus,
    tokens: BleuTokens | None,
) -> Iterator[str]:
    of = f"of {len(train.pairs):,} training pairs left out"
    for reason, count in train.skipped.items():
        yield f"{count:,} training lines left out: {reason}"
    if corpus.dropped:
        yield f"{corpus.dropped:,} {of}: more than {recipe.max_pieces} pieces on a side"
    if corpus.blank:
        yield f"{corpus.blank:,} {of}: a side of no pieces"
    of = "development lines left out of the loss"
    if dev_corpus.dropped:
        yield f"{dev_corpus.dropped:,} {of}: longer than the model's learned positions"
    if dev_corpus.blank:
        yield f"{dev_corpus.blank:,} {of}: a side of no pieces"
    if tokens and tokens.note:
        yield tokens.note


def _fingerprint(corpus: EncodedCorpus) -> str:
    digest = hashlib.sha256()
    for side in (corpus.source, corpus.target):
        digest.update(side.ids.tobytes())
        digest.update(side.starts.tobytes())
    return digest.hexdigest()
