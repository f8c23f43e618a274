"""`headscope study`."""

import pytest

from headscope.analysis.corpus.texts import Texts
from headscope.analysis.search.curves import search_study
from headscope.analysis.search.study import STUDY, load_study
from headscope.model.card import read_card
from headscope.model.search.limits import BEAMS
from tests.app.commands.measuring import LETTERS, copied, saved, write_data
from tests.files import tree
from tests.toys import SENTENCES

QUICK = ("--beam", 2, "--exact", 1, "--nodes", 20)
ABOUT = {"name": "toys", "origin": "made up", "licence": "CC0", "attribution": "nobody"}


def test_what_is_kept_is_what_the_function_gives(command, checkpoint, translator, tmp_path):
    own, data = (
        copied(checkpoint, tmp_path / "own"),
        write_data(tmp_path / "data", SENTENCES, "test", "heldout", **ABOUT),
    )
    found = command("study", "--checkpoint", own, "--data", data, "--sentences", 2, *QUICK)
    assert found.code == 0
    assert str(own / STUDY) in found.err
    study = load_study(read_card(own))
    texts = Texts(SENTENCES[:2], "made up", "CC0", "nobody")
    assert study == search_study(translator, texts, beams=(2,), exact=1, nodes=20)
    assert study
    assert (study.sentences, study.modes.sentences, study.modes.budget) == (2, 1, 20)
    assert [line.split(":")[0] for line in found.lines[:2]] == [
        "beam  1, length penalty 0",
        "beam  1, length penalty 0.6",
    ]


def test_a_model_of_pieces(command, reverser, tmp_path):
    own = saved(reverser, tmp_path / "own")
    letters = write_data(tmp_path / "letters", [(text, text[::-1]) for text in LETTERS], "test")
    assert command("study", "--checkpoint", own, "--data", letters, "--sentences", 3, *QUICK).code == 0
    study = load_study(read_card(own))
    assert study
    assert (study.data, study.licence, study.weights) == ("letters", "not stated", reverser.weights_digest)
    before, text = tree(own), write_data(tmp_path / "text", SENTENCES, "test")
    assert command("study", "--checkpoint", own, "--data", text, *QUICK).refuses("this model cannot read the source")
    assert tree(own) == before


@pytest.mark.parametrize("wrong", [("--exact", 0), ("--nodes", 0), ("--sentences", 0), ("--beam", BEAMS[1] + 1)])
def test_limits_of_the_options(command, checkpoint, tmp_path, wrong):
    own, data = copied(checkpoint, tmp_path / "own"), write_data(tmp_path / "data", SENTENCES, "test")
    assert command("study", "--checkpoint", own, "--data", data, *wrong).refuses(wrong[0])
