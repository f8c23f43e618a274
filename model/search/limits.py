"""What may be asked of a search, once: `config.json`, links, options of commands and controls of pages all go by this.
No torch here.
"""

from headscope.model.errors import HeadscopeError

ALPHAS = (-10.0, 10.0)
"""Of the length penalty. Other toolkits state none, so this is the widest range that does no harm: what they are used
with lies within it, and at 100,000 pieces a normaliser is at most 1e50, far from where float64 ends."""
BEAMS = (1, 200)
LENGTHS = (1, 100_000)
"""Pieces of a translation, end of sentence counted."""
SAMPLES = (1, 10_000)
TEMPERATURES = (0.01, 100.0)
TOP_K = (1, 1_000_000)
TOP_P = (1e-9, 1.0)
"""Above 0; where it is below the probability of the best piece, that one alone is left."""
SEEDS = (-(2**53) + 1, 2**53 - 1)
"""Whole numbers that a browser holds exactly."""

PAGE_BEAMS, PAGE_LENGTHS, PAGE_SAMPLES = (1, 16), (1, 512), (1, 64)
"""How much of that a page takes: what it costs is taken from the server's other visitors, and a picture has to show
it."""


def require(what: str, value: int | float, limits: tuple[int | float, int | float], hint: str = "") -> None:
    """Refuse a number out of range.

    Args:
        hint: what else may be done about it.

    Raises:
        HeadscopeError: it is, or it is no number at all.
    """
    least, most = limits
    if not least <= value <= most:
        raise HeadscopeError(
            f"{what} {_spelt(value)}: choose a number between {_spelt(least)} and {_spelt(most)}{hint}"
        )


def _spelt(value: int | float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"
