import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from headscope.model.data.batching import EncodedCorpus, Sequences, TokenBatches, encode_corpus, join_pairs, make_batch
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled
from headscope.model.text.language_tags import TaggedVocabulary
from headscope.model.text.sentencepiece_vocabulary import train_sentencepiece
from headscope.model.text.symbol_vocabulary import SymbolVocabulary
from headscope.model.text.vocabulary_files import Tags

SYMBOLS = SymbolVocabulary([["<pad>", "<unk>", "<s>", "</s>", *"abcdefgh"]])
PAD, START, END = 0, 2, 3

rows = st.lists(st.integers(4, 11), min_size=1, max_size=9)
corpora = st.lists(st.tuples(rows, rows), min_size=1, max_size=40)


def corpus_of(pairs: list[tuple[list[int], list[int]]]) -> EncodedCorpus:
    return EncodedCorpus(
        Sequences.of([source for source, _ in pairs]),
        Sequences.of([target for _, target in pairs]),
        pad=PAD,
        start=START,
        end=END,
    )


def pairs_of(corpus: EncodedCorpus) -> list[tuple[list[int], list[int]]]:
    return [(corpus.source[row].tolist(), corpus.target[row].tolist()) for row in range(len(corpus))]


def test_a_batch_by_hand():
    batch = make_batch(corpus_of([([4, 5, 6], [7]), ([8], [9, 10]), ([11, 11], [4])]), [1, 0])
    assert batch.source.tolist() == [[8, 3, 0, 0], [4, 5, 6, 3]]
    assert batch.target_in.tolist() == [[2, 9, 10], [2, 7, 0]]
    assert batch.target_out.tolist() == [[9, 10, 3], [7, 3, 0]]
    assert batch.source_mask.tolist() == [[True, True, False, False], [True] * 4]
    assert batch.target_mask.tolist() == [[True] * 3, [True, True, False]]
    assert (batch.source_tokens, batch.target_tokens) == (6, 5)
    assert batch.source.dtype == batch.target_in.dtype == torch.long


def test_pad_may_be_the_start_symbol_too():
    corpus = EncodedCorpus(Sequences.of([[5], [6, 7]]), Sequences.of([[5, 4], [6]]), pad=9, start=9, end=0)
    batch = make_batch(corpus, [0, 1])
    assert batch.target_in.tolist() == [[9, 5, 4], [9, 6, 9]]
    assert batch.target_out.tolist() == [[5, 4, 0], [6, 0, 9]]
    assert batch.target_mask.tolist() == [[True] * 3, [True, True, False]]


def test_encoding_leaves_out_and_counts_what_is_too_long_or_blank():
    pairs = [("a b c", "a"), ("a b c d", "a"), ("a", "a b c d"), ("", "b"), ("b", "\u00ad"), ("b", "b \u200b")]
    corpus = encode_corpus(pairs, SYMBOLS, max_pieces=4)
    assert pairs_of(corpus) == [([4, 5, 6], [4]), ([5], [5, 1])]
    assert (corpus.dropped, corpus.blank) == (2, 2)
    assert corpus.lengths.tolist() == [[4, 2], [2, 3]]
    assert (encode_corpus(pairs, SYMBOLS).dropped, encode_corpus(pairs, SYMBOLS).blank) == (0, 2)
    assert join_pairs(corpus, share=1.0, seed=1).blank == 2


def test_pieces_that_open_every_target_are_no_sentence():
    tagged = TaggedVocabulary(SYMBOLS, Tags(source=10, target=11))
    corpus = encode_corpus([("a", "b"), ("a", "\u200b"), (" ", "b")], tagged)
    assert pairs_of(corpus) == [([10, 4], [11, 5])]
    assert corpus.blank == 2


def test_encoding_can_be_cancelled():
    class Impatient:
        def update(self, done: int, total: int | None) -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        encode_corpus([("a", "b")], SYMBOLS, progress=Impatient())


@given(corpora, st.integers(10, 60), st.integers(0, 3))
def test_an_epoch_has_every_pair_once_within_the_budget(
    pairs: list[tuple[list[int], list[int]]], tokens: int, epoch: int
):
    batches = TokenBatches(corpus_of(pairs), tokens=tokens, seed=1)
    seen = []
    padded = real = 0
    for index in range(batches.count(epoch)):
        batch = batches.batch(epoch, index)
        assert max(batch.source.numel(), batch.target_out.numel()) <= tokens
        padded += batch.source.numel() + batch.target_out.numel()
        real += batch.source_tokens + batch.target_tokens
        for source, target, *lengths in zip(
            batch.source, batch.target_out, batch.source_lengths, batch.target_lengths, strict=True
        ):
            seen.append((source[: lengths[0] - 1].tolist(), target[: lengths[1] - 1].tolist()))
    assert sorted(seen) == sorted(pairs)
    assert batches.padding(epoch) == pytest.approx(1 - real / padded)


def test_the_order_is_a_function_of_seed_and_epoch():
    random = np.random.default_rng(0)
    corpus = corpus_of(
        [([4] * size, [5] * (size + index % 3)) for index, size in enumerate(random.integers(1, 30, 200))]
    )

    def order(batches: TokenBatches, epoch: int) -> list[list[list[int]]]:
        return [batches.batch(epoch, index).source.tolist() for index in range(batches.count(epoch))]

    one, other = (TokenBatches(corpus, tokens=120, seed=7) for _ in range(2))
    later = order(one, 3)
    assert order(one, 0) == order(other, 0)
    assert order(other, 3) == later
    assert order(one, 0) != later
    assert order(TokenBatches(corpus, tokens=120, seed=8), 0) != order(one, 0)


def test_batches_hold_sentences_of_like_length():
    random = np.random.default_rng(0)
    sizes = random.integers(1, 40, 3000)
    corpus = corpus_of([([4] * size, [5] * max(1, size + random.integers(-2, 3))) for size in sizes])
    assert TokenBatches(corpus, tokens=1000, seed=0).padding(0) < 0.05


def test_what_no_batch_can_hold():
    with pytest.raises(HeadscopeError, match=r"longest sentence has 6 pieces and a batch only 5 tokens"):
        TokenBatches(corpus_of([([4], [4] * 5)]), tokens=5, seed=0)
    with pytest.raises(HeadscopeError, match="no pairs"):
        TokenBatches(corpus_of([]), tokens=5, seed=0)


@given(corpora, st.sampled_from([None, 8]))
def test_joining_uses_every_pair_once(pairs: list[tuple[list[int], list[int]]], limit: int | None):
    corpus = corpus_of(pairs)
    joined = join_pairs(corpus, share=0.5, seed=3, max_pieces=limit)
    for side in ("source", "target"):
        before, after = getattr(corpus, side).ids, getattr(joined, side).ids
        assert sorted(before.tolist()) == sorted(after.tolist())
    if limit is not None:
        singles = pairs_of(corpus)
        assert all(pair in singles or max(map(len, pair)) < limit for pair in pairs_of(joined))
    assert pairs_of(join_pairs(corpus, share=0.5, seed=3, max_pieces=limit)) == pairs_of(joined)
    assert sorted(pairs_of(join_pairs(corpus, share=0.0, seed=3))) == sorted(pairs)


def test_a_share_of_the_examples_are_two_to_four_pairs():
    joined = join_pairs(corpus_of([([4], [5])] * 4000), share=0.2, seed=0)
    sizes = joined.lengths - 1
    assert (sizes[:, 0] == sizes[:, 1]).all()
    assert set(sizes[:, 0]) == {1, 2, 3, 4}
    assert (sizes[:, 0] > 1).mean() == pytest.approx(0.2, abs=0.03)


def test_joined_pairs_are_what_the_joined_text_would_be():
    pairs = [("The house is old.", "Das Haus ist alt."), ("We see the sea.", "Wir sehen das Meer.")]
    vocabulary = train_sentencepiece([side for pair in pairs for side in pair], 300)
    joined = join_pairs(encode_corpus(pairs, vocabulary), share=1.0, seed=0)
    assert len(joined) == 1
    source, target = pairs_of(joined)[0]
    assert source in (vocabulary.encode_ids([" ".join(order) for order in permuted(pairs, 0)]))
    assert target in (vocabulary.encode_ids([" ".join(order) for order in permuted(pairs, 1)], "target"))


def permuted(pairs: list[tuple[str, str]], side: int) -> list[list[str]]:
    texts = [pair[side] for pair in pairs]
    return [texts, texts[::-1]]
