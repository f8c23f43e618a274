from pathlib import Path

import pytest

from headscope.analysis.attribution import methods, values
from headscope.analysis.attribution.method import COSTS
from headscope.analysis.attribution.registry import EXPLAINABLE, METHODS, explained
from headscope.analysis.attribution.values.entropy import ENTROPY
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.errors import HeadscopeError
from tests.toys import letter_translator


def files(package) -> int:
    return len([path for path in Path(package.__path__[0]).glob("*.py") if path.name != "__init__.py"])


def test_every_file_is_a_method_or_something_to_explain():
    assert (len(METHODS), len(EXPLAINABLE)) == (files(methods), files(values))
    assert all(name == found.name for listed in (METHODS, EXPLAINABLE) for name, found in listed.items())
    assert all(method.reference and method.meaning for method in METHODS.values())


def test_the_cheapest_come_first_and_so_does_the_default():
    costs = [COSTS.index(method.cost) for method in METHODS.values()]
    assert costs == sorted(costs)
    assert next(iter(EXPLAINABLE)) == "log-probability"
    needs = [value.against is not None for value in EXPLAINABLE.values()]
    assert needs == sorted(needs)


def test_by_name():
    translator = letter_translator()
    pair = sentence_pair(translator, "a b", "c")
    assert explained(translator, pair, "entropy") is ENTROPY
    assert explained(translator, pair).name == "log-probability"
    with pytest.raises(HeadscopeError, match="'gold' cannot be explained: choose log-probability, entropy, logit"):
        explained(translator, pair, "gold")
