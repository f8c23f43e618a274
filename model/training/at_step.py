"""The model of a run as it was after some update: from the snapshots and the latest weights that its folder keeps."""

from pathlib import Path

from headscope.model.card import CONFIG, Card, read_card
from headscope.model.checkpoint import load_weights
from headscope.model.errors import HeadscopeError
from headscope.model.files import read_json
from headscope.model.network.architectures import build
from headscope.model.network.device import choose_device
from headscope.model.network.linear import pack
from headscope.model.text.vocabulary import load_vocabulary
from headscope.model.training.recipe import Recipe
from headscope.model.training.run_directory import RunDirectory
from headscope.model.training.snapshots import saved_weights
from headscope.model.translator import Translator


def run_of(folder: Path) -> Path:
    """The folder of a run, given that or the finished checkpoint in it."""
    return folder.parent if folder.name == "checkpoint" and (folder.parent / "run.json").is_file() else folder


def saved_steps(folder: Path) -> dict[int, Path]:
    """Weights by the update that they were taken after, earliest first; those of validations are the more exact.

    Args:
        folder: of a run, or of the checkpoint in it; none are found in any other.
    """
    run = RunDirectory(run_of(folder))
    return dict(sorted((dict(saved_weights(run.snapshots)) | dict(saved_weights(run.recent))).items()))


def translator_at(folder: Path, step: int, device: str = "auto") -> Translator:
    """The translator of a run after some update; the run may still go on.

    Args:
        folder: of a run, or of the checkpoint in it.

    Raises:
        HeadscopeError: the folder keeps no weights of that update (it says of which it does), or is damaged.
    """
    saved = saved_steps(folder)
    if step not in saved:
        known = ", ".join(map(str, saved)) or "none"
        raise HeadscopeError(f"{folder.name} keeps no weights of update {step}: choose one of {known}")
    run = RunDirectory(run_of(folder))
    card = card_at(run, step)
    model = build(card.config)
    load_weights(model, saved[step])
    model = model.to(choose_device(device)).eval().requires_grad_(False)
    pack(model)
    return Translator(model, load_vocabulary(run.vocabulary), card)


def card_at(run: RunDirectory, step: int) -> Card:
    """What is known of the model: from its finished checkpoint, else from the recipe of the run.

    Raises:
        HeadscopeError: the run is damaged, or has not begun.
    """
    name = f"{run.path.name}@{step}"
    if (run.checkpoint / CONFIG).is_file():
        known = read_card(run.checkpoint)
        return Card(run.checkpoint, name, known.config, known.languages, known.search, positions=known.positions)
    about = read_json(run.about)
    vocabulary = load_vocabulary(run.vocabulary)
    try:
        recipe, languages = Recipe.model_validate(about["recipe"]), about["data"]["languages"]
    except (KeyError, ValueError) as error:
        raise HeadscopeError(f"{run.about} is not that of a training run of this version: {error}") from error
    return Card(run.path, name, recipe.model_for(vocabulary.size("target")), (languages[0], languages[1]))
