"""An attribution as it is drawn: with what it is compared with, and how far its sums can be trusted."""

from typing import TYPE_CHECKING

from headscope.app.wire.why import Shading, shading

if TYPE_CHECKING:
    from headscope.analysis.attribution.attribution import Attribution

BASE_LABELS = {"zero": "nothing", "unknown": "the unknown piece", "mean": "the mean embedding"}


def unit_of(attribution: "Attribution") -> str:
    """Of its numbers, where they have one: where they sum to what is explained."""
    from headscope.analysis.attribution.registry import EXPLAINABLE

    return EXPLAINABLE[attribution.settings.explained].unit if attribution.at_baseline is not None else ""


def shaded(attribution: "Attribution") -> tuple[Shading, list[float | None]]:
    """One method, with what it is compared with and how far its sums are off."""
    from headscope.analysis.attribution.attribution import ERROR_TO_WARN_OF
    from headscope.analysis.attribution.registry import METHODS

    settings, error = attribution.settings, attribution.error
    notes = [METHODS[settings.method].meaning]
    if settings.baseline:
        notes.append(f"baseline: {BASE_LABELS[settings.baseline]}")
    warning = ""
    if error is not None:
        worst = float(error.max(initial=0.0))
        notes.append(f"completeness error {worst:.1%} at most")
        if worst > ERROR_TO_WARN_OF:
            many = int((error > ERROR_TO_WARN_OF).sum())
            warning = f"Sums miss their value by more than {ERROR_TO_WARN_OF:.0%} in {many} of {len(error)} rows"
    return shading(
        attribution,
        signed=METHODS[settings.method].signed,
        note=" · ".join(notes),
        warning=warning,
        unit=unit_of(attribution),
    )
