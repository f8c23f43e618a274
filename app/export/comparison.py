"""Several models side by side, as plain objects: what pages save and the command prints. Heads count from 1 there."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headscope.analysis.comparison.translations import ComparedTranslations


def translations_object(found: "ComparedTranslations") -> dict[str, Any]:
    """A sentence in several models."""
    return {
        "source": found.source,
        "models": list(found.names),
        "translations": [
            {
                "by": name,
                "text": text,
                "finished": finished,
                "log_probs": dict(zip(found.names, map(float, values), strict=True)),
                "words": [{"text": w.text, "start": w.span[0], "end": w.span[1], "differs": w.differs} for w in words],
            }
            for name, text, finished, values, words in zip(
                found.names, found.texts, found.finished, found.log_probs, found.words, strict=True
            )
        ],
    }
