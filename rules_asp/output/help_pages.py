"""The documentation as Markdown pages: files beside the code, and references that are generated from it.

A page has a topic, by which `rules-asp help` shows it, and a kind. The files of
`rules_asp/docs` have the kind of their folder. `kb` and `parser` hold the pages about the rules and the board
language.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module, resources
from importlib.resources.abc import Traversable

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
_JSON_MODULES = "rules_asp.output.answer_json", "rules_asp.lab.result_json"


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
