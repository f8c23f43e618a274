"""A vocabulary made of SentencePiece models: one for both sides or one a side, with or without tables of ids."""

import io
import re
from collections.abc import Iterable, Sequence, Set
from pathlib import Path

from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

from headscope.model.errors import HeadscopeError
from headscope.model.sites import Side
from headscope.model.text.blank import is_blank
from headscope.model.text.composition import composed, composed_from
from headscope.model.text.vocabulary import Segmentation, Span
from headscope.model.text.vocabulary_files import Description, VocabularyFiles, side_names, write_files

BLANK = "▁"
"""What SentencePiece writes for a blank."""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class SentencePieceVocabulary:
    """Pieces cut by SentencePiece.

    Without tables a piece has the id that SentencePiece gives it; with tables, its place in the table of its side, and
    a piece that is not there is unknown. A lone surrogate, which no file can hold, counts as U+FFFD.
    """

    prefix: tuple[int, ...] = ()

    def __init__(
        self,
        models: Sequence[bytes],
        *,
        tables: Sequence[Sequence[str]] = (),
        pad: int = 0,
        unknown: int = 1,
        start: int = 2,
        end: int = 3,
        compose: bool = False,
    ) -> None:
        """Make the vocabulary from its parts.

        Args:
            models: contents of SentencePiece .model files: one for both sides, or those of source and target.
            tables: pieces in the order of their ids: none, one table for both sides, or those of source and target.
            compose: bring text to Unicode's composed form (NFC) before SentencePiece sees it; its own rules compose
                only the usual orders of combining marks.

        Raises:
            HeadscopeError: a model is not a SentencePiece model.
        """
        self.pad, self.unknown, self.start, self.end = pad, unknown, start, end
        self._models, self._tables, self._compose = tuple(models), tuple(map(tuple, tables)), compose
        names = side_names(len(self._models))
        processors = [_processor(model, name) for model, name in zip(self._models, names, strict=True)]
        specials = {pad, unknown, start, end}
        self._source, self._target = (
            _Pieces(processors[side], self._tables[side] if self._tables else None, unknown, specials)
            for side in (0, -1)
        )

    def size(self, side: Side) -> int:
        """Number of ids: rows of the embedding table of that side."""
        return len(self._side(side).names)

    def encode(self, text: str, side: Side = "source") -> Segmentation:
        """Cut a text into pieces.

        A piece stands for all characters that its normalised ones were made of, so two pieces that share a character
        (bytes of one, parts of a ligature) both have it in their spans. A blank belongs to the piece that begins with
        it; the blank that SentencePiece puts before the first word is none of the text. A blank text has no pieces.
        """
        if is_blank(text):
            return Segmentation(text, (), (), ())
        pieces = self._side(side)
        given = _without_surrogates(text)
        origins: Sequence[int] = range(len(given) + 1)
        if self._compose:
            given, origins = composed_from(given)
        ids, spans = pieces.locate(given, origins)
        return Segmentation(text, tuple(ids), tuple(pieces.names[index] for index in ids), tuple(spans))

    def encode_ids(self, texts: Sequence[str], side: Side = "source") -> list[list[int]]:
        """The ids of many texts, as `encode` gives them, but fast."""
        pieces = self._side(side)
        cut = pieces.processor.encode(["" if is_blank(text) else self._given(text) for text in texts])
        return [[pieces.ids[index] for index in ids] for ids in cut]

    def locate(self, ids: Sequence[int], side: Side = "target") -> Segmentation:
        """The text that pieces stand for, and where each stands in it.

        Bytes that make up no character are U+FFFD each, an unknown piece is " ⁇ " as with SentencePiece.
        """
        pieces = self._side(side)
        text, spans = pieces.decode(ids, silent={self.pad, self.start, self.end})
        return Segmentation(text, tuple(ids), tuple(pieces.names[index] for index in ids), tuple(spans))

    def decode(self, ids: Sequence[int], side: Side = "target") -> str:
        """The text that pieces stand for."""
        return self.locate(ids, side).text

    def piece(self, index: int, side: Side) -> str:
        """The piece with that id."""
        return self._side(side).names[index]

    def spoken(self, index: int, side: Side = "target") -> bytes:
        """What a piece adds to the text."""
        return b"" if index in {self.pad, self.start, self.end} else self._side(side).spoken(index)

    def save(self, folder: Path) -> None:
        """Write models, tables and special ids."""
        description = Description(
            kind="sentencepiece",
            pad=self.pad,
            unknown=self.unknown,
            start=self.start,
            end=self.end,
            models=len(self._models),
            tables=len(self._tables),
            compose=self._compose,
        )
        write_files(folder, VocabularyFiles(description, self._models, self._tables))

    def _side(self, side: Side) -> "_Pieces":
        return self._source if side == "source" else self._target

    def _given(self, text: str) -> str:
        text = _without_surrogates(text)
        return composed(text) if self._compose else text


def train_sentencepiece(texts: Iterable[str], size: int) -> SentencePieceVocabulary:
    """Learn one vocabulary for both sides: byte-pair encoding (Sennrich et al. 2016) in which all text can be written.

    Characters that make up less than 0.001 % of the text are written in bytes. Text is normalised as SentencePiece does
    by default (NFKC with its `nmt` rules; they are stored in the model), composed first. The same texts in the same
    order give the same vocabulary.

    Args:
        texts: sentences of both languages.
        size: number of pieces; pad, unknown, start and end (ids 0 to 3) and 256 bytes are among them.

    Raises:
        HeadscopeError: there is no text, or it is too little or too varied for a vocabulary of that size.
    """
    model = io.BytesIO()
    try:
        SentencePieceTrainer.train(  # pyright: ignore[reportAttributeAccessIssue]
            sentence_iterator=(composed(_without_surrogates(text)) for text in texts),
            model_writer=model,
            vocab_size=size,
            model_type="bpe",
            byte_fallback=True,
            character_coverage=0.99999,
            max_sentence_length=1 << 16,
            pad_id=0,
            unk_id=1,
            bos_id=2,
            eos_id=3,
            num_threads=1,
            minloglevel=2,
        )
    except RuntimeError as error:
        raise HeadscopeError(_training_problem(str(error), size)) from error
    return SentencePieceVocabulary([model.getvalue()], compose=True)


class _Pieces:
    """One side: a SentencePiece model, and which id each of its pieces has here."""

    def __init__(
        self,
        processor: SentencePieceProcessor,
        table: Sequence[str] | None,
        unknown: int,
        specials: set[int],
    ) -> None:
        own = tuple(processor.id_to_piece(list(range(processor.piece_size()))))
        self.processor = processor
        self.names = own if table is None else tuple(table)
        index = {name: position for position, name in enumerate(self.names) if position not in specials}
        self.ids = tuple(index.get(name, unknown) for name in own)
        """By SentencePiece's own id."""
        self._own = frozenset(own)
        self._unknown = unknown
        self._unknown_name = own[processor.unk_id()]
        self._begins_with_blank = processor.normalize("x").startswith(BLANK)

    def locate(self, text: str, origins: Sequence[int]) -> tuple[list[int], list[Span]]:
        """Ids and spans of a text, of which character i begins at `origins[i]` in the text as typed."""
        normalised, offsets = self.processor.normalize(text, with_offsets=True)
        extents = _extents([origins[offset] for offset in offsets])
        if self._begins_with_blank and extents:
            beginning = extents[1][0] if len(extents) > 1 else extents[0][0]
            extents[0] = (beginning, beginning)
        cut = self.processor.encode(text, return_type="offset_mapping")
        spans: list[Span] = []
        first, rest = 0, b""
        for index, surface in zip(cut["ids"], cut["pieces"], strict=True):
            if self.processor.is_byte(index):
                rest = (rest or normalised[first].encode())[1:]
                spans.append(extents[first])
                first += not rest
            else:
                last = first + len(surface) - 1
                opening = first + (first == 0 and last > 0 and self._begins_with_blank)
                spans.append((extents[opening][0], extents[last][1]))
                first = last + 1
        return [self.ids[index] for index in cut["ids"]], spans

    def decode(self, ids: Sequence[int], silent: Set[int]) -> tuple[str, list[Span]]:
        """The text of pieces, and where each stands in it."""
        spoken: list[str] = []
        for index in ids:
            name = "" if index in silent else self._unknown_name if index == self._unknown else self.names[index]
            if name not in self._own:  # SentencePiece passes it on as it is, without making blanks of it
                name = (name if any(spoken) else name.removeprefix(BLANK)).replace(BLANK, " ")
            spoken.append(name)
        decoded = self.processor.decode(spoken, return_type="offset_mapping")
        spans = [(start, end) for start, end in decoded["offsets"]]
        for position in range(len(spans) - 2, -1, -1):  # the span of a character stands at the last of its bytes
            start, end = spans[position]
            if start == end and self.processor.is_byte(self.processor.piece_to_id(spoken[position])):
                spans[position] = spans[position + 1]
        return decoded["text"], spans

    def spoken(self, index: int) -> bytes:
        """What a piece adds to a text, a blank in the place of its mark; one byte of a character where it is that."""
        name = self._unknown_name if index == self._unknown else self.names[index]
        if name in self._own:
            own = self.processor.piece_to_id(name)
            if self.processor.is_byte(own):
                return bytes([int(name.strip("<>"), 16)])
            if self.processor.is_control(own):
                return b""
            if self.processor.is_unknown(own):
                return " ⁇ ".encode()
        return name.replace(BLANK, " ").encode()


def _extents(starts: Sequence[int]) -> list[Span]:
    """Where each normalised character comes from: from its start to the next that is another."""
    extents: list[Span] = []
    end = starts[-1]
    for start, following in zip(reversed(starts[:-1]), reversed(starts[1:]), strict=True):
        if start < following:
            end = following
        extents.append((start, end))
    return extents[::-1]


def _without_surrogates(text: str) -> str:
    return _LONE_SURROGATE.sub("\ufffd", text)


def _processor(model: bytes, name: str) -> SentencePieceProcessor:
    try:
        processor = SentencePieceProcessor(model_proto=model) if model else None
    except RuntimeError:
        processor = None
    if processor is None or not processor.piece_size():
        raise HeadscopeError(f"{name}.model is not a SentencePiece model, or is damaged")
    return processor


def _training_problem(message: str, size: int) -> str:
    """SentencePiece's message about a training that cannot be, in words of what the user chose."""
    if most := re.search(r"value <= (\d+)", message):
        return f"the text is too little for a vocabulary of {size:,} pieces: choose at most {int(most[1]):,}"
    if least := re.search(r"required_chars. \d+ vs (\d+)", message):
        return f"a vocabulary of {size:,} pieces is too small for this text: choose at least {int(least[1]):,}"
    if "sentences_.empty()" in message or "all_chars_count" in message:
        return "there is no text to learn a vocabulary from"
    return f"SentencePiece cannot learn a vocabulary of {size:,} pieces: {message}"
