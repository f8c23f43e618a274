"""`headscope faithfulness`."""

import pytest

from headscope.analysis.corpus.faithfulness_study import STUDY, faithfulness_study, load_faithfulness_study
from headscope.analysis.corpus.texts import Texts
from tests.app.commands.measuring import copied, write_data
from tests.toys import SENTENCES

ABOUT = {"name": "toys", "origin": "made up", "licence": "CC0", "attribution": "nobody"}


def test_what_is_kept_is_what_the_function_gives(command, checkpoint, translator, tmp_path):
    own, data = copied(checkpoint, tmp_path / "own"), write_data(tmp_path / "data", SENTENCES, "test", **ABOUT)
    asked = ("--method", "attention", "--method", "saliency", "--sentences", 2, "--orders", 3)
    found = command("faithfulness", "--checkpoint", own, "--data", data, *asked)
    assert found.code == 0
    assert str(own / STUDY) in found.err
    texts = Texts(SENTENCES[:2], "made up", "CC0", "nobody")
    study = load_faithfulness_study(own)
    assert study == faithfulness_study(translator, texts, ["attention", "saliency"], orders=3)
    assert study
    assert [line.split()[0] for line in found.lines[1:]] == [each.name for each in study.methods]
    assert f"{study.methods[0].comprehensiveness.mean:+.3f}" in found.lines[1]


@pytest.mark.parametrize(
    ("wrong", "named"), [(("--sentences", 1), "--sentences"), (("--orders", 0), "--orders"), (("--method", "x"), "'x'")]
)
def test_what_is_refused(command, checkpoint, tmp_path, wrong, named):
    own, data = copied(checkpoint, tmp_path / "own"), write_data(tmp_path / "data", SENTENCES, "test")
    assert command("faithfulness", "--checkpoint", own, "--data", data, *wrong).refuses(named)
    assert not (own / STUDY).exists()
