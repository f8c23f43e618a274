import json
from dataclasses import dataclass

import pytest

from headscope.analysis.experiments.runner import RESULTS, OfJob, Results, work_off
from headscope.model.errors import HeadscopeError


class Sum(OfJob):
    format: int = 1
    weights: str = ""
    value: int


@dataclass(frozen=True)
class Adding:
    number: int

    @property
    def name(self) -> str:
        return f"add-{self.number}"


JOBS = [Adding(number) for number in range(4)]
SUMS = Results(Sum, 1, "add")


def test_every_job_is_made_once_in_order(tmp_path):
    made, done = [], []

    def make(job: Adding) -> Sum:
        made.append(job)
        return Sum(value=job.number)

    assert work_off(JOBS, tmp_path, SUMS, make, done=done.append)
    assert made == done == JOBS
    assert work_off(JOBS, tmp_path, SUMS, make, done=done.append)
    assert made == JOBS
    assert SUMS.load(tmp_path / RESULTS, JOBS[1:3]) == {JOBS[1]: Sum(value=1), JOBS[2]: Sum(value=2)}
    assert [found.value for found in SUMS.all(tmp_path / RESULTS)] == [0, 1, 2, 3]


@pytest.mark.parametrize("how", ["killed", "stopped"])
def test_a_list_that_ended_in_the_middle_is_gone_on_with(tmp_path, how):
    made = []

    def make(job: Adding, *, last: int = 2) -> Sum | None:
        made.append(job.number)
        if job.number == last:
            if how == "stopped":
                return None
            raise KeyboardInterrupt
        return Sum(value=job.number)

    if how == "stopped":
        assert not work_off(JOBS, tmp_path, SUMS, make)
    else:
        with pytest.raises(KeyboardInterrupt):
            work_off(JOBS, tmp_path, SUMS, make)
    assert list(SUMS.load(tmp_path / RESULTS, JOBS)) == JOBS[:2]
    assert work_off(JOBS, tmp_path, SUMS, lambda job: make(job, last=-1))
    assert made == [0, 1, 2, 2, 3]


def test_what_is_damaged_or_of_another_format_is_said(tmp_path):
    assert SUMS.all(tmp_path / "nowhere") == ()
    file = tmp_path / RESULTS / "add-0.json"
    file.parent.mkdir()
    for content in ({"format": 1, "value": "much"}, {"format": 2, "value": 1}):
        file.write_text(json.dumps(content), "utf-8")
        with pytest.raises(HeadscopeError, match="add-0"):
            work_off(JOBS[:1], tmp_path, SUMS, lambda job: Sum(value=job.number))
