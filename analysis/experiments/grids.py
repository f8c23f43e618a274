"""The grids of `headscope ablate`, as data: rows that differ from a base row in one thing each. No torch here.

After Table 3 of Vaswani et al. 2017, and beyond it. The base is the size `tiny`: width 128, 4 + 4 layers, 4 heads,
feed-forward 256. Where their table has a row of the same kind, its figures stand beside: on newstest2013, English to
German, the base model of 6 + 6 layers after 100,000 updates, one training a row. They are from another model, text and
number of updates, so only the direction of a difference can be compared, never a figure.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from headscope.model.card import SHIPPED
from headscope.model.config import preset
from headscope.model.errors import HeadscopeError

if TYPE_CHECKING:
    from headscope.model.training.recipe import Recipe

KEPT = SHIPPED / "ablations"
"""The results that ship, a folder each for every text."""
BASE = "base"
WARMED = 0.25
"""Share of the updates in which the learning rate may rise, at most; its peak is the recipe's all the same."""


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A row of Table 3 of Vaswani et al. 2017."""

    row: str
    """What it is there."""
    perplexity: float
    """A piece of the development set."""
    bleu: float
    """On the development set."""

    @property
    def nats(self) -> float:
        """Its loss minus the base row's, a piece: the logarithm of the perplexities' quotient."""
        return math.log(self.perplexity / PAPER_BASE.perplexity)

    @property
    def bleu_difference(self) -> float:
        """Its BLEU minus the base row's."""
        return self.bleu - PAPER_BASE.bleu


PAPER_BASE = PaperRow("base", 4.92, 25.8)
HEADS = {
    1: PaperRow("(A) 1 head of 512, base 8 of 64", 5.29, 24.9),
    2: PaperRow("(A) 4 heads of 128, base 8 of 64", 5.00, 25.5),
    8: PaperRow("(A) 16 heads of 32, base 8 of 64", 4.91, 25.8),
    16: PaperRow("(A) 32 heads of 16, base 8 of 64", 5.01, 25.4),
}
"""By the number of heads here, of a base of 4: those there are as many times as many."""
QUARTER_KEYS = PaperRow("(B) d_k 16, base 64", 5.16, 25.1)
HALF_KEYS = PaperRow("(B) d_k 32, base 64", 5.01, 25.4)
HALF_WIDTH = PaperRow("(C) width 256, base 512", 5.75, 24.5)
TWICE_WIDTH = PaperRow("(C) width 1024, base 512", 4.66, 26.0)
HALF_FEED_FORWARD = PaperRow("(C) feed-forward 1024, base 2048", 5.12, 25.4)
TWICE_FEED_FORWARD = PaperRow("(C) feed-forward 4096, base 2048", 4.75, 26.2)
DROPOUT = {0.0: PaperRow("(D) dropout 0", 5.77, 24.6), 0.2: PaperRow("(D) dropout 0.2", 4.95, 25.5)}
SMOOTHING = {0.0: PaperRow("(D) label smoothing 0", 4.67, 25.3), 0.2: PaperRow("(D) label smoothing 0.2", 5.47, 25.7)}
LEARNED = PaperRow("(E) learned positions", 4.92, 25.7)
BIG = PaperRow("big: width 1024, 16 heads, dropout 0.3, 300,000 updates", 4.33, 26.4)


@dataclass(frozen=True, slots=True)
class Row:
    """What is changed in the base recipe."""

    name: str
    what: str
    """In words, for a table."""
    changes: Mapping[str, Any]
    """Values by dotted key, as `load_recipe` takes them."""
    paper: PaperRow | None = None
    """The row of Table 3 that does the same to the paper's model, where its figures are known here."""
    warning: str = ""
    """What has to stand beside its figures."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows that answer one question."""

    name: str
    question: str
    rows: tuple[Row, ...]
    silent: str = ""
    """What it does not show, beside what no grid does."""


STACKS = ("model.encoder", "model.decoder")
KINDS = tuple(f"model.attention.{kind}" for kind in ("encoder", "decoder", "cross"))
CHEATS = (
    "a cheat: in training the decoder sees the very piece that it is to predict, so its loss is no measure of "
    "anything, and translations, where nothing can be seen ahead, fall apart"
)


def _all(places: Sequence[str], key: str, value: object) -> dict[str, Any]:
    return {f"{place}.{key}": value for place in places}


def _heads(count: int, words: str) -> Row:
    return Row(f"heads-{count}", words, _all(STACKS, "heads", count), HEADS[count])


def _positions(name: str, words: str, paper: PaperRow | None = None) -> Row:
    return Row(f"positions-{name}", words, {"model.positions": name}, paper)


_BIG = {"model.d_model": 256, **_all(STACKS, "heads", 8), **_all(STACKS, "feed_forward", 512), "model.dropout": 0.3}
_ENCODER_PLACES = {"model.attention.encoder.pattern": "positional", "model.attention.encoder.offsets": [-1, 0, 1]}
_DECODER_PLACES = {"model.attention.decoder.pattern": "positional", "model.attention.decoder.offsets": [-1, 0]}

GRIDS: Mapping[str, Grid] = MappingProxyType(
    {
        grid.name: grid
        for grid in (
            Grid(
                "heads",
                "How many heads, where all together are as wide as before (Table 3, A)?",
                (
                    _heads(1, "1 head of 128"),
                    _heads(2, "2 heads of 64"),
                    _heads(8, "8 heads of 16"),
                    _heads(16, "16 heads of 8"),
                ),
                "whether a model that was trained with many heads needs them all: that is what removing heads tells",
            ),
            Grid(
                "key-size",
                "How wide need queries and keys be (Table 3, B)?",
                (
                    Row("key-8", "d_k 8 in the place of 32", {"model.key_size": 8}, QUARTER_KEYS),
                    Row("key-16", "d_k 16 in the place of 32", {"model.key_size": 16}, HALF_KEYS),
                ),
            ),
            Grid(
                "depth",
                "How many layers a side (Table 3, C)?",
                tuple(
                    Row(f"layers-{count}", f"{count} + {count} layers", _all(STACKS, "layers", count))
                    for count in (1, 2, 6)
                ),
                "what more updates would give the deeper models",
            ),
            Grid(
                "width",
                "How wide a model (Table 3, C and big)?",
                (
                    Row("width-64", "width 64", {"model.d_model": 64}, HALF_WIDTH),
                    Row("width-256", "width 256", {"model.d_model": 256}, TWICE_WIDTH),
                    Row("feed-forward-128", "feed-forward 128", _all(STACKS, "feed_forward", 128), HALF_FEED_FORWARD),
                    Row("feed-forward-512", "feed-forward 512", _all(STACKS, "feed_forward", 512), TWICE_FEED_FORWARD),
                    Row("big", "twice as wide, twice as many heads, dropout 0.3", _BIG, BIG),
                ),
                "what more updates would give the wider models: the paper's big model had three times its base's",
            ),
            Grid(
                "dropout",
                "How much dropout (Table 3, D)?",
                tuple(
                    Row(f"dropout-{rate:g}", f"dropout {rate:g}", {"model.dropout": rate}, DROPOUT.get(rate))
                    for rate in (0.0, 0.2, 0.3)
                ),
                "what dropout is for: it pays where a text is read many times over",
            ),
            Grid(
                "label-smoothing",
                "How much label smoothing (Table 3, D)?",
                tuple(
                    Row(f"smoothing-{rate:g}", f"label smoothing {rate:g}", {"label_smoothing": rate}, SMOOTHING[rate])
                    for rate in (0.0, 0.2)
                ),
                "which probabilities are the better calibrated",
            ),
            Grid(
                "positions",
                "How does a model know where a token stands (Table 3, E)?",
                (
                    _positions("learned", "learned vectors", LEARNED),
                    _positions("rotary", "rotary"),
                    _positions("alibi", "ALiBi"),
                    _positions("shaw", "relative (Shaw et al.)"),
                    _positions("t5", "relative (T5)"),
                    _positions("none", "none"),
                ),
                "what happens beyond the trained length: see the page Positions",
            ),
            Grid(
                "attention",
                "What does the scaled dot product give, and what do weights that are learned give?",
                (
                    Row("cross-uniform", "uniform cross-attention", {"model.attention.cross.pattern": "uniform"}),
                    Row("encoder-positional", "encoder heads fixed at -1, 0, +1", _ENCODER_PLACES),
                    Row("decoder-positional", "decoder heads fixed at -1, 0", _DECODER_PLACES),
                    Row("self-positional", "both fixed, cross-attention learned", _ENCODER_PLACES | _DECODER_PLACES),
                    Row("unscaled", "scores not divided by √d_k", _all(KINDS, "score", "unscaled")),
                    Row("additive", "additive scores (Bahdanau et al.)", _all(KINDS, "score", "additive")),
                    Row("temperature-0.5", "softmax temperature 0.5", _all(KINDS, "temperature", 0.5)),
                    Row("temperature-2", "softmax temperature 2", _all(KINDS, "temperature", 2.0)),
                    Row("no-causal-mask", "no causal mask", {"model.attention.causal": False}, warning=CHEATS),
                ),
                "what scaling does for wide heads: at d_k 32 scores grow less than at the paper's 64",
            ),
        )
    }
)
ROWS: Mapping[str, Row] = MappingProxyType(
    {BASE: Row(BASE, "as the recipe says", {})} | {row.name: row for grid in GRIDS.values() for row in grid.rows}
)
"""The rows of all grids, by name. They share one base row, which is trained once for all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AblationBudget:
    """What every training may spend: the same number of updates of as many tokens."""

    recipe: str = "tiny"
    """The base row: one that ships, or a file, of the size `tiny`."""
    updates: int = 1500
    threads: int = 1
    changes: tuple[str, ...] = field(default=())
    """Of the base row, and with it of all: `key=value`."""


@dataclass(frozen=True, slots=True)
class AblationJob:
    """One training of a row."""

    row: str
    seed: int

    @property
    def name(self) -> str:
        """Of its folder and its result."""
        return f"{self.row}-seed{self.seed}"

    def recipe(self, budget: AblationBudget) -> "Recipe":
        """How it is trained. All rows of a seed see the same batches in the same order.

        Raises:
            HeadscopeError: the base recipe is of another size than the rows are made for, or something in it is wrong.
        """
        from headscope.model.training.recipe import load_recipe

        base = load_recipe(budget.recipe, budget.changes)
        found, known = base.model_for(4096), preset("tiny", vocabulary=4096)
        if (found.d_model, found.encoder, found.decoder) != (known.d_model, known.encoder, known.decoder):
            raise HeadscopeError(
                f"the rows of the grids are changes of a model of the size tiny, which the recipe {budget.recipe} is "
                "not: choose tiny or multi30k-tiny, or a file of that size"
            )
        every = max(1, round(budget.updates / 12))
        warmup = min(base.schedule.warmup, max(1, round(WARMED * budget.updates)))
        fields: dict[str, Any] = {
            "steps": budget.updates,
            "schedule.warmup": warmup,
            "validate_every": every,
            "average_last": 3,
            "log_every": 50,
            "snapshots": 2,
            "dev_lines": 0,
            "patience": 0,
            "seed": self.seed,
            "threads": budget.threads,
        }
        if base.schedule.kind == "noam":  # whose peak would rise where the warm-up is shorter
            fields["schedule.factor"] = base.schedule.factor * math.sqrt(warmup / base.schedule.warmup)
        fields |= ROWS[self.row].changes
        changes = [f"{key}={_toml(value)}" for key, value in fields.items()]
        return load_recipe(budget.recipe, [*budget.changes, *changes])


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def grid(name: str) -> Grid:
    """The grid of a name.

    Raises:
        HeadscopeError: there is none.
    """
    if name not in GRIDS:
        raise HeadscopeError(f"there is no grid '{name}': choose one of {', '.join(GRIDS)}")
    return GRIDS[name]


def ablation_jobs(name: str, seeds: int) -> tuple[AblationJob, ...]:
    """All trainings of a grid, in an order of which every beginning is of use: whole seeds, the base first in each."""
    return tuple(_jobs(grid(name), seeds))


def _jobs(chosen: Grid, seeds: int) -> Iterator[AblationJob]:
    for seed in range(1, seeds + 1):
        for row in (BASE, *(row.name for row in chosen.rows)):
            yield AblationJob(row, seed)
