"""Searches that a server keeps."""

import json
import shutil

import pytest

from headscope.app.workbench import searches
from headscope.app.workbench.result_cache import nbytes
from headscope.app.workbench.sentences import Sentence
from headscope.app.workbench.workbench import Workbench
from headscope.model.card import CONFIG
from headscope.model.errors import HeadscopeError
from headscope.model.search.constraints import Constraints
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import Sampling, SearchSettings
from tests.toys import SENTENCES

SOURCE, TARGET = SENTENCES[3]
SENTENCE = Sentence("toy", SOURCE, 3, 0.6)


@pytest.fixture
def bench(checkpoint, translator):
    return Workbench({"toy": checkpoint}, load=lambda folder: translator)


def test_each_search_is_made_once(bench):
    record = searches.search(bench, SENTENCE)
    assert record.text == TARGET
    assert record.settings == SearchSettings(beam=3)
    assert searches.search(bench, SENTENCE) is record
    assert searches.search(bench, SENTENCE, settings=SearchSettings(beam=3)) is record
    prefix = searches.constraints(bench, SENTENCE, prefix="Jeden")
    forced = searches.search(bench, SENTENCE, constraints=prefix)
    assert forced is not record
    assert forced.text.startswith("Jeden")
    assert searches.search(bench, SENTENCE, constraints=Constraints(prefix=prefix.prefix)) is forced
    drawn = searches.search(bench, SENTENCE, sampling=Sampling(count=3))
    assert len(drawn.texts) == 3


def test_records_have_weight_on_the_shelf(bench):
    record = searches.search(bench, SENTENCE)
    assert nbytes(record) == record.nbytes > 0


def test_exact_and_mbr(bench):
    exact = searches.exact(bench, SENTENCE)
    assert (exact.text, exact.result.proven) == (TARGET, True)
    assert searches.exact(bench, SENTENCE) is exact
    chosen = searches.mbr(bench, SENTENCE, sampling=Sampling(count=8, temperature=0.3))
    assert chosen.text == TARGET
    assert searches.mbr(bench, SENTENCE, sampling=Sampling(count=8, temperature=0.3)) is chosen


def test_settings_are_the_checkpoints_own(checkpoint, tmp_path):
    folder = shutil.copytree(checkpoint, tmp_path / "own")
    config = json.loads((folder / CONFIG).read_text())
    (folder / CONFIG).write_text(json.dumps(config | {"search": {"kind": "power", "finish": "top", "longest": 9}}))
    own = Workbench({"own": folder})
    sentence = Sentence("own", SOURCE, 2, 1.5)
    penalty = LengthPenalty(1.5, "power")
    assert searches.search_settings(own, sentence) == SearchSettings(beam=2, penalty=penalty, finish="top", longest=9)
    changed = searches.search_settings(own, sentence, kind="gnmt", n_best=2, max_length=70)
    assert changed.penalty == LengthPenalty(1.5)
    assert (changed.n_best, changed.longest, changed.extra_length) == (2, 70, 70)


def test_pieces_instead_of_text(bench, translator):
    pieces = Sentence("toy", " ".join(translator.source(SOURCE).pieces), 3, 0.6, entry="pieces")
    trace = searches.search(bench, pieces).trace
    assert [h.pieces for h in trace.hypotheses] == [h.pieces for h in searches.search(bench, SENTENCE).trace.hypotheses]


def test_too_long(bench):
    with pytest.raises(HeadscopeError, match="512 are the most"):
        searches.search(bench, Sentence("toy", "house " * 600, 2, 0.6))
