"""Words of two invented languages: syllables with sound changes, and a small dictionary."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

_SOUND_CHANGES = (
    ("th", "t"),
    ("sh", "s"),
    ("ck", "k"),
    ("c", "k"),
    ("w", "v"),
    ("x", "ks"),
    ("y", "i"),
    ("ee", "i"),
    ("ou", "u"),
    ("j", "dz"),
    ("au", "o"),
)
_VOWELS = "aeiou"


class Lexicon(NamedTuple):
    """Words that mean the same, by position."""

    left: tuple[str, ...]
    right: tuple[str, ...]


def transliterate(word: str, ending: str) -> str:
    """The word as the right language says it; it wants words to end in a vowel."""
    changed = word.lower()
    for old, new in _SOUND_CHANGES:
        changed = changed.replace(old, new)
    closed = changed if changed[-1] in _VOWELS else changed + ending
    return closed.capitalize() if word[:1].isupper() else closed


def _coined(*syllables: str, ending: str) -> Lexicon:
    words = tuple("".join(parts) for parts in product(*(choice.split() for choice in syllables)))
    return Lexicon(words, tuple(transliterate(word, ending) for word in words))


def _translated(pairs: str) -> Lexicon:
    left, right = zip(*(pair.split("/") for pair in pairs.split()), strict=True)
    return Lexicon(left, right)


_ONSETS = "Mar Bel Tov Hal Cor Ves Lin Dra Ost Pel Ran Sil Wend Yor Thal Gor Fen Kal Bry Ner Quin Zel Ard Ish"
GIVEN_NAMES = _coined(
    "Mar El Jo Tam Be Ro Li Vic And San Cath Wil Yas Na Os Fre",
    "len is an ora ick ette us ya win",
    ending="u",
)
FAMILY_NAMES = _coined(_ONSETS, "ak an el or un", "ov ham sen ich ard well ey son ik", ending="i")
STEMS = _coined(_ONSETS, "an el or um ex ow a ish", ending="o")
CITY_ENDINGS = _translated(
    "ton/grado ford/vado ville/vilo bury/burgo port/haveno field/kampo bridge/ponto mouth/buso dale/valo"
)
COUNTRY_ENDINGS = _translated("ia/io land/lando stan/stano mark/marko onia/ono avia/avo")
LANGUAGE_ENDINGS = _translated("ish/ika ese/eza ic/iko")
ADJECTIVES = _translated(
    "Silent/Silenta Golden/Ora Last/Lasta Broken/Rompa Hidden/Kasita Red/Ruga Distant/Fora Burning/Brula "
    "Lost/Perdita Winter/Vintra Electric/Elektra Paper/Papera Glass/Vitra Northern/Norda Endless/Senfina "
    "Small/Eta Blue/Blua Secret/Sekreta Wild/Sovaga Iron/Fera Quiet/Kvieta Second/Dua Empty/Malplena "
    "Bright/Hela Crooked/Kurba Patient/Pacienca Velvet/Velura Hollow/Kava Sleeping/Dorma Salt/Sala"
)
NOUNS = _translated(
    "Harbor/Haveno Garden/Gardeno River/Rivero Mirror/Spegulo Journey/Vojago City/Urbo Letter/Letero "
    "Summer/Somero Shadow/Ombro Road/Vojo Island/Insulo Winter/Vintro Forest/Arbaro Clock/Horlogo "
    "Window/Fenestro Song/Kanto Fire/Fajro Dream/Songo Bridge/Ponto Mountain/Monto House/Domo Train/Trajno "
    "Stranger/Fremdulo Orchard/Fruktejo Machine/Masino Night/Nokto Sailor/Maristo Promise/Promeso "
    "Kingdom/Regno Lantern/Lanterno Crow/Korvo Thunder/Tondro Map/Mapo Feast/Festo"
)
COMPANY_WORDS = _translated(
    "Industries/Industrio Records/Diskejo Motors/Motoro Press/Presejo Pictures/Filmejo Bank/Banko "
    "Systems/Sistemo Airways/Flugo Foods/Mangajo Energy/Energio"
)
CLUB_WORDS = _translated("United/Unuigo City/Urbo Rovers/Vaganto Athletic/Atleto Wanderers/Migranto")
UNIVERSITY_WORDS = _translated("University/Universitato Institute/Instituto College/Kolegio Academy/Akademio")
RIVER_WORDS = _translated("River/Rivero Brook/Rojo Stream/Fluo")
AWARD_WORDS = _translated("Prize/Premio Medal/Medalo Award/Honoro Cup/Pokalo")
GENRE_FIRST = _translated(
    "dark/malhela free/libera folk/folka acoustic/akustika modern/moderna progressive/progresa urban/urba "
    "southern/suda classic/klasika art/arta"
)
GENRE_SECOND = _translated(
    "rock/roko jazz/dzazo wave/ondo drama/dramo comedy/komedio noir/nigro swing/svingo"
)
MODIFIERS = _translated(
    "/ former/eks first/unua later/posta second/dua other/alia main/cefa honorary/honora regional/regiona "
    "early/frua alleged/supoza joint/kuna deputy/vica founding/fonda original/origina local/loka"
)
"""Before a relation that varies one of the ontology; the first is the ontology's own."""
