"""What can be asked of several models, and names with a change behind them."""

import numpy as np
import pytest

from headscope.analysis.capture.attention import record
from headscope.analysis.comparison.naming import read_side
from headscope.analysis.comparison.sides import with_change
from headscope.app.workbench import comparing, sentences
from headscope.app.workbench.sentences import Sentence
from headscope.app.workbench.workbench import Workbench
from headscope.model.errors import HeadscopeError
from tests.app.page_tools import SENTENCE
from tests.toys import SENTENCES

CHANGED = "toy:without=cross.1.1"


@pytest.fixture(scope="module")
def bench(checkpoint):
    return Workbench({"toy": checkpoint})


@pytest.fixture(scope="module")
def sides():
    return comparing.sides(Sentence("toy", SENTENCE, 4, 0.6, target=(3,)), [CHANGED])


def test_a_name_with_a_change_is_the_checkpoint_with_it(bench, sides, translator):
    assert [side.target for side in sides] == [None, None]
    own, other = (sentences.read(bench, side) for side in sides)
    model = with_change(translator, read_side(CHANGED))
    assert other.pair.target.text == model.translate([SENTENCE])[0].text
    read = comparing.forced(bench, sides[1], sides[0])
    np.testing.assert_array_equal(read.log_probs, record(model, own.pair).log_probs)
    assert comparing.forced(bench, sides[0], sides[0]) is own.maps
    assert bench.card(CHANGED).languages == ("en", "de")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("toy:offset=0", "offset=0"),
        ("toy:without=cross.9.1", "there is no head cross 9.1"),
        ("toy@7", "keeps no weights of update 7"),
        ("gone:offset=1", "there is no checkpoint 'gone:offset=1' here"),
    ],
)
def test_what_is_not_there_is_refused(bench, name, says):
    with pytest.raises(HeadscopeError) as refused:
        sentences.read(bench, Sentence(name, SENTENCE, 4, 0.6))
    assert says in str(refused.value)


def test_translations_and_records_of_all(bench, sides):
    found = comparing.translations(bench, sides, ["A", "B"])
    for row, owner in enumerate(sides):
        for column, side in enumerate(sides):
            expected = comparing.forced(bench, side, owner).log_probs.sum(dtype=float)
            assert found.log_probs[row, column] == pytest.approx(float(expected))
    met = comparing.met(bench, sides, sides[0], in_words=True)
    assert met[0].source == met[1].source
    again = comparing.as_read(bench, sides[1], sides[0])
    read = sentences.read(bench, again).maps
    assert read.predicts == comparing.forced(bench, sides[1], sides[0]).predicts


def test_layers_and_a_corpus(bench, sides):
    found = comparing.layers(bench, "toy", CHANGED, SENTENCES)
    assert found.encoder[0, 0] == pytest.approx(1)
    assert comparing.layers(bench, "toy", CHANGED, SENTENCES) is found
    corpus = comparing.corpus(bench, sides, ["A", "B"], SENTENCES)
    assert corpus is comparing.corpus(bench, sides, ["A", "B"], SENTENCES)
    assert [each.outputs[0] for each in corpus.sentences] == list(comparing.outputs(bench, sides[0], SENTENCES).texts)


def test_pairs_of_a_visitor():
    assert comparing.uploaded("mine.TSV", b"a\tb\nc\td\n") == (("a", "b"), ("c", "d"))
    with pytest.raises(HeadscopeError, match=r"^mine\.tsv, line 1: "):
        comparing.uploaded("mine.tsv", b"a\n")
    with pytest.raises(HeadscopeError, match=r"mine\.zip"):
        comparing.uploaded("mine.zip", b"PK")
