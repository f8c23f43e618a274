import pytest

from headscope.analysis.records.heads import Cell, Head, all_heads, read_head, require
from headscope.model.errors import HeadscopeError
from tests.toys import tiny_config


def test_every_head_of_a_model_whose_sides_differ():
    heads = all_heads(tiny_config())
    assert len(heads) == len(set(heads)) == 2 * 4 + 2 * 3 * 2
    assert heads[:2] == (Head("encoder", 0, 0), Head("encoder", 0, 1))
    assert heads[7:10] == (Head("encoder", 1, 3), Head("decoder", 0, 0), Head("decoder", 0, 1))
    assert heads[-1] == Head("cross", 2, 1)
    require(tiny_config(), heads)


@pytest.mark.parametrize("head", [Head("cross", 2, 2), Head("encoder", 2, 0), Head("decoder", 0, -1)])
def test_a_head_that_is_not_there_is_named(head: Head):
    with pytest.raises(
        HeadscopeError, match=rf"no head {head.kind} {head.layer + 1}\.{head.head + 1}, .*: this model has [23] "
    ):
        require(tiny_config(), [Head("encoder", 0, 0), head])


def test_names_count_from_1():
    assert str(Head("cross", 2, 0)) == "cross 3.1"
    assert str(Cell(Head("cross", 2, 0), 1, 2)) == "cross 3.1, row 2, column 3"
    for head in all_heads(tiny_config()):
        assert read_head(str(head).replace(" ", ".")) == head


def test_names_in_files_and_addresses_count_from_1():
    assert read_head("cross.3.1") == Head("cross", 2, 0)
    for name in ("cross 3.1", "cross.3", "cross.0.1", "cross.1.-1", "memory.1.1", "", "cross.1.1.1"):
        with pytest.raises(HeadscopeError, match="names no head: write"):
            read_head(name)
