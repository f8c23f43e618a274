"""Words that must or must not appear, against all sentences there are."""

import re
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.model.errors import HeadscopeError
from headscope.model.search.beam import beam_search
from headscope.model.search.constraints import FREE, Constraints
from headscope.model.search.exact import Budget, most_probable
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.sampling import sample
from headscope.model.search.settings import Sampling, SearchSettings
from headscope.model.search.trace import Ending, Fate, SearchTrace
from headscope.model.search.words import Words, words_of
from headscope.model.text.sentencepiece_vocabulary import train_sentencepiece
from headscope.model.text.symbol_vocabulary import SymbolVocabulary
from tests.model.search.toy_language import ToyStepper, brute_force, random_language, scripted

START, END = 99, 3
PIECES = ([" a", "b", " ab"], [" a", "b", "-"], ["a ", "a", "b "], [" ", "a", "ab"], [" ab", "b a", "a"])
WORDS = ("a", "ab", "b", "aa", "abb", "a ab", "ba", "b a", "-", "a-b")


def spoken(pieces: list[str]) -> list[bytes]:
    return [*(piece.encode() for piece in pieces), b""]


def trace(language, words, *, longest: int = 4, constraints=FREE, **settings) -> SearchTrace:
    (found,) = beam_search(
        ToyStepper([language], START),
        start=START,
        end=END,
        longest=[longest],
        settings=SearchSettings(**settings),
        constraints=constraints,
        words=words,
    )
    return found.trace()


def has(text: str, word: str) -> bool:
    """Written down otherwise than in the search: by a regular expression over the whole text."""
    left = r"(?<!\w)" if word[0].isalnum() else ""
    right = r"(?!\w)" if word[-1].isalnum() else ""
    return re.search(left + re.escape(word) + right, text) is not None


@st.composite
def cases(draw):
    """Pieces, words that they can spell and that must appear, and words that must not."""
    pieces = draw(st.sampled_from(PIECES))
    must = draw(st.lists(st.sampled_from(WORDS), max_size=2, unique=True))
    must_not = draw(st.lists(st.sampled_from(WORDS), max_size=2, unique=True))
    try:
        Words(spoken(pieces), END, must=dict.fromkeys(must, ()), must_not=must_not)
    except HeadscopeError:
        must = []
    return pieces, must, must_not


def allowed(pieces: list[str], must: list[str], must_not: list[str]):
    def check(path: tuple[int, ...]) -> bool:
        begun = [*accumulate((pieces[piece] for piece in path), initial="")]
        return all(has(begun[-1], word) for word in must) and not any(
            has(text, word) for text in begun for word in must_not
        )

    return check


@given(cases(), st.integers(0, 999), st.integers(1, 4), st.sampled_from([-0.5, 0.0, 0.6, 1.0]))
def test_equals_brute_force(case, seed, n_best, alpha):
    pieces, must, must_not = case
    language, penalty = random_language(seed), LengthPenalty(alpha)
    words = Words(spoken(pieces), END, must=dict.fromkeys(must, ()), must_not=must_not)
    result = trace(language, words, beam=200, n_best=n_best, penalty=penalty)
    check = allowed(pieces, must, must_not)
    expected = [found for found in brute_force(language, END, 4, penalty) if check(found.pieces)][:n_best]
    assert [(h.pieces, h.finished) for h in result.hypotheses] == [(f.pieces, f.finished) for f in expected]
    assert [h.score for h in result.hypotheses] == pytest.approx([f.score for f in expected], abs=1e-12)
    for number, step in enumerate(result.steps):
        for index, c in enumerate(step.candidates):
            if c.fate is Fate.FINISHED:
                assert check(result.path(number, index)[:-1])
            assert c.log_prob == language(result.path(number, index)[:-1])[c.piece]


@given(cases(), st.integers(0, 999), st.integers(1, 5))
def test_a_narrow_beam_writes_the_words_where_there_is_room(case, seed, beam):
    pieces, must, must_not = case
    words = Words(spoken(pieces), END, must=dict.fromkeys(must, ()))
    result = trace(random_language(seed), words, longest=14, beam=beam)
    assert allowed(pieces, must, [])(result.hypotheses[0].pieces), "every piece is possible in this language"
    for step in result.steps:
        assert len(step.kept) <= beam
        assert [c.total for c in step.candidates] == sorted((c.total for c in step.candidates), reverse=True)
        assert [c.total for c in step.kept] == sorted((c.total for c in step.kept), reverse=True)
        assert all(c.margin is None or c.margin <= 0 for c in step.candidates)
    free = trace(random_language(seed), Words(spoken(pieces), END, must_not=must_not), longest=14, beam=beam)
    assert all(allowed(pieces, [], must_not)(h.pieces) for h in free.hypotheses)


@given(st.integers(0, 500), st.integers(1, 6))
def test_words_that_are_found_anyway_change_nothing(seed, beam):
    language = random_language(seed)
    free = trace(language, None, beam=beam)
    must_not = Words(spoken([" a", " b", " c"]), END, must_not=["d"])
    assert trace(language, must_not, beam=beam) == free


@given(cases(), st.integers(0, 500))
def test_exact_search_obeys(case, seed):
    pieces, must, must_not = case
    language = random_language(seed)
    words = Words(spoken(pieces), END, must=dict.fromkeys(must, ()), must_not=must_not)
    stepper = ToyStepper([language], START)
    found = most_probable(stepper, start=START, end=END, longest=5, budget=Budget(), words=words)
    check = allowed(pieces, must, must_not)
    plain = brute_force(language, END, 5, LengthPenalty(0.0))
    expected = next((each for each in plain if each.finished and check(each.pieces)), None)
    assert found.proven
    assert (found.best and found.best.pieces) == (expected and expected.pieces)


@given(cases(), st.integers(0, 500))
def test_samples_are_without_the_words(case, seed):
    pieces, _, must_not = case
    found = sample(
        ToyStepper([random_language(seed)], START),
        start=START,
        end=END,
        longest=5,
        sampling=Sampling(count=20, seed=seed),
        penalty=LengthPenalty(),
        words=Words(spoken(pieces), END, must_not=must_not),
    )
    assert all(allowed(pieces, [], must_not)(h.pieces) for h in found.hypotheses)
    texts = ["".join(pieces[piece] for piece in h.pieces[:length]) for h in found.hypotheses for length in range(6)]
    assert not any(has(text, word) for text in texts for word in must_not), "nor does any beginning end in one"


def test_what_is_put_forward_is_marked_and_what_is_ruled_out_excluded():
    """Words of a piece each: c is improbable everywhere and must appear, b must not."""
    language = scripted({(): [0.5, 0.2, 0.01, 0.09, 0.1, 0.1]})
    words = Words([*spoken([" a", " b", " c"]), b" d", b" e"], END, must={"c": (2,)}, must_not=["b"])
    result = trace(language, words, beam=1, longest=3)
    (forced,) = [c for step in result.steps for c in step.candidates if c.forced and c.fate is Fate.KEPT]
    assert (forced.step, forced.piece) == (0, 2)
    excluded = [(c.step, c.piece) for step in result.steps for c in step.candidates if c.fate is Fate.EXCLUDED]
    # The end of sentence was ruled out at the first step, but would not have been looked at there.
    assert excluded == [(0, 1), (1, 1), (2, 1)]
    assert 1 not in result.hypotheses[0].pieces


def test_a_word_is_not_written_on_into_one_that_nobody_knows():
    """a is what the language wants; what follows it without a blank would be b, and "ab" more probable than c."""
    language = scripted({(): [0.9, 0.02, 0.08, 0], (0,): [0, 0.3, 0.1, 0.6], (2,): [0.05, 0.05, 0, 0.9]})
    words = Words(spoken([" a", "b", " c"]), END, must_not=["a"])
    for beam in (1, 2, 5):
        best = trace(language, words, beam=beam, penalty=LengthPenalty(0.0)).hypotheses[0]
        assert best.pieces == (2,)


def test_a_longer_word_is_written_by_pieces_of_which_none_ends_with_it():
    words = Words(spoken([" a", "b", " ab", " "]), 4, must_not=["a"])
    assert words.forbidden_after(words.begin) == {0}
    assert words.forbidden_after(words.after(words.begin, 2)) == {0}
    prescribed = words.after(words.begin, 0)
    assert words.forbidden_after(prescribed) == {0, 2, 3, 4}, "behind a prescribed beginning letters may follow"


def test_letters_in_bytes():
    """é in two bytes; the first of ü after it ends nothing before the second says what it is."""
    words = Words([b" ", b"\xc3", b"\xa9", b"\xbc", b"!", b""], 5, must={"é": (0, 1, 2)}, must_not=["é!"])
    written = words.begin
    banks = []
    for piece in (0, 1, 2):
        assert piece in words.put_forward(written) or piece == 0
        written = words.after(written, piece)
        banks.append(words.bank(written))
    assert banks == [0, 1, 2]
    assert words.missing(written) == []
    assert words.missing(words.after(written, 1)) == []
    assert words.missing(words.after(words.after(written, 1), 3)) == ["é"], "éü is another word"
    assert words.forbidden_after(written) == {4}


@pytest.mark.parametrize(
    ("text", "word", "there"),
    [
        ("der Hund.", "Hund", True),
        ("der Hunde.", "Hund", False),
        ("der hund.", "Hund", False),
        ("Wachhund", "hund", False),
        ("Hund-artig", "Hund", True),
        ("黒猫がいる", "猫", True),
        ("बिल्लीका", "बिल्ली", False),
        ("x2", "x", False),
        ("ein_Hund", "Hund", False),
        ("Hund, der", "Hund, der", True),
        ("50 %", "%", True),
    ],
)
def test_what_counts_as_a_word(text, word, there):
    whole = Words([text.encode(), b""], 1, must_not=[word])
    assert (0 in whole.forbidden_after(whole.begin)) == there
    letters = sorted({*text})
    words = Words(
        [*(letter.encode() for letter in letters), b""], len(letters), must={word: ()} if there else {}, must_not=[word]
    )
    written, ended = words.begin, False
    for letter in text:
        ended = ended or letters.index(letter) in words.forbidden_after(written)
        written = words.after(written, letters.index(letter))
    begins = any(has(text[:end], word) for end in range(len(text) + 1))
    assert ended == (there or begins), "letter by letter no beginning has it"


def test_words_in_a_real_vocabulary():
    vocabulary = train_sentencepiece(["Der Hund schläft.", "Die Katze schläft nicht.", "ein Hund, zwei Hunde"] * 3, 300)
    words = words_of(vocabulary, SearchSettings(must_contain=("  Katze",), must_not_contain=("Hund",)))
    written, count = words.begin, 0
    while piece := words.put_forward(written):
        written, count = words.after(written, piece[0]), count + 1
    assert words.missing(written) == []
    assert vocabulary.encode("Katze", "target").pieces[0] == "▁", "which is not needed at the beginning"
    assert count == len(vocabulary.encode("Katze", "target").ids) - 1

    def may_be_written(text: str) -> bool:
        written = words.begin
        for piece in (*vocabulary.encode(text, "target").ids, vocabulary.end):
            if piece in words.forbidden_after(written):
                return False
            written = words.after(written, piece)
        return True

    assert [may_be_written(f"Katze {text}") for text in ("der Hund", "Hunde", "Hun", "Hund, Hund")] == [
        False,
        False,
        True,
        False,
    ]
    assert vocabulary.encode("Hunde", "target").pieces[-1] == "e", "behind the word"
    assert not may_be_written("Hunde"), "no cat is there"


@pytest.mark.parametrize(
    ("must", "must_not", "message"),
    [
        (("Zoë",), (), "the vocabulary cannot write 'Zoë': choose another word"),
        (("a b",), ("b",), "'a b' must appear and 'b' must not: choose one of both"),
        (("a",), ("a",), "'a' must appear and 'a' must not"),
    ],
)
def test_what_cannot_be(must, must_not, message):
    vocabulary = SymbolVocabulary([["<pad>", "<unk>", "<s>", "</s>", "a", "b"]])
    with pytest.raises(HeadscopeError, match=message):
        words_of(vocabulary, SearchSettings(must_contain=must, must_not_contain=must_not))


def test_blank_words_are_refused():
    with pytest.raises(HeadscopeError, match="is blank"):
        SearchSettings(must_contain=(" ",))


def test_nothing_is_found():
    """Three words, and room for two pieces and the end."""
    words = Words(spoken([" a", " b", " c"]), END, must={"a": (0,), "b": (1,), "c": (2,)})
    result = trace(random_language(1), words, longest=2, beam=4)
    assert result.hypotheses == ()
    assert result.bound.ending is Ending.LENGTH


@pytest.mark.parametrize(
    ("prefix", "must", "must_not", "message"),
    [
        ((0, 1), {}, ["a"], "'a' is prescribed by piece 2 and must not appear"),
        ((1, END), {"a": ()}, [], "the end is prescribed before 'a'"),
        ((0, END), {}, ["a"], "'a' is prescribed by piece 2"),
    ],
)
def test_a_beginning_that_contradicts(prefix, must, must_not, message):
    words = Words(spoken([" a", " b", " c"]), END, must=must, must_not=must_not)
    with pytest.raises(HeadscopeError, match=message):
        words.require_possible(prefix)


def test_a_beginning_and_words():
    words = Words(spoken([" a", " b", " c"]), END, must={"c": ()}, must_not=["a"])
    result = trace(random_language(4), words, longest=6, beam=3, constraints=Constraints(prefix=(1, 1)))
    best = result.hypotheses[0].pieces
    assert best[:2] == (1, 1)
    assert 2 in best
    assert 0 not in best
