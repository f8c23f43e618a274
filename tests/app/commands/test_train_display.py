"""What `headscope train` shows."""

import pytest

from headscope.app.commands.train_display import TrainDisplay
from headscope.model.progress import Cancelled
from headscope.model.training.observer import UpdateMetrics, ValidationMetrics
from tests.toys import tiny_model

UPDATE = UpdateMetrics(
    loss=3.25,
    nll=3.0,
    learning_rate=5e-4,
    tokens_per_second=12345.6,
    padding=0.1,
    tokens=10,
    flops=1e9,
    seconds=2.0,
    gradient_norm=1.0,
    gradient_peak=2.0,
    gradient_peak_step=3,
    memory=4,
)


def validation(bleu: float | None, chrf: float | None) -> ValidationMetrics:
    return ValidationMetrics(nll=2.5, loss=2.7, bleu=bleu, chrf=chrf, best=True)


def test_lines_alone_where_there_is_no_terminal(capsys):
    with TrainDisplay([]) as display:
        display.update(1, 10)
        display.on_update(1, tiny_model(), UPDATE)
        display.on_validation(1200, tiny_model(), validation(30.25, 55.5))
        display.on_validation(1300, tiny_model(), validation(None, None))
        display.on_note("[red]text[/nothing] " + "x" * 200)
    assert capsys.readouterr() == (
        "",
        "update 1,200: development loss 2.500 nats/token, BLEU 30.2, chrF 55.5\n"
        "update 1,300: development loss 2.500 nats/token\n"
        f"[red]text[/nothing] {'x' * 200}\n",
    )


@pytest.mark.parametrize("visible", [True, False])
def test_figures_beside_the_bar_of_a_terminal(capsys, monkeypatch, visible):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "160")
    with TrainDisplay([], visible=visible) as display:
        display.on_update(1, tiny_model(), UPDATE)
    assert ("12,346 tokens/s  3.250 nats/token  rate 5.0e-04" in capsys.readouterr().err) == visible


def test_a_signal_reaches_the_trainer():
    received: list[int] = []
    display = TrainDisplay(received)
    display.update(1, None)
    received.append(15)
    with pytest.raises(Cancelled):
        display.update(2, None)
