"""Headscope from Python: `import headscope`.

    translator = headscope.load("NAME or folder")
    translation = headscope.translate(translator, ["A sentence.", "Another one."])[0]
    maps = headscope.attention_maps(translator, "A sentence.")

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
    from analysis.evaluation import evaluate
    from model.card import available
    from model.errors import HeadscopeError
    from model.search.beam import SearchSettings
    from model.search.penalty import LengthPenalty
    from model.translator import Translator
    from model.translator import load_translator as load

    translate = Translator.translate
    search = Translator.search
    score = Translator.score

__version__ = "0.1.0"

__all__ = [
    "HeadscopeError",
    "LengthPenalty",
    "SearchSettings",
    "Translator",
    "attention_maps",
    "available",
    "evaluate",
    "load",
    "score",
    "search",
    "translate",
]

_PLACES = {
    "HeadscopeError": ("model.errors", "HeadscopeError"),
    "LengthPenalty": ("model.search.penalty", "LengthPenalty"),
    "SearchSettings": ("model.search.beam", "SearchSettings"),
    "Translator": ("model.translator", "Translator"),
    "attention_maps": ("analysis.attention", "attention_maps"),
    "available": ("model.card", "available"),
    "evaluate": ("analysis.evaluation", "evaluate"),
    "load": ("model.translator", "load_translator"),
    "score": ("model.translator", "Translator.score"),
    "search": ("model.translator", "Translator.search"),
    "translate": ("model.translator", "Translator.translate"),
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
