"""What the slider over training sends."""

import pytest

from headscope.app.components.course.course import as_moment


@pytest.mark.parametrize("value", [None, -1, 3, "1", 1.0, True, [1], {"at": 1}])
def test_what_is_no_moment_is_none(value):
    assert as_moment(value, 3) is None


def test_a_moment_is_its_index():
    assert [as_moment(at, 3) for at in range(3)] == [0, 1, 2]
