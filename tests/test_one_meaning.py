"""Every name of a hexside or a vertex means the same, and `C3` means `C3/0`.

Each line of the cases is said again in other names. It must be read as the same; where it is not, since the
order of two places is kept, the answers to the whole case must be the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rules_asp.game.board import Statement
from rules_asp.parser import parse
from rules_asp.parser.errors import BoardError
from rules_asp.positions.position import prepare
from tests.positions import program
from tests.sampling import some
from tests.test_cases import CASES, failed

_HEX = r"[A-Z]{1,2}\d{1,2}"
_CHAIN = re.compile(rf"(?<![\w\"/-]){_HEX}(?:-{_HEX})+(?![\w/-])")
_VERTEX = re.compile(rf"(?<![\w/\"])({_HEX})@({_HEX})-({_HEX})(?![\w/])")
#: Where a vertex is only a point, and does not say in which hex somebody is.
_POINT = re.compile(
    rf"(?P<before>\b(?:around |toward |(?:around|bypass|vbm)\()){_VERTEX.pattern}(?P<after>)"
)
_BARE = re.compile(rf"(?<![\w\"/@-]){_HEX}(?![\w/@-])")
#: Where a norm is broken, or a sight stopped, is a hex or a Location, and these are two.
_OR_HEX = re.compile(r"\b(violates|stopped)\(")
#: Lines in which a hex may be the Location at its ground level.
_PLACES = ("expect ", "unit ")


def _turned(line: str) -> Iterator[str]:
    """Hexsides, and stretches of road, from their other end."""
    yield _CHAIN.sub(lambda found: "-".join(reversed(found[0].split("-"))), line)


def _renamed(line: str) -> Iterator[str]:
    """Points by the other two of their hexes, and their hexes in the other order."""
    for names in (r"\4@\2-\3", r"\3@\4-\2", r"\2@\4-\3"):
        text = names
        yield _POINT.sub(
            lambda found, text=text: found["before"] + found.expand(text),  # type: ignore[misc]
            line,
        )


def _grounded(line: str) -> Iterator[str]:
    """The ground level of a hex by its number."""
    if line.startswith(_PLACES) and not _OR_HEX.search(line):
        for found in _BARE.finditer(line):
            yield f"{line[: found.end()]}/0{line[found.end() :]}"


def _said(line: str) -> tuple[Statement, ...]:
    return parse(f'board "x" grid 52x75\n{line}').statements


def _in_other_names(
    path: Path, others: Callable[[str], Iterator[str]], grounded: bool = False
) -> int:
    """How many lines of a case were said again."""
    text = path.read_text("utf-8")
    count, changed = 0, text
    for line in text.splitlines():
        if line.startswith(("#", "board", "use", "outline")) or line.endswith((",", "\\")):
            continue
        try:
            plain = _said(line)
        except BoardError:  # It goes on from the line above.
            continue
        for other in others(line):
            if other == line:
                continue
            try:
                again = _said(other)
            except BoardError:
                # A hex is no Location everywhere: not where the height of a building is asked.
                assert grounded, other
                continue
            count += 1
            if again != plain:
                # Who fires may be named as a hex is: then what is answered is the same.
                assert not grounded or " fires at " in line, (line, other)
                changed = changed.replace(line, other)
    if changed != text:
        assert failed(prepare(parse(changed), program())) == [], path.stem
    return count


@pytest.mark.parametrize("path", some(CASES, 12), ids=lambda path: path.stem)
def test_a_hexside_is_the_same_from_either_hex(path: Path) -> None:
    _in_other_names(path, _turned)


@pytest.mark.parametrize("path", some(CASES, 25), ids=lambda path: path.stem)
def test_the_ground_level_of_a_hex_is_its_hex(path: Path) -> None:
    _in_other_names(path, _grounded, grounded=True)


def test_a_point_is_the_same_by_whichever_of_its_hexes() -> None:
    named = [path for path in CASES if _POINT.search(path.read_text("utf-8"))]
    assert len(named) > 20
    for path in some(named, 12):
        assert _in_other_names(path, _renamed)


def test_lines_are_said_in_other_names_at_all() -> None:
    assert list(_turned("road dirt: B1-B2-B3")) == ["road dirt: B3-B2-B1"]
    assert list(_grounded("expect los C3 - D2/1 clear")) == ["expect los C3/0 - D2/1 clear"]
    assert list(_renamed("expect can A move to C4 around C3@C4-D3: yes")) == [
        "expect can A move to C4 around D3@C3-C4: yes",
        "expect can A move to C4 around C4@D3-C3: yes",
        "expect can A move to C4 around C3@D3-C4: yes",
    ]
