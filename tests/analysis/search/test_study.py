"""The file that keeps what comes of searching a corpus in many ways."""

import json

import pytest
from pydantic import ValidationError

from headscope.analysis.search.curves import (
    greedy_and_beam,
    modes,
)
from headscope.analysis.search.study import STUDY, Found, SearchStudy, Worked, load_study, save_study
from headscope.model.card import read_card
from headscope.model.errors import HeadscopeError
from tests.toys import SENTENCES


@pytest.fixture(scope="module")
def study(translator, searched) -> SearchStudy:
    shown = Found(beam=1, alpha=0.6, text="x", log_prob=-1.0, score=-1.0, pieces=2, chrf=3.0)
    return SearchStudy(
        weights=translator.weights_digest,
        data="toys",
        licence="none",
        attribution="nobody",
        sentences=len(SENTENCES),
        points=tuple(searched.points.values()),
        greedy=greedy_and_beam(searched),
        modes=modes(translator, SENTENCES[3:4]),
        examples=(Worked(lesson="greedy", source="a", reference="b", a=shown, b=shown),),
    )


def test_saved_and_loaded(study, checkpoint, tmp_path):
    (tmp_path / "config.json").write_bytes((checkpoint / "config.json").read_bytes())
    card = read_card(tmp_path)
    assert load_study(card) is None
    save_study(study, tmp_path)
    assert load_study(card) == study


@pytest.mark.parametrize("change", [{"format": 2}, {"sentences": 0}, {"more": 1}, {"points": [{"beam": 1}]}])
def test_broken_file(study, checkpoint, tmp_path, change):
    (tmp_path / "config.json").write_bytes((checkpoint / "config.json").read_bytes())
    (tmp_path / STUDY).write_text(json.dumps(json.loads(study.model_dump_json()) | change))
    with pytest.raises(HeadscopeError, match=STUDY):
        load_study(read_card(tmp_path))


def test_no_number_is_infinite():
    with pytest.raises(ValidationError):
        Found(beam=1, alpha=0.0, text="", log_prob=float("-inf"), score=0.0, pieces=1, chrf=0.0)
