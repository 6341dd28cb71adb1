"""A mistake is told by the right line, or by the right name of what is meant."""

from __future__ import annotations

import pytest

from rules_asp.cli.lines_said import Amiss, line_said
from rules_asp.parser import BoardError, parse, parse_deed


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("snow", "weather ground-snow"),
        ("observer A at C3", "expect los C1/+3 - G3 clear"),
        ("unit L leader 9-2 german at C3", "leadership -1"),
        ("month january", "month 7"),
    ],
)
def test_a_line_that_is_said_otherwise_is_told_rightly(line: str, told: str) -> None:
    with pytest.raises(BoardError) as error:
        parse(f'board "x" grid 4x4\n{line}\n')
    assert told in str(error.value)


def test_a_unit_that_is_called_as_an_article_is_quoted() -> None:
    with pytest.raises(BoardError, match='"a" names a unit'):
        parse_deed("a moves to C4")
    assert parse_deed('"a" moves to C4')


def test_what_tells_a_cost_is_named() -> None:
    with pytest.raises(Amiss) as error:
        line_said("cost A to C4")
    assert "moves" in str(error.value)
