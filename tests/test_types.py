"""The type checks that the other tests rely on are on."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import pytest
import torch
from jaxtyping import Float, TypeCheckError
from torch import Tensor

from headscope.analysis.records.labels import labels
from headscope.model.network.attention import attend
from headscope.model.network.masks import Mask, key_mask
from headscope.model.sites import Capabilities
from tests.checking import checked

Rows = Float[Tensor, "R D"]


@checked
def product(one: Rows, other: Float[Tensor, "D K"], turned: bool = False) -> Float[Tensor, "R K"]:
    return (one @ other).T if turned else one @ other


@checked
def rows(one: Rows) -> Iterator[Float[Tensor, " D"]]:
    yield from one


@checked
def text(number: int, unknown: "Nowhere" = None) -> str:  # noqa: F821 # pyright: ignore
    return str(number) if number >= 0 else number  # pyright: ignore


@checked
@dataclass(frozen=True, slots=True)
class Kept:
    rows: Rows
    names: tuple[str, ...]


def test_letters_stand_for_one_number_within_a_call_and_for_any_in_the_next():
    for width in (3, 5):
        assert product(torch.ones(2, width), torch.ones(width, 4)).shape == (2, 4)
        assert len(list(rows(torch.ones(2, width)))) == 2
        assert Kept(torch.ones(2, width), ("a",)).rows.shape == (2, width)


@checked
def doubled(one: Rows, times: list[int]) -> Rows:
    return torch.cat([one] * times[0])


@checked
def chosen(one: Rows, where: Float[Tensor, " R"]) -> Rows:
    return one[where > 0] if where.sum() != 1 else one.T


@checked
def named(one: Rows, *, side: Literal["source", "target"] = "source", kept: Kept | None = None) -> Rows:
    return one


def test_what_was_right_once_is_checked_again_where_it_may_be_wrong():
    """Calls of which all types and shapes were seen before are right as those were; no other ones."""
    one = torch.ones(2, 3)
    named(one, side="source")
    with pytest.raises(TypeCheckError):
        named(one, side="neither")  # pyright: ignore
    named(one, kept=Kept(one, ()))
    with pytest.raises(TypeCheckError):
        named(one, kept=one)  # pyright: ignore
    doubled(one, [1])
    for times in ([2], ["1"]):
        with pytest.raises(TypeCheckError):
            doubled(one, times)  # pyright: ignore
    chosen(one, torch.ones(2))
    for where in (torch.tensor([2.0, -3.0]), torch.tensor([1.0, 0.0])):  # the result is of another shape
        with pytest.raises(TypeCheckError):
            chosen(one, where)
    assert product(one, torch.ones(3, 4)).shape == (2, 4)
    with pytest.raises(TypeCheckError):
        product(one, torch.ones(3, 4).long())


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: product(torch.ones(2, 3), torch.ones(4, 3)),
        lambda: product(torch.ones(2, 3), torch.ones(3, 4), turned=True),
        lambda: product(torch.ones(2, 3).int(), torch.ones(3, 4)),
        lambda: Kept(torch.ones(3), ("a",)),
        lambda: Kept(torch.ones(2, 3), (1,)),  # pyright: ignore
        lambda: text("1"),  # pyright: ignore
        lambda: text(-1),
        lambda: rows(torch.ones(3)),
        lambda: Mask.of(torch.ones(2, 3, dtype=torch.bool)),
        lambda: Mask(torch.ones(2, 1, 3, 4, dtype=torch.bool), torch.ones(3, 1, 3, 1, dtype=torch.bool)),
        lambda: Mask(torch.ones(2, 1, 3, 4, dtype=torch.bool), None).narrowed(torch.ones(3, 4)),  # pyright: ignore
        lambda: Capabilities(("cross",), "yes", None),  # pyright: ignore
    ],
)
def test_what_is_not_as_it_is_annotated_is_refused(wrong):
    with pytest.raises(TypeCheckError):
        wrong()


def test_what_cannot_be_resolved_may_be_anything():
    assert text(1, object()) == "1"


def test_wrong_shape_is_refused():
    heads = torch.zeros(2, 3, 5, 4)
    attend(heads, heads, heads)
    with pytest.raises(TypeCheckError, match="value"):
        attend(heads, heads, heads[:, :, :4])


def test_wrong_number_of_axes_is_refused():
    with pytest.raises(TypeCheckError):
        key_mask(torch.ones(3, dtype=torch.bool))


def test_wrong_type_is_refused_in_analysis():
    with pytest.raises(TypeCheckError):
        labels("text")
