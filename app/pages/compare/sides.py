"""What stands side by side: the checkpoint of the sidebar, and up to three others, each as it is or with a change."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from headscope.analysis.comparison.naming import MOST_SIDES, SideName, read_side
from headscope.analysis.records.heads import Head, require
from headscope.app.view import controls, session
from headscope.app.view.state import View
from headscope.app.wire.versions import LETTERS
from headscope.app.workbench import comparing, positions
from headscope.app.workbench.sentences import Sentence
from headscope.app.workbench.workbench import Workbench
from headscope.model.card import Card
from headscope.model.errors import HeadscopeError

REFUSED = "compare refused"
"""Key of the session's state: why what was typed was not taken."""
SHIFT = 8
STEPS = 12
"""Updates of a run that are offered; others can be typed."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the models."""

    letter: str
    title: str
    sentence: Sentence
    """With its best translation, whichever it finds."""

    @property
    def name(self) -> str:
        """Letter and title."""
        return f"{self.letter}  {self.title}"


def others(bench: Workbench, view: View) -> tuple[str, ...]:
    """What stands beside the checkpoint: as chosen; else its twin, another one of its languages, or itself without the
    head in view."""
    if view.compare.others is not None:
        return view.compare.others
    own = bench.card(view.checkpoint).languages
    twin = positions.twin(bench, view.checkpoint)
    for name in [*([twin] if twin else []), *bench.names]:
        try:
            if name != view.checkpoint and bench.card(name).languages == own:
                return (name,)
        except HeadscopeError:  # a broken folder is nothing to compare with
            continue
    return (str(SideName(view.checkpoint, without=(head(view),))),)


def head(view: View) -> Head:
    """The one in view."""
    return Head(view.kind, view.layer, view.head)


def sides(bench: Workbench, view: View, asked: Sentence) -> tuple[list[Side], list[str]]:
    """The models that can be compared, and why others cannot, a line each."""
    names = [*dict.fromkeys((view.checkpoint, *others(bench, view)))][:MOST_SIDES]
    found, reasons = [], []
    first = comparing.sides(asked, ())[0]
    for name in names:
        side = read_side(name) if name != view.checkpoint else SideName(name)
        sentence = replace(first, checkpoint=name)
        try:
            comparing.require_same_languages(bench, [first, sentence])
            require(bench.card(name).config, (*side.without, *side.uniform))
            if side.step is not None and side.step not in bench.steps(name):
                raise HeadscopeError(f"no weights of update {side.step:,} lie with {side.checkpoint}")
        except HeadscopeError as error:
            reasons.append(f"{side.title} is left out: {error}.")
        else:
            found.append(Side(LETTERS[len(found)], side.title, sentence))
    return found, reasons


def choose(bench: Workbench, view: View, card: Card) -> None:
    """Which models stand beside the first."""
    chosen = list(others(bench, view))
    with st.container(horizontal=True, vertical_alignment="bottom", key="sides"):
        with st.container(width=640):
            st.multiselect(
                f"Compared with {controls.literal(view.checkpoint)}",
                _offered(bench, view, chosen),
                max_selections=MOST_SIDES - 1,
                accept_new_options=True,
                format_func=_title,
                help="NAME, NAME@STEP for an update of a run, and changes behind it, as in "
                "`NAME:without=cross.3.1,cross.3.2`, `NAME:uniform=encoder.1.2`, `NAME:offset=8`, `NAME:positionless`",
                **session.control("compare.others", chosen, clean=_clean),
            )
        with st.popover("Add a change", disabled=len(chosen) >= MOST_SIDES - 1):
            for label, side in _changes(view, card).items():
                st.button(label, key=f"add {label}", on_click=_add, args=(chosen, side), type="tertiary")
    if reason := st.session_state.pop(REFUSED, ""):
        st.text(reason)


def _changes(view: View, card: Card) -> dict[str, str]:
    """Changes of the first checkpoint that a click adds, in words."""
    at, first = head(view), SideName(view.checkpoint)
    layer = tuple(Head(at.kind, at.layer, each) for each in range(_heads(card, at)))
    return {
        label: str(side)
        for label, side in {
            f"Without head {at}": replace(first, without=(at,)),
            f"Without layer {at.layer + 1} of {at.kind}": replace(first, without=layer),
            f"Head {at} looks at all alike": replace(first, uniform=(at,)),
            f"All positions {SHIFT} further on": replace(first, offset=SHIFT),
            "Without positions": replace(first, positionless=True),
        }.items()
    }


def _heads(card: Card, at: Head) -> int:
    return sum(site.heads for site in card.config.sites() if (site.kind, site.layer) == at[:2])


def _offered(bench: Workbench, view: View, chosen: Sequence[str]) -> list[str]:
    """Other checkpoints, updates of runs, and what is chosen."""
    found = []
    for name in bench.names:
        found += [name] if name != view.checkpoint else []
        try:
            steps = bench.steps(name)
        except HeadscopeError:
            continue
        every = max(1, -(-len(steps) // STEPS))
        found += [f"{name}@{step}" for step in steps[::-1][::every][::-1]]
    return list(dict.fromkeys([*found, *chosen]))


def _title(name: str) -> str:
    try:
        return read_side(name).title
    except HeadscopeError:
        return name


def _clean(chosen: Sequence[str]) -> tuple[str, ...]:
    """What makes sense of what was chosen or typed; the rest is said."""
    found = []
    for name in chosen:
        try:
            found.append(str(read_side(name)))
        except HeadscopeError as error:
            st.session_state[REFUSED] = f"Not taken: {error}."
    return tuple(dict.fromkeys(found))


def _add(chosen: Sequence[str], side: str) -> None:
    state = session.view().compare
    session.change(compare=replace(state, others=tuple(dict.fromkeys([*chosen, side]))))
