"""Words of English and German, and sentences of our own, by which places that questions are about are found. No torch.

The lists are short on purpose: what they find is certain enough to be counted, and what they miss is not counted.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

VERBS = {
    tuple(english.split()): tuple(german.split())
    for english, german in (
        line.split(":")
        for line in """
see saw seen: sehen gesehen
read: lesen gelesen
buy bought: kaufen gekauft
sell sold: verkaufen verkauft
eat ate eaten: essen gegessen
drink drank drunk: trinken getrunken
write wrote written: schreiben geschrieben
speak spoke spoken: sprechen gesprochen
tell told: sagen gesagt erzählen erzählt
say said: sagen gesagt
help helped: helfen geholfen
find found: finden gefunden
lose lost: verlieren verloren
forget forgot forgotten: vergessen
meet met: treffen getroffen
give gave given: geben gegeben
learn learned: lernen gelernt
play played: spielen gespielt
hear heard: hören gehört
open opened: öffnen geöffnet
close closed: schließen geschlossen
solve solved: lösen gelöst
steal stole stolen: stehlen gestohlen
visit visited: besuchen besucht
win won: gewinnen gewonnen
answer answered: beantworten beantwortet antworten geantwortet
reach reached: erreichen erreicht
spend spent: verbringen verbracht ausgeben ausgegeben
wear wore worn: tragen getragen
carry carried: tragen getragen
understand understood: verstehen verstanden
kill killed: töten getötet
save saved: retten gerettet sparen gespart
sing sang sung: singen gesungen
build built: bauen gebaut
repair repaired: reparieren repariert
fix fixed: reparieren repariert
send sent: schicken geschickt senden gesendet
bring brought: bringen gebracht mitbringen mitgebracht
use used: benutzen benutzt verwenden verwendet
wait waited: warten gewartet
work worked: arbeiten gearbeitet
live lived: leben gelebt wohnen gewohnt
sleep slept: schlafen geschlafen
swim swam swum: schwimmen geschwommen
teach taught: beibringen beigebracht lehren gelehrt unterrichten unterrichtet
borrow borrowed: leihen geliehen ausleihen ausgeliehen
explain explained: erklären erklärt
change changed: ändern geändert wechseln gewechselt
marry married: heiraten geheiratet
invite invited: einladen eingeladen
call called: anrufen angerufen rufen gerufen
break broke broken: brechen gebrochen zerbrechen zerbrochen
translate translated: übersetzen übersetzt
study studied: studieren studiert lernen gelernt
watch watched: ansehen angesehen
pay paid: zahlen gezahlt bezahlen bezahlt
wash washed: waschen gewaschen
cook cooked: kochen gekocht
drive drove driven: fahren gefahren
""".strip().splitlines()
    )
}
"""English forms, and German infinitives and participles that translate them. Forms that also build tenses are left out
(be, have, do), for it is not clear what translates them."""

PREFIXES = {
    prefix: tuple(stems.split())
    for prefix, stems in {
        "ab": "hol nehm nimm nahm häng hing fahr fähr fuhr lehn schließ schloss sag geb gib gab hol leg",
        "an": "ruf rief fang fäng fing komm kam seh sieh sah zieh zog nehm nimm nahm biet bot schau hör mach "
        "halt hält hielt starr zünd greif griff lüg log wend pass geh ging fühl lach lächel",
        "auf": "hör steh stand geb gib gab wach pass mach nehm nimm nahm wachs wuchs räum ess iss setz häng schreib "
        "schrieb fall fäll fiel tauch dreh",
        "aus": "seh sieh sah geh ging geb gib gab mach zieh zog schalt steig stieg brech brich brach such sprech füll "
        "ruh drück wähl lach",
        "bei": "bring brach",
        "ein": "schlaf schläf schlief lad lud kauf steig stieg schalt nehm nimm nahm fall fäll fiel brech brich brach "
        "stell lös schenk",
        "fern": "seh sieh sah halt hält hielt",
        "hin": "fall fäll fiel setz leg geh ging",
        "mit": "nehm nimm nahm komm kam bring brach mach teil spiel sing geh ging",
        "nach": "denk dach schlag schläg schlug seh sieh sah geb gib gab folg schau",
        "statt": "find fand",
        "teil": "nehm nimm nahm",
        "um": "bring brach zieh zog dreh seh sieh sah fall fäll fiel schau kehr kipp",
        "vor": "stell bereit les lies las schlag schläg schlug komm kam hab hat habt zieh zog",
        "vorbei": "komm kam geh ging fahr fähr fuhr",
        "weg": "geh ging lauf läuf lief nehm nimm nahm renn rann werf wirf warf leg",
        "weiter": "geh ging mach les lies las arbeit sprech",
        "zu": "hör schau seh sieh sah stimm mach nehm nimm nahm geb gib gab winke lächel",
        "zurück": "komm kam geb gib gab geh ging kehr zieh zog ruf rief bring brach leg",
        "zusammen": "arbeit brech brich brach leb pass",
    }.items()
}
"""Separable prefixes, and how finite forms of verbs begin that take them."""


_FALSE = "Also Bald Bin Brief Die Falls Fast Gift Hat Hut Man Most Rat Rock See War Was Wer"
FALSE_FRIENDS = frozenset(_FALSE.split())
"""Capitalised words of both languages that do not translate each other."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A sentence of our own in which "it" can stand for one of two things, and stands for one."""

    text: str
    right: str
    """The word that it stands for."""
    wrong: str
    frame: int
    """Which of `_FRAMES` it was made from."""


_FRAMES = (
    ("The {a} ate the {b} because it was {end}.", "dog cat horse bird", "cake apple bread fish", "hungry", "sweet"),
    ("The {a} did not cross the {b} because it was too {end}.", "dog cat cow bird", "street road river field",
     "tired", "wide"),
    ("The {a} does not fit in the {b} because it is too {end}.", "book ball lamp chair", "bag box car room",
     "big", "small"),
    ("The {a} broke the {b} because it was so {end}.", "stone ball hammer bottle", "window glass cup plate",
     "heavy", "thin"),
    ("The {a} drank the {b} because it was {end}.", "dog cat horse cow", "milk water tea juice", "thirsty", "fresh"),
    ("The {a} could not cross the {b} because it was {end}.", "car bus truck train", "bridge road border street",
     "too heavy", "closed"),
    ("The {a} left the {b} because it was {end}.", "bird dog cat horse", "house garden tree barn", "afraid", "on fire"),
    ("The {a} did not go through the {b} because it was too {end}.", "bed table sofa piano", "door window gate hall",
     "large", "narrow"),
)  # fmt: skip


def references() -> Iterator[Reference]:
    """Twins that differ in their end alone: in the first, "it" is the first thing, in the second the second.

    So a head that always looks at the first thing, or at the nearer one, is right in half of them.
    """
    for frame, (text, first, second, of_first, of_second) in enumerate(_FRAMES):
        for a, b in product(first.split(), second.split()):
            yield Reference(text.format(a=a, b=b, end=of_first), a, b, frame)
            yield Reference(text.format(a=a, b=b, end=of_second), b, a, frame)
