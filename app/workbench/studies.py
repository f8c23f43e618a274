"""What lies with a checkpoint, computed once over a corpus: None where there is none, or one of other weights.

All raise HeadscopeError where there is no such checkpoint, or something in its folder is broken.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from headscope.app.workbench.workbench import Workbench
from headscope.model.card import Card
from headscope.model.files import OfWeights

if TYPE_CHECKING:
    from headscope.analysis.gallery.record import Gallery
    from headscope.analysis.measures.profile import HeadProfile
    from headscope.analysis.search.study import SearchStudy
    from headscope.model.translator import Translator

S = TypeVar("S", bound=OfWeights)


def profile(bench: Workbench, checkpoint: str) -> "HeadProfile | None":
    """What every head does over a corpus."""
    from headscope.analysis.measures.profile import load_profile

    return _of_its_weights(bench, checkpoint, "profile", lambda card: load_profile(card.path))


def gallery(bench: Workbench, checkpoint: str) -> "Gallery | None":
    """Worked examples of what heads do."""
    from headscope.analysis.gallery.record import load_gallery

    return _of_its_weights(bench, checkpoint, "gallery", load_gallery)


def searches(bench: Workbench, checkpoint: str) -> "SearchStudy | None":
    """Searches over a corpus, and worked examples of them."""
    from headscope.analysis.search.study import load_study

    return _of_its_weights(bench, checkpoint, "search study", load_study)


def _of_its_weights(bench: Workbench, checkpoint: str, what: str, load: Callable[[Card], S | None]) -> S | None:
    def compute(translator: "Translator") -> S | None:
        found = load(bench.card(checkpoint))
        return found if found and found.weights == translator.weights_digest else None

    return bench.once(checkpoint, what, compute)
