"""The board of a text: its own, one that it uses, or boards laid beside each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

from lark import Token, Tree

from rules_asp.parser import values
from rules_asp.parser.errors import ValueMistake, nearest
from rules_asp.parser.expect_lines import ExpectationBuilder
from rules_asp.parser.text import NOTHING
from rules_asp.terms import board as b
from rules_asp.terms.arguments import unquoted
from rules_asp.terms.grid import Grid, Hex, column_name, parse_hex
from rules_asp.terms.maps import (
    ABOVE,
    BELOW,
    LEFT,
    RIGHT,
    PlacementError,
    set_map_names,
    using_map_names,
)

#: The largest board: its columns have names of one letter or two alike.
MOST_COLUMNS, MOST_ROWS = 52, 75

_FIELD = re.compile(r"([A-Z]+)([0-9]+)-([A-Z]+)([0-9]+)")


#: What a board's place tells, in words.
_TWICE = {
    "label": "what the board is called",
    "turned": "that the board is turned",
    "columns": "what is left of the board",
    "rows": "what is left of the board",
    "half": "what is left of the board",
    "beside": "where the board lies",
}


def unfit(wrong: PlacementError) -> ValueMistake:
    """What is wrong with a place for a board."""
    return ValueMistake(wrong.message, wrong.known, nearest(wrong.word, wrong.known))


class BoardBuilder(ExpectationBuilder):
    """Makes what says which board it is, and where boards lie."""

    def make_board(
        self, name: Token, size: Token | None, first: Token | None
    ) -> tuple[b.Statement, ...]:
        """`board "church" grid 33x10`, `board "1b" grid 17x20 from Q1`."""
        if self.text.name is not None:
            self.fail(ValueMistake("this text has a `board` line already"), name)
        self.text.name = unquoted(name)
        if size is not None:
            self.text.grid = self.size(size, first)
            # A board of its own, whatever map it is used on: its hexes are its own.
            self.text.on = NOTHING
            set_map_names(NOTHING)
        return ()

    def size(self, said: Token, begins: Token | None) -> Grid:
        """`33x10`, `17x20 from Q1`."""
        cols, rows = map(int, said.split("x"))
        if not (1 <= cols <= MOST_COLUMNS and 1 <= rows <= MOST_ROWS):
            limits = f"a size from 1x1 to {MOST_COLUMNS}x{MOST_ROWS}"
            self.fail(ValueMistake(f"no map is {said} hexes large", [limits]), said)
        start = Hex(0, 1) if begins is None else self.hex(begins)
        if begins is not None and not (
            start.col % 2 == 0
            and start.col + cols <= MOST_COLUMNS
            and 1 <= start.row <= MOST_ROWS + 1 - rows
        ):
            even = "a hex of column A, C, E, ... of a row from 1 on"
            reach = f"to {column_name(MOST_COLUMNS - 1)}{MOST_ROWS} at most"
            self.fail(
                ValueMistake(f"no map of {said} hexes begins at {begins}", [even, reach]), begins
            )
        return Grid(cols, rows, start)

    def make_use(self, path: Token, *said: Tree[Token]) -> tuple[b.Use]:
        """`use "bd24.board"`, `use "bd24.board" turned right of 21`."""
        return (b.Use(unquoted(path), self.lay(said) if said else None),)

    def make_overlay(self, path: Token, own: Token, here: Token) -> tuple[b.Overlay]:
        """`overlay "st2.board" A1-A2 on 21M4-M5`."""
        with using_map_names(NOTHING):
            mine = self.hexes(own)
        return (b.Overlay(unquoted(path), mine, self.hexes(here)),)

    def hexes(self, said: Token) -> tuple[Hex, ...]:
        """A hex, or two neighbours in the order in which they are said."""
        if said.type == "HEX":
            return (self.hex(said),)
        self.side(said)
        return () if self.failed else self.read(values.read_chain, said, ())

    def make_part(
        self,
        label: Token,
        board: Token | None,
        size: Token,
        first: Token | None,
        *said: Tree[Token],
    ) -> tuple[b.Statement, ...]:
        """`part 24 grid 33x10 turned right of 21`: a board with nothing on it."""
        name = str(label) if board is None else unquoted(board)
        lay, grid = self.lay(said)._replace(label=str(label)), self.size(size, first)
        if not self.failed:
            try:
                self.text.place_board(b.Board(name, grid), lay)
            except PlacementError as wrong:
                self.fail(unfit(wrong), _token_of(wrong.word, said) or label)
        return ()

    def lay(self, said: Sequence[Tree[Token]]) -> b.BoardPlacement:
        """How a board lies; each thing is said once."""
        lay = b.BoardPlacement()
        for tree in said:
            new = self.placement_fields(str(tree.data), *cast("list[Token]", tree.children))
            for field, value in new.items():
                if getattr(lay, field) not in (None, False):
                    self.fail(ValueMistake(f"it is said twice {_TWICE[field]}"), _token(tree, said))
                lay = lay._replace(**{field: value})
        return lay

    def placement_fields(self, what: str, *said: Token) -> dict[str, Any]:
        """One thing about how a board lies, as fields of a Lay."""
        match what:
            case "lay_turned":
                return {"turned": True}
            case "lay_hexrows":
                first, last = said[0].split("-")
                return {"columns": (self.column(first, said[0]), self.column(last, said[0]))}
            case "lay_hexes":
                found = _FIELD.fullmatch(said[0])
                assert found is not None
                columns = self.column(found[1], said[0]), self.column(found[3], said[0])
                # The half hexes above row 1 come with it.
                return {"columns": columns, "rows": (max(1, int(found[2])), int(found[4]))}
            case "lay_half":
                return {"half": str(said[0])}
            case "lay_right":
                return {"beside": (RIGHT, str(said[0]))}
            case "lay_left":
                return {"beside": (LEFT, str(said[0]))}
            case "lay_below":
                return {"beside": (BELOW, str(said[0]))}
            case "lay_above":
                return {"beside": (ABOVE, str(said[0]))}
        return {"label": str(said[0])}

    def column(self, letters: str, where: Token) -> int:
        """The number of a column: A is 0, AA is 26."""
        if len(set(letters)) > 1:
            self.fail(ValueMistake(f"{letters} is no hexrow", ["A to Z, AA to ZZ"]), where)
            return 0
        return parse_hex(f"{letters}1")[1].col


def _token(tree: Tree[Token], said: Sequence[Tree[Token]]) -> Token:
    """A token by which to point at a part of what is said."""
    for each in (tree, *said):
        for child in each.children:
            if isinstance(child, Token):
                return child
    return Token("WORD", "")


def _token_of(word: str, said: Sequence[Tree[Token]]) -> Token | None:
    """The token that is this word."""
    tokens = (child for tree in said for child in tree.children if isinstance(child, Token))
    return next((each for each in tokens if word and str(each) == word), None)
