"""What the texts of boards say, kept for as long as a page goes from one to the next and back."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from rules_asp.explorer.sheets import Document
from rules_asp.parser.reader import load_from_texts
from rules_asp.positions.resolving import resolve
from rules_asp.terms.board import Board

#: So many boards are kept, as they were read or resolved.
_KEPT = 12


@dataclass
class ParsedDocuments:
    """Boards by the sheets that they were read from; BoardError for a text with a mistake, each time."""

    _kept: OrderedDict[tuple[str, str], Board] = field(default_factory=OrderedDict)

    def said(self, sheet: Document) -> Board:
        """What the texts of a sheet say, with what they use."""
        return self._recalled("said", sheet) or self._keep(
            "said", sheet, load_from_texts(sheet.name, sheet.texts)
        )

    def resolved(self, sheet: Document) -> Board:
        """The board that comes of it."""
        return self._recalled("resolved", sheet) or self._keep(
            "resolved", sheet, resolve(self.said(sheet))
        )

    def draft(self, sheet: Document) -> Board:
        """The same where more changes will follow: what they may still mend is not looked at."""
        return (
            self._recalled("resolved", sheet)
            or self._recalled("draft", sheet)
            or self._keep("draft", sheet, resolve(self.said(sheet), whole=False))
        )

    def _recalled(self, what: str, sheet: Document) -> Board | None:
        found = self._kept.get((what, sheet.key))
        if found is not None:
            self._kept.move_to_end((what, sheet.key))
        return found

    def _keep(self, what: str, sheet: Document, board: Board) -> Board:
        self._kept[what, sheet.key] = board
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return board
