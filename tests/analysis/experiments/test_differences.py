import math
import statistics

import pytest

from headscope.analysis.experiments.ablation import AblationResult, PartScore
from headscope.analysis.experiments.differences import ablation_summary, difference, student_quantile, table
from headscope.analysis.experiments.grids import BASE
from headscope.model.errors import HeadscopeError


def result(row: str, seed: int, nll: float, bleu: float, **changes: object) -> AblationResult:
    score = PartScore(
        part="test",
        sentences=10,
        bleu=bleu,
        bleu_interval=1.0,
        chrf=2 * bleu,
        chrf_interval=None,
        signature="x",
        length_ratio=1.0,
        cut_off=0,
        seconds=1.0,
    )
    fields = {
        "row": row,
        "seed": seed,
        "weights": "w",
        "parameters": 100 if row == BASE else 90,
        "updates": 5,
        "tokens": 1000,
        "flops": 1e9,
        "seconds": 2.0,
        "dev_nll": nll,
        "averaged_updates": (4, 5),
        "scores": (score,),
        "data": {"fingerprint": "a"},
        "recipe": {"batch_tokens": 64},
        "versions": {},
    }
    return AblationResult.model_validate(fields | changes)


RESULTS = [
    *(result(BASE, seed, nll, bleu) for seed, nll, bleu in ((1, 2.0, 20.0), (2, 2.2, 21.0), (3, 2.1, 19.0))),
    *(result("key-8", seed, nll, bleu) for seed, nll, bleu in ((1, 2.1, 19.5), (2, 2.35, 20.0), (4, 9.0, 1.0))),
]


def test_quantiles_of_the_table():
    # Two-sided 95 %, as printed in every textbook.
    for degrees, expected in ((1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (30, 2.042), (120, 1.980)):
        assert student_quantile(degrees) == pytest.approx(expected, abs=5e-4)
    assert student_quantile(2000) == pytest.approx(statistics.NormalDist().inv_cdf(0.975), abs=2e-3)
    assert student_quantile(3, 0.9) == pytest.approx(2.353, abs=5e-4)


def test_differences_within_a_seed_by_hand():
    base, key_8, key_16 = ablation_summary(RESULTS, "key-size")
    assert (base.row.name, base.seeds, base.differences) == (BASE, (1, 2, 3), {})
    assert base.means["dev_nll"] == pytest.approx(2.1)
    # Seeds 1 and 2 have both; 3 and 4 have one of them.
    found = key_8.differences["dev_nll"]
    assert found.by_seed == pytest.approx((0.1, 0.15))
    assert found.value == pytest.approx(0.125)
    deviation = statistics.stdev([0.1, 0.15])
    assert found.interval == pytest.approx(12.7062 * deviation / math.sqrt(2), rel=1e-5)
    assert found.apart is False
    assert key_8.differences["test bleu"].value == pytest.approx(-0.75)
    assert "dev bleu" not in key_8.differences
    assert key_8.seeds == (1, 2, 4)
    assert (key_16.seeds, key_16.means, key_16.differences, key_16.parameters) == ((), {}, {}, None)


def test_one_seed_has_no_interval():
    found = difference([0.5])
    assert (found.value, found.interval, found.apart) == (0.5, None, None)
    assert difference([0.5, 0.5, 0.5]).apart is True


def test_a_table_has_the_papers_differences_where_they_are_known():
    rows = [result(row, seed, 2.0, 20.0) for row in (BASE, "positions-learned") for seed in (1, 2)]
    found = table(ablation_summary(rows, "positions")).set_index("row")
    assert found.loc["positions-learned", "paper_dev_bleu_difference"] == pytest.approx(-0.1)
    assert math.isnan(found.loc["positions-rotary", "paper_dev_bleu_difference"])
    assert found.loc["positions-learned", "test_bleu_interval"] == 0
    assert list(found["seeds"]) == [2, 2, 0, 0, 0, 0, 0]
    warned = table(ablation_summary([result("no-causal-mask", 1, 0.1, 0.5)], "attention")).set_index("row")
    assert "a cheat" in warned.loc["no-causal-mask", "warning"]


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"data": {"fingerprint": "b"}}, "training texts"),
        ({"updates": 6}, "numbers of updates"),
        ({"recipe": {"batch_tokens": 128}}, "sizes of updates"),
    ],
    ids=lambda value: str(value),
)
def test_rows_of_unequal_budget_are_not_compared(changes, what):
    with pytest.raises(HeadscopeError, match=f"of different {what}"):
        ablation_summary([RESULTS[0], result("key-8", 1, 2.0, 20.0, **changes)], "key-size")
