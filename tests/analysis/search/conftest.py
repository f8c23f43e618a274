"""A corpus that was searched."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from headscope.analysis.search.curves import Searched
    from headscope.model.translator import Translator


@pytest.fixture(scope="session")
def searched(translator: "Translator") -> "Searched":
    """What the model of the `checkpoint` fixture knows by heart, with several beams, with and without a penalty."""
    from headscope.analysis.search.curves import search_corpus
    from tests.toys import SENTENCES

    return search_corpus(translator, SENTENCES, beams=(2, 3))
