"""Random edits of boards for the tests of changes: counters, units, terrain, buildings, SSRs."""

from __future__ import annotations

import random
import re
from pathlib import Path

from rules_asp.boards.statement_ops import atomic_statements
from rules_asp.game.board import Board, Building, Expect, Statement, UnitStatement
from rules_asp.game.grid import Grid, Hex, Hexside, hexside_between
from rules_asp.parser import write
from tests.sampling import whole

CASES = sorted((Path(__file__).parent / "cases").glob("*.board"))
#: Lines that use another board, or correct one. Their first words show it: every process that collects tests
#: would otherwise parse all cases.
_OF_OTHERS = re.compile(r"^\s*(use|hex|hexside|ground|undrawn)\b", re.M)
_TEXTS = {path: path.read_text("utf-8") for path in CASES}
#: Boards without such lines.
PLAIN = [path for path, text in _TEXTS.items() if not _OF_OTHERS.search(text)]
#: Those of them with few expectations; all of them in a whole run.
LIGHT = PLAIN if whole() else [path for path in PLAIN if _TEXTS[path].count("\n") < 20]
#: What a line can add, of a hex H, its neighbour G, the hexside S between them, a floor F and a number N.
LINES = (
    *("woods: {H}", "orchard: {H}", "brush: {H}", "grain: {H}", "marsh: {H}", "stream: {H}"),
    *("wall: {S}", "hedge: {S}", "road paved: {H}-{G}", "road dirt: {H}-{G}", "level {N}: {H}"),
    *("hex {H} level {N}", "building brown: {H}", "building gray: {H} {G}   joined {S}"),
    *("hex {H} building gray", "hex {H} building no", "hexside {S} joined yes"),
    *("hexside {S} joined no", "hex {H} stairwell yes", "hex {H} stairwell no", "bar {S}"),
    *("hexside {S} bar no", "lumberyard: {H}", "marketplace: {H}", "symbol round: {H}"),
    *("rubble stone: {H}", "rubble wooden: {H}", "rubbled level 1: {H}", "collapsed {H}"),
    *("flame {H}{F}", "blaze {H}{F}", "smoke 2: {H}{F}", "wire {H}", "residual fp 4: {H}{F}"),
    *("breach {S}/0", "hidden breach {S}/1", "fortified hidden: {H}{F}", "fortified revealed: {H}"),
    *("mines ap 6 hidden: {H}", "level counter 1: {H}", "bridge stone: {H}", "narrow street {S}"),
    *("factory {H}", "rooftops", "third level {H} building", "third level {H} hex"),
    *("upper levels {N}: {H}", "roofless {H}", "access point {H}", "tower {H} obstacle 1"),
    *("rules B23 PB4", "rules B23 BRT7", "rules B23 PB6 ABTF3", "season winter", "night", "nvr 3"),
    *("weather mud rain", "turn 3 german mph", "month {N}", "sides german russian"),
    *("control german: {H}", "lv hindrance 1 from range 7", 'doubt {H} "is it there?"'),
    *("unit {U} squad 4-6-7 german at {H}{F}", "unit {U} leader russian at {H}{F}: broken"),
    *("unit {U} squad 4-6-7 german at {H}: PP {N}", "unit {U} vehicle german at {H}"),
    *("outline woods: {O}", "outline building: {O}", "outline ground 1: {O}"),
)


def edit(chance: random.Random, board: Board) -> tuple[bool, str]:
    """Return a random edit: whether it adds, and its line. The line need not fit the board."""
    taken = [
        each
        for statement in board.statements
        if not isinstance(statement, Expect)
        for each in (*atomic_statements(statement), statement)
    ]
    if taken and chance.random() < 0.4:
        return False, _line(chance.choice(taken))
    return True, filled(chance, board, chance.choice(LINES))


def filled(chance: random.Random, board: Board, line: str) -> str:
    """Fill a line with names of the board; half of the hexes are those of buildings, if any."""
    hexes = board.grid.hexes()
    built = [hex_ for each in board.statements if isinstance(each, Building) for hex_ in each.hexes]
    where = chance.choice(built if built and chance.random() < 0.5 else hexes)
    near = [each for each in where.neighbours() if each in set(hexes)] or [where]
    beside = chance.choice(near)
    x, y = where.centre
    return line.format(
        H=where,
        G=beside,
        S=_side(where, beside),
        F=chance.choice(("", "", "/1", "/2", "/roof")),
        N=chance.randint(0, 3),
        U=chance.choice(("Zz", "Yy", *_units(board))),
        O=f"{x - 9},{y} {x + 30},{y + 9} {x},{y + 30}",
    )


def _side(one: Hex, two: Hex) -> Hexside | str:
    return hexside_between(one, two) if one != two else str(one)


def _units(board: Board) -> list[str]:
    return [each.name for each in board.statements if isinstance(each, UnitStatement)]


def _line(statement: Statement) -> str:
    """Return a statement as text."""
    return "\n".join(write(Board("", Grid(0, 0), (statement,))).splitlines()[1:])
