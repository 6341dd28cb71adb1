"""The glossary: topics, forms with their sentences, predicates, and the members of kinds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rules_asp.game.values import QUOTED, SCALES, word_text
from rules_asp.game.vocabulary import ChangeKind, Vocabulary, default_vocabulary

#: The syntax of kinds without a list of members.
_SAID = {
    "hex": "a hex such as U4",
    "hexside": "a hexside such as U4-V3",
    "spot": "a hex, or a vertex such as K13@L12-K12",
    "location": "a Location such as U4 or U4/1, or a unit that stands there, in quotes",
    "party": 'a unit, in quotes: "A", or a Location such as U4/1, and then whoever is there',
    "sight": "two Locations or units such as U4/1 - V3",
    "unit": 'the name of a unit of the board, in quotes: "A"',
    "side": "a side or nationality of the board, such as german",
    "norm": 'the id of a norm, in quotes: "B23.71-5"',
    "topic": "a topic or a deed, such as height(U4)",
    "reason": "why something is unknown; best left open",
    "floor": "0, 1, 2, ... or roof, steeple, tower",
    "corner": "a vertex of a hex by its number, 0 (upper right) to 5, clockwise",
}


@dataclass(frozen=True)
class GlossaryEntry:
    """A topic, form or predicate: its name and kinds, its meaning, and its sentences.

    said: for kinds with phrases, all phrases: `CAUSE: with a MOL, without a MOL`.
    """

    form: str
    sense: str
    sentences: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


@dataclass(frozen=True)
class KindEntry:
    """A kind of arguments: its words and forms, and its syntax if it has none."""

    name: str
    members: tuple[str, ...]
    sense: str = ""


def kind_entry(word: str | None) -> KindEntry | None:
    """Return the entry of a kind; None for another word."""
    known = default_vocabulary()
    kind = (word or "").replace("-", "_").lower()
    members = [word_text(each, kind) for each in known.words.get(kind, ())]
    members += [each.form for each in known.forms.values() if each.kind == kind]
    if members:
        return KindEntry(kind, tuple(members))
    if kind in _SAID:
        return KindEntry(kind, (), _SAID[kind])
    if kind in SCALES:
        return KindEntry(kind, (), "a number")
    return KindEntry(kind, (), "a text in quotes") if kind in QUOTED else None


def glossary(word: str | None = None) -> list[GlossaryEntry]:
    """Return all entries; for a word, those with it in name, meaning or sentence, or of that kind."""
    kind = (word or "").replace("-", "_").lower()
    entries = list(_entries(default_vocabulary()))
    of_kind = [told for of, told in entries if of == kind and word is not None]
    if of_kind:
        return of_kind
    return [
        told
        for _, told in entries
        if word is None
        or word.casefold() in " ".join((told.form, told.sense, *told.sentences)).casefold()
    ]


def known_words() -> list[str]:
    """Return the names and kinds that can be looked up."""
    known = default_vocabulary()
    return [*known.names(), *known.forms, *known.words, *_SAID, "change"]


def _entries(known: Vocabulary) -> Iterator[tuple[str, GlossaryEntry]]:
    """Yield each entry, with its kind if it is a form."""
    for topic in known.topics.values():
        yield (
            "",
            GlossaryEntry(
                f"{topic.form} = {topic.value}", topic.meaning, _sentences(known, topic.name)
            ),
        )
    for form in known.forms.values():
        article = "an" if form.kind[0] in "aeiou" else "a"
        told = GlossaryEntry(
            f"{form.form}, {article} {form.kind}",
            form.meaning,
            _sentences(known, form.name),
            tuple(_phrases(known, form.kinds)),
        )
        yield form.kind, told
    for entry in (*known.derived.values(), *known.inputs.values()):
        yield "", GlossaryEntry(entry.form, entry.meaning)
    for change in known.changes.values():
        yield (
            "change",
            GlossaryEntry(f"{change.name}, a change of {_SCOPES[change.scope]}", _listed(change)),
        )


def _phrases(known: Vocabulary, kinds: Iterable[str]) -> Iterator[str]:
    """Yield the phrases of each kind that has them, the first spelling of each."""
    for kind in dict.fromkeys(kinds):
        found = [
            " ".join(word.partition("/")[0] for word in text.split())
            for (of, _), text in known.phrases.items()
            if of == kind
        ]
        if found:
            yield f"{kind.upper().replace('_', '-')}: {', '.join(found)}"


#: The scope of a kind of change, in words.
_SCOPES = {"play": "play", "scenario": "the scenario", "map": "the map"}


def _listed(change: ChangeKind) -> str:
    return ", ".join(each.replace("_", " ") for each in change.inputs)


#: Slots of a sentence outside the form.
_OF_NO_PLACE = {"{0}": "UNIT", "{course}": "COURSE", "{turns}": "NUMBER"}


def _sentences(known: Vocabulary, name: str) -> tuple[str, ...]:
    """Return the sentences of a form, with the kinds of their slots."""
    found = []
    for sentence in known.sentences_of(name):
        kinds = known.entry_of(sentence).kinds
        text = sentence.text
        for slot, told in _OF_NO_PLACE.items():
            text = text.replace(slot, told)
        for place, kind in enumerate(kinds, 1):
            for slot in (f"{{{place}@{place + 1}}}", f"{{{place}/{place + 1}}}"):
                told = "VERTEX" if "@" in slot else "HEXSIDE/LEVEL"
                text = text.replace(slot, told)
            text = text.replace(f"{{{place}}}", kind.upper().replace("_", "-"))
        found.append(text)
    return tuple(found)
