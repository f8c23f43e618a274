"""Start a run: the text, the recipe, where."""

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from headscope.app.pages.runs.said import do, sentence
from headscope.app.pages.runs.text import choose, report
from headscope.app.view import session
from headscope.app.wire import run_charts
from headscope.app.wire.encoding import number
from headscope.app.workbench.training import Training, cost, devices
from headscope.model.errors import HeadscopeError

if TYPE_CHECKING:
    from headscope.model.training.recipe import Recipe

AS, FORM = "run-recipe", "runs-begin"
"""Keys of the widget that says which recipe, and of the form, which is open or not."""
MEASURED = "run-measured"
"""Key of the session's state: the recipe and device whose costs are shown."""
FIRST = "tiny"
FIELDS = {
    "steps": ("Updates", "How often the weights are changed."),
    "batch_tokens": ("Pieces an update", "Padded pieces on the longer side; more make an update steadier and slower."),
    "vocabulary": ("Vocabulary", "Pieces of the joint vocabulary, learned from the training text."),
    "validate_every": (
        "Validate every",
        "Updates between validations: at each, development lines are scored and the state is saved.",
    ),
    "seed": ("Seed", "Another one gives other first values and another order of the text."),
}
"""Whole numbers of a recipe that have a field: what each is called, and a line on what it does."""


def base_of(run: str) -> str:
    """What the recipe of a run is called among the recipes."""
    return f"as {run}"


def begin(training: Training, *, unfolded: bool) -> None:
    """The form; below it what is in the text, and what the training will take."""
    with st.expander("Start a run", expanded=unfolded, key=FORM, on_change="rerun") as form:
        if not form.open:
            return
        text = choose(training)
        # Above all else, so that whatever is wrong with the text is said before there is a button that starts.
        found = report(training, text) if text else None
        fields, start, more = st.container(), st.container(), st.container()
        try:
            recipe = _recipe(training, fields, more)
        except HeadscopeError as error:
            fields.text(sentence(error.on_pages))
            recipe = None
        ready = bool(recipe and found and found.usable)
        with start.container(horizontal=True, vertical_alignment="bottom"):
            free = training.free_name(_base_name())
            name = st.text_input("Name", value=free, key=f"run-name-{free}")
            device = st.selectbox("Device", devices(), key="run-device")
            # No callback, for that would start with the fields of the last look where the visitor types and clicks.
            wanted = st.button("Start training", type="primary", key="run-start", disabled=not ready)
        if wanted and recipe and text:
            _start(training, name, recipe, text, device)
            st.rerun()
        if recipe:
            with start:
                _costs(recipe, device, found.characters if found else None)


def _costs(recipe: "Recipe", device: str, characters: float | None) -> None:
    """The size of the model; and what the training takes, where the visitor wants that measured."""
    from headscope.model.training.estimate import parameter_count

    asked = (recipe.model_dump_json(), device)
    words = [f"{parameter_count(recipe):,} parameters"]
    if st.session_state.get(MEASURED) == asked:
        try:
            found = cost(session.workbench(), recipe, device, characters)
        except HeadscopeError as error:
            words.append(sentence(error.on_pages))
        else:
            words += [
                f"{found.flops:.2g} floating-point operations an update".replace("e+", "e"),
                f"about {run_charts.duration(found.total_seconds)} for {found.updates:,} updates",
                f"about {number(found.memory / 2**30)} GiB",
            ]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(" · ".join(words), width="stretch")
        st.button(
            "Measure",
            key="run-measure",
            help="Makes a few updates with random text on this machine, as it is now; validations come on top",
            on_click=lambda: st.session_state.update({MEASURED: asked}),
        )


def _base_name() -> str:
    chosen = st.session_state.get(AS, FIRST)
    return chosen.removeprefix("as ").rsplit("-", 1)[0] if chosen.startswith("as ") else chosen


def _start(training: Training, name: str, recipe: "Recipe", data: Path, device: str) -> None:
    def start() -> str:
        # What cannot be read is listed above.
        run = training.start(name, recipe, data, device=device, skip_bad_lines=True)
        session.change(runs=type(session.view().runs)(shown=(run.name,)))
        return f"{run.name} is started. It goes on when this page is closed."

    do(start)


def _recipe(training: Training, fields: DeltaGenerator, below: DeltaGenerator) -> "Recipe":
    """The recipe that the fields say.

    Args:
        fields: where those stand that most change.
        below: where the others do.

    Raises:
        HeadscopeError: a value is not allowed.
    """
    from headscope.model.training.recipe import NAMES, change_fields, explained, load_recipe, parse_recipe

    others = {base_of(run.name): run.name for run in training.all_runs()}
    names = [FIRST, *(name for name in NAMES if name != FIRST), *others]
    if st.session_state.get(AS) not in names:
        st.session_state.pop(AS, None)
    with fields.container(horizontal=True):
        chosen = st.selectbox("Recipe", names, key=AS, help="A size with all that goes with it, or that of a run")
        base = training.recipe(others[chosen]) if chosen in others else load_recipe(chosen)
        changes = _numbers(base, chosen)
        precision = st.selectbox(
            "Precision",
            ("fp32", "bf16"),
            index=("fp32", "bf16").index(base.precision),
            key=f"run-precision-{chosen}",
            help="bf16 rounds the factors of matrix products: faster where the processor has it.",
        )
    more = below.text_area(
        "Other values, a line each",
        placeholder="model.dropout=0.2",
        key="run-changes",
        help="A value of the recipe and what it is to be: model.positions=rotary, schedule.warmup=1000, patience=10 …",
    )
    with below.expander("All values and what they are", key="run-values", on_change="rerun") as all_values:
        if all_values.open:
            rows = [dict(zip(("value", "is", "what it is"), row, strict=True)) for row in explained(base)]
            st.dataframe(rows, hide_index=True, key="run-values-table", alt="Every value of the recipe, explained")
    lines = [line.strip() for line in more.splitlines() if line.strip()]
    values = {**base.model_dump(mode="json"), **changes, "precision": precision}
    return parse_recipe(change_fields(values, lines))


def _numbers(base: "Recipe", chosen: str) -> dict[str, int]:
    return {
        field: int(
            st.number_input(
                label, value=getattr(base, field), min_value=0, step=1, key=f"run-{field}-{chosen}", help=help
            )
        )
        for field, (label, help) in FIELDS.items()
    }
