import numpy as np
import pytest

from headscope.analysis.positions.experiment import JobResult
from headscope.analysis.positions.jobs import CAP
from headscope.analysis.positions.length_record import AtOffset, Condition, LengthBin, LengthStudy, Mean, Sums
from headscope.analysis.positions.verdict import contrasts, means, schemes
from headscope.model.errors import HeadscopeError

SENTENCES = 50
LEARNED = ("learned", True)


def sums(level: float, seed: int) -> Sums:
    """Sentences of four pieces with about that loss; those of one seed are alike in all models."""
    noise = np.random.default_rng(seed).normal(0, 0.1, SENTENCES)
    return Sums(nats=tuple((4 * (level + noise)).tolist()), pieces=(4,) * SENTENCES)


def result(positions: str, cap: int | None, seed: int, level: float, moved: float = 0.0) -> JobResult:
    def length_bin(low: int, high: int, of: Sums) -> LengthBin:
        loss = Mean(value=level, interval=0.1) if of.pieces else None
        count = len(of.pieces)
        return LengthBin(low=low, high=high, sentences=count, loss=loss, by_sentence=of, free=None, to_length=None)

    def offset(by: int, of: Sums) -> AtOffset:
        return AtOffset(offset=by, regions={}, loss=None, by_sentence=of, change=None)

    empty = Sums(nats=(), pieces=())
    condition = Condition(bins=(length_bin(1, 8, sums(level, seed)), length_bin(9, 12, empty)), positions=())
    study = LengthStudy(
        weights="w",
        natural=condition,
        joined=condition,
        shortest=8,
        moved=SENTENCES,
        offsets=(offset(0, sums(1, seed)), offset(4, sums(1 + moved, seed)), offset(256, empty)),
        search="greedy",
    )
    return JobResult(
        name="x",
        positions=positions,
        cap=cap,
        seed=seed,
        weights="w",
        tokens=1,
        seconds=1,
        pairs=1,
        data={},
        recipe={},
        versions={},
        validations=(),
        averaged_updates=(),
        study=study,
    )


def experiment(seeds: int, learned: float = 3.0) -> list[JobResult]:
    return [
        each
        for seed in range(1, seeds + 1)
        for each in (
            result("sinusoidal", CAP, seed, 2.5, moved=0.5),
            result("learned", CAP, seed, learned + 0.01 * seed, moved=0.75),
            result("sinusoidal", None, seed, 2.0),
            result("learned", None, seed, 2.0),
            result("rotary", CAP, 1, 9.0),
        )
    ]


def test_gaps_and_their_difference():
    found = {(each.condition, each.low, each.what): each for each in contrasts(experiment(3))}
    assert {place[:2] for place in found} == {("natural", 1), ("joined", 1), ("offset", 0), ("offset", 4)}
    own, other, kinds = (found["natural", 1, what] for what in ("sinusoidal", "learned", "kinds"))
    assert (own.value, other.value, kinds.value) == pytest.approx((0.5, 1.02, 0.52))
    # Sentences are the same in all models and cancel; what is left are the seeds.
    assert own.interval == pytest.approx(0, abs=1e-9)
    assert 0 < kinds.interval < 0.02
    assert kinds.apart is True
    assert found["offset", 4, "kinds"].value == pytest.approx(0.25)
    assert found["offset", 0, "learned"].value == 0
    assert found["offset", 0, "learned"].apart is False


def test_schemes_are_compared_over_the_seeds_that_all_have():
    twins = [each for each in experiment(3) if each.positions != "rotary"]
    results = [*twins, result("rotary", CAP, 2, 9.0)]
    found = {each.positions: each for each in schemes(results) if each.condition == "natural"}
    assert set(found) == {"sinusoidal", "learned", "rotary"}
    assert all(each.capped for each in found.values())
    assert found["rotary"].by_seed == pytest.approx((9.0,), abs=0.1)
    # Rotary has the second seed alone, so of the others that counts alone too.
    (learned,) = (
        each for each in means(twins) if (each.positions, each.capped, each.condition) == (*LEARNED, "natural")
    )
    assert found["learned"].by_seed == learned.by_seed[1:2]
    assert not schemes(twins), "no further scheme"
    assert not schemes([each for each in results if each.seed != 2 or each.positions == "rotary"]), "no common seed"


def test_one_seed_says_nothing_about_kinds():
    assert {each.apart for each in contrasts(experiment(1))} == {None}
    assert contrasts(experiment(1)[:1]) == []
    # A seed that has not all of its models yet does not count.
    assert {each.seeds for each in contrasts(experiment(3)[:-3]) if each.condition == "natural"} == {2}


def test_other_sentences_are_refused():
    results = experiment(1)
    other = result("learned", None, 1, 2.0)
    bins = (other.study.natural.bins[0].model_copy(update={"by_sentence": Sums(nats=(1.0,), pieces=(3,))}),)
    study = other.study.model_copy(update={"natural": Condition(bins=bins * 2, positions=())})
    results[3] = other.model_copy(update={"study": study})
    with pytest.raises(HeadscopeError, match="of different sentences"):
        contrasts(results)


def test_translations_of_one_source_are_drawn_together():
    results = experiment(3)

    def told(each: Sums) -> Sums:
        return each.model_copy(update={"sources": tuple(place // 2 for place in range(len(each.pieces)))})

    def of(each: JobResult) -> JobResult:
        bins = tuple(one.model_copy(update={"by_sentence": told(one.by_sentence)}) for one in each.study.natural.bins)
        condition = Condition(bins=bins, positions=())
        study = each.study.model_copy(update={"natural": condition})
        return each.model_copy(update={"study": study})

    def short(results: list[JobResult]) -> dict[tuple[str, str], float]:
        return {(each.positions, each.condition): (each.value, each.interval) for each in means(results) if each.capped}

    plain, grouped = short(results), short([of(each) for each in results])
    for place, (value, interval) in grouped.items():
        assert value == pytest.approx(plain[place][0])
        if place[1] == "joined":
            assert interval == plain[place][1]
    assert any(grouped[place] != plain[place] for place in grouped)
