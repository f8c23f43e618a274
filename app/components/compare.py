"""A translation before and after an intervention: the words that changed, and the log-probability of every token."""

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from streamlit.components.v2 import component

from headscope.analysis.records.labels import direction, labels
from headscope.app.components.assets import script, text
from headscope.app.wire.encoding import checked, tokens

if TYPE_CHECKING:
    from headscope.analysis.interventions.effects import WhatIf

_component = component("headscope_compare", html=text("compare.html"), css=text("compare.css"), js=script("compare.js"))


def compare(found: "WhatIf") -> None:
    """Draw it."""
    _component(key="compare", data=checked(payload(found)))


def payload(found: "WhatIf") -> dict[str, Any]:
    """What the component is given."""
    before, after = (translation.text.split() for translation in (found.before, found.after))
    kept = SequenceMatcher(a=before, b=after, autojunk=False).get_matching_blocks()
    same_before = {block.a + at for block in kept for at in range(block.size)}
    same_after = {block.b + at for block in kept for at in range(block.size)}
    effect = found.effect
    was, now = (float(side.sum(dtype=float)) for side in (effect.before, effect.after))
    facts = f"The first translation: log p {was:.2f} nats with all heads, {now:.2f} without ({effect.total:+.2f}). "
    facts += (
        "The search finds it again."
        if found.before.text == found.after.text
        else f"The second: log p {found.after.hypotheses[0].total:.2f} nats without."
    )
    return {
        "before": [{"text": word, "changed": at not in same_before} for at, word in enumerate(before)],
        "after": [{"text": word, "changed": at not in same_after} for at, word in enumerate(after)],
        "changes": [
            {"label": label, "change": round(change, 4)}
            for label, change in zip(tokens(labels(effect.predicts)), effect.change.tolist(), strict=True)
        ],
        "direction": direction(found.before.text),
        "facts": facts.replace("-", "−"),
    }
