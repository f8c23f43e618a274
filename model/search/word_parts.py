"""How much of a word stands at the end of a text that is written piece by piece, and what writes the rest. No torch
here; `model.search.words` says what counts as a word.
"""

import codecs
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from headscope.model.errors import HeadscopeError

UNSPACED = ("CJK ", "HIRAGANA", "KATAKANA", "THAI ", "LAO ", "KHMER ", "MYANMAR ", "TIBETAN ")
"""How Unicode names letters of scripts that are written without blanks between words."""


def joins(character: str) -> bool:
    """Whether a word cannot begin or end beside this character."""
    letter = unicodedata.category(character)[0] in "LMN" or character == "_"
    return letter and not unicodedata.name(character, "").startswith(UNSPACED)


@dataclass(frozen=True, slots=True)
class Part:
    """How much of a word the end of a text is."""

    letters: int = 0
    """The first so many of the word."""
    before: str = " "
    """Where it is none of them, what the text ends with: "x" for a letter, behind which the word cannot begin, "." for
    another sign, and a blank for a blank or nothing."""
    rest: bytes = b""
    """Bytes behind it of a character that is not whole yet."""


class Word:
    """One word in the pieces of a vocabulary."""

    def __init__(self, text: str, pieces: "PieceTexts") -> None:
        self.text = text
        self._pieces = pieces
        self._first, self._last = joins(text[0]), joins(text[-1])
        self._ending: dict[Part, frozenset[int]] = {}

    def after(self, part: Part, piece: int) -> tuple[Part, bool]:
        """How much of it stands behind a piece, and whether it has come to its end by then."""
        added, rest = self._pieces.read(part.rest, piece)
        text = self._before(part) + added
        return self._suffix(text, rest), self._stands(text)

    def whole(self, part: Part) -> bool:
        """Whether it stands at the end of a text that ends here."""
        return part.letters == len(self.text)

    def ending(self, part: Part) -> frozenset[int]:
        """The pieces behind which it stands, were the text to end there."""
        if part not in self._ending:
            before = self._before(part)
            likely = (
                piece
                for piece in range(len(self._pieces))
                if self.text in before + self._pieces.read(part.rest, piece)[0]
            )
            after = ((piece, *self.after(part, piece)) for piece in likely)
            self._ending[part] = frozenset(piece for piece, follows, stands in after if stands or self.whole(follows))
        return self._ending[part]

    def _before(self, part: Part) -> str:
        # Of what stands before, no more matters than whether the word may begin behind its last character.
        return part.before + self.text[: part.letters]

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

    def _suffix(self, text: str, rest: bytes) -> Part:
        # A word that needs nothing behind it has come to its end: what counts is how another one begins.
        longest = len(self.text) if self._last else len(self.text) - 1
        for letters in range(min(longest, len(text) - 1), 0, -1):
            if text.endswith(self.text[:letters]) and self._may_begin(text, len(text) - letters):
                return Part(letters, " ", rest)
        before = " " if not self._first or text[-1].isspace() else "x" if joins(text[-1]) else "."
        return Part(0, before, rest)


class WantedWord(Word):
    """A word that must be there, and the pieces to write it with."""

    def __init__(self, text: str, pieces: "PieceTexts", cut: Sequence[int]) -> None:
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

    def pieces_of(self, part: Part) -> int:
        """How many of them are written."""
        offset = self._offset(part) or 0
        return sum(end <= offset for end in self._cuts)

    def following(self, part: Part) -> list[int]:
        """The pieces that begin it, or go on with it; where another word has to end first, what ends that."""
        offset = self._offset(part)
        if offset is None or self.whole(part):
            return []
        if offset:
            return [self._next[offset][0]] if offset in self._next else []
        plain = self._next[0][0] if 0 in self._next else None
        if not self._first:
            found = [plain, self._opening]
        elif part.before != " ":
            found = [self._pieces.ids.get(b" ") if self._opening is None else self._opening]
        else:
            found = [plain if self._opening is None else self._opening]
        return [piece for piece in found if piece is not None]

    def _offset(self, part: Part) -> int | None:
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


class PieceTexts:
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
