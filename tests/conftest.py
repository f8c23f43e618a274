"""Fixtures that several test files share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data that the variable HEADSCOPE_SHARED names; without it the test is skipped.

    With HEADSCOPE_REQUIRE_ALL=1 a missing folder is a failure, so that no run passes by skipping.
    """
    folder = Path(os.environ.get("HEADSCOPE_SHARED", ""))
    if os.environ.get("HEADSCOPE_SHARED") and folder.is_dir():
        return folder.resolve()
    reason = "HEADSCOPE_SHARED names no folder with the reference data"
    if os.environ.get("HEADSCOPE_REQUIRE_ALL") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
