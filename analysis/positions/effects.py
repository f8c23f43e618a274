"""What becomes of loss, BLEU and chrF over a corpus when positions are changed."""

from collections.abc import Mapping, Sequence

from headscope.analysis.capture.pairs import SentencePair
from headscope.analysis.interventions.positions import (
    Interpolated,
    Positionless,
    PositionProbe,
    Shifted,
    Shuffled,
    Swapped,
    within,
)
from headscope.analysis.positions.decoding import decoded
from headscope.analysis.positions.length import length, mean, piece_losses
from headscope.analysis.positions.study_record import ChangeEffect
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress, Share, Silent
from headscope.model.translator import Translator


def position_effects(
    translator: Translator,
    pairs: Sequence[SentencePair],
    changes: Mapping[str, PositionProbe | str],
    *,
    progress: Progress | None = None,
) -> tuple[ChangeEffect, ...]:
    """The corpus as it is, and under each change.

    Args:
        changes: by name; a text says why one cannot be made, see `usual_changes`.
        progress: told how many translations are done.

    Raises:
        HeadscopeError: there are no pairs.
        Cancelled: `progress` wants it to stop.
    """
    if not pairs:
        raise HeadscopeError("there is no sentence pair to change positions in: give some that the model can read")
    progress, total = progress or Silent(), len(pairs) * (len(changes) + 1)
    plain = piece_losses(translator, pairs)
    before = decoded(translator, pairs, Share(progress, 0, total))
    found = [ChangeEffect(change="unchanged", loss=mean(plain, pairs), difference=None, decoded=before, refused=None)]
    for number, (name, change) in enumerate(changes.items(), 1):
        try:
            if isinstance(change, str):
                raise HeadscopeError(change)
            losses = piece_losses(translator, pairs, probe=change)
            after = decoded(
                translator,
                pairs,
                Share(progress, number * len(pairs), total),
                settings=within(translator, change),
                probe=change,
            )
        except HeadscopeError as error:
            found.append(ChangeEffect(change=name, loss=None, difference=None, decoded=None, refused=str(error)))
            continue
        difference = mean([a - b for a, b in zip(losses, plain, strict=True)], pairs)
        loss = mean(losses, pairs)
        found.append(ChangeEffect(change=name, loss=loss, difference=difference, decoded=after, refused=None))
    return tuple(found)


def usual_changes(
    translator: Translator, pairs: Sequence[SentencePair], other: Translator | None = None
) -> dict[str, PositionProbe | str]:
    """No positions, shuffled, shifted, closer together, and those of another checkpoint where one is given.

    Shuffled are as many positions as the longest of the pairs has pieces.
    """
    changes: dict[str, PositionProbe | str] = {
        "no positions": Positionless(),
        "no positions of the source": Positionless(["source"]),
        "no positions of the target": Positionless(["target"]),
        "shuffled": Shuffled(max(map(length, pairs), default=1), 0),
        "shifted by 1": Shifted(1),
        "shifted by 8": Shifted(8),
        "source alone shifted by 1": Shifted(1, ["source"]),
        "interpolated by 2": Interpolated(2.0),
    }
    if other is not None:
        name = f"positions of {other.card.name}"
        try:
            changes[name] = Swapped(translator, other)
        except HeadscopeError as error:
            changes[name] = str(error)
    return changes
