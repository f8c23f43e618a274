"""The colours of the theme do what figures rely on."""

import tomllib
from itertools import pairwise

import numpy as np
import pytest

from headscope.app.server import HERE

THEME = tomllib.loads((HERE / ".streamlit/config.toml").read_text(encoding="utf-8"))["theme"]
# OKLab, Björn Ottosson 2020.
TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def linear(colour: str) -> np.ndarray:
    channels = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(colour: str) -> np.ndarray:
    return TO_LAB @ np.cbrt(TO_CONES @ linear(colour))


def contrast(one: str, other: str) -> float:
    """WCAG 2.2."""
    dark, light = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_sequential_scale_starts_at_the_background_and_runs_evenly(mode):
    scale = THEME[mode]["chartSequentialColors"]
    assert len(scale) == 10
    assert scale[0] == THEME[mode]["backgroundColor"]
    steps = np.diff([lab(colour)[0] for colour in scale])
    assert np.allclose(steps, steps.mean(), atol=0.012)
    assert contrast(scale[-1], scale[0]) > 7


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_diverging_scale_is_symmetric_about_the_background(mode):
    scale = [lab(colour) for colour in THEME[mode]["chartDivergingColors"]]
    background = lab(THEME[mode]["backgroundColor"])[0]
    distances = [abs(colour[0] - background) for colour in scale]
    assert distances == sorted(distances[:5], reverse=True) + sorted(distances[5:])
    assert np.sign(scale[0][2]) != np.sign(scale[-1][2])


def test_head_colours_can_be_told_apart_on_both_pages():
    colours = THEME["chartCategoricalColors"]
    assert len(colours) == 8
    for colour in colours:
        for mode in ("light", "dark"):
            assert contrast(colour, THEME[mode]["backgroundColor"]) >= 3
    lightness = sorted(lab(colour)[0] for colour in colours)
    assert all(more - less > 0.01 for less, more in pairwise(lightness))
    for at, one in enumerate(colours):
        assert all(np.linalg.norm(lab(one) - lab(other)) > 0.1 for other in colours[:at])


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_captions_can_be_read(mode):
    names = ("textColor", "backgroundColor")
    ink, ground = (np.array([int(THEME[mode][name][at : at + 2], 16) for at in (1, 3, 5)]) for name in names)
    mixed = "#" + "".join(f"{round(channel):02X}" for channel in 0.6 * ink + 0.4 * ground)
    assert contrast(mixed, THEME[mode]["backgroundColor"]) >= 4.5


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_can_be_read(mode):
    for part in (THEME[mode], THEME[mode] | THEME[mode]["sidebar"]):
        for ground in (part["backgroundColor"], part["secondaryBackgroundColor"]):
            for ink in ("textColor", "grayTextColor", "linkColor", "orangeTextColor"):
                assert contrast(part[ink], ground) >= 4.5, ink
