"""What is compared, as translators: whatever takes one can be asked of each."""

from pathlib import Path

from headscope.analysis.comparison.naming import SideName
from headscope.analysis.interventions.changed import changed
from headscope.analysis.interventions.heads import UniformAttention, Zeroed
from headscope.analysis.interventions.positions import Positionless, Shifted
from headscope.model.card import resolve
from headscope.model.network.probe import Probe, Probes
from headscope.model.training.at_step import saved_steps, translator_at
from headscope.model.translator import Translator, load_translator


def load_side(side: SideName, device: str = "auto") -> Translator:
    """The translator of a side; the checkpoint may be a name, a folder, or the folder of a run.

    Raises:
        HeadscopeError: there is no such checkpoint, update, head or device, or something in the folder is broken.
    """
    folder = Path(side.checkpoint)
    if side.step is None:
        inside = folder / "checkpoint"
        found = load_translator(inside if saved_steps(folder) and inside.is_dir() else side.checkpoint, device)
    else:
        found = translator_at(folder if saved_steps(folder) else resolve(side.checkpoint), side.step, device)
    return with_change(found, side)


def with_change(translator: Translator, side: SideName) -> Translator:
    """The translator of a side, given that of its weights.

    Raises:
        HeadscopeError: the model lacks a head.
    """
    if not side.changed:
        return translator
    model = translator.model.config
    probes: list[Probe] = []
    if side.without:
        probes.append(Zeroed(model, side.without))
    if side.uniform:
        probes.append(UniformAttention(model, side.uniform))
    if side.positionless:
        probes.append(Positionless())
    elif side.offset:
        probes.append(Shifted(side.offset))
    return changed(translator, probes[0] if len(probes) == 1 else Probes(*probes), name=side.title)
