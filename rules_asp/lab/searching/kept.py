"""What a search found at each spot, kept between runs, so that one that was cut short can go on."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from rules_asp import cache
from rules_asp.lab.boards.findings import GoalWitness, InputRange, SiteOutcome
from rules_asp.lab.boards.spots import SearchSite
from rules_asp.lab.boards.witnesses import Witness, of_text
from rules_asp.parser.errors import BoardError


class OutcomeCache:
    """The outcomes of a search that were kept, by spot: of the same rules, bounds and goals alone."""

    def __init__(self, sources: Iterable[bytes]) -> None:
        whole = b"\0".join((*sources, *cache.source_fingerprint("lab")))
        self._sources = cache.digest(whole).encode()

    def get(self, spot: SearchSite) -> SiteOutcome | None:
        """What was found at a spot; None where nothing is kept."""
        path = self._path(spot)
        data = None if path is None else cache.load_entry(path)
        if data is None:
            return None
        with suppress(cache.FormatError, BoardError, ValueError, KeyError, TypeError):
            kept = cache.loads(data, ())
            assert isinstance(kept, tuple)
            rows, undecided, unconfirmed, able, grounded, lets = kept
            found = []
            for goal, text, beaten, size, least in rows:
                shown = None
                if text is not None:
                    shown = GoalWitness(goal, spot, of_text(text, beaten), size, least)
                found.append((goal, shown))
            open_ = frozenset(undecided), frozenset(unconfirmed)
            every = frozenset(grounded)
            may = tuple(InputRange(name, sense, tuple(values)) for name, sense, values in lets)
            return SiteOutcome(
                spot, tuple(found), *open_, able=bool(able), grounded=every, lets=may
            )
        return None

    def put(self, outcome: SiteOutcome) -> None:
        """Keep what was found at a spot; what cannot be read again is not kept."""
        path = self._path(outcome.spot)
        if path is None:
            return
        rows = []
        for goal, shown in outcome.found:
            text = None
            if shown is not None:
                text = shown.witness.text
                try:
                    same: Witness | None = of_text(text, shown.witness.beaten)
                except (BoardError, ValueError):
                    same = None
                extra = shown.worth is not None or shown.twin or shown.unseen
                if same is None or same.text != text or extra:
                    return
            told = (
                (shown.witness.beaten, shown.size, shown.least) if shown else (None, (0, 0), True)
            )
            rows.append((goal, text, *told))
        open_ = tuple(sorted(outcome.undecided)), tuple(sorted(outcome.unconfirmed))
        lets = tuple((each.name, each.sense, each.values) for each in outcome.lets)
        kept = (tuple(rows), *open_, outcome.able, tuple(sorted(outcome.grounded)), lets)
        cache.store_entry(path, cache.dumps(kept, ()))

    def _path(self, spot: SearchSite) -> Path | None:
        return cache.entry_path("lab", [self._sources, str(spot).encode()])
