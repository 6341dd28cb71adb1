"""Container of a saved game: the zip file, its metadata, and the deobfuscated tree of commands.

A `.vsav` (save) or `.vlog` (log) is a zip file with `savedGame` (the obfuscated commands), and the
XML files `savedata` and `moduledata`. The sender is untrusted: sizes are limited before anything is
unpacked, and data that does not fit the format is refused with one message.

VASSAL nests its texts: a delimiter within a token is escaped by one backslash per level. So the
text is never split by a pattern; it is decoded level by level.
"""

from __future__ import annotations

import lzma
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError

from rules_asp import RulesAspError
from rules_asp.runtime.limits import size_limit, too_large_message
from rules_asp.vasl.archive import ArchiveError, brief, quoted, read_entries

#: The first bytes of `savedGame`: hexadecimal digits XOR a key, the same for zlib data, bytes XOR a
#: key, the same for an XZ stream, and a bare XZ stream.
_HEX, _HEX_ZLIB, _BYTES, _BYTES_XZ, _XZ = b"!VCSK", b"!VCSZ", b"VOBS", b"!VOXZ", b"\xfd7zXZ\x00"
_DIGITS = re.compile(rb"(?:[0-9a-fA-F]{2})+")


class SaveError(RulesAspError):
    """The file cannot be read as a saved game of VASL; the message gives the reason."""


@dataclass(frozen=True)
class SaveFile:
    """The content of a saved game: the commands as text, and the version of VASL that wrote it."""

    commands: str
    version: str


def read_save_file(path: Path) -> SaveFile:
    """Read a `.vsav` or `.vlog`; SaveError if the file is neither."""
    try:
        entries = read_entries(
            path,
            {"savedGame": "save-packed", "savedata": "metadata", "moduledata": "metadata"},
            optional=("savedata",),
        )
        module = _xml(entries["moduledata"], "moduledata")
        name = (module.findtext("name") or "").strip()
        if name != "VASL":
            raise SaveError(f"this is a game of the module {quoted(name)}, not of VASL")
        version = re.sub(r"[^\w.+-]", "", module.findtext("version") or "")[:20]
        return SaveFile(deobfuscate(entries["savedGame"]), version)
    except (ArchiveError, SaveError) as error:
        raise SaveError(f"{path}: {error}") from None


def deobfuscate(data: bytes) -> str:
    """Return the commands in clear text, for each obfuscation of VASSAL."""
    if data.startswith((_HEX, _HEX_ZLIB)):
        digits = data[len(_HEX) :].strip()
        if not _DIGITS.fullmatch(digits):
            raise SaveError("savedGame is damaged (a character is not a hexadecimal digit)")
        key, *rest = bytes.fromhex(digits.decode("ascii"))
        clear = _unmask(bytes(rest), key)
        clear = _unzlib(clear) if data.startswith(_HEX_ZLIB) else clear
    elif data.startswith((_BYTES, _BYTES_XZ)):
        start = len(_BYTES if data.startswith(_BYTES) else _BYTES_XZ)
        if len(data) <= start:
            raise SaveError("savedGame is damaged (it ends too early)")
        clear = _unmask(data[start + 1 :], data[start])
        clear = _unxz(clear) if data.startswith(_BYTES_XZ) else clear
    elif data.startswith(_XZ):
        clear = _unxz(data)
    else:
        clear = data
    if len(clear) > size_limit("save"):
        raise SaveError(f"savedGame: {too_large_message('save')}")
    try:
        return clear.decode("utf-8")
    except UnicodeDecodeError:
        raise SaveError("savedGame is damaged (not UTF-8 text)") from None


def _unmask(data: bytes, key: int) -> bytes:
    return data.translate(bytes(each ^ key for each in range(256)))


def _unzlib(data: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    try:
        clear = unpacker.decompress(data, size_limit("save") + 1)
    except zlib.error as error:
        raise SaveError(f"savedGame is not a complete zlib stream ({brief(error)})") from None
    _check_whole(len(clear), unpacker.eof, unpacker.unused_data, "zlib")
    return clear


def _unxz(data: bytes) -> bytes:
    try:
        # A stream can ask for gigabytes of memory to be unpacked.
        unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=size_limit("save") * 4)
        clear = unpacker.decompress(data, size_limit("save") + 1)
    except (lzma.LZMAError, MemoryError, EOFError) as error:
        raise SaveError(f"savedGame is not a complete XZ stream ({brief(error)})") from None
    _check_whole(len(clear), unpacker.eof, unpacker.unused_data, "XZ")
    return clear


def _check_whole(length: int, ended: bool, rest: bytes, kind: str) -> None:
    if length > size_limit("save"):
        raise SaveError(f"savedGame: {too_large_message('save')}")
    if not ended or rest:
        what = "more data follow its end" if ended else "it ends too early"
        raise SaveError(f"savedGame is not a complete {kind} stream ({what})")


def _xml(data: bytes, name: str) -> Element:
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        root: Element = fromstring(data, forbid_dtd=True)
    except DefusedXmlException:
        raise SaveError(f"{name} declares a DTD or entities, which is not allowed") from None
    except (ParseError, ValueError, LookupError) as error:
        raise SaveError(f"{name} is not well-formed XML ({brief(error)})") from None
    return root


ESCAPE = "\x1b"
_LOG = "LOG\t"
_NUMBER = re.compile(r"-?\d{1,7}")


def split(text: str, delimiter: str) -> list[str]:
    """Return the tokens of a text; a delimiter after a backslash is part of its token."""
    tokens: list[str] = []
    parts: list[str] = []
    for part in text.split(delimiter):
        if part.endswith("\\"):
            parts.append(part[:-1])
            continue
        token = delimiter.join((*parts, part)) if parts else part
        parts.clear()
        tokens.append(_unquoted(token))
    if parts:  # a backslash that is not before a delimiter is literal
        tokens.append(_unquoted(delimiter.join(parts) + "\\"))
    return tokens


def _unquoted(token: str) -> str:
    """Return the token without the quotation marks that protect a backslash at its end."""
    return token[1:-1] if len(token) > 1 and token[0] == token[-1] == "'" else token


def nested(text: str, delimiter: str) -> list[str]:
    """Return the nested levels of a text, the outermost first; each second token holds the rest."""
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
    """Return an integer in the file; None if the text is not a number."""
    return int(text) if _NUMBER.fullmatch(text.strip()) else None


@dataclass(frozen=True)
class CommandList:
    """The commands of a file in execution order: those of the save, then those of each log step."""

    save: tuple[str, ...]
    steps: tuple[tuple[str, ...], ...]


def read_commands(text: str) -> CommandList:
    """Return the commands of a saved game; SaveError if the text is not a saved game."""
    tokens = split(text, ESCAPE)
    if tokens[0] != "begin_save":
        raise SaveError("savedGame is damaged: it does not begin with a saved position")
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
        raise SaveError("savedGame is damaged: the saved position has no end")
    if any(each.startswith("ENABLE_DOUBLE_BLIND:true") for each in save):
        raise SaveError(
            "this is a double-blind game, which cannot be imported: it does not mark who may see a piece"
        )
    return CommandList(tuple(save), tuple(steps))


def _flat(text: str, depth: int) -> Iterator[str]:
    """Yield a command and all commands under it, parents first."""
    if depth > size_limit("nested-commands"):
        raise SaveError(too_large_message("nested-commands"))
    first, *below = split(text, ESCAPE)
    yield first
    for each in below:
        yield from _flat(each, depth + 1)


@dataclass(frozen=True)
class TurnInfo:
    """The turn window of VASL: the side whose Player Turn it is, the Game Turn, ELR, SAN.

    Secret words and private notes follow in the file and are not read.
    """

    player: str
    turn: int | None
    values: tuple[tuple[str, str], ...] = ()


def turn_info(commands: tuple[str, ...]) -> TurnInfo | None:
    """Return the turn window after some commands, if there is one."""
    found = [each for each in commands if each.startswith("INFO\t")]
    if not found:
        return None
    # Ignore everything after the fourth number: passwords follow there.
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
    """Return the names of the loaded VASL extensions."""
    found = [each.split("\t")[1] for each in commands if each.startswith("EXT\t")]
    return tuple(sorted({"".join(c for c in each if c.isprintable())[:60] for each in found}))


def board_command(commands: tuple[str, ...]) -> str:
    """Return the description of the boards; SaveError if a file has different ones."""
    found = {each for each in commands if each == "bd" or each.startswith("bd\t")}
    described = {each for each in found if each.strip("\t") != "bd"}
    if len(described) > 1:
        raise SaveError("the game describes its boards twice, and the two descriptions differ")
    return next(iter(described), "")
