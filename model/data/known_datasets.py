"""The data sets that can be had by name: their files and where they are published, and under which terms."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from headscope.model.data.parallel_text import opened
from headscope.model.errors import HeadscopeError


@dataclass(frozen=True, kw_only=True)
class DataFile:
    """A file of a data set."""

    url: str
    """Its public address, at a fixed version."""
    size: int
    """Bytes that are to be had there."""
    sha256: tuple[str, ...]
    """Of the text, decompressed: the one published there first, then those that a local copy may hold as well."""
    member: str = ""
    """The name of the text in the zip archive at the address; empty: it is no archive."""


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """A data set that can be prepared: its files, and which of them is what."""

    name: str
    source: str
    target: str
    folder: str
    """What the folder of its files is called."""
    origin: str
    licence: str
    attribution: str
    files: Mapping[str, DataFile]
    train: tuple[str, ...]
    given: Mapping[str, tuple[str, ...]]
    """Parts that are taken as they are."""
    drawn: Mapping[str, int] | None
    """Parts drawn from the training text, with their numbers of pairs; no sentence of the given parts stays in it.
    None: the published split, with nothing drawn or left out."""
    turned: bool = False
    """Whether the files have the target in the place of the source: sides change places after everything is split."""
    merges: int = 0
    """Joint BPE merges that the text, lower-cased and in Moses tokens, is cut by; 0: the text stays as it is."""


def find(name: str) -> DataSet:
    """The data set of that name.

    Raises:
        HeadscopeError: there is none.
    """
    if name not in DATA_SETS:
        raise HeadscopeError(f"there is no data set '{name}'; choose one of {', '.join(DATA_SETS)}")
    return DATA_SETS[name]


def text_sha256(file: Path) -> str:
    """The sha256 of the text in a file, decompressed if its name ends in .gz.

    Raises:
        HeadscopeError: it cannot be read.
    """
    digest = hashlib.sha256()
    with opened(file) as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


_RAW = "https://raw.githubusercontent.com"
_TESTSETS = f"{_RAW}/Helsinki-NLP/OPUS-MT-testsets/ac0f19c0be3cb4e0d9450fcb2d7a9847c4bdd180/datasets/helsinki_nlp"
_MULTI30K = f"{_RAW}/multi30k/dataset/a3d2e0d26b56f3846f66a952536ffed4e401d05a/data/task1/raw"


def _multi30k(name: str, size: int, sha256: str) -> tuple[str, DataFile]:
    return f"{name}.gz", DataFile(url=f"{_MULTI30K}/{name}.gz", size=size, sha256=(sha256,))


TATOEBA = DataSet(
    name="tatoeba-en-de",
    source="en",
    target="de",
    folder="tatoeba",
    origin="Tatoeba by way of manythings.org/anki (2018-05-13); test set Tatoeba Challenge v2021-08-07",
    licence="CC BY 2.0",
    attribution="www.manythings.org/anki and tatoeba.org",
    files={
        "deu-eng.manythings-2018-05-13.tsv.gz": DataFile(
            url=f"{_RAW}/rioyshky/translation/de48b7027f7318d77010a6e08ed928c10748c23d/deu-eng.zip",
            size=4_012_023,
            sha256=("a79c90b3cd3102decffa49cc00fb6f20023974f2ae5c4782515bebe133fcc07b",),
            member="deu.txt",
        ),
        # Published are 17,565 pairs; a local copy may hold a part of 14,565.
        "testsets/tatoeba-test-v2021-08-07.deu-eng.eng.gz": DataFile(
            url=f"{_TESTSETS}/tatoeba/testsets/deu-eng/tatoeba-test-v2021-08-07.eng",
            size=672_653,
            sha256=(
                "7059b89d7afe599cdf13c466f4ac94fc302b35f335fb0783f5958a22e07adb7e",
                "1dc86b2fe5efd80ffb0f068d89f2360c3458b25936896a29cae584e0296fc71f",
            ),
        ),
        "testsets/tatoeba-test-v2021-08-07.deu-eng.deu.gz": DataFile(
            url=f"{_TESTSETS}/tatoeba/testsets/deu-eng/tatoeba-test-v2021-08-07.deu",
            size=782_297,
            sha256=(
                "b43a3b2951110e20bdcba5aa4d5f8511ccc005db50b56f963367eeb5a533dd71",
                "df37f8b1f7c351ce51c7291f5741d1f2cce16c7d824db69fa711d2b4986bd03c",
            ),
        ),
    },
    train=("deu-eng.manythings-2018-05-13.tsv.gz",),
    given={
        "test": (
            "testsets/tatoeba-test-v2021-08-07.deu-eng.eng.gz",
            "testsets/tatoeba-test-v2021-08-07.deu-eng.deu.gz",
        )
    },
    drawn={"dev": 2000, "heldout": 500},
)

TATOEBA_TURNED = replace(TATOEBA, name="tatoeba-de-en", source="de", target="en", turned=True)
"""The same pairs in the same parts and order, the other way round."""

MULTI30K = DataSet(
    name="multi30k-en-de",
    source="en",
    target="de",
    folder="multi30k",
    origin="Multi30k, task 1, raw text (github.com/multi30k/dataset)",
    licence="no licence file; derived from Flickr30K, for non-commercial research and education",
    attribution="Elliott et al. 2016 (en, de) and 2017 (test 2017)",
    files=dict(
        [
            _multi30k("train.en", 568_929, "460a15fbd157e34a7a9957ee388c1ca247fe47af3ef25fb50442af6c274e0fc6"),
            _multi30k("train.de", 637_044, "2c2b73fd2b548fbcde3a875e0a78d6ee94d498bfdee6bd3eae3945779e9ddf72"),
            _multi30k("val.en", 21_650, "1f2a23d992769b5b3d209b0a10dd0b77c08cceb1f20dfb97ed0aafa49d107227"),
            _multi30k("val.de", 24_681, "660e09eb7e1da2f856ea13ee5ad3cf6d36b3d5b0b733c857e94c5747a3dfc660"),
            _multi30k(
                "test_2016_flickr.en", 21_077, "399a4382932c1aadd3ceb9bef1008d388a64c76d4ae4e9d4728c6f4301cac182"
            ),
            _multi30k(
                "test_2016_flickr.de", 22_890, "4be6b5b3236b79c25475c6bb829800a7ce559e9ba7a1f6c2394fe4d40be46d16"
            ),
            _multi30k(
                "test_2017_flickr.en", 19_138, "ce1450ddc5ab0834502579d77a170849952e15a2938b34cc503bdc25ebb4fb98"
            ),
            _multi30k(
                "test_2017_flickr.de", 21_471, "c3078bc3b36808bf9d20eb2347ed6137016179ef59ec0d2b9b8ecc3fb2880081"
            ),
        ]
    ),
    train=("train.en.gz", "train.de.gz"),
    given={
        "dev": ("val.en.gz", "val.de.gz"),
        "test": ("test_2016_flickr.en.gz", "test_2016_flickr.de.gz"),
        "test-2017": ("test_2017_flickr.en.gz", "test_2017_flickr.de.gz"),
    },
    drawn={"heldout": 500},
)

MULTI30K_TOKENISED = replace(MULTI30K, name="multi30k-en-de-tokenised", drawn=None, merges=10_000)
"""The text as Wu et al. 2021 trained on it (arXiv 2105.14462)."""

_KNOWN = (TATOEBA, TATOEBA_TURNED, MULTI30K, MULTI30K_TOKENISED)
DATA_SETS: Mapping[str, DataSet] = {known.name: known for known in _KNOWN}
