"""Captum on one target row at a time, for comparison with a method that does all of them."""

from collections.abc import Callable
from typing import Any

import torch

from headscope.analysis.attribution.method import Found, Question
from tests.analysis.attribution.sums import logits_of


def equals_captum(found: Found, asked: Question, attributed: Callable[[Any, tuple], tuple], *, summed: bool = False):
    """Compare every row; places of a way are float32 in Captum.

    Args:
        attributed: from a function of both inputs and the inputs to Captum's attributions.
        summed: ours have one component, which is in every one of Captum's.
    """
    both = asked.inputs.source[None], asked.inputs.target[None]
    for row in range(len(asked.inputs.target)):
        theirs = [part[0].detach() for part in attributed(logits_of(asked, row), both)]
        for ours, part in zip((found.from_source, found.from_target), theirs, strict=True):
            torch.testing.assert_close(ours[row], part[:, :1] if summed else part, rtol=1e-6, atol=1e-9)
