"""Tags: the comment `%@ B23.3-3  sense in our own words` above the rules of a norm.

A comment line that starts with four or more blanks goes on with the sense. Marks stand after the id:
`(assumed)`, the text is silent or not ours; `(descriptive)`, nothing follows from the norm; `(reading)`,
the text can be read otherwise. The sense of a reading, and of a ruling, ends with what else it could be:
`Or: this in a half-sentence.`
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from rules_asp.terms.own_rules import is_house_rule

#: The marks that a tag may bear after its id.
MARKS = ("assumed", "descriptive", "reading")

_TAG = re.compile(rf"%@\s+(?P<id>\S+)(?P<marks>(?:\s+\((?:{'|'.join(MARKS)})\))*)\s*(?P<sense>.*)")
_MORE = re.compile(r"%\s{4,}(?P<sense>.*)")
_OR = re.compile(r"(?P<sense>.*?)(?<!\s)\s*\bOr:\s*(?P<other>.*)")


@dataclass(frozen=True)
class Norm:
    """A tag: the norm's id, its sense in our words, where it stands.

    marked: as a reading; other: what else the text could mean, in a half-sentence, of readings alone.
    """

    id: str
    sense: str
    file: str
    line: int
    assumed: bool = False
    descriptive: bool = False
    marked: bool = False
    other_reading: str = ""

    @property
    def ruling(self) -> bool:
        """Whether it is a ruling, a reading that can be switched off."""
        return self.id.startswith("R-")

    @property
    def reading(self) -> bool:
        """Whether it is a choice that the text does not make: marked so, or a ruling."""
        return self.marked or self.ruling

    @property
    def house_rule(self) -> bool:
        """Whether it is a rule of one's own, none of those that are shipped."""
        return is_house_rule(self.file)

    @property
    def path(self) -> str:
        """The file as one finds it: below `kb/`, or where one's own rules are."""
        return self.file if self.house_rule else f"kb/{self.file}"

    @property
    def paragraph(self) -> str:
        """The paragraph as printed, e.g. B23.71 of the norm B23.71-5; a ruling is its own."""
        return self.id if self.ruling else self.id.rsplit("-", 1)[0]


def parse_tag(comment: str, file: str, line: int) -> Norm | None:
    """The norm of which this comment is the tag, or its first line; None if it is no tag."""
    found = _TAG.fullmatch(comment.strip())
    if not found:
        return None
    assumed, descriptive, reading = (f"({word})" in found["marks"] for word in MARKS)
    sense = found["sense"].strip()
    return Norm(found["id"], sense, file, line, assumed, descriptive, reading)


def tag_continuation(comment: str) -> str | None:
    """What this comment adds to the sense of the tag above it; None if it is of another shape."""
    found = _MORE.fullmatch(comment.rstrip())
    return found["sense"].strip() if found else None


def finished_norm(norm: Norm) -> Norm:
    """The norm of a tag read to its end: the other reading apart from its sense."""
    found = _OR.fullmatch(norm.sense)
    return replace(norm, sense=found["sense"], other_reading=found["other"]) if found else norm
