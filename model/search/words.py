"""Words that a translation must or must not contain, wherever they stand. No torch here.

What counts is the text, not how it is cut into pieces: a word is there where its letters stand between characters that
are no letters, marks or digits, upper and lower case told apart, in any segmentation, bytes of a character included. So
`Hund` is not in "Hunde", but it is in "Hund-". Scripts that are written without blanks know no such borders: their
words count wherever they stand. A hypothesis may begin a word that it must not contain, for it may become another one;
what would end the word there is forbidden, the end of sentence included.

Words that must be there are put forward piece by piece, as the vocabulary cuts them, behind every live hypothesis that
lacks them, and hypotheses compete in banks: with those that have written as many of these pieces (Hokamp & Liu 2017,
"Lexically Constrained Decoding for Sequence Generation Using Grid Beam Search"; Post & Vilar 2018, "Fast Lexically
Constrained Decoding with Dynamic Beam Allocation", whose beam stays of one size).
"""

import codecs
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from headscope.model.errors import HeadscopeError
from headscope.model.search.constraints import Prefix
from headscope.model.search.settings import SearchSettings, quoted
from headscope.model.text.vocabulary import Vocabulary

UNSPACED = ("CJK ", "HIRAGANA", "KATAKANA", "THAI ", "LAO ", "KHMER ", "MYANMAR ", "TIBETAN ")
"""How Unicode names letters of scripts that are written without blanks between words."""


def joins(character: str) -> bool:
    """Whether a word cannot begin or end beside this character."""
    letter = unicodedata.category(character)[0] in "LMN" or character == "_"
    return letter and not unicodedata.name(character, "").startswith(UNSPACED)


@dataclass(frozen=True, slots=True)
class _Part:
    """How much of a word the end of a text is."""

    letters: int = 0
    """The first so many of the word."""
    joined: bool = False
    """None of them, and the word cannot begin here either: the text ends in another word."""
    rest: bytes = b""
    """Bytes behind it of a character that is not whole yet."""


@dataclass(frozen=True, slots=True)
class Written:
    """What of the words a hypothesis has written."""

    must: tuple[tuple[_Part, bool], ...]
    """Of each word that must be there: how much of it stands at the end, and whether it stands further up."""
    must_not: tuple[_Part, ...]


class _Word:
    """One word in the pieces of a vocabulary."""

    def __init__(self, text: str, pieces: "_Pieces") -> None:
        self.text = text
        self._pieces = pieces
        self._first, self._last = joins(text[0]), joins(text[-1])
        self._ending: dict[tuple[_Part, bool], frozenset[int]] = {}

    def after(self, part: _Part, piece: int) -> tuple[_Part, bool]:
        """How much of it stands behind a piece, and whether it has come to its end by then."""
        added, rest = self._pieces.read(part.rest, piece)
        text = self._before(part) + added
        return self._suffix(text, rest), self._stands(text)

    def whole(self, part: _Part) -> bool:
        """Whether it stands at the end of a text that ends here."""
        return part.letters == len(self.text)

    def ending(self, part: _Part, *, last: bool) -> frozenset[int]:
        """The pieces with which it comes to its end.

        Args:
            last: nothing can follow the piece.
        """
        if (part, last) not in self._ending:
            before = self._before(part)
            likely = (
                piece
                for piece in range(len(self._pieces))
                if self.text in before + self._pieces.read(part.rest, piece)[0]
            )
            after = ((piece, *self.after(part, piece)) for piece in likely)
            self._ending[part, last] = frozenset(
                piece for piece, follows, stands in after if stands or (last and self.whole(follows))
            )
        return self._ending[part, last]

    def _before(self, part: _Part) -> str:
        # Of what stands before, no more matters than whether the word may begin behind its last character.
        return ("x" if part.joined else " ") + self.text[: part.letters]

    def _may_begin(self, text: str, at: int) -> bool:
        return not (self._first and joins(text[at - 1]))

    def _stands(self, text: str) -> bool:
        at = text.find(self.text, 1)
        while at >= 0:
            behind = at + len(self.text)
            ends = not self._last or (behind < len(text) and not joins(text[behind]))
            if ends and self._may_begin(text, at):
                return True
            at = text.find(self.text, at + 1)
        return False

    def _suffix(self, text: str, rest: bytes) -> _Part:
        # A word that needs nothing behind it has come to its end: what counts is how another one begins.
        longest = len(self.text) if self._last else len(self.text) - 1
        for letters in range(min(longest, len(text) - 1), 0, -1):
            if text.endswith(self.text[:letters]) and self._may_begin(text, len(text) - letters):
                return _Part(letters, False, rest)
        return _Part(0, self._first and joins(text[-1]), rest)


class _WantedWord(_Word):
    """A word that must be there, and the pieces to write it with."""

    def __init__(self, text: str, pieces: "_Pieces", cut: Sequence[int]) -> None:
        super().__init__(text, pieces)
        self._bytes = text.encode()
        self._next = self._fewest()
        """For every number of bytes that may be written: the piece that follows, and how many still do."""
        opening = self._best(0, b" ", self._next)
        self._opening = None if opening is None else opening[2]
        """The piece that begins it with the blank before it."""
        self._follow([piece for piece in cut if pieces.spoken[piece].strip()])
        if 0 not in self._next and self._opening is None:
            raise HeadscopeError(f"the vocabulary cannot write '{text}': choose another word")
        self._cuts = self._walk()
        """Bytes that are written behind each piece."""

    @property
    def length(self) -> int:
        """Pieces that it is written with."""
        return len(self._cuts)

    def pieces_of(self, part: _Part) -> int:
        """How many of them are written."""
        offset = self._offset(part) or 0
        return sum(end <= offset for end in self._cuts)

    def following(self, part: _Part) -> list[int]:
        """The pieces that begin it, or go on with it; where another word has to end first, what ends that."""
        offset = self._offset(part)
        if offset is None or self.whole(part):
            return []
        if offset:
            return [self._next[offset][0]] if offset in self._next else []
        plain = self._next[0][0] if 0 in self._next else None
        if not self._first:
            found = [plain, self._opening]
        elif part.joined:
            found = [self._pieces.ids.get(b" ") if self._opening is None else self._opening]
        else:
            found = [plain if self._opening is None else self._opening]
        return [piece for piece in found if piece is not None]

    def _offset(self, part: _Part) -> int | None:
        """Bytes of it that stand at the end of a text; None: the text goes on otherwise."""
        offset = len(self.text[: part.letters].encode())
        return offset + len(part.rest) if self._bytes[offset:].startswith(part.rest) else None

    def _fewest(self) -> dict[int, tuple[int, int]]:
        plan: dict[int, tuple[int, int]] = {}
        for start in range(len(self._bytes) - 1, -1, -1):
            if (found := self._best(start, b"", plan)) is not None:
                plan[start] = (found[2], found[0])
        return plan

    def _best(self, start: int, blank: bytes, plan: Mapping[int, tuple[int, int]]) -> tuple[int, int, int] | None:
        """The piece to go on with from there: fewest pieces to come, then the longest. None: there is none."""
        end, found = len(self._bytes), []
        for stop in range(start + 1, end + 1):
            spelt = blank + self._bytes[start:stop]
            for ending in (spelt, spelt + b" ") if stop == end else (spelt,):
                if ending in self._pieces.ids and (stop == end or stop in plan):
                    found.append((1 + (plan[stop][1] if stop < end else 0), -stop, self._pieces.ids[ending]))
        return min(found, default=None)

    def _follow(self, cut: Sequence[int]) -> None:
        """Let the plan go by the vocabulary's own cut, where that spells the word."""
        spelt = [self._pieces.spoken[piece] for piece in cut]
        if b"".join(spelt).strip() != self._bytes:
            return
        offset = 0
        for at, (piece, letters) in enumerate(zip(cut, spelt, strict=True)):
            if at == 0 and letters.startswith(b" "):
                self._opening, letters = piece, letters[1:]
            else:
                self._next[offset] = (piece, len(cut) - at)
            offset += len(letters)

    def _walk(self) -> list[int]:
        found: list[int] = []
        while (offset := found[-1] if found else 0) < len(self._bytes):
            if offset == 0 and self._opening is not None:
                letters = self._pieces.spoken[self._opening][1:]
            else:
                letters = self._pieces.spoken[self._next[offset][0]]
            found.append(min(offset + len(letters), len(self._bytes)))
        return found


class _Pieces:
    """What the pieces of a vocabulary add to a text."""

    def __init__(self, spoken: Sequence[bytes]) -> None:
        self.spoken = spoken
        self._texts = [_decoded(each) for each in spoken]

    def __len__(self) -> int:
        return len(self.spoken)

    @cached_property
    def ids(self) -> Mapping[bytes, int]:
        """The first piece of every spelling."""
        return {spelt: piece for piece, spelt in reversed([*enumerate(self.spoken)]) if spelt}

    def read(self, rest: bytes, piece: int) -> tuple[str, bytes]:
        """The characters that it adds behind bytes of one, and the bytes that make up none yet."""
        return _decoded(rest + self.spoken[piece]) if rest else self._texts[piece]


def _decoded(spelt: bytes) -> tuple[str, bytes]:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return decoder.decode(spelt), decoder.getstate()[0]


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
        pieces = _Pieces(spoken)
        self._end = frozenset({end})
        self._must = [_WantedWord(word, pieces, cut) for word, cut in (must or {}).items()]
        self._must_not = [_Word(word, pieces) for word in must_not]
        self.begin = Written(((_Part(), False),) * len(self._must), (_Part(),) * len(self._must_not))
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

    def forbidden_after(self, written: Written, *, last: bool = False) -> frozenset[int]:
        """The pieces that may not follow.

        Args:
            last: the translation can have one piece more, and no other.
        """
        found = self._end if self.missing(written) or self._ends_badly(written) else frozenset()
        for word, part in zip(self._must_not, written.must_not, strict=True):
            found |= word.ending(part, last=last)
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
    for wanted in must:
        for word in must_not:
            if _Word(word, _Pieces([f"{wanted} ".encode()])).after(_Part(), 0)[1]:
                raise HeadscopeError(f"'{wanted}' must appear and '{word}' must not: choose one of both")
    return Words(spoken, vocabulary.end, must=must, must_not=must_not)


def _cut(vocabulary: Vocabulary, word: str, spoken: Sequence[bytes]) -> tuple[str, tuple[int, ...]]:
    """A word as the vocabulary spells it, and its pieces."""
    word = " ".join(word.split())
    ids = vocabulary.encode(word, "target").ids
    spelt = b"".join(spoken[index] for index in ids).decode("utf-8", "replace").strip()
    return (word, ()) if vocabulary.unknown in ids or not spelt else (spelt, ids)
