"""What the rows and columns of a map are."""

import pytest

from headscope.analysis.capture.attention import attention_maps
from headscope.app.wire.axes import KIND_LABELS, NAMES, columns, query_axis, rows
from headscope.model.sites import KINDS
from tests.app.page_tools import SENTENCE


@pytest.fixture(scope="module")
def maps(translator):
    return attention_maps(translator, SENTENCE)


def pieces(tokens) -> list[str]:
    return [token.piece for token in tokens.tokens]


def test_a_row_of_the_decoder_reads_a_token_and_predicts_the_next(maps):
    for kind in ("cross", "decoder"):
        found = rows(maps, kind)
        assert [row.reads.full for row in found] == pieces(maps.reads)
        assert [row.predicts and row.predicts.full for row in found] == pieces(maps.predicts)
        assert found[0].reads.full == "<s>"
        assert query_axis(kind) == "reads → predicts"


def test_the_encoder_predicts_nothing(maps):
    found = rows(maps, "encoder")
    assert [(row.reads.full, row.predicts) for row in found] == [(piece, None) for piece in pieces(maps.source)]
    assert query_axis("encoder") == "token"


@pytest.mark.parametrize(("kind", "side"), [("cross", "source"), ("encoder", "source"), ("decoder", "reads")])
def test_a_column_is_what_is_looked_at(maps, kind, side):
    assert [label.full for label in columns(maps, kind)] == pieces(getattr(maps, side))


def test_every_kind_has_its_words():
    assert set(KIND_LABELS) == set(NAMES) == set(KINDS)
