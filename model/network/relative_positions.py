"""Position schemes that say how far apart query and key stand: rotary, ALiBi, Shaw's and T5's.

All of them work in self-attention alone: between two sentences there is no distance.

`B` batch, `H` heads, `Q` queries, `K` keys, `T` positions, `d` width of a head, `R` distances or buckets told apart.
"""

import math
from collections.abc import Callable
from typing import Literal

import torch
from jaxtyping import Float, Int, Real
from torch import Tensor, nn

from headscope.model.network.positions import PositionScheme
from headscope.model.sites import Anatomy, Site, heads_at, layers_of

SELF_ATTENTION: tuple[Literal["encoder", "decoder"], ...] = ("encoder", "decoder")


def distances(queries: Real[Tensor, " Q"], keys: Real[Tensor, " K"]) -> Real[Tensor, "Q K"]:
    """Key minus query: negative where the key comes before."""
    return keys[None, :] - queries[:, None]


def rotary_angles(positions: Real[Tensor, " T"], width: int, base: float) -> Float[Tensor, "T half"]:
    """m · base^(−2i/d) in radians, for position m and pair i of a head's d dimensions (Su et al. 2021, section 3.2.2).

    In float64, so that distant positions are right.
    """
    rates = base ** (-torch.arange(0, width, 2, dtype=torch.float64, device=positions.device) / width)
    return positions[:, None].double() * rates


class RotaryPositions(PositionScheme):
    """Each pair of neighbouring dimensions of queries and keys is turned by its position (Su et al. 2021, equation 15).

    The product of a query and a key then depends on their distance, and on nothing else of where they stand.
    """

    def __init__(self, base: float) -> None:
        super().__init__()
        self.base = base

    def rotate(self, vectors: Float[Tensor, "B H T d"], positions: Real[Tensor, " T"], site: Site) -> Tensor:
        """Turned in self-attention, as they are in cross-attention."""
        if site.kind not in SELF_ATTENTION:
            return vectors
        angles = rotary_angles(positions, vectors.shape[-1], self.base)
        cos, sin = angles.cos().to(vectors.dtype), angles.sin().to(vectors.dtype)
        even, odd = vectors.unflatten(-1, (-1, 2)).unbind(-1)
        return torch.stack([even * cos - odd * sin, odd * cos + even * sin], dim=-1).flatten(-2)


def alibi_slopes(heads: int) -> Float[Tensor, " H"]:
    """The slope of each head (Press et al. 2022, section 3): 2^(−8/n), 2^(−16/n) … for a power of two n.

    For other numbers of heads those of the power below, then every second one of the power above, as the authors do.
    """
    power = 2 ** math.floor(math.log2(heads))
    slopes = [2 ** (-8 * (head + 1) / power) for head in range(power)]
    further = [2 ** (-8 * (head + 1) / (2 * power)) for head in range(0, 2 * (heads - power), 2)]
    return torch.tensor(slopes + further)


class AlibiPositions(PositionScheme):
    """Every head's scores fall with the distance, at a slope of its own (Press et al. 2022).

    They define it for looking back; in the encoder, keys on either side count the same. A sentence read backwards is
    then the same to it, but for the end-of-sentence token, which stays where it is.
    """

    def bias(
        self, query: Float[Tensor, "B H Q d"], queries: Real[Tensor, " Q"], keys: Real[Tensor, " K"], site: Site
    ) -> Float[Tensor, "1 H Q K"] | None:
        """−slope · distance."""
        if site.kind not in SELF_ATTENTION:
            return None
        slopes = alibi_slopes(site.heads).to(query)
        return (-slopes[:, None, None] * distances(queries, keys).abs())[None]


class ShawPositions(PositionScheme):
    """A trained vector for each distance is added to the keys (Shaw et al. 2018, equations 4 and 5).

    Distances beyond `reach` share the outermost vector; every layer and head has vectors of its own. The vectors of the
    values (equation 3) are left out: the authors find translation as good without them (their Table 3).
    """

    def __init__(self, model: Anatomy, key_width: Callable[[int], int], reach: int) -> None:
        super().__init__()
        self.reach = reach
        self.keys = nn.ParameterDict(
            {
                f"{site.kind}_{site.layer}": nn.Parameter(torch.zeros(site.heads, 2 * reach + 1, key_width(site.heads)))
                for kind in SELF_ATTENTION
                for site in layers_of(model, kind)
            }
        )

    def reset_parameters(self) -> None:
        """Draw the vectors, as the layers' weights are drawn."""
        for vectors in self.keys.values():
            nn.init.xavier_uniform_(vectors)

    def bias(
        self, query: Float[Tensor, "B H Q d"], queries: Real[Tensor, " Q"], keys: Real[Tensor, " K"], site: Site
    ) -> Float[Tensor, "B H Q K"] | None:
        """q · a / √d for the vector a of the distance."""
        if site.kind not in SELF_ATTENTION:
            return None
        vectors = self.keys[f"{site.kind}_{site.layer}"]
        of_distance = (query * query.shape[-1] ** -0.5) @ vectors.transpose(-1, -2)
        index = distances(queries, keys).clamp(-self.reach, self.reach) + self.reach
        return of_distance.gather(-1, index.expand(*query.shape[:2], -1, -1))


def t5_buckets(distance: Int[Tensor, "Q K"], *, both_sides: bool, buckets: int, furthest: int) -> Int[Tensor, "Q K"]:
    """The bucket of each distance (key minus query) as T5 defines it (Raffel et al. 2020, section 2.1).

    Half of the buckets are single distances, the others grow with the logarithm up to `furthest`; what is further
    shares the last. With `both_sides` later keys have half of the buckets; else they share the bucket of distance 0.
    """
    first = torch.zeros_like(distance)
    if both_sides:
        buckets //= 2
        first = (distance > 0).long() * buckets
    apart = distance.abs() if both_sides else (-distance).clamp(min=0)
    exact = buckets // 2
    share = (apart.clamp(min=1).double() / exact).log() / math.log(furthest / exact)
    wide = (exact + (share * (buckets - exact)).long()).clamp(max=buckets - 1)
    return first + torch.where(apart < exact, apart, wide)


class T5Positions(PositionScheme):
    """A trained number for each bucket of distances and head is added to the scores (Raffel et al. 2020).

    The layers of a stack share them, as in T5.
    """

    def __init__(self, model: Anatomy, buckets: int, furthest: int) -> None:
        super().__init__()
        self.buckets, self.furthest = buckets, furthest
        self.biases = nn.ParameterDict(
            {kind: nn.Parameter(torch.zeros(buckets, heads_at(model, kind, 0))) for kind in SELF_ATTENTION}
        )

    def reset_parameters(self) -> None:
        """All distances begin alike."""
        for biases in self.biases.values():
            nn.init.zeros_(biases)

    def bias(
        self, query: Float[Tensor, "B H Q d"], queries: Real[Tensor, " Q"], keys: Real[Tensor, " K"], site: Site
    ) -> Float[Tensor, "1 H Q K"] | None:
        """The number of the bucket."""
        if site.kind not in SELF_ATTENTION:
            return None
        found = t5_buckets(
            distances(queries, keys), both_sides=not site.causal, buckets=self.buckets, furthest=self.furthest
        )
        return self.biases[site.kind][found].permute(2, 0, 1)[None]
