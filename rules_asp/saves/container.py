"""Container of a saved game: the zip file, its metadata, and deobfuscation of the commands.

A `.vsav` (save) or `.vlog` (log) is a zip file with `savedGame` (the obfuscated commands), and the
XML files `savedata` and `moduledata`. The sender is untrusted: sizes are limited before anything is
unpacked, and data that does not fit the format is refused with one message.
"""

from __future__ import annotations

import lzma
import re
import zlib
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
