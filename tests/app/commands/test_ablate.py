"""`headscope ablate`."""

import pytest

from headscope.analysis.experiments import ablation
from headscope.analysis.experiments.ablation import ABLATIONS
from headscope.analysis.experiments.grids import ablation_jobs
from headscope.analysis.experiments.runner import RESULTS
from headscope.app.commands.cli import run
from headscope.model.translator import load_translator
from tests.analysis.experiments.test_differences import result
from tests.analysis.experiments.toys import BUDGET, toy_data
from tests.toys import brief

CHANGES = [word for change in BUDGET.changes for word in ("--set", change)]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return toy_data(tmp_path_factory.mktemp("ablate") / "data")


def test_a_grid_is_trained_listed_and_written_as_a_table(data, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(ablation, "load_translator", lambda *where: brief(load_translator(*where)))
    words = ["ablate", "--grid", "key-size", "--out", str(tmp_path), "--seeds", "1", "--updates", "2"]
    assert run([*words, "--data", str(data.folder), "--device", "cpu", *CHANGES]) == 0
    done = ABLATIONS.load(tmp_path / RESULTS, ablation_jobs("key-size", 1))
    assert len(done) == 3
    table = (tmp_path / "key-size.csv").read_text("utf-8").splitlines()
    assert table[0].startswith("row,what,seeds,dev_nll,dev_nll_difference")
    assert [line.split(",")[0] for line in table[1:]] == ["base", "key-8", "key-16"]
    capsys.readouterr()
    assert run([*words, "--list"]) == 0
    listed = capsys.readouterr().out
    assert "key-8-seed1" in listed
    assert listed.count("done") == 3
    assert "-0.700" in listed  # the paper's row with a quarter of the keys' width: 25.1, its base 25.8


def test_a_list_shows_what_is_left_and_the_differences_so_far(tmp_path, capsys):
    for row, seed in (("base", 1), ("base", 2), ("positions-learned", 1), ("positions-learned", 2)):
        made = result(row, seed, 2.0 + 0.01 * seed, 20.0 - len(row) / 10)
        (tmp_path / RESULTS).mkdir(exist_ok=True)
        ABLATIONS.file(f"{row}-seed{seed}").save(made, tmp_path / RESULTS)
    assert run(["ablate", "--grid", "positions", "--out", str(tmp_path), "--seeds", "2", "--list"]) == 0
    out = capsys.readouterr().out
    assert out.count("waiting") == 10
    assert "paper_dev_bleu_difference" in out
    assert "-1.300" in out


def test_without_a_row_of_the_papers_there_is_no_column(tmp_path, capsys):
    (tmp_path / RESULTS).mkdir()
    for row in ("base", "layers-1"):
        ABLATIONS.file(f"{row}-seed1").save(result(row, 1, 2.0, 20.0), tmp_path / RESULTS)
    assert run(["ablate", "--grid", "depth", "--out", str(tmp_path), "--seeds", "1", "--list"]) == 0
    out = capsys.readouterr().out
    assert "layers-1" in out
    assert "paper" not in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--grid", "hats"], "no grid 'hats'"),
        (["--grid", "heads"], "--data is missing"),
        (["--grid", "heads", "--recipe", "small"], "size tiny"),
        (["--grid", "heads", "--set", "colour=red"], "there is no key 'colour'"),
    ],
    ids=str,
)
def test_what_the_user_can_put_right(words, said, data, tmp_path, capsys):
    place = ["--out", str(tmp_path / "out")] + ([] if "missing" in said else ["--data", str(data.folder)])
    assert run(["ablate", *words, *place]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out" / RESULTS).exists()
