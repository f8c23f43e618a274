"""What figures for print share: their widths, letters and colours, and files that are the same at every call.

Everything is measured in inches from the top left corner. A figure is as wide as it was asked for, whatever it shows;
nothing of it is drawn before its size is known.
"""

import io
import math
import textwrap
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from headscope.analysis.records.attention_maps import Quantity
from headscope.app.export.fonts import complaint, families, spelt
from headscope.app.wire.shown import Scale
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

Form = Literal["svg", "png", "pdf"]
FIGURES: tuple[Form, ...] = ("svg", "png", "pdf")
WidthName = Literal["column", "page", "slide"]


@dataclass(frozen=True, slots=True)
class Width:
    """A width that figures come in."""

    name: str
    inches: float
    tall: float
    """Inches that a map or a column of tokens is high at most."""
    points: float
    """Size of all letters."""

    @property
    def line(self) -> float:
        """Inches from one line of text to the next."""
        return 1.25 * self.points / 72

    @property
    def letters(self) -> int:
        """Letters of fixed width that fit into it."""
        return int(self.inches * 72 / (0.602 * self.points))


WIDTHS: Mapping[WidthName, Width] = MappingProxyType(
    {
        "column": Width("one column: 3.35 in, 8.5 cm, letters of 7 pt", 3.35, 6.0, 7),
        "page": Width("two columns: 7 in, 17.8 cm, letters of 8 pt", 7.0, 7.0, 8),
        "slide": Width("a slide: 12 in, 30.5 cm, letters of 14 pt", 12.0, 4.5, 14),
    }
)


@dataclass(frozen=True, slots=True)
class Look:
    """How a picture of attention looks, whatever it shows."""

    caption: str = ""
    """What the reader must know: checkpoint, sentence, settings."""
    width: WidthName = "column"
    scale: Scale = "fixed"
    """Of colours or of thickness, as in `Shown`."""


QUANTITIES: Mapping[Quantity, str] = MappingProxyType(
    {"weight": "attention weight", "contribution": "norm of the contribution", "difference": "change, after − before"}
)
"""What a scale is of."""
INK, FAINT, GRID = "#14151F", "#5C6073", "#E3E4EC"
RESOLUTION, MOST_DOTS = 300, 40e6
"""Dots an inch, and dots of a png, in which a larger figure has fewer an inch."""
TALLEST = 200.0
"""Inches: the PDF format has no longer pages."""
STYLE = {"svg.hashsalt": "headscope", "svg.fonttype": "path", "pdf.fonttype": 42, "axes.linewidth": 0.3}
"""Ids that are no random numbers; letters as outlines in svg and as embedded TrueType in pdf."""
_CONFIG = Path(__file__).resolve().parents[1] / ".streamlit" / "config.toml"
_ONE_AT_A_TIME = Lock()
"""Settings and font caches of matplotlib belong to the process, and a server's sessions draw at the same time."""


class Paper:
    """A figure in the making: its width, and the fonts of all that will be written on it."""

    def __init__(self, width: WidthName, texts: Sequence[str], caption: str) -> None:
        if width not in WIDTHS:
            raise HeadscopeError(f"there is no figure as wide as '{width}': choose one of {', '.join(WIDTHS)}")
        self.width = WIDTHS[width]
        self.caption = caption
        self.fonts, self.missing = families("".join([*texts, caption]))

    def spelt(self, text: str) -> str:
        """A text with codes in the place of characters that no font has."""
        return spelt(text, self.missing)

    def widest(self, texts: Sequence[str], *, running: bool = False) -> float:
        """Inches of the widest of some tokens, or of running text."""
        from matplotlib.font_manager import FontProperties
        from matplotlib.textpath import TextToPath

        font, measure = FontProperties(family=self._family(running), size=self.width.points), TextToPath()
        found = (measure.get_text_width_height_descent(self.spelt(text), font, False)[0] for text in texts)
        return max(found, default=0) / 72

    def step(self, room: float) -> int:
        """Every so manieth token can be named where each has so many inches."""
        return max(1, math.ceil(self.width.points / 72 / room))

    def figure(self, height: float, notes: Sequence[str] = ()) -> "Figure":
        """An empty figure with room of a height, and the caption below it.

        Args:
            notes: sentences that the caption goes on with.

        Raises:
            HeadscopeError: it is too tall for a file.
        """
        from matplotlib.figure import Figure

        unwritten = complaint(self.missing)
        told = [*notes, f"{unwritten[0].upper()}{unwritten[1:]}."] if unwritten else notes
        text = self.spelt(" ".join([self.caption, *told]).strip())
        letters = len(text) * self.width.inches / (self.widest([text], running=True) or 1)
        lines = textwrap.wrap(text, max(20, int(0.93 * letters)))
        whole = height + self.width.line * (len(lines) + 1)
        if whole > TALLEST:
            raise HeadscopeError(
                f"the figure would be {whole:,.0f} inches tall, and {TALLEST:.0f} is the most: choose a wider one, or "
                "show less"
            )
        drawn = Figure(figsize=(self.width.inches, whole), dpi=RESOLUTION, facecolor="white")
        for number, line in enumerate(lines):
            self.write(drawn, line, self.width.line / 4, height + self.width.line * (number + 0.75), running=True)
        return drawn

    def write(
        self,
        drawn: "Figure",
        text: str,
        x: float,
        y: float,
        *,
        running: bool = False,
        middle: bool = False,
        **look: Any,
    ) -> None:
        """A text at its left end, or its middle, and the middle of its line.

        Args:
            running: it is no token.
        """
        width, height = drawn.get_size_inches()
        look = {
            "va": "center",
            "ha": "center" if middle else "left",
            "color": INK,
            "fontsize": self.width.points,
        } | look
        drawn.text(x / width, 1 - y / height, text, family=self._family(running), parse_math=False, **look)

    def _family(self, running: bool) -> list[str]:
        return ["DejaVu Sans", *self.fonts] if running else self.fonts

    def axes(self, drawn: "Figure", x: float, y: float, width: float, height: float) -> "Axes":
        """Axes without ticks."""
        whole, tall = drawn.get_size_inches()
        axes = drawn.add_axes((x / whole, 1 - (y + height) / tall, width / whole, height / tall))
        axes.set_xticks([])
        axes.set_yticks([])
        return axes


def printed(draw: "Callable[[], Figure]", form: Form, progress: Progress | None = None) -> bytes:
    """A figure as a file: the same bytes for the same figure and version of matplotlib.

    Args:
        progress: told how many of its pictures are drawn.

    Raises:
        HeadscopeError: there is no such form.
        Cancelled: `progress` wants it to stop.
    """
    if form not in FIGURES:
        raise HeadscopeError(f"there is no figure as '{form}': choose one of {', '.join(FIGURES)}")
    with _ONE_AT_A_TIME:
        from matplotlib import style

        with style.context(["default", STYLE]):
            drawn, file = draw(), io.BytesIO()
            if progress is not None:
                _follow(drawn, progress)
            nothing = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[form]
            dots = _resolution(*drawn.get_size_inches()) if form == "png" else RESOLUTION
            drawn.savefig(file, format=form, dpi=dots, metadata=nothing)
            return file.getvalue()


def _follow(drawn: "Figure", progress: Progress) -> None:
    """Let whoever waits know of each of a figure's pictures that is drawn: by an artist in it that draws nothing."""
    from matplotlib.artist import Artist

    class Told(Artist):
        def __init__(self, done: int) -> None:
            super().__init__()
            self.done = done

        def draw(self, renderer: Any) -> None:
            progress.update(self.done, len(drawn.axes))

    for done, axes in enumerate(drawn.axes):
        axes.add_artist(Told(done))
    progress.update(0, len(drawn.axes))


def _resolution(width: float, height: float) -> int:
    """Dots an inch, so that there is not too much to be held in memory."""
    return min(RESOLUTION, int(math.sqrt(MOST_DOTS / (width * height))))


def colours(quantity: Quantity) -> "Colormap":
    """The pages' light scale: from white to violet, for differences from brown through white to violet."""
    from matplotlib.colors import LinearSegmentedColormap

    scales = tomllib.loads(_CONFIG.read_text(encoding="utf-8"))["theme"]["light"]
    if quantity != "difference":
        return LinearSegmentedColormap.from_list("headscope", scales["chartSequentialColors"])
    stops = scales["chartDivergingColors"]
    return LinearSegmentedColormap.from_list("headscope", [*stops[:5], "#FFFFFF", *stops[5:]])


def head_colours() -> list[str]:
    """The pages' colours for heads."""
    return tomllib.loads(_CONFIG.read_text(encoding="utf-8"))["theme"]["chartCategoricalColors"]


def decimals(values: Sequence[float]) -> list[str]:
    """Numbers that stand together, with equally many decimals: two, or as many as the largest needs."""
    most = max(map(abs, values), default=0.0)
    places = max(2, 1 - math.floor(math.log10(most))) if most else 2
    return [f"{value:.{places}f}".replace("-", "−") for value in values]
