"""Single steps of units and reached Locations, with their texts and JSON."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from rules_asp.explain import record
from rules_asp.explain.proof import Provenance
from rules_asp.explain.record import Record
from rules_asp.explain.unknown import Reason
from rules_asp.game.grid import Location, Vertex, hex_of_spot
from rules_asp.game.values import quarters_text, to_board_text
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position

#: Manners of single steps that the destination does not imply.
_WAYS = {"road": " by road", "drive_ovr": " by overrunning"}
#: The texts of all manners, for a step on its own.
_ALL_WAYS = {
    **_WAYS,
    "enter": " by entering",
    "stairs": " by stairs",
    "drive": " by driving",
    "bypass": " in Bypass",
    "vbm": " in VBM",
}


def step_kind(position: Position, phase: str) -> str:
    """Return the kind of step in a phase; QuestionError for a phase without movement."""
    kinds = {str(each): str(by) for each, by in position.cases[0].get("moves_by", 2)}
    if phase not in kinds:
        known = ", ".join(position.vocabulary.words["moving_phase"])
        raise QuestionError(f"units do not move in the phase {phase}; use {known}")
    return kinds[phase]


@dataclass(frozen=True)
class MoveStep:
    """A single step of all the units: its verdict, its cost in quarters of an MF or MP, the norms
    of both.

    A cost is None if the phase has no costs, or if it is unknown; `at_least` is its lower bound.
    `keeps_bonus` are the kinds of paths whose condition the step keeps.
    """

    start: Location
    to: Location
    way: str
    legal: bool | None
    mf: int | None
    norms: tuple[str, ...]
    unknown: tuple[Reason, ...] = ()
    keeps_bonus: frozenset[str] = frozenset()
    at_least: int = 0
    #: The units by which the path is, or may be, marked from this step on, and the norms that
    #: forbid the step on a path with such marks.
    marks: frozenset[str] = frozenset()
    may_mark: frozenset[str] = frozenset()
    barred: frozenset[tuple[str, str]] = frozenset()
    #: True for a step of a later turn, in which states of this phase only are over.
    later: bool = False
    #: The manner as a term of the rules.
    way_term: str = ""

    @property
    def barring(self) -> frozenset[str]:
        """The norms that can forbid the step because of marks."""
        return frozenset(norm for norm, _ in self.barred)

    def where_marked(self) -> MoveStep:
        """The step on a path whose marks forbid it."""
        return replace(self, legal=False, norms=tuple(sorted(self.barring)), unknown=())

    @property
    def text(self) -> str:
        """The destination, with the manner if the destination does not imply it: a vertex means
        Bypass."""
        way, _, where = self.way.partition("(")
        how = f" {way} {where.rstrip(')')}" if way == "around" else _WAYS.get(way, "")
        return f"{to_board_text(self.to, 'location')}{how}"

    @property
    def whole_text(self) -> str:
        """The text of a step on its own, always with its manner."""
        how = _ALL_WAYS.get(self.way.partition("(")[0])
        return self.text if how is None else f"{to_board_text(self.to, 'location')}{how}"

    @property
    def short_text(self) -> str:
        """The text without the vertex at which the step ends or that it goes around."""
        way = self.way.partition("(")[0]
        if way != "around" and not isinstance(self.to.spot, Vertex):
            return self.whole_text
        place = to_board_text(Location(hex_of_spot(self.to.spot), self.to.floor), "location")
        return place + _ALL_WAYS.get(way, f" {way.replace('_', ' ')}")

    def record(self, position: Position, paid_in: str) -> Record:
        """Return the step with its cost and its norms as JSON."""
        return {
            "from": to_board_text(self.start, "location"),
            "to": to_board_text(self.to, "location"),
            "way": self.way,
            **record.paid(self.mf, paid_in),
            "norms": list(self.norms),
            "cites": list(position.program.paragraphs(self.norms)),
        }


@dataclass(frozen=True)
class ReachedLocation:
    """A reached Location, its least cost (quarters), and the steps there.

    `mf` is None if it is unknown, or if the phase has no costs. Then `at_least` and `at_most` are
    its bounds, if any, and `unknown` gives the reasons. `rests_on` is the evidence: steps and
    allowance. `turn` is the turn in which the Location is reached; the MF are those of this turn.
    `closed_shortcuts` are forbidden or unknown steps without which the path would, or could, be
    cheaper.
    """

    to: Location
    mf: int | None
    path: tuple[MoveStep, ...]
    at_least: int | None = None
    at_most: int | None = None
    unknown: tuple[Reason, ...] = ()
    turn: int = 1
    closed_shortcuts: tuple[MoveStep, ...] = ()
    rests_on: Provenance = field(default_factory=Provenance)

    def sort_key(self) -> tuple[int, int, str]:
        """The order of listing: by turn and cost, then by name."""
        amount = next((n for n in (self.mf, self.at_most, self.at_least) if n is not None), 0)
        return self.turn, amount, str(self.to)

    @property
    def norms(self) -> tuple[str, ...]:
        """The norms of its steps, each once."""
        return tuple(dict.fromkeys(norm for step in self.path for norm in step.norms))

    @property
    def place(self) -> str:
        """The name of the Location."""
        return to_board_text(self.to, "location")

    @property
    def amount(self) -> str:
        """The cost of the Location, as far as it is known."""
        if self.mf is not None:
            return quarters_text(self.mf)
        if self.at_most is not None:
            least = "at most" if self.at_least is None else f"{quarters_text(self.at_least)} to"
            return f"{least} {quarters_text(self.at_most)}"
        return "?" if self.at_least is None else f"at least {quarters_text(self.at_least)}"

    @property
    def way(self) -> str:
        """The path in short."""
        return " ".join(step.text for step in self.path)

    @property
    def bypasses(self) -> bool:
        """Whether the path leads through Bypass."""
        return any(isinstance(step.to.spot, Vertex) for step in self.path[:-1])

    def record(self, paid_in: str) -> Record:
        """Return the Location with its cost as JSON; `at_least` and `at_most` if it is unknown."""
        return {
            "to": self.place,
            **record.paid(self.mf, paid_in),
            "at_least": record.mf_number(self.mf if self.mf is not None else self.at_least),
            "at_most": record.mf_number(self.mf if self.mf is not None else self.at_most),
            "turn": self.turn,
            **record.unknown(self.unknown, bool(self.unknown)),
        }
