"""What a corpus says, from a study or measured."""

import pytest

from headscope.analysis.capture.pairs import corpus_pairs
from headscope.analysis.corpus.texts import Texts
from headscope.analysis.positions.study import LENGTHS, position_study, save_position_study
from headscope.app.workbench import position_corpus
from headscope.app.workbench.workbench import Workbench
from headscope.model.errors import HeadscopeError
from headscope.model.translator import load_translator
from tests.app.commands.measuring import copied, hurried
from tests.toys import SENTENCES, brief, save_toy_checkpoint

TEXTS = (*SENTENCES, ("We see.", "Wir sehen."), ("She reads.", "Sie liest."))


@pytest.fixture(scope="module")
def study(folders):
    toy, learned = (brief(load_translator(folders[name])) for name in ("studied", "learned"))
    few = {"bins": LENGTHS[:1], "most": 1, "sentences": 6, "offsets": (0,)}
    found = position_study(toy, Texts(TEXTS, "made up", "CC0", "nobody"), learned, **few)
    save_position_study(found, folders["studied"])
    return found


@pytest.fixture(scope="module")
def folders(checkpoint, tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    learned = save_toy_checkpoint(folder / "learned", passes=8, positions="learned")
    return {
        "studied": copied(checkpoint, folder / "studied"),
        "learned": hurried(learned),
        "other": hurried(save_toy_checkpoint(folder / "other", passes=4, positions="rotary")),
    }


@pytest.fixture(scope="module")
def bench(folders, study) -> Workbench:
    return Workbench(folders)


def unasked():
    raise AssertionError("no sentences are needed")


def test_a_study_is_taken_where_there_is_one(bench, study):
    found = position_corpus.heads(bench, "studied", unasked)
    assert (found.value, found.corpus, found.sentences) == (study.heads, "made up", 6)
    assert position_corpus.changes(bench, "studied", unasked).value == study.changes
    assert position_corpus.length(bench, "studied", unasked).value == study.length
    assert position_corpus.shares(bench, "studied", "encoder", unasked).value.share.shape == (4, 3, 3)
    assert position_corpus.readable(bench, "studied", unasked).value == study.readable


def test_else_it_is_measured_once(bench):
    asked = []

    def texts():
        asked.append(1)
        return TEXTS[:4]

    found = position_corpus.heads(bench, "learned", texts)
    assert found.sentences == 4
    assert "no sample" in found.corpus
    assert position_corpus.heads(bench, "learned", texts) is found
    with pytest.raises(HeadscopeError, match="no table"):
        position_corpus.shares(bench, "other", "encoder", texts)


def test_two_are_compared_by_the_study_of_either(bench, study):
    assert position_corpus.comparison(bench, "studied", "learned", unasked).value == study.comparison
    turned = position_corpus.comparison(bench, "learned", "studied", unasked)
    assert turned.value == study.comparison.turned()
    assert turned.corpus == "made up"


def test_two_that_were_not_are_compared_here(bench, folders):
    found = position_corpus.comparison(bench, "other", "learned", lambda: TEXTS[:6])
    assert found.sentences == len(corpus_pairs(load_translator(folders["other"]), TEXTS[:6])) == 6
    assert all(verdict.null == () for verdict in found.value.verdicts)
