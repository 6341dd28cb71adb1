"""Commands of a saved game: tokens, the tree of commands, and the parts that stand outside pieces.

VASSAL nests its texts: a delimiter within a token has a backslash before it, one more for each level. So a
text is never split by a pattern; it is decoded level by level.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rules_asp.runtime.limits import size_limit, too_large_message
from rules_asp.saves.container import SaveError

ESCAPE = "\x1b"
_LOG = "LOG\t"
_NUMBER = re.compile(r"-?\d{1,7}")


def split(text: str, delimiter: str) -> list[str]:
    """The tokens of a text; a delimiter with a backslash before it belongs to its token."""
    tokens: list[str] = []
    parts: list[str] = []
    for part in text.split(delimiter):
        if part.endswith("\\"):
            parts.append(part[:-1])
            continue
        token = delimiter.join((*parts, part)) if parts else part
        parts.clear()
        tokens.append(_unquoted(token))
    if parts:  # a backslash before no delimiter is one
        tokens.append(_unquoted(delimiter.join(parts) + "\\"))
    return tokens


def _unquoted(token: str) -> str:
    """The token without the quotation marks that protect a backslash at its end."""
    return token[1:-1] if len(token) > 1 and token[0] == token[-1] == "'" else token


def nested(text: str, delimiter: str) -> list[str]:
    """The levels of a text of which each second token holds the rest, the outermost first."""
    levels: list[str] = []
    rest = text
    while True:
        first, *more = split(rest, delimiter)
        levels.append(first)
        if len(levels) > size_limit("traits"):
            raise SaveError(too_large_message("traits"))
        if not more:
            return levels
        rest = more[0]


def number(text: str) -> int | None:
    """A whole number that a file says; None where it says none."""
    return int(text) if _NUMBER.fullmatch(text.strip()) else None


@dataclass(frozen=True)
class CommandList:
    """The commands of a file in the order of execution: those of the save, then those of each log step."""

    save: tuple[str, ...]
    steps: tuple[tuple[str, ...], ...]


def read_commands(text: str) -> CommandList:
    """The commands of a saved game; SaveError for what is no saved game."""
    tokens = split(text, ESCAPE)
    if tokens[0] != "begin_save":
        raise SaveError("savedGame does not begin with a saved position")
    count = 0
    save: list[str] = []
    steps: list[tuple[str, ...]] = []
    for token in tokens[1:]:
        found = []
        for command in _flat(token, 1):
            found.append(command)
            count += 1
            if count > size_limit("commands"):
                raise SaveError(too_large_message("commands"))
        if found and found[0].startswith(_LOG):
            steps.append(tuple(each.removeprefix(_LOG) for each in found))
        else:
            save += found
    if "end_save" not in save:
        raise SaveError("savedGame has no end of the saved position")
    if any(each.startswith("ENABLE_DOUBLE_BLIND:true") for each in save):
        raise SaveError(
            "this is a double-blind game, which does not mark the pieces that each player may see"
        )
    return CommandList(tuple(save), tuple(steps))


def _flat(text: str, depth: int) -> Iterator[str]:
    """A command with all commands under it, each before those under it."""
    if depth > size_limit("nested-commands"):
        raise SaveError(too_large_message("nested-commands"))
    first, *below = split(text, ESCAPE)
    yield first
    for each in below:
        yield from _flat(each, depth + 1)


@dataclass(frozen=True)
class TurnInfo:
    """What the turn window of VASL says: the side whose Player Turn it is, the Game Turn, ELR, SAN.

    Secret words and private notes follow in the file and are not read.
    """

    player: str
    turn: int | None
    values: tuple[tuple[str, str], ...] = ()


def turn_info(commands: tuple[str, ...]) -> TurnInfo | None:
    """The turn window after some commands, where there is one."""
    found = [each for each in commands if each.startswith("INFO\t")]
    if not found:
        return None
    # Nothing after the fourth number is looked at: passwords stand there.
    words = (found[-1].split("\t", 8) + [""] * 9)[:8]
    values = tuple(
        (name, str(value))
        for name, text in zip(
            ("Axis ELR", "Axis SAN", "Allied ELR", "Allied SAN"), words[4:8], strict=True
        )
        if (value := number(text)) is not None
    )
    player = words[2] if words[2] in ("Axis", "Allied") else ""
    return TurnInfo(player, number(words[3]), values)


def extensions(commands: tuple[str, ...]) -> tuple[str, ...]:
    """The names of the extensions of VASL that were loaded."""
    found = [each.split("\t")[1] for each in commands if each.startswith("EXT\t")]
    return tuple(sorted({"".join(c for c in each if c.isprintable())[:60] for each in found}))


def board_command(commands: tuple[str, ...]) -> str:
    """The description of the boards; SaveError where a file describes different ones."""
    found = {each for each in commands if each == "bd" or each.startswith("bd\t")}
    described = {each for each in found if each.strip("\t") != "bd"}
    if len(described) > 1:
        raise SaveError("two descriptions of the boards differ")
    return next(iter(described), "")
