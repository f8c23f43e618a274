"""What a size of model, or a checkpoint, is made of."""

import pytest

from headscope.model.config import preset
from headscope.model.description import describe_checkpoint, describe_preset
from headscope.model.errors import HeadscopeError


def test_a_preset_is_described_without_weights():
    found = describe_preset("base", vocabulary=37000)
    assert found.config == preset("base", vocabulary=37000)
    assert found.parameters["total"] == 63_082_496
    with pytest.raises(HeadscopeError, match="huge"):
        describe_preset("huge", vocabulary=37000)


def test_a_checkpoint_is_described_with_what_its_folder_says(checkpoint, translator):
    found = describe_checkpoint(str(checkpoint))
    assert (found.config, found.weights) == (translator.model.config, translator.weights_digest)
    assert found.card == translator.card
    assert found.parameters["total"] == sum(parameter.numel() for parameter in translator.model.parameters())
