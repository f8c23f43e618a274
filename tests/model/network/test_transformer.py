"""The model as a whole: its size, what torch.nn.Transformer computes, its masks and its weights."""

import math

import pytest
import torch
from torch import nn

from headscope.model.config import ModelConfig, parse_config, preset
from headscope.model.network.transformer import Transformer
from tests.probes import Weights
from tests.torch_twin import TorchTwin
from tests.toys import Batch, random_batch, tiny_config, tiny_model

# Number of parameters


def parameters(config: ModelConfig) -> int:
    """Counted on a model that has shapes and no memory."""
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in Transformer(config).parameters())


def stacks(layers: int, heads: int, feed_forward: int) -> dict:
    stack = {"layers": layers, "heads": heads, "feed_forward": feed_forward}
    return {"encoder": stack, "decoder": stack}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (preset("base", vocabulary=37_000), 63_082_496),
        (preset("big", vocabulary=37_000), 214_245_376),
        (preset("base", vocabulary=32_768), 60_915_712),
        (preset("base", vocabulary=37_000, attention_bias=False), 63_045_632),
        (preset("base", vocabulary=37_000, share_source_target=False, share_output=False), 100_970_496),
        (preset("base", vocabulary=37_000, norm="pre"), 63_082_496 + 2_048),
        (preset("base", vocabulary=37_000, feed_forward_bias=False), 63_082_496 - 12 * 2_560),
        (preset("base", vocabulary=58_101, logits_bias=True), 73_886_208 + 58_101),  # OPUS-MT
        (preset("base", vocabulary=37_000, positions="learned", position_table=256), 63_082_496 + 256 * 512),
        (preset("tiny", vocabulary=9_720), 2_569_216),
        (
            preset(
                "base",
                vocabulary=8_848,
                target_vocabulary=6_632,
                share_source_target=False,
                **stacks(6, 4, 1_024),
            ),
            39_469_056,  # fairseq's transformer_iwslt_de_en
        ),
        (preset("small", vocabulary=32_000, **stacks(6, 4, 1_024)), 11_059_200 + 32_000 * 256),  # JoeyNMT's iwslt
    ],
)
def test_number_of_parameters(config, expected):
    assert parameters(config) == expected


def test_number_of_parameters_with_sides_that_differ():
    d, e, f, g = 16, 2, 24, 20  # width, encoder layers, feed-forward widths of encoder and decoder
    config = tiny_config(share_source_target=False, source_vocabulary=10, target_vocabulary=14, share_output=False)
    encoder = e * (4 * d * d + 4 * d + 2 * d * f + f + d + 4 * d)
    decoder = 3 * (8 * d * d + 8 * d + 2 * d * g + g + d + 6 * d)
    assert parameters(config) == encoder + decoder + (10 + 14 + 14) * d


# Against torch.nn.Transformer


@pytest.mark.usefixtures("float64")
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"norm": "pre"},
        {"activation": "gelu", "norm_epsilon": 1e-6},
        {"activation": "silu", "logits_bias": True},
        {"positions": "learned"},
        {"share_output": False},
        {"share_source_target": False, "source_vocabulary": 15},
    ],
    ids=str,
)
def test_equals_torch(changes):
    model, batch = tiny_model(**changes), random_batch()
    torch.testing.assert_close(model(*batch), TorchTwin(model).logits(*batch), rtol=0, atol=1e-9)


def test_equals_torch_in_float32():
    model, batch = tiny_model(), random_batch()
    ours, theirs = model(*batch).log_softmax(-1), TorchTwin(model).logits(*batch).log_softmax(-1)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-4)


@pytest.mark.usefixtures("float64")
def test_gradients_equal_those_of_torch():
    model, batch = tiny_model(), random_batch()
    twin = TorchTwin(model)
    model(*batch).log_softmax(-1)[..., 5].sum().backward()
    ours = [layer.feed_forward.inner.weight.grad for layer in (*model.encoder, *model.decoder)]
    table = model.source_embedding.weight.grad
    model.zero_grad()
    twin.logits(*batch).log_softmax(-1)[..., 5].sum().backward()
    theirs = [layer.linear1.weight.grad for layer in (*twin.nn.encoder.layers, *twin.nn.decoder.layers)]
    for ours_, theirs_ in zip(ours, theirs, strict=True):
        torch.testing.assert_close(ours_, theirs_, rtol=0, atol=1e-9)
    assert table is not None
    torch.testing.assert_close(table, model.source_embedding.weight.grad, rtol=0, atol=1e-9)


# Masks


def test_later_pieces_do_not_leak_into_earlier_ones():
    model, batch = tiny_model(), random_batch((5,), (6,))
    plain = model(*batch)
    for t in range(5):
        changed = batch.target.clone()
        changed[:, t + 1 :] = (changed[:, t + 1 :] + 3) % 12
        logits = model(batch.source, batch.present, changed)
        assert torch.equal(logits[:, : t + 1], plain[:, : t + 1])
        assert not torch.equal(logits[:, t + 1 :], plain[:, t + 1 :])


@pytest.mark.parametrize("t", range(4))
def test_gradient_of_a_logit_reaches_no_later_piece(t):
    model, batch = tiny_model(), random_batch((5,), (4,))
    embedded = model.embed("target", batch.target).detach().requires_grad_()
    memory = model.encode(model.embed("source", batch.source), batch.present)
    model.project(model.decode(embedded, memory))[0, t, 3].backward()
    assert embedded.grad is not None
    assert (embedded.grad[0, t + 1 :] == 0).all()
    assert (embedded.grad[0, : t + 1] != 0).any(-1).all()


def test_nothing_looks_at_padding():
    model, probe = tiny_model(), Weights()
    source = torch.tensor([[5, 7, 0, 0]])
    model(source, source != 0, torch.tensor([[2, 5, 6]]), probe=probe)
    for site, weights in probe.seen.items():
        if site.kind != "decoder":
            assert (weights[..., 2:] == 0).all()
            assert (weights[..., :2] > 0).all()
        else:
            assert (weights.triu(1) == 0).all()


@pytest.mark.usefixtures("float64")
def test_sentences_do_not_disturb_each_other():
    model, batch = tiny_model(), random_batch((5, 3, 7), (4, 6, 2))
    together = model(*batch)
    for index, (source, target) in enumerate(((5, 4), (3, 6), (7, 2))):
        alone = model(batch.source[[index], :source], batch.present[[index], :source], batch.target[[index], :target])
        torch.testing.assert_close(together[index, :target], alone[0], rtol=0, atol=1e-9)


def test_what_stands_at_padding_does_not_matter():
    model, batch = tiny_model(), random_batch()
    other = batch._replace(source=torch.where(batch.present, batch.source, 9))
    assert torch.equal(model(*batch), model(*other))


@pytest.mark.parametrize("probe", [None, Weights()])
def test_sentence_of_padding_alone(probe):
    model, batch = tiny_model(), random_batch((5, 3, 7), (4, 4, 4))
    present = batch.present.clone()
    present[1] = False
    logits = model(batch.source, present, batch.target, probe=probe)
    logits.sum().backward()
    assert logits.isfinite().all()
    assert all(parameter.grad is None or parameter.grad.isfinite().all() for parameter in model.parameters())
    plain = model(*batch)
    torch.testing.assert_close(logits[[0, 2]], plain[[0, 2]])


# Weights


@pytest.mark.parametrize("share_source_target", [True, False])
@pytest.mark.parametrize("share_output", [True, False])
def test_tables_are_tied_as_configured_and_stay_so(share_source_target, share_output):
    changes = {"share_source_target": share_source_target, "share_output": share_output}
    model, other = tiny_model(0, **changes), tiny_model(1, **changes)
    model.load_state_dict(other.state_dict())
    source, target, output = model.source_embedding.weight, model.target_embedding.weight, model.projection.weight
    assert (source is target) == share_source_target
    assert (output is target) == share_output
    with torch.no_grad():
        target[5] = 1
    assert bool((source[5] == 1).all()) == share_source_target
    assert bool((output[5] == 1).all()) == share_output


@pytest.mark.parametrize("share", [True, False])
def test_initial_weights(share):
    torch.manual_seed(0)
    config = tiny_config(
        d_model=64, source_vocabulary=1000, target_vocabulary=1000, share_output=share, logits_bias=True
    )
    model = Transformer(config)
    for table in (model.source_embedding.weight, model.projection.weight):
        assert table.std().item() == pytest.approx(64**-0.5, rel=0.02)
        assert table.mean().item() == pytest.approx(0, abs=0.003)
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            assert (parameter == 0).all()
        elif "norm" in name:
            assert (parameter == 1).all()
        elif name.startswith(("encoder", "decoder")):
            bound = math.sqrt(6 / sum(parameter.shape))  # Glorot and Bengio 2010, equation 16
            assert parameter.abs().max().item() == pytest.approx(bound, rel=0.02)
            assert parameter.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.05)


def test_models_that_differ_in_positions_start_alike():
    torch.manual_seed(0)
    learned = Transformer(tiny_config(positions="learned"))
    torch.manual_seed(0)
    sinusoidal = Transformer(tiny_config()).state_dict()
    assert learned.positions.table.pow(2).mean().sqrt().item() == pytest.approx(math.sqrt(0.5), rel=0.05)
    others = {name: tensor for name, tensor in learned.state_dict().items() if name != "positions.table"}
    assert others.keys() == sinusoidal.keys()
    assert all(torch.equal(others[name], sinusoidal[name]) for name in others)


def test_same_seed_same_weights():
    one, other = (tiny_model(3).state_dict() for _ in range(2))
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_logits_bias_is_added_last():
    model, batch = tiny_model(logits_bias=True), random_batch()
    with_bias = model(*batch)
    bias = model.projection.bias.clone()
    with torch.no_grad():
        model.projection.bias.zero_()
    torch.testing.assert_close(with_bias, model(*batch) + bias)
    assert tiny_model().projection.bias is None


def test_final_norms_exist_for_pre_norm_alone():
    for norm, kind in (("post", nn.Identity), ("pre", nn.LayerNorm)):
        model = tiny_model(norm=norm)
        assert type(model.encoder_norm) is type(model.decoder_norm) is kind


def test_epsilon_reaches_every_norm():
    model = tiny_model(norm="pre", norm_epsilon=1e-3)
    norms = [module for module in model.modules() if isinstance(module, nn.LayerNorm)]
    assert len(norms) == 2 * 2 + 3 * 3 + 2
    assert {norm.eps for norm in norms} == {1e-3}


# Devices


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("probe", [None, Weights()])
def test_cuda_equals_cpu(probe):
    model, batch = tiny_model(), random_batch()
    expected = model(*batch).log_softmax(-1)
    on_cuda = Batch(*(tensor.cuda() for tensor in batch))
    found = model.cuda()(*on_cuda, probe=probe).log_softmax(-1).cpu()
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-4)


def test_model_without_memory_knows_its_shapes():
    with torch.device("meta"):
        model = Transformer(parse_config(tiny_config().model_dump()))
    assert model.device.type == "meta"
