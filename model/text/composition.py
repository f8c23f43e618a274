"""Unicode's composed form (NFC) of a text, and which characters of the text each of its characters was made of."""

import unicodedata
from collections.abc import Iterator


def composed(text: str) -> str:
    """The text in NFC."""
    return unicodedata.normalize("NFC", text)


def composed_from(text: str) -> tuple[str, list[int]]:
    """The text in NFC, and where in `text` each of its characters begins; the last number says where `text` ends.

    Characters that composition mixes (a letter with several marks, some of which are reordered) begin at one index.
    """
    if unicodedata.is_normalized("NFC", text):
        return text, list(range(len(text) + 1))
    result: list[str] = []
    origins: list[int] = []
    start = 0
    for cluster in _clusters(text):
        form = composed(cluster)
        result.append(form)
        origins += [start] * len(form) if form != cluster else range(start, start + len(cluster))
        start += len(cluster)
    return "".join(result), [*origins, start]


def _clusters(text: str) -> Iterator[str]:
    """Cut a text where nothing before composes with, or changes places with, anything after."""
    cluster = ""
    for character in text:
        opens = not unicodedata.combining(unicodedata.normalize("NFD", character)[0])
        if cluster and opens and composed(cluster + character) == composed(cluster) + composed(character):
            yield cluster
            cluster = ""
        cluster += character
    if cluster:
        yield cluster
