import math

import pytest

from headscope.analysis.experiments.differences import ablation_summary
from headscope.analysis.experiments.grids import BASE, BIG, HALF_WIDTH
from headscope.app.wire.ablation_charts import PAPER, differences_chart, paper_difference
from tests.analysis.experiments.test_differences import RESULTS, result


def test_differences_seeds_and_the_base():
    chart = differences_chart(ablation_summary(RESULTS, "key-size"), "dev_nll")
    assert chart.x.names == ("d_k 8 in the place of 32",)
    names = [series.name for series in chart.series]
    assert names == ["difference, ± 95 % over seeds", "seeds", PAPER, "base row"]
    difference, seeds, paper, base = chart.series
    assert difference.y.tolist() == pytest.approx([0.125])
    assert difference.spread is not None
    assert difference.spread[0] > 0.2
    assert seeds.y.tolist() == pytest.approx([0.1, 0.15])
    assert paper.y.tolist() == pytest.approx([math.log(5.16 / 4.92)])
    assert not base.y.any()


def test_one_seed_says_so_and_the_paper_stands_beside():
    rows = ablation_summary([result(row, 1, 2.0, 20.0) for row in (BASE, "positions-learned", "big")], "positions")
    chart = differences_chart(rows, "test bleu")
    assert [series.name for series in chart.series] == ["difference, one seed", PAPER, "base row"]
    assert chart.series[1].y.tolist() == pytest.approx([-0.1])
    assert [series.name for series in differences_chart(rows, "test chrf").series] == [
        "difference, one seed",
        "base row",
    ]


def test_the_papers_loss_is_the_logarithm_of_its_perplexities():
    (_, *rows) = ablation_summary([result(BASE, 1, 2.0, 20.0)], "width")
    assert paper_difference(rows[-1], "dev_nll") == BIG.nats
    assert paper_difference(rows[0], "dev_nll") == HALF_WIDTH.nats
    assert paper_difference(rows[0], "dev chrf") is None


def test_a_row_that_the_paper_lacks_has_no_difference():
    (_, *rows) = ablation_summary([result(BASE, 1, 2.0, 20.0)], "depth")
    assert paper_difference(rows[0], "dev_nll") is None


def test_a_cheat_is_not_drawn():
    rows = ablation_summary([result(row, 1, 2.0, 20.0) for row in (BASE, "unscaled", "no-causal-mask")], "attention")
    assert differences_chart(rows, "dev_nll").x.names == ("scores not divided by √d_k",)
