"""The documentation as Markdown pages: files beside the code, and references that are generated from it.

The glossary lists topics, forms with their sentences, predicates, and the members of kinds.
A page has a topic, by which `rules-asp help` shows it, and a kind. The files of
`rules_asp/docs` have the kind of their folder. `kb` and `parser` hold the pages about the rules and the board
language.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module, resources
from importlib.resources.abc import Traversable

from rules_asp.game.values import QUOTED, SCALES, word_text
from rules_asp.game.vocabulary import ChangeKind, Vocabulary, default_vocabulary

#: The kinds of pages in the order of their list, each with its folder.
KINDS = {
    "tutorial": "Tutorial",
    "howto": "How-to guides",
    "reference": "Reference",
    "explanation": "Explanation",
}
#: A pointer to a page, as texts print it.
_POINTER = re.compile(r"`rules-asp help ([a-z][a-z-]*)`")
#: The topics of README files, by package.
_README_TOPICS = {"rules_asp.parser": "boards", "rules_asp.kb": "kb"}
#: The modules whose docstrings describe JSON records.
_JSON_MODULES = "rules_asp.output.json_schema", "rules_asp.lab.result_json"


@dataclass(frozen=True)
class HelpPage:
    """A page of the documentation; `read` returns its Markdown text."""

    topic: str
    kind: str
    title: str
    read: Callable[[], str]


@cache
def help_pages() -> Mapping[str, HelpPage]:
    """All pages by topic, in the order of their kinds and of their topics."""
    found = [
        HelpPage("api", "reference", "The Python API", _api_text),
        HelpPage("json", "reference", "JSON output", _json_text),
    ]
    docs = resources.files("rules_asp").joinpath("docs")
    found += [_file_page(each, "tutorial") for each in _markdown_files(docs)]
    for kind in KINDS:
        found += [_file_page(each, kind) for each in _markdown_files(docs.joinpath(kind))]
    for package, topic in _README_TOPICS.items():
        for each in _markdown_files(resources.files(package)):
            page = _file_page(each, "reference")
            found.append(replace(page, topic=topic) if page.topic == "readme" else page)
    order = list(KINDS)
    found.sort(key=lambda page: (order.index(page.kind), page.topic))
    return {page.topic: page for page in found}


def link_pages(text: str, target: Callable[[str], str | None]) -> str:
    """Markdown whose pointers to pages are links; `target` gives the address of a topic, or None."""

    def link(found: re.Match[str]) -> str:
        address = target(found[1])
        return found[0] if address is None else f"[{found[0]}]({address})"

    return _POINTER.sub(link, text)


def pointers(text: str) -> set[str]:
    """The topics that a text points to."""
    return set(_POINTER.findall(text))


def html_body(text: str) -> str:
    """The Markdown of a page as HTML."""
    from markdown_it import MarkdownIt

    return str(MarkdownIt("commonmark", {"html": False}).enable("table").render(text))


def _markdown_files(folder: Traversable) -> list[Traversable]:
    if not folder.is_dir():
        return []
    return [each for each in folder.iterdir() if each.name.endswith(".md")]


def _file_page(file: Traversable, kind: str) -> HelpPage:
    read = partial(file.read_text, encoding="utf-8")
    title = read().partition("\n")[0].removeprefix("# ")
    return HelpPage(file.name.removesuffix(".md").lower(), kind, title, read)


def _json_text() -> str:
    """The page of JSON records: the docstrings of the modules that make them."""
    parts = ["# JSON output\n\nThis page is for programmers who read the output of `--json`.\n"]
    for name, title in zip(_JSON_MODULES, ("Answers", "Searches of the lab"), strict=True):
        parts.append(f"## {title}\n\n{inspect.getdoc(import_module(name))}\n")
    return "\n".join(parts)


def _api_text() -> str:
    """The page of the Python API: signature and docstring of each public name."""
    api = import_module("rules_asp.api")
    parts = ["# The Python API\n\nThis page is for programmers. It lists all of `rules_asp.api`.\n"]
    for name in api.__all__:
        thing = getattr(api, name)
        if not callable(thing):
            members = ", ".join(f"`{each.__name__}`" for each in thing)
            parts.append(f"## {name}\n\nA tuple of {members}.\n")
            continue
        word = "class " if inspect.isclass(thing) else ""
        doc = inspect.getdoc(thing) or ""
        parts.append(f"## {name}\n\n```python\n{word}{name}{_signature(thing)}\n```\n\n{doc}\n")
    return "\n".join(parts)


def _signature(thing: Callable[..., object]) -> str:
    """A signature without the quotes of deferred annotations; `(...)` for one that Python cannot show."""
    try:
        text = str(inspect.signature(thing))
    except ValueError:
        return "(...)"
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)
    # A default that Python shows by its place in memory would differ in each run.
    return re.sub(r"<[^<>]*? at 0x[0-9a-f]+>|<factory>", "...", text)


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
    """Return the entry of a kind, or of the kind of a word without an entry; else None."""
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
    if kind in QUOTED:
        return KindEntry(kind, (), "a text in quotes")
    of = next((name for name, words in known.words.items() if kind in words), None)
    return kind_entry(of) if of and not glossary(word) else None


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
