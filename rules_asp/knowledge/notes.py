"""The user's notes on rules, by number:

Q&A, errata and annotations, shown with answers that cite the rule.

They are read from a folder in the format of the free program asl-rulebook2: `annotations.json`,
`errata/*.json` and `q+a/*.json`; each of the last two has a `sources.json` with the full names of
sources. No notes are included. They are untrusted data: sizes are limited, and their content is
shown as plain text.
"""

from __future__ import annotations

import html
import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rules_asp import RulesAspError
from rules_asp.runtime.limits import size_limit, too_large_message

#: The names of the kinds of notes, in display order.
ANNOTATION, ERRATUM, QA = "note", "erratum", "Q&A"
_SOURCES, _FIXUPS = "sources.json", "fixups.json"
#: HTML tags that begin a new line, other tags, and repeated spaces.
_BREAK = re.compile(r"<\s*/?\s*(?:p|br|li|ul|ol|div|tr)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[!/]?[A-Za-z][^<>]*>")
_BLANK = re.compile(r"[^\S\n]+")
_ID = re.compile(r"[A-Z0-9:.\[\]()-]{1,40}", re.IGNORECASE)


class NotesError(RulesAspError):
    """An error in a folder of notes, with its place."""


@dataclass(frozen=True)
class Note:
    """A note on a rule, as plain text: a question with its answers, an erratum, or an annotation.

    caption: the subject of a question; source: the author, if known.
    """

    kind: str
    rule: str
    text: str
    caption: str = ""
    answers: tuple[tuple[str, str], ...] = ()
    source: str = ""


@dataclass(frozen=True)
class Notes:
    """All notes of a folder, by the number of the rule."""

    by_rule: Mapping[str, tuple[Note, ...]] = field(default_factory=dict)

    def on(self, rules: Iterable[str]) -> list[Note]:
        """Return the notes on some rule numbers, in order."""
        return [
            note for rule in dict.fromkeys(rules) for note in self.by_rule.get(rule.upper(), ())
        ]


def configured(key: str = "notes") -> Path | None:
    """Return the folder in the user's config file; NotesError for a file that cannot be read."""
    home = os.environ.get("XDG_CONFIG_HOME")
    top = Path(home) if home else Path.home() / ".config"
    path = top / "rules-asp" / "config.toml"
    try:
        if not path.is_file():
            return None
    except (OSError, RuntimeError):
        return None
    data = _data(path, "config")
    try:
        said = tomllib.loads(_decoded(path, data))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise NotesError(f"{path}: the file is not valid TOML: {error}") from None
    folder = said.get(key)
    if folder is None:
        return None
    if not isinstance(folder, str):
        raise NotesError(f'{path}: {key} must be the name of a folder, such as {key} = "asl/{key}"')
    return path.parent / Path(folder).expanduser()


def read_notes(folder: Path | str) -> Notes:
    """Read the notes in a folder; NotesError with the file and the mistake."""
    top = Path(folder)
    if not top.is_dir():
        raise NotesError(f"the folder {top} does not exist")
    files = _Files(top)
    found: dict[str, list[Note]] = {}
    for note in (*_annotations(files), *_errata(files), *_questions(files)):
        found.setdefault(note.rule, []).append(note)
    if not files.read:
        raise NotesError(
            f"the folder {top} has no notes: it needs annotations.json, errata/*.json or q+a/*.json"
        )
    return Notes({rule: tuple(notes) for rule, notes in found.items()})


class _Files:
    """The JSON files of a folder of notes, limited in total size."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.read = 0
        self._left = size_limit("notes")

    def within(self, folder: str) -> list[Path]:
        """Return the note files of a subfolder, by name."""
        found = sorted((self.top / folder).glob("*.json"))
        if len(found) > size_limit("note-files"):
            raise NotesError(f"{self.top / folder}: {too_large_message('note-files')}")
        return [each for each in found if each.name not in (_SOURCES, _FIXUPS)]

    def json(self, path: Path) -> Any:
        """Return the content of a file; None if it does not exist."""
        if path.is_symlink() or path.parent.is_symlink():
            raise NotesError(f"{path} is a symbolic link: copy the notes into the folder itself")
        if not path.exists():
            return None
        data = _data(path, "notes", self._left)
        self._left -= len(data)
        self.read += 1
        try:
            return json.loads(_decoded(path, data), parse_constant=_no_number)
        except json.JSONDecodeError as error:
            raise NotesError(
                f"{path}:{error.lineno}:{error.colno}: the file is not valid JSON: {error.msg}"
            ) from None
        except RecursionError:
            raise NotesError(
                f"{path}: the file is not valid JSON: it is nested too deeply"
            ) from None
        except ValueError as error:
            raise NotesError(f"{path}: the file is not valid JSON: {error}") from None

    def sources(self, folder: str) -> dict[str, str]:
        """Return the full names of sources by short name."""
        path = self.top / folder / _SOURCES
        said = self.json(path)
        if said is None:
            return {}
        entry = _Entry(path, "the file", said)
        return {key: plain_text(entry.text(key)) for key in entry.fields()}


class _Entry:
    """A part of a file under validation; NotesError if it is malformed."""

    def __init__(self, path: Path, where: str, said: Any) -> None:
        self.path = path
        self.where = where
        self.said = said

    def wrong(self, what: str) -> NotesError:
        return NotesError(f"{self.path}: {self.where}: {what}")

    def fields(self) -> dict[str, Any]:
        """Return its keys with their values."""
        if not isinstance(self.said, dict):
            raise self.wrong("expected a JSON object, such as {...}")
        return self.said

    def text(self, key: str, must: bool = True) -> str:
        """Return a text; empty if it is optional and missing."""
        said = self.fields().get(key, None if must else "")
        if not isinstance(said, str):
            raise self.wrong(f'"{plain_text(key)[:40]}" must be a string')
        return said

    def rule(self, said: Any) -> str:
        """Return the number of a rule."""
        if not isinstance(said, str) or not _ID.fullmatch(said.strip()):
            raise self.wrong('expected a rule number, such as "B23.71"')
        return said.strip().upper()

    def entries(self, key: str | None = None, must: bool = True) -> Iterator[_Entry]:
        """Yield the members of a list."""
        said = self.said if key is None else self.fields().get(key, None if must else [])
        name = "" if key is None else f'"{key}" '
        if not isinstance(said, list):
            raise self.wrong(f"{name}must be a list, such as [...]")
        for number, each in enumerate(said, 1):
            about = (
                f"entry {number}" if self.where == "the file" else f"{self.where}, {name}{number}"
            )
            yield _Entry(self.path, about.strip(), each)


def _annotations(files: _Files) -> Iterator[Note]:
    yield from _contents(files, [files.top / "annotations.json"], ANNOTATION, {})


def _errata(files: _Files) -> Iterator[Note]:
    yield from _contents(files, files.within("errata"), ERRATUM, files.sources("errata"))


def _contents(
    files: _Files, paths: Sequence[Path], kind: str, sources: Mapping[str, str]
) -> Iterator[Note]:
    """Yield entries of a rule with its content: [{"ruleid": ..., "content": ...}, ...]."""
    for path in paths:
        said = files.json(path)
        for each in _Entry(path, "the file", said).entries() if said is not None else ():
            rule = each.rule(each.fields().get("ruleid"))
            text, source = (
                plain_text(each.text("content")),
                plain_text(each.text("source", must=False)),
            )
            yield Note(kind, rule, text, source=sources.get(source, source))


def _questions(files: _Files) -> Iterator[Note]:
    """{"Chapter B": [{"caption", "ruleids", "content": [{"question", "answers": [[text, source]]}]}]}."""
    sources = files.sources("q+a")
    for path in files.within("q+a"):
        top = _Entry(path, "the file", files.json(path))
        for chapter in top.fields():
            for each in _Entry(path, plain_text(chapter)[:40], top.said[chapter]).entries():
                rules = [each.rule(it.said) for it in each.entries("ruleids", must=False)]
                caption = plain_text(each.text("caption", must=False))
                for asked in each.entries("content", must=False):
                    question = plain_text(asked.text("question", must=False))
                    answers = tuple(
                        _answer(it, sources) for it in asked.entries("answers", must=False)
                    )
                    for rule in dict.fromkeys(rules):
                        yield Note(QA, rule, question, caption, answers)


def _answer(entry: _Entry, sources: Mapping[str, str]) -> tuple[str, str]:
    """Return the answer and its author."""
    said = entry.said
    if not (
        isinstance(said, list) and 1 <= len(said) <= 2 and all(isinstance(e, str) for e in said)
    ):
        raise entry.wrong('an answer must be a list such as ["Yes.", "Source"]')
    source = plain_text(said[1]) if len(said) > 1 else ""
    return plain_text(said[0]), sources.get(source, source)


def plain_text(text: str) -> str:
    """Return a text without HTML and control characters, cut to the limit of a note."""
    text = _TAG.sub("", _BREAK.sub("\n", text))
    text = html.unescape(text)
    shown = "".join(c if c.isprintable() or c == "\n" else " " for c in text)
    lines = (_BLANK.sub(" ", line).strip() for line in shown.split("\n"))
    text = "\n".join(line for line in lines if line)
    longest = size_limit("note")
    return text if len(text) <= longest else f"{text[:longest].rstrip()} ..."


def _data(path: Path, size: str, left: int | None = None) -> bytes:
    """Return the content of a file if its size is within the limits."""
    largest = size_limit(size) if left is None else left
    with path.open("rb") as file:
        data = file.read(largest + 1)
    if len(data) > largest:
        raise NotesError(f"{path}: {too_large_message(size)}")
    return data


def _decoded(path: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise NotesError(f"{path}:{line}: the file is not UTF-8 text") from None


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not a number")
