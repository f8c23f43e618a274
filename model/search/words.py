"""Words that a translation must or must not contain, wherever they stand. No torch here.

What counts is the text, not how it is cut into pieces: a word is there where its letters stand between characters that
are no letters, marks or digits, upper and lower case told apart, in any segmentation, bytes of a character included. So
`Hund` is not in "Hunde", but it is in "Hund-". Scripts that are written without blanks know no such borders: their
words count wherever they stand. Of what must not be there, no beginning of a translation has it, piece by piece: a
hypothesis that has just written `Hund` could go on to "Hundehütte", but where that is no word it goes on to one that
nobody knows. So "Hunde" may be written by pieces of which none ends with `Hund`, and by no others.

Words that must be there are put forward piece by piece, as the vocabulary cuts them, behind every live hypothesis that
lacks them, and hypotheses compete in banks: with those that have written as many of these pieces (Hokamp & Liu 2017,
"Lexically Constrained Decoding for Sequence Generation Using Grid Beam Search"; Post & Vilar 2018, "Fast Lexically
Constrained Decoding with Dynamic Beam Allocation", whose beam stays of one size).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from headscope.model.errors import HeadscopeError
from headscope.model.search.constraints import Prefix
from headscope.model.search.settings import SearchSettings, quoted
from headscope.model.search.word_parts import Part, PieceTexts, WantedWord, Word
from headscope.model.text.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Written:
    """What of the words a hypothesis has written."""

    must: tuple[tuple[Part, bool], ...]
    """Of each word that must be there: how much of it stands at the end, and whether it stands further up."""
    must_not: tuple[Part, ...]


class Words:
    """The words of one search, in the pieces of a vocabulary."""

    def __init__(
        self,
        spoken: Sequence[bytes],
        end: int,
        *,
        must: Mapping[str, Sequence[int]] | None = None,
        must_not: Collection[str] = (),
    ) -> None:
        """Get the words ready.

        Args:
            spoken: of every piece, what it adds to a text, blanks included, in UTF-8.
            end: the piece that ends a translation.
            must: words, and how each is cut into pieces; where that does not spell it, other pieces do.

        Raises:
            HeadscopeError: no pieces spell one of the words that must be there.
        """
        pieces = PieceTexts(spoken)
        self._end = frozenset({end})
        self._must = [WantedWord(word, pieces, cut) for word, cut in (must or {}).items()]
        self._must_not = [Word(word, pieces) for word in must_not]
        self.begin = Written(((Part(), False),) * len(self._must), (Part(),) * len(self._must_not))
        """Nothing is written yet."""

    def after(self, written: Written, piece: int) -> Written:
        """What is written behind one more piece."""
        must = []
        for word, (part, stands) in zip(self._must, written.must, strict=True):
            part, ends = word.after(part, piece)
            must.append((part, stands or ends))
        parts = (word.after(part, piece)[0] for word, part in zip(self._must_not, written.must_not, strict=True))
        return Written(tuple(must), tuple(parts))

    def missing(self, written: Written) -> list[str]:
        """The words that must be there and are not, where a text ends here."""
        return [
            word.text
            for word, (part, stands) in zip(self._must, written.must, strict=True)
            if not stands and not word.whole(part)
        ]

    def bank(self, written: Written) -> int:
        """How many pieces of the words that must be there are written."""
        return sum(
            word.length if stands or word.whole(part) else word.pieces_of(part)
            for word, (part, stands) in zip(self._must, written.must, strict=True)
        )

    def put_forward(self, written: Written) -> list[int]:
        """The pieces that begin words which are missing, or go on with them."""
        found: dict[int, None] = {}
        for word, (part, stands) in zip(self._must, written.must, strict=True):
            found |= dict.fromkeys([] if stands else word.following(part))
        return [*found]

    def forbidden_after(self, written: Written) -> frozenset[int]:
        """The pieces that may not follow. Where a prescribed beginning has just written a word that must not be there,
        letters alone may."""
        found = self._end if self.missing(written) or self._ends_badly(written) else frozenset()
        for word, part in zip(self._must_not, written.must_not, strict=True):
            found |= word.ending(part)
        return found

    def _ends_badly(self, written: Written) -> bool:
        return any(word.whole(part) for word, part in zip(self._must_not, written.must_not, strict=True))

    def require_possible(self, prefix: Prefix) -> None:
        """Refuse a prescribed beginning that has what must not be there, or ends without what must.

        Raises:
            HeadscopeError: it does.
        """
        written = self.begin
        for place, piece in enumerate(prefix):
            if {piece} == self._end and (missing := self.missing(written)):
                raise HeadscopeError(f"the end is prescribed before {quoted(missing)}: prescribe less, or allow more")
            for word, part in zip(self._must_not, written.must_not, strict=True):
                if word.after(part, piece)[1] or ({piece} == self._end and word.whole(part)):
                    raise HeadscopeError(
                        f"'{word.text}' is prescribed by piece {place + 1} and must not appear: choose one of both"
                    )
            written = self.after(written, piece)


def words_of(vocabulary: Vocabulary, settings: SearchSettings) -> Words | None:
    """The words that the settings of a search ask for, in the pieces of its vocabulary; None: they ask for none.

    Raises:
        HeadscopeError: the vocabulary cannot write a word that must be there, or one has another in it that must not.
    """
    if not settings.must_contain and not settings.must_not_contain:
        return None
    spoken = [vocabulary.spoken(index) for index in range(vocabulary.size("target"))]
    must = dict(_cut(vocabulary, word, spoken) for word in settings.must_contain)
    must_not = [_cut(vocabulary, word, spoken)[0] for word in settings.must_not_contain]
    for wanted, pieces in must.items():
        beginnings = accumulate([spoken[piece] for piece in pieces], initial=b"")
        for word in must_not:
            each = PieceTexts([f"{wanted} ".encode(), *beginnings])
            found = [Word(word, each).after(Part(), piece) for piece in range(len(each))]
            if any(stands or part.letters == len(word) for part, stands in found):
                raise HeadscopeError(f"'{wanted}' must appear and '{word}' must not: choose one of both")
    return Words(spoken, vocabulary.end, must=must, must_not=must_not)


def _cut(vocabulary: Vocabulary, word: str, spoken: Sequence[bytes]) -> tuple[str, tuple[int, ...]]:
    """A word as the vocabulary spells it, and its pieces."""
    word = " ".join(word.split())
    ids = vocabulary.encode(word, "target").ids
    spelt = b"".join(spoken[index] for index in ids).decode("utf-8", "replace").strip()
    return (word, ()) if vocabulary.unknown in ids or not spelt else (spelt, ids)
