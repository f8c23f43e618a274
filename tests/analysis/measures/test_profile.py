import json
from pathlib import Path

import numpy as np
import pytest

from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.measures.head_measures import MEASURES, head_measures
from headscope.analysis.measures.profile import (
    PROFILE,
    QUANTILES,
    HeadProfile,
    head_profile,
    load_profile,
    save_profile,
)
from headscope.analysis.records.heads import all_heads
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled
from headscope.model.translator import Translator
from tests.toys import random_letters

TEXTS = list(zip(random_letters(7, 6, seed=1), random_letters(7, 5, seed=2), strict=True))


@pytest.fixture
def translator(exact) -> Translator:
    return exact()


@pytest.fixture
def profile(translator: Translator) -> HeadProfile:
    return head_profile(translator, [*TEXTS, ("", "a")], batch_tokens=12)


def test_statistics_are_over_sentences_whatever_the_batches(translator: Translator, profile: HeadProfile):
    alone = [head_measures(attention_maps(translator, *texts)) for texts in TEXTS]
    assert (profile.sentences, profile.left_out) == (7, 1)
    assert profile.weights == translator.weights_digest
    assert profile.heads == all_heads(translator.model.config)
    for name in MEASURES:
        values = np.stack([found.values[name] for found in alone])
        for head in range(len(profile.heads)):
            defined = values[:, head][~np.isnan(values[:, head])]
            if not len(defined):
                assert np.isnan(profile.mean[name][head])
                continue
            assert profile.mean[name][head] == pytest.approx(defined.mean(), abs=1e-9)
            assert profile.deviation[name][head] == pytest.approx(defined.std(), abs=1e-9)
            np.testing.assert_allclose(profile.quantiles[name][head], np.quantile(defined, QUANTILES), atol=1e-9)


def test_is_kept_with_the_checkpoint(profile: HeadProfile, tmp_path: Path):
    assert load_profile(tmp_path) is None
    save_profile(profile, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [PROFILE]
    found = load_profile(tmp_path)
    assert found is not None
    assert (found.heads, found.sentences, found.left_out) == (profile.heads, profile.sentences, profile.left_out)
    assert found.weights == profile.weights
    for name in MEASURES:
        np.testing.assert_allclose(found.mean[name], profile.mean[name], rtol=1e-5)
        np.testing.assert_allclose(found.deviation[name], profile.deviation[name], rtol=1e-5)
        np.testing.assert_allclose(found.quantiles[name], profile.quantiles[name], rtol=1e-5)
    json.loads((tmp_path / PROFILE).read_text(), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "is of format 2, and this version reads format 1: update Headscope, or .*headscope profile"),
        ({"quantiles": [0.5]}, "is damaged"),
        ({"entropy": None}, "is damaged"),
        ({"heads": [["encoder", 0]]}, "is damaged"),
    ],
)
def test_a_broken_file_is_named(profile: HeadProfile, tmp_path: Path, change: dict, message: str):
    save_profile(profile, tmp_path)
    content = json.loads((tmp_path / PROFILE).read_text())
    (tmp_path / PROFILE).write_text(json.dumps(content | change))
    with pytest.raises(HeadscopeError, match=f"{PROFILE} {message}"):
        load_profile(tmp_path)


def test_a_file_that_is_older_than_a_measure(profile: HeadProfile, tmp_path: Path):
    save_profile(profile, tmp_path)
    content = json.loads((tmp_path / PROFILE).read_text())
    del content["largest_coverage"]
    (tmp_path / PROFILE).write_text(json.dumps(content))
    found = load_profile(tmp_path)
    assert found
    assert np.isnan(found.mean["largest_coverage"]).all()
    assert found.quantiles["largest_coverage"].shape == profile.quantiles["largest_coverage"].shape
    np.testing.assert_allclose(found.mean["coverage"], profile.mean["coverage"], rtol=1e-5)


def test_table(profile: HeadProfile):
    table = profile.to_pandas()
    assert len(table) == len(profile.heads) * len(MEASURES)
    row = table.query("measure == 'entropy' and kind == 'cross' and layer == 2 and head == 1").iloc[0]
    assert row["mean"] == profile.mean["entropy"][-1]
    assert row["q0.95"] == profile.quantiles["entropy"][-1, -1]


def test_reports_and_can_be_cancelled(translator: Translator):
    seen = []

    class Watch:
        def update(self, done: int, total: int | None) -> None:
            seen.append((done, total))
            if done > 3:
                raise Cancelled

    with pytest.raises(Cancelled):
        head_profile(translator, TEXTS, batch_tokens=8, progress=Watch())
    assert seen[0] == (0, 7)
    assert 3 < seen[-1][0] < 7


def test_nothing_to_measure(translator: Translator):
    with pytest.raises(HeadscopeError, match="none of the 1 sentence pairs"):
        head_profile(translator, [("", "")])
