"""Translations of watched sentences as training went on."""

import pytest

from headscope.model.errors import HeadscopeError
from headscope.model.training.samples import SAMPLES, Sample, Samples, add_samples, read_samples

FIRST = Samples(10, (Sample("ein Häuschen", "a cottage", "a a a"), Sample("<b>\n", "\u2028", "")))
SECOND = Samples(20, (Sample("ein Häuschen", "a cottage", "a house"),))


def test_rows_in_the_order_they_came(tmp_path):
    assert read_samples(tmp_path) == ()
    for samples in (FIRST, SECOND):
        add_samples(tmp_path, samples)
    assert read_samples(tmp_path) == (FIRST, SECOND)
    assert (tmp_path / SAMPLES).read_text("utf-8").count("\n") == 2


def test_a_run_that_goes_on_from_earlier_replaces_what_came_later(tmp_path):
    for samples in (FIRST, SECOND):
        add_samples(tmp_path, samples)
    again = Samples(10, SECOND.samples)
    add_samples(tmp_path, again)
    assert read_samples(tmp_path) == (again,)


def test_a_torn_last_line_is_left_out_and_then_gone(tmp_path):
    add_samples(tmp_path, FIRST)
    with (tmp_path / SAMPLES).open("ab") as file:
        file.write(b'{"step": 15, "samp')
    assert read_samples(tmp_path) == (FIRST,)
    add_samples(tmp_path, SECOND)
    assert read_samples(tmp_path) == (FIRST, SECOND)


@pytest.mark.parametrize(
    "line", ["[1]", "3", '{"step": 3}', '{"step": "x", "samples": []}', '{"step":1,"samples":[{"a":1}]}']
)
def test_something_else_is_one_plain_line(tmp_path, line):
    add_samples(tmp_path, FIRST)
    with (tmp_path / SAMPLES).open("a") as file:
        file.write(line + "\n")
    with pytest.raises(HeadscopeError, match=r"samples\.jsonl, line 2, holds no samples") as caught:
        read_samples(tmp_path)
    assert "\n" not in str(caught.value)


def test_what_is_not_json_is_said(tmp_path):
    (tmp_path / SAMPLES).write_bytes(b"\xff\xfe\n")
    with pytest.raises(HeadscopeError, match=r"samples\.jsonl is not JSON"):
        read_samples(tmp_path)
