"""Headscope from Python: `import headscope`.

    translator = headscope.load("NAME or folder")
    translation = headscope.translate(translator, ["A sentence.", "Another one."])[0]
    maps = headscope.attention_maps(translator, "A sentence.")

Most results have `.to_pandas()`, and show themselves in a notebook.

Attention, one sentence: `attention_maps` gives the record of all maps; `words`, `hide_special` and `renormalised` make
another record of it, `head_measures` and `rollout` numbers, and `figure` a picture of one `Head`.

What a sentence pair does to the model: `sentence_pair` is what `head_contributions`, `layer_contributions`,
`logit_lens`, `query_key`, `removal_importance`, `gradient_importance`, `effect` and `contexts` take.

Heads removed: `what_if` and `effect` take a probe, `Zeroed`, `MeanReplaced` (see `mean_contexts`), `Resampled` (see
`contexts`) or `UniformAttention`.

Over a corpus: `head_profile`, and `roles` of a profile. What lies in a checkpoint's folder, `translator.card.path`:
`load_profile` takes the folder, `load_history` its `history.npz`, and `load_gallery` takes `translator.card`.

What is named here is imported when it is first used.
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analysis.attention import attention_maps
    from analysis.contributions import head_contributions, layer_contributions
    from analysis.effects import effect, what_if
    from analysis.evaluation import evaluate
    from analysis.exact import exact_search
    from analysis.gallery.record import load_gallery
    from analysis.heads import Head
    from analysis.hide import hide_special, renormalised
    from analysis.history import load_history
    from analysis.importance import gradient_importance, removal_importance
    from analysis.interventions import MeanReplaced, Resampled, UniformAttention, Zeroed, contexts, mean_contexts
    from analysis.lens import logit_lens
    from analysis.mbr import mbr
    from analysis.measures import head_measures
    from analysis.pairs import sentence_pair
    from analysis.profile import head_profile, load_profile
    from analysis.query_key import query_key
    from analysis.roles import roles
    from analysis.rollout import rollout
    from analysis.searching import sample, search_record
    from analysis.words import words
    from app.export.figure import figure
    from model.card import available
    from model.errors import HeadscopeError
    from model.search.constraints import Constraints
    from model.search.penalty import LengthPenalty
    from model.search.settings import Sampling, SearchSettings
    from model.translator import Translator
    from model.translator import load_translator as load

    translate = Translator.translate
    search = Translator.search
    score = Translator.score

__version__ = "0.1.0"

__all__ = [
    "Constraints",
    "Head",
    "HeadscopeError",
    "LengthPenalty",
    "MeanReplaced",
    "Resampled",
    "Sampling",
    "SearchSettings",
    "Translator",
    "UniformAttention",
    "Zeroed",
    "attention_maps",
    "available",
    "contexts",
    "effect",
    "evaluate",
    "exact_search",
    "figure",
    "gradient_importance",
    "head_contributions",
    "head_measures",
    "head_profile",
    "hide_special",
    "layer_contributions",
    "load",
    "load_gallery",
    "load_history",
    "load_profile",
    "logit_lens",
    "mbr",
    "mean_contexts",
    "query_key",
    "removal_importance",
    "renormalised",
    "roles",
    "rollout",
    "sample",
    "score",
    "search",
    "search_record",
    "sentence_pair",
    "translate",
    "what_if",
    "words",
]

_PLACES = {
    "Constraints": ("model.search.constraints", "Constraints"),
    "Head": ("analysis.heads", "Head"),
    "HeadscopeError": ("model.errors", "HeadscopeError"),
    "LengthPenalty": ("model.search.penalty", "LengthPenalty"),
    "MeanReplaced": ("analysis.interventions", "MeanReplaced"),
    "Resampled": ("analysis.interventions", "Resampled"),
    "Sampling": ("model.search.settings", "Sampling"),
    "SearchSettings": ("model.search.settings", "SearchSettings"),
    "Translator": ("model.translator", "Translator"),
    "UniformAttention": ("analysis.interventions", "UniformAttention"),
    "Zeroed": ("analysis.interventions", "Zeroed"),
    "attention_maps": ("analysis.attention", "attention_maps"),
    "available": ("model.card", "available"),
    "contexts": ("analysis.interventions", "contexts"),
    "effect": ("analysis.effects", "effect"),
    "evaluate": ("analysis.evaluation", "evaluate"),
    "exact_search": ("analysis.exact", "exact_search"),
    "figure": ("app.export.figure", "figure"),
    "gradient_importance": ("analysis.importance", "gradient_importance"),
    "head_contributions": ("analysis.contributions", "head_contributions"),
    "head_measures": ("analysis.measures", "head_measures"),
    "head_profile": ("analysis.profile", "head_profile"),
    "hide_special": ("analysis.hide", "hide_special"),
    "layer_contributions": ("analysis.contributions", "layer_contributions"),
    "load": ("model.translator", "load_translator"),
    "load_gallery": ("analysis.gallery.record", "load_gallery"),
    "load_history": ("analysis.history", "load_history"),
    "load_profile": ("analysis.profile", "load_profile"),
    "logit_lens": ("analysis.lens", "logit_lens"),
    "mbr": ("analysis.mbr", "mbr"),
    "mean_contexts": ("analysis.interventions", "mean_contexts"),
    "query_key": ("analysis.query_key", "query_key"),
    "removal_importance": ("analysis.importance", "removal_importance"),
    "renormalised": ("analysis.hide", "renormalised"),
    "roles": ("analysis.roles", "roles"),
    "rollout": ("analysis.rollout", "rollout"),
    "sample": ("analysis.searching", "sample"),
    "score": ("model.translator", "Translator.score"),
    "search": ("model.translator", "Translator.search"),
    "search_record": ("analysis.searching", "search_record"),
    "sentence_pair": ("analysis.pairs", "sentence_pair"),
    "translate": ("model.translator", "Translator.translate"),
    "what_if": ("analysis.effects", "what_if"),
    "words": ("analysis.words", "words"),
}
"""Every name: the module it lives in, and its name there."""

_HOME = Path(__file__).resolve().parent


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'headscope' has no attribute '{name}'")
    if problem := _stranger():
        raise ImportError(problem)
    module, attribute = _PLACES[name]
    value = attrgetter(attribute)(import_module(module))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def main() -> None:
    """The command `headscope`."""
    if problem := _stranger():
        print(f"headscope: {problem}", file=sys.stderr)
        sys.exit(2)
    from app.cli import main as run_command

    run_command()


def _stranger() -> str | None:
    """What is wrong when one of our folders has a name that means somebody else's module here."""
    for name in ("model", "analysis", "app"):
        found = _origin(name)
        if found != str(_HOME / name / "__init__.py"):
            return (
                f"Python finds {found or 'nothing'} under the name '{name}', not Headscope's folder in {_HOME}: "
                "start it in another folder, or take that place off the Python path"
            )
    return None


def _origin(name: str) -> str | None:
    try:
        spec = find_spec(name)
    except ValueError:  # it was imported in some unusual way and does not say from where
        return getattr(sys.modules[name], "__file__", "an unknown module")
    if spec is None:
        return None
    return str(Path(spec.origin).resolve()) if spec.origin else "a folder without __init__.py"


if __name__ == "__main__":
    main()
