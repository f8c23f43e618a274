import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from headscope.model.errors import HeadscopeError
from headscope.model.network.positions import (
    LearnedPositions,
    PositionScheme,
    SinusoidalPositions,
    sinusoid_table,
)
from headscope.model.sites import require_length, site_at
from tests.torch_twin import paper_sinusoid
from tests.toys import tiny_config

FIRST = {"halves_opennmt": 1, "halves_fairseq": 2}
LAYOUTS = ["interleaved", "halves", "halves_tensor2tensor", *FIRST]


def formula(layout: str, position: int, width: int) -> list[float]:
    """One row of each table, as its source defines it."""
    half = width // 2
    if layout == "interleaved":
        return paper_sinusoid(position, width)
    if layout == "halves":
        rates = [10000 ** (-2 * i / width) for i in range(half)]
    else:
        rates = [math.exp(-i * math.log(10000) / (half - 1)) for i in range(half)]
    position += FIRST.get(layout, 0)
    return [math.sin(position * rate) for rate in rates] + [math.cos(position * rate) for rate in rates]


@pytest.mark.usefixtures("float64")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("width", [4, 6, 64, 512])
def test_tables_follow_their_formulas(layout, width):
    table = sinusoid_table(300, width, layout)
    for position in (0, 1, 2, 17, 299):
        expected = torch.tensor(formula(layout, position, width))
        torch.testing.assert_close(table[position], expected, rtol=0, atol=1e-11)


@pytest.mark.usefixtures("float64")
def test_hand_numbers():
    # sin 1, cos 1, sin 0.01, cos 0.01
    s, c, small_s, small_c = 0.8414709848078965, 0.5403023058681398, 0.009999833334166664, 0.9999500004166653
    rows = {layout: sinusoid_table(2, 4, layout)[1].tolist() for layout in LAYOUTS}
    assert rows["interleaved"] == pytest.approx([s, c, small_s, small_c], abs=1e-15)
    assert rows["halves"] == pytest.approx([s, small_s, c, small_c], abs=1e-15)
    # Two pairs: wavelengths 2π and exactly 10000·2π.
    assert rows["halves_tensor2tensor"] == pytest.approx([s, math.sin(1e-4), c, math.cos(1e-4)], abs=1e-15)
    assert rows["halves_fairseq"] == pytest.approx(
        [math.sin(3), math.sin(3e-4), math.cos(3), math.cos(3e-4)], abs=1e-15
    )
    assert sinusoid_table(1, 4, "interleaved").tolist() == [[0, 1, 0, 1]]


@pytest.mark.parametrize(("position", "difference"), [(10, 0.014), (50, 0.072), (100, 0.143), (500, 0.704)])
def test_tensor2tensor_has_other_frequencies(position, difference):
    paper, other = (sinusoid_table(501, 512, layout)[position] for layout in ("halves", "halves_tensor2tensor"))
    assert (paper - other).abs().max().item() == pytest.approx(difference, abs=6e-4)


@given(width=st.integers(2, 40).map(lambda half: 2 * half), length=st.integers(1, 60))
def test_layouts_are_related(width, length):
    interleaved, halves, tensor2tensor, *others = (sinusoid_table(length + 2, width, layout) for layout in LAYOUTS)
    assert torch.equal(interleaved.unflatten(1, (-1, 2)).transpose(1, 2).flatten(1), halves)
    for first, other in zip(FIRST.values(), others, strict=True):
        assert torch.equal(other[:length], tensor2tensor[first : first + length])


@pytest.mark.usefixtures("float64")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_dot_product_depends_on_distance_alone(layout):
    table = sinusoid_table(400, 64, layout)
    products = table @ table.T
    for distance in (0, 1, 7, 50):
        along = products.diagonal(distance)
        torch.testing.assert_close(along, along[:1].expand_as(along), rtol=0, atol=1e-10)


def test_table_is_rounded_from_float64():
    # Computed in float32 the angle of position 100,000 would be off by 0.004.
    row = sinusoid_table(100_001, 4)[100_000]
    expected = torch.tensor(formula("interleaved", 100_000, 4), dtype=torch.float32)
    torch.testing.assert_close(row, expected, rtol=0, atol=1e-7)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_beyond_the_table(layout):
    positions = SinusoidalPositions(8, layout, length=10)
    whole = sinusoid_table(40, 8, layout)
    for first, length in ((0, 10), (3, 4), (9, 1), (5, 10), (10, 1), (30, 10)):
        assert torch.equal(positions.embed(first, length), whole[first : first + length])
    assert positions.table.shape == (10, 8)


def test_learned_rows_and_their_initial_size():
    torch.manual_seed(0)
    positions = LearnedPositions(64, 100)
    positions.reset_parameters()
    assert torch.equal(positions.embed(3, 2), positions.table[3:5])
    assert positions.embed(99, 1).shape == (1, 64)
    learned, sinusoidal = (table.pow(2).mean().sqrt().item() for table in (positions.table, sinusoid_table(100, 64)))
    assert sinusoidal == pytest.approx(math.sqrt(0.5), abs=1e-6)
    assert learned == pytest.approx(sinusoidal, rel=0.02)


def test_learned_positions_end_with_a_message():
    positions = LearnedPositions(4, 256)
    require_length(256, positions.limit)
    with pytest.raises(HeadscopeError, match=r"1,431 pieces.*end at 256.*shorten it or choose a sinusoidal"):
        require_length(1431, positions.limit)
    with pytest.raises(HeadscopeError, match="257 pieces"):
        positions.embed(256, 1)


def test_scheme_without_any_position():
    scheme = PositionScheme()
    vectors = torch.randn(1, 2, 3, 4)
    places = torch.arange(3)
    assert scheme.embed(0, 3) is None
    site = site_at(tiny_config(), "encoder", 0)
    assert scheme.rotate(vectors, places, site) is vectors
    assert scheme.bias(vectors, places, places, site) is None
    require_length(10**9, scheme.limit)
    assert scheme.visible(places, places, "decoder") is None
