"""Positions changed: probes that give the tokens of a side other positions than those they stand at.

What is changed is the scheme that the model asks (`Probe.positions`), so each works in passes and searches, and with
vectors that are added as with rotations and biases. The words, their order in the cache and the causal mask stay.

`T` tokens of a sentence, counted from 0: source pieces and end of sentence; start symbol and what the decoder reads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import torch
from jaxtyping import Bool, Float, Real
from torch import Tensor

from headscope.analysis.capture.forced import digest
from headscope.model.errors import HeadscopeError
from headscope.model.network.positions import PositionScheme
from headscope.model.network.probe import Probe
from headscope.model.network.relative_positions import ShawPositions, T5Positions
from headscope.model.network.transformer import transformer
from headscope.model.search.settings import SearchSettings
from headscope.model.sites import AttentionKind, Side, Site
from headscope.model.translator import Translator

SIDES: tuple[Side, ...] = ("source", "target")
Places = Real[Tensor, " T"]
"""Whole numbers, or where positions are interpolated, others."""


class PositionProbe(Probe):
    """Something that is done to the positions of one side, or of both."""

    def __init__(self, sides: Sequence[Side] = SIDES) -> None:
        self.sides = tuple(sides)

    def positions(self, side: Side, scheme: PositionScheme) -> PositionScheme:
        """The changed scheme on the sides that are meant."""
        return self.changed(scheme) if side in self.sides else scheme

    def changed(self, scheme: PositionScheme) -> PositionScheme:
        """What takes the scheme's place."""
        raise NotImplementedError

    def room(self, limit: int | None) -> int | None:
        """How many target pieces can be written where positions end at a limit, end of sentence counted; None: any."""
        return limit

    def describe(self) -> str:
        """What is done, to which sides."""
        return " ".join([type(self).__name__, *self.sides])


class Positionless(PositionProbe):
    """Tokens that do not know where they stand: a table of zeros, no rotation, no bias."""

    def changed(self, scheme: PositionScheme) -> PositionScheme:
        """No positions."""
        return PositionScheme()


class Swapped(PositionProbe):
    """The positions of another checkpoint: its table, its rotation or its biases."""

    def __init__(self, translator: Translator, other: Translator, sides: Sequence[Side] = SIDES) -> None:
        """Take them from `other`.

        Raises:
            HeadscopeError: they do not fit: the models differ in width, or for biases of their own in layers or heads.
        """
        super().__init__(sides)
        mine, theirs = (transformer(each.model, "positions to swap") for each in (translator, other))
        own, given = mine.config, theirs.config
        if own.d_model != given.d_model:
            raise HeadscopeError(
                f"{other.card.name} has width {given.d_model}, {translator.card.name} {own.d_model}: positions can be "
                "swapped between models of one width only"
            )
        trained_distances = isinstance(theirs.positions, ShawPositions | T5Positions)
        if trained_distances and [layer[:3] for layer in theirs.sites()] != [layer[:3] for layer in mine.sites()]:
            raise HeadscopeError(
                f"{other.card.name} has other layers or heads than {translator.card.name}, and its {given.positions} "
                "positions belong to these: choose a twin"
            )
        self._scheme, self._name = theirs.positions, f"{given.positions} {other.weights_digest}"

    def describe(self) -> str:
        """With what is put in their place."""
        return f"{super().describe()} {self._name}"

    def changed(self, scheme: PositionScheme) -> PositionScheme:
        """The other's."""
        return self._scheme

    def room(self, limit: int | None) -> int | None:
        """As far as either goes."""
        limits = [each for each in (limit, self._scheme.limit) if each is not None]
        return min(limits, default=None)


class Elsewhere(PositionProbe):
    """Tokens that stand at other positions: each kind says at which."""

    def place(self, places: Places) -> Places:
        """Where the tokens that stand at these are to stand."""
        raise NotImplementedError

    def changed(self, scheme: PositionScheme) -> PositionScheme:
        """The same scheme, asked for other places."""
        return _Placed(scheme, self)

    def room(self, limit: int | None) -> int | None:
        """As far as all tokens stand within the limit."""
        if limit is None or "target" not in self.sides:
            return limit
        beyond = (self.place(torch.arange(limit)) > limit - 1).nonzero()
        return int(beyond[0]) if len(beyond) else limit


class Shifted(Elsewhere):
    """Every token from `first` on stands `by` positions further on."""

    def __init__(self, by: int, sides: Sequence[Side] = SIDES, *, first: int = 0) -> None:
        """Shift them.

        Raises:
            HeadscopeError: a token would stand before the first position.
        """
        super().__init__(sides)
        if first + by < 0:
            raise HeadscopeError(f"token {first} cannot stand {-by} positions further left: the first position is 0")
        self._by, self._first = by, first

    def describe(self) -> str:
        """With the distance."""
        return f"{super().describe()} by {self._by} from {self._first}"

    def place(self, places: Places) -> Places:
        """Further on."""
        return torch.where(places >= self._first, places + self._by, places)


class Rearranged(Elsewhere):
    """Some tokens of a side stand where others do; see `exchanged`, `moved` and `repeated`."""

    def __init__(self, places: Mapping[int, int], sides: Sequence[Side]) -> None:
        """Choose.

        Args:
            places: where a token is to stand, by where it stands.

        Raises:
            HeadscopeError: a place is negative.
        """
        super().__init__(sides)
        for token, to in places.items():
            if min(token, to) < 0:
                raise HeadscopeError(f"token {token} cannot stand at {to}: positions begin at 0")
        self._places = dict(sorted(places.items()))

    def describe(self) -> str:
        """With the places."""
        return f"{super().describe()} {self._places}"

    def place(self, places: Places) -> Places:
        """Those that were chosen, or their own."""
        found = places.clone()
        for token, to in self._places.items():
            found[places == token] = to
        return found


def exchanged(a: int, b: int, side: Side) -> Rearranged:
    """Two tokens change positions; the words stay where they are in the sentence."""
    return Rearranged({a: b, b: a}, [side])


def moved(token: int, to: int, side: Side) -> Rearranged:
    """A token stands at `to`, and those in between close up, as if its position alone were taken out and put there."""
    step = 1 if to < token else -1
    between = range(to, token) if to < token else range(token + 1, to + 1)
    return Rearranged({token: to} | {other: other + step for other in between}, [side])


def repeated(token: int, of: int, side: Side) -> Rearranged:
    """A token stands where another one stands too."""
    return Rearranged({token: of}, [side])


class Shuffled(Elsewhere):
    """The first positions in an order drawn at random, the same for every sentence; those beyond stay."""

    def __init__(self, length: int, seed: int, sides: Sequence[Side] = SIDES) -> None:
        super().__init__(sides)
        self._order = torch.randperm(length, generator=torch.Generator().manual_seed(seed))

    def describe(self) -> str:
        """With the order."""
        return f"{super().describe()} {digest([self._order])}"

    def place(self, places: Places) -> Places:
        """Another of the first ones."""
        order = self._order.to(places.device)
        return torch.where(places < len(order), order[places.clamp(max=len(order) - 1)], places)


class Interpolated(Elsewhere):
    """Positions closer together, as Chen et al. 2023 (arXiv 2306.15595) fit long text into the trained range.

    Between two rows of a table stands their weighted mean; rotations and ALiBi take any number.
    """

    def __init__(self, factor: float, sides: Sequence[Side] = SIDES) -> None:
        """Divide them.

        Raises:
            HeadscopeError: the factor is not above 0.
        """
        super().__init__(sides)
        if factor <= 0:
            raise HeadscopeError(f"positions cannot be divided by {factor:g}: choose a factor above 0")
        self._factor = factor

    def describe(self) -> str:
        """With the factor."""
        return f"{super().describe()} by {self._factor:g}"

    def changed(self, scheme: PositionScheme) -> PositionScheme:
        """The same scheme, asked in between.

        Raises:
            HeadscopeError: the scheme has trained distances, and none in between.
        """
        if isinstance(scheme, ShawPositions | T5Positions):
            raise HeadscopeError(
                "this checkpoint's positions are trained for whole distances, with none in between: shift or exchange "
                "them, or choose another checkpoint"
            )
        return super().changed(scheme)

    def place(self, places: Places) -> Places:
        """Between the others."""
        return places / self._factor


class _Placed(PositionScheme):
    """A scheme, asked for other places of one side. In cross-attention, which has two, it is asked as ever."""

    def __init__(self, scheme: PositionScheme, probe: Elsewhere) -> None:
        super().__init__()
        self._scheme, self._place, self.limit = scheme, probe.place, scheme.limit

    def embed(self, first: int, length: int) -> Float[Tensor, "T D"] | None:
        places = self._place(torch.arange(first, first + length))
        furthest = int(places.max().ceil())
        if self.limit is not None and furthest >= self.limit:
            raise HeadscopeError(
                f"a token would stand at position {furthest:,}; this checkpoint's learned positions end at "
                f"{self.limit - 1:,}, counted from 0: shift by less, or choose a checkpoint of another kind"
            )
        if (rows := self._scheme.embed(0, furthest + 1)) is None:
            return None
        below = places.floor().long().to(rows.device)
        share = (places - places.floor()).to(rows)[:, None]
        return rows[below] + share * (rows[(below + 1).clamp(max=furthest)] - rows[below])

    def rotate(self, vectors: Float[Tensor, "B H T d"], positions: Places, site: Site) -> Float[Tensor, "B H T d"]:
        return self._scheme.rotate(vectors, positions if site.kind == "cross" else self._place(positions), site)

    def bias(
        self, query: Float[Tensor, "B H Q d"], queries: Places, keys: Real[Tensor, " K"], site: Site
    ) -> Float[Tensor, "#B H Q K"] | None:
        if site.kind != "cross":
            queries, keys = self._place(queries), self._place(keys)
        return self._scheme.bias(query, queries, keys, site)

    def visible(self, queries: Places, keys: Real[Tensor, " K"], kind: AttentionKind) -> Bool[Tensor, "Q K"] | None:
        if kind != "cross":
            queries, keys = self._place(queries), self._place(keys)
        return self._scheme.visible(queries, keys, kind)


def within(translator: Translator, probe: PositionProbe, settings: SearchSettings | None = None) -> SearchSettings:
    """Settings of a search whose translations end where the changed positions do.

    Raises:
        HeadscopeError: nothing can be written.
    """
    settings, room = settings or translator.settings, probe.room(translator.model.config.position_limit)
    if room is None or (settings.longest is not None and settings.longest <= room):
        return settings
    if room < 1:
        raise HeadscopeError("no token of a translation would stand within this checkpoint's positions: shift by less")
    return replace(settings, longest=room)
