"""One set of limits, whoever asks."""

import json
import math

import pytest
from typer.main import get_command

from headscope.app.commands.cli import cli
from headscope.app.view.state import View, from_query
from headscope.model.card import read_card
from headscope.model.errors import HeadscopeError
from headscope.model.search.limits import (
    ALPHAS,
    BEAMS,
    LENGTHS,
    PAGE_BEAMS,
    PAGE_LENGTHS,
    PAGE_SAMPLES,
    SAMPLES,
    SEEDS,
    TEMPERATURES,
    TOP_K,
    TOP_P,
    require,
)
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import Sampling, SearchSettings
from tests.toys import tiny_config


@pytest.mark.parametrize("value", [0, 9, math.nan, math.inf, -math.inf])
def test_a_number_out_of_range(value):
    with pytest.raises(HeadscopeError, match=r"^width .*: choose a number between 1 and 8, or none$"):
        require("width", value, (1, 8), ", or none")


def test_numbers_in_range():
    for value in (1, 8, 2.5):
        require("width", value, (1, 8))


def test_a_page_takes_a_part_of_what_there_is():
    for part, whole in ((PAGE_BEAMS, BEAMS), (PAGE_LENGTHS, LENGTHS), (PAGE_SAMPLES, SAMPLES)):
        assert whole[0] <= part[0] < part[1] <= whole[1]


@pytest.mark.parametrize(
    ("limits", "made"),
    [
        (BEAMS, lambda value: SearchSettings(beam=value)),
        (LENGTHS, lambda value: SearchSettings(longest=value)),
        (ALPHAS, LengthPenalty),
        (SAMPLES, lambda value: Sampling(count=value)),
        (TEMPERATURES, lambda value: Sampling(temperature=value)),
        (TOP_K, lambda value: Sampling(top_k=value)),
        (TOP_P, lambda value: Sampling(top_p=value)),
        (SEEDS, lambda value: Sampling(seed=value)),
    ],
    ids=["beam", "longest", "alpha", "samples", "temperature", "top-k", "top-p", "seed"],
)
def test_settings_go_by_them(limits, made):
    for value in limits:
        made(value)
    outside = (-1, 1) if isinstance(limits[0], int) else (-limits[0] / 2 if limits[0] > 0 else -0.5, 0.5)
    for value, beyond in zip(limits, outside, strict=True):
        with pytest.raises(HeadscopeError, match="choose a number between"):
            made(value + beyond)


def test_a_card_goes_by_them(tmp_path):
    def read(search: dict[str, float]) -> SearchSettings:
        config = {"format": 1, "languages": ["en", "de"], "model": tiny_config().model_dump(), "search": search}
        (tmp_path / "config.json").write_text(json.dumps(config))
        return read_card(tmp_path).search

    for key, limits in (("beam", BEAMS), ("alpha", ALPHAS), ("longest", LENGTHS)):
        for value, beyond in zip(limits, (-1, 1), strict=True):
            read({key: value})
            with pytest.raises(HeadscopeError, match=rf"config.json: .*{key} = .*equal to {value:g}"):
                read({key: value + beyond})


def test_an_address_goes_by_them():
    def asked(**params: object) -> View:
        return from_query({name: str(value) for name, value in params.items()}, View("toy", "text"))

    for number, least, most in zip((-1e9, 1e9), (0, 1), (0, 1), strict=True):
        whole = int(number)
        view = asked(beam=whole, penalty=number, longest=whole, b=1)
        assert (view.beam, view.length_penalty) == (PAGE_BEAMS[least], ALPHAS[most])
        assert view.search.longest == PAGE_LENGTHS[least]
        far = {f"b.{name}": whole * 10**9 for name in ("beam", "longest", "samples", "top_k", "seed")}
        far |= {f"b.{name}": number for name in ("length_penalty", "temperature", "top_p")}
        other = asked(b=1, **far).search.other
        assert other is not None
        assert (other.beam, other.longest, other.samples) == tuple(
            limits[least] for limits in (PAGE_BEAMS, PAGE_LENGTHS, PAGE_SAMPLES)
        )
        assert (other.length_penalty, other.temperature) == (ALPHAS[most], TEMPERATURES[most])
        assert (other.top_k, other.top_p, other.seed) == (TOP_K[least], TOP_P[most], SEEDS[least])
    for value in ALPHAS:  # what a card may say, a link may say
        assert asked(penalty=value).length_penalty == value


def test_commands_go_by_them():
    found = {}
    for name, command in get_command(cli).commands.items():  # pyright: ignore[reportAttributeAccessIssue]
        for option in command.params:
            if option.opts[0] in ("--beam", "--max-length"):
                found[name, option.opts[0]] = (option.min, option.max)
    limits = {"--beam": BEAMS, "--max-length": LENGTHS}
    assert found == {key: limits[key[1]] for key in found}
    assert {option for _, option in found} == set(limits)
