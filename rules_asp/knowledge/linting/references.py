"""Static checks of what tags, comments and reasons refer to: is it there?

Of the sections at hand every paragraph named must hold a norm; a norm or a ruling named must have a
tag. The general rules, A to H, are not all at hand: to name one of them is to say where to look.
A code of a list that is nowhere here, such as (T42), tells a reader nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rules_asp.knowledge.linting.atoms import Fault, KbView, string

#: A norm or a ruling: B23.71-5, R-T03b; a hexside such as K13-L12 is neither.
_ID = re.compile(r"(?<![\w.-])(?:R-[A-Z](?:[\w.]*\w)?|[A-Z]+\d*(?:\.\d+)?-\d+[a-z]?)(?!\w)")
#: A code in parentheses whose letter is none of the chapters.
_CODE = re.compile(r"\(([I-Z]\d+)\)")
#: B23 by its number alone: 23.71.
_SHORT = re.compile(r"(?<![\w.])23\.\d+")


def dangling_references(base: KbView) -> Iterator[Fault]:
    """A norm, ruling, paragraph or code named that is nowhere in the knowledge base."""
    paragraphs = {norm.paragraph for norm in base.source.norms}
    sections = "|".join(name.upper() for name in base.words.constants.get("section", ()))
    long = re.compile(rf"(?<!\w)(?:{sections})\.\d+(?![\d-])") if sections else None
    for text, file, line in _texts(base):
        for found in _ID.findall(text):
            if found not in base.norms:
                yield Fault(file, line, f"{found} is referred to, and has no tag")
        for found in _CODE.findall(text):
            yield Fault(file, line, f"({found}) refers to nothing here")
        named = [*(long.findall(text) if long else ()), *(f"B{n}" for n in _SHORT.findall(text))]
        for found in named:
            if not any(paragraph.startswith(found) for paragraph in paragraphs):
                yield Fault(file, line, f"{found} is referred to, and holds no norm")


def _texts(base: KbView) -> Iterator[tuple[str, str, int]]:
    """What is written for people, and where."""
    yield from base.comments
    for each in base.statements:
        if each.heads and each.heads[0].name == "reason":
            for text in map(string, each.heads[0].terms[1:]):
                yield text or "", each.rule.file, each.rule.line
