"""How a head came to be: what follows from the history of a training.

`N` snapshots, `H` heads of all layers and kinds, `Q` queries, `K` keys.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
import torch

from headscope.analysis.capture.attention import source_tokens, target_tokens
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.measures.history import AGAIN, LEVELS, History, run_history
from headscope.analysis.measures.roles import ROLES, Role
from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.heads import Head
from headscope.model.errors import HeadscopeError
from headscope.model.network.architectures import build
from headscope.model.sites import layers_of
from headscope.model.text.vocabulary import load_vocabulary
from headscope.model.training.at_step import card_at
from headscope.model.training.run_directory import RunDirectory, read_metrics
from headscope.model.translator import Translator


def steps(history: History) -> tuple[int, ...]:
    """The update after which each snapshot was taken, earliest first; 0 is before the first one."""
    return tuple(moment.step for moment in history.moments)


def curves(history: History, measure: str) -> np.ndarray:
    """[N, H]: a measure of every head at every snapshot, its mean over the development sentences.

    Raises:
        HeadscopeError: the history is without that measure.
    """
    known = history.moments[0].measures
    if measure not in known:
        raise HeadscopeError(f"this history has no measure '{measure}': choose one of {', '.join(known)}")
    return np.stack([moment.measures[measure] for moment in history.moments])


@dataclass(frozen=True, slots=True)
class Taken:
    """A role that a head plays at the last snapshot."""

    role: Role
    step: int
    """The first snapshot of those up to the last at all of which its mean reaches the role's threshold."""


def roles_taken(history: History, head: Head) -> tuple[Taken, ...]:
    """The roles that a head plays at the last snapshot by the thresholds of `ROLES`, and since when; none for most.

    The means are those of the history, over fewer sentences than a profile should have.
    """
    at, found = history.heads.index(head), []
    for role in ROLES:
        if role.measure not in history.moments[0].measures:
            continue
        plays = curves(history, role.measure)[:, at] >= role.threshold
        if plays[-1]:
            since = len(plays) - int(np.argmin(plays[::-1])) if not plays.all() else 0
            found.append(Taken(role, history.moments[since].step))
    return tuple(found)


def watched_maps(translator: Translator, history: History, sentence: int, moment: int = -1) -> AttentionMaps:
    """The record of a watched sentence at a snapshot: weights exact to 1 / 510, log-probabilities not kept (NaN).

    Args:
        translator: of the model that was trained; nothing is computed with it.
        sentence: which of `history.watched`.
        moment: which of `history.moments`.

    Raises:
        HeadscopeError: the model cuts that sentence into other pieces than those whose maps were kept, or has other
            layers and heads.
    """
    source, target = history.watched[sentence]
    pair = sentence_pair(translator, source, target)
    reads, predicts = target_tokens(translator, pair)
    tokens = {"source": source_tokens(translator, pair.source), "target": reads}
    maps, allowed = {}, {}
    for kind in translator.model.capabilities().kinds:
        site = layers_of(translator.model, kind)[0]
        kept = history.moments[moment].maps.get((sentence, kind))
        shape = len(tokens[site.queries]), len(tokens[site.keys])
        if kept is None or kept.shape[2:] != shape:
            raise HeadscopeError(f"the history beside this model is of one that cuts text in another way: {AGAIN}")
        maps[kind] = tuple(kept.astype(np.float32) / LEVELS)
        everything = np.ones(shape, dtype=bool)
        allowed[kind] = np.tril(everything) if site.causal else everything
    named = f"{translator.card.path} {history.digest} {sentence} {history.moments[moment].step} {source} {target}"
    return AttentionMaps(
        maps=maps,
        allowed=allowed,
        source=tokens["source"],
        reads=reads,
        predicts=predicts,
        log_probs=np.full(len(predicts), np.nan, dtype=np.float32),
        quantity="weight",
        fingerprint=blake2b(named.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest(),
    )


def development_losses(folder: Path) -> dict[int, float]:
    """The development loss at every validation of a run, in nats a token, by step.

    Args:
        folder: of the run, or of its checkpoint; empty where that has no `metrics.jsonl`.

    Raises:
        HeadscopeError: its `metrics.jsonl` is damaged.
    """
    try:
        return {int(row["step"]): float(row["nll"]) for row in read_metrics(folder) if row["kind"] == "validation"}
    except (KeyError, TypeError, ValueError) as error:
        raise HeadscopeError(f"{folder / 'metrics.jsonl'} holds rows of something else ({error!r})") from error


def last_loss(losses: dict[int, float], step: int) -> tuple[int, float] | None:
    """The last validation up to a step, and its loss; None: there was none yet."""
    known = sorted(losses)
    at = bisect_right(known, step)
    return (known[at - 1], losses[known[at - 1]]) if at else None


@dataclass(frozen=True, slots=True, eq=False)
class HeadSoFar:
    """One head of a run that may be going on, in one watched sentence."""

    steps: tuple[int, ...]
    weights: np.ndarray
    """[N, Q, K] from 0 to 1, exact to 1 / 510."""
    last: AttentionMaps
    """The last snapshot: its tokens are those of all."""


def head_so_far(run: Path, sentence: int, head: Head) -> HeadSoFar:
    """The maps of a head in a watched sentence at every snapshot that a run has measured so far.

    Raises:
        HeadscopeError: there is none yet, the run has no such sentence or head, or a file of it is damaged.
    """
    history = run_history(run)
    if head not in history.heads or not 0 <= sentence < len(history.watched):
        raise HeadscopeError(f"{run.name} watches no {head} in sentence {sentence + 1} of {len(history.watched)}")
    maps = history.weights(sentence, head.kind)[:, head.layer, head.head]
    return HeadSoFar(steps(history), maps, watched_maps(reader(run), history, sentence))


def reader(run: Path) -> Translator:
    """What cuts text as a run does: its vocabulary and a model of its shape that has no weights.

    Raises:
        HeadscopeError: there is no run, or it has not begun.
    """
    directory = RunDirectory(run)
    card = card_at(directory, 0)
    with torch.device("meta"):
        model = build(card.config)
    return Translator(model, load_vocabulary(directory.vocabulary), card)


def nearest(known: Sequence[int], step: int | None) -> int:
    """The index of the last of some steps that is not after one; the last where that is None, else the first."""
    return len(known) - 1 if step is None else max(0, bisect_right(known, step) - 1)
