"""Kinds of things and the relations between them, with a word for each in the two invented languages."""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """A kind of entity."""

    left: str
    right: str
    share: float
    """Of all entities. Countries and genres are few, so they become hubs."""


class BaseRelation(NamedTuple):
    """A relation from things of one kind to things of another."""

    left: str
    right: str
    domain: str
    range: str
    tails: float = 1.05
    """How many tails a head that has the relation has on average."""


KINDS = (
    Kind("person", "homo", 0.30),
    Kind("city", "grado", 0.16),
    Kind("country", "lando", 0.012),
    Kind("film", "kino", 0.11),
    Kind("company", "firmo", 0.07),
    Kind("band", "bando", 0.05),
    Kind("album", "albo", 0.09),
    Kind("club", "klubo", 0.06),
    Kind("university", "studejo", 0.04),
    Kind("genre", "zanro", 0.008),
    Kind("book", "libro", 0.05),
    Kind("river", "fluvo", 0.03),
    Kind("award", "premo", 0.012),
    Kind("language", "lingvo", 0.008),
)

BASE_RELATIONS = (
    # In order of frequency. The first relation of each kind points to itself or to an earlier kind, so that a
    # world with few kinds or few relations is closed.
    BaseRelation("starring", "aktoro", "film", "person", 3.6),
    BaseRelation("birthPlace", "urodloko", "person", "city", 1.1),
    BaseRelation("playsFor", "ludas", "person", "club", 3.2),
    BaseRelation("genre", "zanro", "band", "genre", 2.2),
    BaseRelation("country", "lando", "city", "country"),
    BaseRelation("nationality", "naciono", "person", "country", 1.1),
    BaseRelation("successor", "posteulo", "person", "person", 1.25),
    BaseRelation("predecessor", "antaulo", "person", "person", 1.25),
    BaseRelation("filmCountry", "kinolando", "film", "country", 1.3),
    BaseRelation("albumGenre", "albozanro", "album", "genre", 1.8),
    BaseRelation("artist", "artisto", "album", "band"),
    BaseRelation("director", "rezisoro", "film", "person", 1.1),
    BaseRelation("style", "stilo", "person", "genre", 1.4),
    BaseRelation("recordLabel", "etikedo", "album", "company", 1.2),
    BaseRelation("deathPlace", "mortloko", "person", "city", 1.1),
    BaseRelation("almaMater", "studloko", "person", "university", 1.3),
    BaseRelation("producer", "produktoro", "film", "person", 1.7),
    BaseRelation("member", "membro", "band", "person", 3.0),
    BaseRelation("previousAlbum", "antaualbo", "album", "album"),
    BaseRelation("nextAlbum", "postalbo", "album", "album"),
    BaseRelation("associatedBand", "samgrupo", "band", "band", 1.9),
    BaseRelation("writer", "verkisto", "film", "person", 1.5),
    BaseRelation("twinTown", "fratgrado", "city", "city", 2.2),
    BaseRelation("clubCity", "klubgrado", "club", "city"),
    BaseRelation("industryCountry", "firmlando", "company", "country", 1.2),
    BaseRelation("headquarters", "sidejo", "company", "city", 1.1),
    BaseRelation("filmLanguage", "kinolingvo", "film", "language", 1.2),
    BaseRelation("distributor", "distribuo", "film", "company", 1.3),
    BaseRelation("spouse", "edzo", "person", "person", 1.1),
    BaseRelation("award", "premo", "person", "award", 1.4),
    BaseRelation("location", "studgrado", "university", "city"),
    BaseRelation("author", "autoro", "book", "person", 1.1),
    BaseRelation("mayor", "urbestro", "city", "person"),
    BaseRelation("hometown", "hejmgrado", "band", "city", 1.1),
    BaseRelation("signedTo", "bandetikedo", "band", "company", 1.4),
    BaseRelation("founder", "fondinto", "company", "person", 1.3),
    BaseRelation("employer", "dunganto", "person", "company", 1.3),
    BaseRelation("residence", "logloko", "person", "city", 1.1),
    BaseRelation("musicBy", "muziko", "film", "person", 1.1),
    BaseRelation("parent", "gepatro", "person", "person", 1.5),
    BaseRelation("child", "infano", "person", "person", 1.7),
    BaseRelation("manager", "trejnisto", "club", "person", 1.2),
    BaseRelation("subsidiary", "filio", "company", "company", 1.8),
    BaseRelation("owner", "posedanto", "company", "company", 1.1),
    BaseRelation("albumProducer", "alboproduktoro", "album", "person", 1.5),
    BaseRelation("bookCountry", "librolando", "book", "country"),
    BaseRelation("publisher", "eldonejo", "book", "company", 1.1),
    BaseRelation("bookLanguage", "librolingvo", "book", "language"),
    BaseRelation("mouth", "fluejo", "river", "city"),
    BaseRelation("riverCountry", "fluvolando", "river", "country", 1.4),
    BaseRelation("capital", "cefurbo", "country", "city"),
    BaseRelation("tributary", "alfluo", "river", "river", 1.9),
    BaseRelation("crosses", "trafluas", "river", "city", 2.2),
    BaseRelation("previousBook", "antaulibro", "book", "book"),
    BaseRelation("nextBook", "postlibro", "book", "book"),
    BaseRelation("bookGenre", "librozanro", "book", "genre", 1.3),
    BaseRelation("memberOf", "bandano", "person", "band", 1.3),
    BaseRelation("notableWork", "cefverko", "person", "book", 1.3),
    BaseRelation("influencedBy", "influinto", "person", "person", 1.8),
    BaseRelation("rector", "rektoro", "university", "person"),
    BaseRelation("affiliation", "studligo", "university", "university", 1.5),
    BaseRelation("headOfState", "statestro", "country", "person", 1.2),
    BaseRelation("officialLanguage", "statlingvo", "country", "language", 1.3),
    BaseRelation("borders", "najbaro", "country", "country", 3.0),
    BaseRelation("derivedFrom", "devenas", "genre", "genre", 1.6),
    BaseRelation("stylisticOrigin", "zanrolando", "genre", "country"),
    BaseRelation("basedOn", "lau", "film", "book"),
    BaseRelation("rival", "rivalo", "club", "club", 1.4),
    BaseRelation("sponsor", "sponsoro", "club", "company", 1.2),
    BaseRelation("nearestCity", "apudgrado", "city", "city"),
    BaseRelation("onRiver", "cefluvo", "city", "river", 1.1),
    BaseRelation("presentedBy", "donanto", "award", "company"),
    BaseRelation("firstWinner", "unuapremito", "award", "person"),
    BaseRelation("awardCountry", "premolando", "award", "country"),
    BaseRelation("spokenIn", "parolata", "language", "country", 2.2),
    BaseRelation("languageFamily", "lingvaro", "language", "language", 1.2),
)
