"""Which norms were found to meet at each spot, kept between runs: what is found of two norms that both
stand as they stood is taken over, whatever else of the rules has changed.

A norm stands as it stood when its own rules do, those that name it (who goes before whom, rulings), and
those of the notions that they rest on. What other norms answer is not looked into: the search is anew
where one of the two has changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import clingo

from rules_asp import cache
from rules_asp.knowledge.source import KIND_PLACE, KnowledgeBase, Rule, Signature
from rules_asp.lab.boards.spots import SearchSite
from rules_asp.lab.boards.world import Generator, SearchBounds

#: Where a norm's own rules stand; all others are of the calculus, the words and the small boards.
_SECTIONS = ("precedence", "rulings")


@dataclass(frozen=True)
class SiteInteractions:
    """What was found at a spot: goals and those not decided, by the norms as they then stood."""

    stood: Mapping[str, str]
    goals: tuple[str, ...]
    undecided: tuple[str, ...]


class InteractionCache:
    """The meetings of norms at the spots of a search within these bounds."""

    def __init__(self, lab: Generator, bounds: SearchBounds, norms: Iterable[str]) -> None:
        self.stands = norm_fingerprints(lab.program.source, norms)
        common = (rule.text for rule in lab.rules if not _of_a_norm(rule))
        known = (repr(bounds), *dict.fromkeys(common), *map(str, lab.facts))
        self._sources = cache.digest(
            b"\0".join((*(each.encode() for each in known), *cache.source_fingerprint("lab")))
        ).encode()

    def get(self, spot: SearchSite) -> SiteInteractions | None:
        """What was found at a spot before; None where nothing is kept."""
        path = self._path(spot)
        data = None if path is None else cache.load_entry(path)
        if data is not None:
            with suppress(cache.FormatError, ValueError, TypeError):
                stood, goals, undecided = cache.loads(data, ())
                return SiteInteractions(dict(stood), tuple(goals), tuple(undecided))
        return None

    def changed(self, met: SiteInteractions) -> frozenset[str]:
        """The norms that do not stand as they stood there."""
        return frozenset(norm for norm, now in self.stands.items() if met.stood.get(norm) != now)

    def kept(self, met: SiteInteractions) -> SiteInteractions:
        """Of what was found there, what still stands: of norms that both are as they were."""
        anew = self.changed(met)

        def stands(goal: str) -> bool:
            _, *pair = clingo.parse_term(goal).arguments
            return all(n.string in self.stands and n.string not in anew for n in pair)

        return SiteInteractions(
            self.stands, tuple(filter(stands, met.goals)), tuple(filter(stands, met.undecided))
        )

    def put(self, spot: SearchSite, goals: Iterable[str], undecided: Iterable[str]) -> None:
        """Keep what was found at a spot, of all these norms."""
        if (path := self._path(spot)) is not None:
            rows = (tuple(sorted(self.stands.items())), tuple(sorted(goals)))
            cache.store_entry(path, cache.dumps((*rows, tuple(sorted(undecided))), ()))

    def _path(self, spot: SearchSite) -> Path | None:
        return cache.entry_path("pairs", [self._sources, str(spot).encode()])


def norm_fingerprints(source: KnowledgeBase, norms: Iterable[str]) -> dict[str, str]:
    """For each of these norms what tells how it stands from how it stood otherwise."""
    own: dict[str, list[Rule]] = {norm: [] for norm in norms}
    notions: dict[Signature, list[Rule]] = {}
    for rule in source.rules:
        if not _of_a_norm(rule):
            continue
        named = [part for part in rule.text.split('"')[1::2] if part in own]
        for norm in dict.fromkeys((*named, *([rule.norm] if rule.norm in own else ()))):
            own[norm].append(rule)
        for head in rule.heads:
            if head.name not in KIND_PLACE:
                notions.setdefault(head, []).append(rule)
    digests: dict[str, str] = {}
    for norm, rules in own.items():
        texts = {rule.text for rule in rules}
        todo = list(rules)
        while todo:
            for node in todo.pop().body:
                for rule in notions.get(node, ()):
                    if rule.text not in texts:
                        texts.add(rule.text)
                        todo.append(rule)
        digests[norm] = cache.digest("\n".join(sorted(texts)).encode())
    return digests


def _of_a_norm(rule: Rule) -> bool:
    """Whether a rule may change without all norms changing: it is of a section, or ranks norms."""
    folder, slash, _ = rule.file.partition("/")
    return (bool(slash) and folder != "lab") or rule.file.startswith(_SECTIONS)
