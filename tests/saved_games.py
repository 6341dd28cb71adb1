"""Saved games in the format of VASL, made by the tests' own writer.

A position is a list of stacks; each stack is a place in pixels with pieces from bottom to top. Nothing here
comes from VASL: types and states are as short as the format allows.
"""

from __future__ import annotations

import lzma
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rules_asp.game.grid import Hex

ESCAPE = "\x1b"
#: The secret words of the players in all files written here.
SECRETS = ("axis-secret-word", "allied-secret-word")
MODULE = '<?xml version="1.0"?><data version="1"><version>{}</version><name>{}</name></data>'


def join(tokens: Sequence[str], delimiter: str) -> str:
    """Tokens as one text, as VASSAL nests them."""
    return delimiter.join(_escaped(each, delimiter) for each in tokens)


def _escaped(token: str, delimiter: str) -> str:
    text = token.replace(delimiter, "\\" + delimiter)
    if token.endswith("\\") or (len(token) > 1 and token[0] == token[-1] == "'"):
        return f"'{text}'"
    return text


def nest(levels: Sequence[str], delimiter: str = "\t") -> str:
    """Levels as one text, the outermost first."""
    text = levels[-1]
    for each in reversed(levels[:-1]):
        text = join((each, text), delimiter)
    return text


@dataclass(frozen=True)
class Piece:
    """A piece: the name beneath all layers, and the layers as (names, level shown), innermost first."""

    basic: str
    layers: tuple[tuple[tuple[str, ...], int], ...] = ()
    nation: str = ""
    unit: bool = False
    hidden: bool = False
    concealed: bool = False
    mark: bool = False
    overlay: bool = False
    info: str = ""
    number: str = "1234"

    def traits(self) -> list[tuple[str, str]]:
        """Types and states of its traits, the outermost first."""
        found = [("label;key", "a label"), (f"info;{self.info}", "")]
        found.append(("hide;72,130;HIP;;player:", SECRETS[0] if self.hidden else "null"))
        if self.mark:
            found.append((f"concealment;{SECRETS[1]};{self.nation}", ""))
        elif self.nation:
            state = f"{SECRETS[1]};x" if self.concealed else "null"
            found.append((f"conceal;67,130;c.gif;{self.nation};;x", state))
        if self.overlay:
            found.append(("immob;DO/a", ""))
        found.append(("mark;DBCounterType", "unit" if self.unit else "common"))
        for names, level in reversed(self.layers):
            images = ",".join("i.gif" for _ in names)
            words = ["emb2", *[""] * 15, images, join(names, ","), "", "layer"]
            found.append((join(words, ";"), str(level)))
        return found

    def command(self, name: str, place: tuple[str, int, int]) -> str:
        """The command that adds it."""
        types, states = self.text(place)
        return join(("+", name, types, states), "/")

    def text(self, place: tuple[str, int, int]) -> tuple[str, str]:
        """Its type and its state at a place."""
        map_, x, y = place
        traits = self.traits()
        types = [each for each, _ in traits] + [f"piece;C;D;i.gif;{self.basic}"]
        states = [each for _, each in traits] + [f"{map_};{x};{y};{self.number}"]
        return nest(types), nest(states)


@dataclass
class Save:
    """A saved game: stacks of pieces at pixels, the description of the boards, the steps of a log."""

    stacks: list[tuple[int, int, list[Piece]]] = field(default_factory=list)
    boards: str = "bd\t"
    steps: list[str] = field(default_factory=list)
    version: str = "6.5.1"
    map: str = "Main Map"
    info: str = "INFO\tAxis\tAxis\t3\t3\t4\t4\t3\t?\t?\t" + SECRETS[0] + "\tmy private note"

    def ids(self, stack: int) -> list[str]:
        """The ids of the pieces of a stack, from bottom to top."""
        return [f"{100 + stack}{number:03}" for number in range(len(self.stacks[stack][2]))]

    def commands(self) -> str:
        """The commands in clear text."""
        adds = []
        for index, (x, y, pieces) in enumerate(self.stacks):
            place = (self.map, x, y)
            adds += [
                piece.command(name, place)
                for name, piece in zip(self.ids(index), pieces, strict=True)
            ]
            state = ";".join((self.map, str(x), str(y), *self.ids(index)))
            adds.append(join(("+", f"s{index}", "stack", state), "/"))
        parts = ["begin_save", "", join(("", *adds), ESCAPE), self.info]
        parts += ["UNMASK\t" + SECRETS[1], self.boards, "NOTES\t\\", "PNOTES\t" + SECRETS[0]]
        parts += ["end_save", *(f"LOG\t{each}" for each in self.steps)]
        return join(parts, ESCAPE)

    def without(self, keep: object) -> Save:
        """The same without the pieces that `keep` is false of."""
        assert callable(keep)
        stacks = [(x, y, [each for each in pieces if keep(each)]) for x, y, pieces in self.stacks]
        return replace(self, stacks=stacks)


OBFUSCATIONS = ("VCSK", "VCSZ", "VOBS", "VOXZ", "XZ", "plain")


def obfuscate(text: str, way: str, key: int = 0x5A) -> bytes:
    """The commands as one of the formats keeps them."""
    data = text.encode("utf-8")
    if way == "plain":
        return data
    if way == "XZ":
        return lzma.compress(data)
    packed = {"VCSZ": zlib.compress, "VOXZ": lzma.compress}.get(way, bytes)(data)
    masked = bytes(each ^ key for each in packed)
    if way in ("VCSK", "VCSZ"):
        return f"!{way}".encode() + f"{key:02x}".encode() + masked.hex().encode()
    return (b"!VOXZ" if way == "VOXZ" else b"VOBS") + bytes([key]) + masked


def write(
    path: Path, save: Save, way: str = "VCSK", module: str | None = None, data: bytes | None = None
) -> Path:
    """Write a saved game as VASSAL does."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        packed = obfuscate(save.commands(), way) if data is None else data
        archive.writestr("savedGame", packed)
        archive.writestr("moduledata", module or MODULE.format(save.version, "VASL"))
        archive.writestr("savedata", MODULE.format("", "VASL"))
    return path


def move(save: Save, name: str, x: int, y: int, under: str = "null") -> str:
    """The command that moves a piece."""
    parts = ("M", name, save.map, str(x), str(y), under, save.map, "0", "0", "null", SECRETS[0])
    return join(parts, "/")


@dataclass(frozen=True)
class PixelBoard:
    """A board in pixels of VASL's map, reckoned apart from the reader: origin, size, crop, turned."""

    left: float
    top: float
    width: float
    height: float
    turned: bool = False
    crop_x: float = 0
    crop_y: float = 0

    def centre(self, hex_: Hex) -> tuple[float, float]:
        """The pixel of a hex's centre dot."""
        x = 56.25 * hex_.col - self.crop_x
        y = 64.5 * (hex_.row - 1) + (64.5 if hex_.col % 2 else 32.25) - self.crop_y
        if self.turned:
            x, y = self.width - x, self.height - y
        return self.left + x, self.top + y

    def middle(self, one: Hex, other: Hex) -> tuple[float, float]:
        """The pixel of a hexside's middle."""
        (a, b), (c, d) = self.centre(one), self.centre(other)
        return (a + c) / 2, (b + d) / 2


def at(place: tuple[float, float], pieces: Iterable[Piece]) -> tuple[int, int, list[Piece]]:
    """A stack at a pixel, cut to whole ones as VASSAL does."""
    return int(place[0]), int(place[1]), list(pieces)


def squad(text: str = "4-6-7 1sq", nation: str = "ge", **more: object) -> Piece:
    """A squad whose visible name is the second of its first layer; another stands beneath it."""
    layers = ((("4-6-8 Esq", text, "4-4-7 2sq"), 2), (("broken +",), -1))
    return Piece("4-6-8 Esq", layers, nation, unit=True, **more)  # type: ignore[arg-type]


def counter(name: str, **more: object) -> Piece:
    """A counter without layers."""
    return Piece(name, **more)  # type: ignore[arg-type]
