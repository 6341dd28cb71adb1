"""All answers as JSON, the documented shapes.

Every object has "schema": 2 and "command". Levels are numbers such as 1.5. A cite is a paragraph
as printed, "B23.25"; a norm has an id of its own, "B23.25-3". Of norms that are beaten each says by
which, and on what, or at which place of a line. Keys are only ever added within a schema.

What answers a question has a "verdict", one of four words: "yes" (it is so, or has a value),
"forbidden" (norms forbid it, "forbidden_by" names them), "not so" (nothing on this board makes it
so, or a norm says that it is not), "unknown" (what would decide it is missing; "unknown" says why
and what is needed, and the answer itself is null). A question about what is no such thing is a
mistake: exit code 2, in a batch "error" and the verdict "no such thing". Beside "cites" stand those
of them that are "assumed" or are "readings" of ours; "less_sure" are those of medium sureness. "open"
lists what the texts of the cited norms leave open (norm open); "unknown" has it too, of the norms by
which the answer is unknown.

Where there are any in what an answer is about, los ... reach have "faults" (norm cite what at), norms
that the board breaks, and "doubts" (at what), of its importer; a sight of `sees` has in "doubts" the
places that its line passes. A TEM of which the DRM are not known has "drm_unknown".

Schema 1 had no verdict: "holds", "legal", "clear" that were false were one no.

    los       board verdict a b clear hindrance range level_a level_b blocked_at blockers hindrances
              beaten close cites
    range     as ask, of the topic range(a, b)
    tem       board verdict from at how target tem parts beaten cites
    fire      board verdict from at how target legal norms clear hindrance tem drm parts besides beaten
    cites
    firers    board verdict target at doing attacks cites; of an attack: unit from target at doing
              verdict legal norms range clear hindrance blocked_at firepower (null: unknown) times
              doublings direction (best leadership) drm parts unknown firepower_unknown drm_unknown
    targets   board verdict unit from attacks cites
    moves     board verdict units phase from mf mp turns reach perhaps in_passing forbidden
              unknown_steps cites; of what is reached: to mf mp beaten cites path
    rout      as moves, and must (null: unknown) must_unknown interdictions; of an interdiction: start
              to way by perhaps unknown; of what is reached: interdicted_by
    can       board verdict deed legal forbidden_by ways way_there besides beaten cites; of a way:
    deed, as a
              term, and sentence
    roll      board verdict roll sentence dice given modifiers results together beaten cites
    ask       board verdict query holds forbidden_by values could answers perhaps not_allowed beaten cites
    why       as ask, and proof goals steps lacking (rules_asp/output/answer_json.py); proof goals steps
              are added by --why to los tem fire can roll ask
    sensitive board question answer tried not_tried statements absences norms rulings readings; of a
              statement or absence: unless or if (the line that turns the answer), kind, answer; of a
              norm or ruling: norm cite answer; an answer "no such thing": then what is asked about is gone
    repair    board question answer wanted already allowed tried not_tried repairs; of a repair: changes
              (unless or if, kind) and answer
    case      board question text expects verdict cites smallest file; text is the case, a board text
              of which expects is the last line without its cites; file: where it was written, or null
    sees      board from level sights
    reach     board units phase from mf mp turns reach perhaps cites
    matrix    board from sights key, and then for each sight a line: a b clear hindrance norm at
              of a folder: boards total errors; of a board: board of file sights clear blocked
              unknown
    batch     a line for each question: its command with the keys of that, and line text; or error
    check     board violations conflicts unknowns doubts; of a folder: boards total errors, each board
              with of, its file, besides
    test      passed failed outcomes errors
    coverage  sections cases unexercised
    facts     board given derived
    draw      board file
    import    board file grid buildings doubts corrected
    rules     norms, or paragraphs, or readings
    words     kind members words; of each word: form sense sentences said
    lint      faults

    proof   the whole account: points, each with claim norm sense because, again where its reasons are
            told before; tie, how it hangs on the point above: "because", "value" (what the value above
            is the value of), "absent", "beaten", "outbid"; id of the step that it tells; at, the file
            of kb/ and line of the rule
    goals   ids of the steps that the answer is
    steps   each step once: id, the same for the same atom in whatever proof; atom, as clingo has it;
            origin, "rule", "board", "question" (asked, or measured for it) or "supposed"; norm and
            rule, the place in kb/ such as `b23/b23_3.lp:17`, null where there is none; because, ids
            of the atoms that the rule reads, in its order; counted, of those that its aggregates
            range over; absent, the atoms that it denies; beside, ids of what is told besides: what is
            beaten that would have it otherwise, what a deed required, what keeps a norm silent;
            aside, ids of what it does not rest on: the offers that are less than it, and why that
            is unknown which it hangs on
    lacking of what nothing makes so: norm lacks at, each norm that could, the first of its conditions
            that fails here, and its rule

tests/proof_checker.py checks goals and steps with nothing of this program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from rules_asp.explain.justification import JustificationNode, justification
from rules_asp.explain.proof import Defeat, ProofStep, merged_steps
from rules_asp.explain.unknown import Reason, open_points, what_would_settle
from rules_asp.game.board import Shot
from rules_asp.game.grid import hex_of_spot
from rules_asp.game.map_layout import names_of
from rules_asp.game.query import Query, QueryLiteral
from rules_asp.game.values import QUOTED, to_board_text
from rules_asp.knowledge.catalogue import Citations
from rules_asp.knowledge.notes import Note, Notes
from rules_asp.knowledge.rules import Norm
from rules_asp.output.turn_json import Record as Record
from rules_asp.output.turn_json import attack, drm_parts, interdiction
from rules_asp.parser.sentence_writer import deed_text
from rules_asp.positions.answer import BrokenNorm, Verdict
from rules_asp.positions.position import Position
from rules_asp.queries.ask import Asked, AskQuestion, RangeQuestion
from rules_asp.queries.fire import Drm, Fire
from rules_asp.queries.fire_table import FireTable
from rules_asp.queries.legality import Can
from rules_asp.queries.los import Blocker, Los
from rules_asp.queries.los_matrix import LosPair, LosVerdict, Viewshed
from rules_asp.queries.movement import Moves
from rules_asp.queries.paths import MoveStep, ReachedLocation
from rules_asp.queries.query_facts import RelatedTopic
from rules_asp.queries.question import Answer
from rules_asp.queries.rolls import Rolled
from rules_asp.queries.rout import Rout
from rules_asp.queries.why import Why, WhyQuestion
from rules_asp.whatif.candidates import ChangeCandidate
from rules_asp.whatif.minimal_case import Case
from rules_asp.whatif.repair import Repaired
from rules_asp.whatif.sensitivity import DecisiveLine, DecisiveNorm, Hanging

# --- Answers as JSON: the shapes that programs may rely on.


SCHEMA = 2
#: Lattice units of a pixel.
_PIXEL = 8


def with_header(command: str, record: Record) -> Record:
    """A record with its schema and the command that it answers."""
    return {"schema": SCHEMA, "command": command, **record}


def answer_record(answer: Answer) -> Record:
    """The record of any answer to a question, by the kind of that."""
    question, position = answer.question, answer.on
    assert question is not None
    assert position is not None
    if isinstance(answer, Asked):
        assert isinstance(question, AskQuestion | RangeQuestion)
        return ask(position, question.query_on(position), answer)
    if isinstance(answer, Why):
        assert isinstance(question, WhyQuestion)
        return why(position, question.query_on(position), answer)
    record: Record = globals()[question.kind](position, answer)
    return record


def los(position: Position, answer: Los) -> Record:
    """A line of sight; `blocked_at` is the blocking place nearest to `a`."""
    norms = position.program.norms
    return {
        "board": position.board.name,
        "verdict": answer.word,
        "a": to_board_text(answer.a, "location"),
        "b": to_board_text(answer.b, "location"),
        "clear": answer.clear,
        "hindrance": None if answer.clear is None else answer.hindrance,
        "range": answer.range,
        "level_a": level_of(answer.level_a),
        "level_b": level_of(answer.level_b),
        "blocked_at": blocked_at(answer),
        "blockers": [
            {"norm": each.norm, "cite": norms[each.norm].paragraph, "at": each.place}
            for each in blockers_in_order(answer)
        ],
        "hindrances": [
            {
                "norm": each.norm,
                "cite": norms[each.norm].paragraph,
                "at": each.place,
                "hindrance": each.amount,
            }
            for each in answer.hindrances
        ],
        "beaten": [{"norm": each.norm, "by": each.by, "at": each.place} for each in answer.beaten],
        "close": [
            {
                "units": round(each.margin, 1) + 0.0,
                "pixels": pixels(each.margin),
                "if": each.what,
                "clear": each.clear,
                "hindrance": None if each.clear is None else each.hindrance,
            }
            for each in answer.close
        ],
        **citations(position, answer.cites),
        **unknown(answer.unknown, answer.clear is None),
        **issues(answer),
    }


def tem(position: Position, answer: Drm) -> Record:
    """The TEM of a shot, and its parts."""
    return {
        **_shot(position, answer.shot, answer.word),
        "tem": answer.value,
        "parts": drm_parts(position, answer.parts),
        "beaten": defeats(answer.beaten),
        **citations(position, answer.cites),
        **unknown(answer.unknown, answer.value is None),
        **({"drm_unknown": "; ".join(map(str, answer.without))} if answer.without else {}),
        **issues(answer),
    }


def fire(position: Position, answer: Fire) -> Record:
    """All DRM of a shot; `clear` is null in one Location or when it is not known."""
    sight = answer.sight
    reasons = dict.fromkeys((*answer.unknown, *answer.drm.unknown))
    reasons |= dict.fromkeys(why for each in answer.besides for why in each.unknown)
    return {
        **_shot(position, answer.shot, answer.word),
        "legal": answer.legal,
        "norms": list(answer.norms),
        "clear": None if sight is None else sight.clear,
        "hindrance": None if sight is None or sight.clear is None else sight.hindrance,
        "tem": answer.tem.value,
        "drm": answer.drm.value,
        "parts": drm_parts(position, answer.drm.parts),
        "besides": related(answer.besides),
        "beaten": defeats(answer.beaten),
        **citations(position, answer.cites),
        **unknown(tuple(reasons), answer.drm.value is None),
        **issues(answer),
    }


def firers(position: Position, answer: FireTable) -> Record:
    """The attacks on a unit or Location."""
    of = {"target": answer.of, "at": to_board_text(answer.place, "location"), "doing": answer.doing}
    return _fire_table(position, answer, of)


def targets(position: Position, answer: FireTable) -> Record:
    """The attacks of a unit."""
    of = {"unit": answer.of, "from": to_board_text(answer.place, "location")}
    return _fire_table(position, answer, of)


def _fire_table(position: Position, answer: FireTable, of: Record) -> Record:
    return {
        "board": position.board.name,
        "verdict": answer.word,
        **of,
        "attacks": [attack(position, each) for each in answer.attacks],
        **citations(position, answer.cites),
        **issues(answer),
    }


def _shot(position: Position, shot: Shot, word: Verdict) -> Record:
    return {
        "board": position.board.name,
        "verdict": word,
        "from": to_board_text(shot.firer, "location"),
        "at": to_board_text(shot.target, "location"),
        "how": shot.how,
        "target": shot.doing,
    }


def related(found: Iterable[RelatedTopic]) -> list[Record]:
    """The topics that are told besides, each with its value (null: not known) and the norm that gives
    it.
    """
    return [{"topic": each.topic, "value": each.value, "norm": each.norm or None} for each in found]


def defeats(found: Iterable[Defeat]) -> list[Record]:
    """The norms that were beaten, each with what it would say otherwise, and by which norm."""
    return [{"norm": each.norm, "by": each.by, "about": each.about} for each in found]


def roll(position: Position, answer: Rolled) -> Record:
    """A die roll. A chance is a number and the throws that it counts, such as "6/36"."""
    throws = answer.throws
    return {
        "board": position.board.name,
        "verdict": answer.word,
        "roll": answer.roll,
        "sentence": answer.sentence,
        "dice": answer.dice,
        "given": {"DR" if die == "sum" else die: number for die, number in answer.given},
        "modifiers": [
            {"die": each.die, "modifier": each.value, "parts": drm_parts(position, each.parts)}
            for each in answer.modifiers
        ],
        "results": [
            {
                "result": each.name,
                "die": each.die,
                "reading": each.reading,
                "from": each.low,
                "to": each.high,
                "norm": each.norm,
                **_chance(each.chance, throws),
            }
            for each in answer.results
        ],
        "together": [
            {"results": list(names), **_chance(chance, throws)} for names, chance in answer.together
        ],
        "beaten": defeats(answer.beaten),
        **citations(position, answer.cites),
        **unknown(answer.unknown, bool(answer.unknown)),
        **issues(answer),
    }


def _chance(chance: Fraction | None, throws: int) -> Record:
    if chance is None:
        return {"chance": None, "of": None}
    return {"chance": float(chance), "of": f"{chance * throws}/{throws}"}


def blockers_in_order(answer: Los) -> list[Blocker]:
    """What blocks a line, in the order of the places on the way from a to b."""
    start = hex_of_spot(answer.a.spot)

    def way(blocker: Blocker) -> tuple[int, str]:
        try:
            where, _ = names_of(start).find(re.split("[-@/]", blocker.place)[0])
            return start.range_to(where), blocker.place
        except ValueError:
            return 0, blocker.place

    return sorted(answer.blockers, key=way)


def blocked_at(answer: Los) -> str | None:
    """The first place on the way from a to b that blocks the line; None when none does."""
    return next((each.place for each in blockers_in_order(answer)), None)


def pixels(units: float) -> float:
    """Lattice units in pixels of a VASL map."""
    return round(units / _PIXEL, 1) + 0.0  # no -0.0


def ask(position: Position, query: Query, asked: Asked) -> Record:
    """The answer to a question: each way in which it holds, its variables by name."""
    kinds = query.variables
    return {
        "board": position.board.name,
        "verdict": asked.word,
        "query": str(query),
        "holds": asked.holds,
        "forbidden_by": list(asked.forbidding),
        "values": [_value(text, _asked_kind(query)) for text in asked.values],
        "could": list(asked.could),
        "answers": [
            {name: _value(text, kinds[name]) for name, text in way.values} for way in asked.found
        ],
        "perhaps": [
            {"about": about, "why": [str(each) for each in reasons]}
            for about, reasons in asked.perhaps
        ],
        "not_allowed": [
            {"deed": each.deed, "sentence": each.sentence, "norms": list(each.norms)}
            for each in asked.not_allowed
        ],
        "beaten": defeats(asked.beaten),
        **citations(position, asked.cites),
        **unknown(asked.unknown, asked.holds is None),
        **issues(asked),
    }


def _asked_kind(query: Query) -> str:
    """The kind of value that a question asks of its topic."""
    literal = query.literals[0]
    return literal.value.kind if isinstance(literal, QueryLiteral) and literal.value else ""


def citations(position: Position, cites: Citations) -> Record:
    """What an answer rests on, and which of that the printed text does not give."""
    leaning = position.program.leaning(cites)
    return {
        "cites": list(cites),
        "assumed": leaning["assumed"],
        "readings": leaning["our reading"],
        "own": leaning["own rules"],
        "less_sure": leaning["less sure"],
        **_open_points(position.program.norms[each] for each in cites.norms),
        **notes_json(position.program.notes, cites),
    }


def _open_points(norms: Iterable[Norm]) -> Record:
    """What the texts of some norms leave open; no key where they leave nothing open."""
    found = [{"norm": each.id, "open": each.open_points} for each in norms if each.open_points]
    return {"open": found} if found else {}


def notes_json(notes: Notes | None, cites: Iterable[str]) -> Record:
    """One's own notes on some paragraphs; no key where none are told."""
    return {} if notes is None else {"notes": [_note(each) for each in notes.on(cites)]}


def _note(note: Note) -> Record:
    return {
        "cite": note.rule,
        "kind": note.kind,
        "caption": note.caption or None,
        "text": note.text,
        "answers": [{"text": text, "source": source or None} for text, source in note.answers],
        "source": note.source or None,
    }


def issues(answer: Answer) -> Record:
    """What is amiss where an answer passes: faults of the board, doubts of its importer; no keys for
    none.
    """
    found = {
        "faults": [fault(each) for each in answer.beside.faults],
        "doubts": [{"at": where, "what": text} for where, text in answer.beside.doubts],
    }
    return {key: rows for key, rows in found.items() if rows}


def fault(breach: BrokenNorm) -> Record:
    """A norm that the board breaks."""
    return {
        "norm": breach.norm,
        "cite": breach.paragraph,
        "what": breach.what,
        "at": breach.where,
    }


def unknown(reasons: Sequence[Reason], so: bool) -> Record:
    """Why something is unknown and what is needed; no keys where nothing is and it is not `so`."""
    if not reasons and not so:
        return {}
    return {
        "unknown": {
            "why": "; ".join(map(str, reasons)),
            "needs": list(what_would_settle(reasons)),
            **_open_points(open_points(reasons)),
        }
    }


def level_of(half_levels: int | None) -> int | float | None:
    """Half levels as levels."""
    if half_levels is None:
        return None
    return half_levels // 2 if half_levels % 2 == 0 else half_levels / 2


def _value(text: str, kind: str) -> str | int | float:
    """A value as people write it, as a number where it is one: `1 1/2` is 1.5."""
    if kind in QUOTED or not re.fullmatch(r"-?(\d+|\d+/\d+|\d+ \d+/\d+)", text):
        return text
    parts = text.lstrip("-").split()
    number = sum(map(Fraction, parts)) * (-1 if text.startswith("-") else 1)
    return int(number) if number == int(number) else float(number)


# --- Where units go, as JSON: `as_json.py` documents the shapes.


def moves(position: Position, answer: Moves) -> Record:
    """Where units can go. MF and MP are numbers such as 1.5."""
    told = _shared(position, answer, {"verdict": answer.word})
    for name in ("reach", "perhaps", "in_passing"):
        of = {"reach": answer.reach, "perhaps": answer.perhaps, "in_passing": answer.passed}[name]
        told[name] = [
            {
                **_reached(position, answer, each),
                "beaten": defeats(each.rests_on.beaten),
                "cites": list(each.rests_on.cites),
                "path": [_move_step(position, step, answer.paid_in) for step in each.path],
            }
            for each in of
        ]
    paid = answer.paid_in
    told["forbidden"] = [_move_step(position, each, paid) for each in answer.forbidden]
    told["unknown_steps"] = [
        {**_move_step(position, each, paid), **unknown(each.unknown, True)}
        for each in answer.unknown
    ]
    return told


def rout(position: Position, answer: Rout) -> Record:
    """Where a unit can rout: as `moves`, with the units that can Interdict it."""
    told = moves(position, answer.moves)
    ways = (answer.moves.reach, answer.moves.perhaps, answer.moves.passed)
    for name, found in zip(("reach", "perhaps", "in_passing"), ways, strict=True):
        for record, each in zip(told[name], found, strict=True):
            record["interdicted_by"] = list(answer.interdictors(each.path))
    return {
        **told,
        "must": answer.must,
        "must_unknown": list(map(str, answer.unknown)),
        "interdictions": list(map(interdiction, answer.interdictions)),
        **citations(position, answer.cites),
        **issues(answer),
    }


def reach(position: Position, answer: Moves) -> Record:
    """Where units can go, each place with its MF: `moves` without ways and steps."""
    told = _shared(position, answer, {})
    told["reach"] = [_reached(position, answer, each) for each in answer.reach]
    told["perhaps"] = [_reached(position, answer, each) for each in answer.perhaps]
    return told


def _shared(position: Position, answer: Moves, more: Record) -> Record:
    reasons = tuple(dict.fromkeys((*answer.reasons, *answer.besides)))
    return {
        "board": position.board.name,
        **more,
        "units": list(answer.units),
        "phase": answer.phase,
        "from": to_board_text(answer.start, "location"),
        **_paid(answer.pace, answer.paid_in),
        "turns": answer.turns,
        **citations(position, position.program.paragraphs(answer.norms)),
        **unknown(reasons, bool(reasons)),
        **issues(answer),
    }


def _reached(position: Position, answer: Moves, each: ReachedLocation) -> Record:
    """A Location with what it takes; `at_least` and `at_most` where that is not known."""
    return {
        "to": to_board_text(each.to, "location"),
        **_paid(each.mf, answer.paid_in),
        "at_least": mf_number(each.mf if each.mf is not None else each.at_least),
        "at_most": mf_number(each.mf if each.mf is not None else each.at_most),
        "turn": each.turn,
        **unknown(each.unknown, bool(each.unknown)),
    }


def _move_step(position: Position, step: MoveStep, paid_in: str) -> Record:
    return {
        "from": to_board_text(step.start, "location"),
        "to": to_board_text(step.to, "location"),
        "way": step.way,
        **_paid(step.mf, paid_in),
        "norms": list(step.norms),
        "cites": list(position.program.paragraphs(step.norms)),
    }


def _paid(amount: int | None, paid_in: str) -> Record:
    """An amount under the name of what it is paid in."""
    return {price: mf_number(amount) if price == paid_in else None for price in ("mf", "mp")}


def mf_number(amount: int | None) -> float | None:
    """Quarters of an MF as MF."""
    return None if amount is None else amount / 4


def can(position: Position, answer: Can) -> Record:
    """Whether a deed is legal, and each way in which it comes into question."""
    there = answer.there
    return {
        "board": position.board.name,
        "verdict": answer.word,
        "deed": deed_text(answer.doing, position.vocabulary),
        "legal": answer.legal,
        "forbidden_by": list(answer.forbidding),
        "ways": [
            {
                "deed": position.notation.term_text(each.deed),
                "verdict": each.word,
                "sentence": each.sentence,
                "legal": each.legal,
                **_paid(each.cost, each.paid_in),
                "norms": list(dict.fromkeys((*each.norms, *each.priced))),
                **unknown(each.unknown, each.legal is None),
            }
            for each in answer.ways
        ],
        "way_there": [_move_step(position, step, answer.paid_in) for step in there.path]
        if there
        else [],
        "besides": related(answer.besides),
        "beaten": defeats(answer.beaten),
        **citations(position, answer.cites),
        **unknown(answer.unknown, answer.legal is None),
        **issues(answer),
    }


# --- Answers about many places at once as JSON: what is seen, where units can go, rows of all
#     sights.


def sees(position: Position, answer: Viewshed) -> Record:
    """What is seen from a Location: its sight to each other one, clear or not."""
    eye = hex_of_spot(answer.eye.spot)
    doubts = {to: [at for at, places in answer.doubtful if to in places] for to, _ in answer.sights}
    norms = position.program.norms
    return {
        "board": position.board.name,
        "from": to_board_text(answer.eye, "location"),
        "level": level_of(answer.level),
        "sights": [
            {
                "to": to_board_text(to, "location"),
                "level": level_of(position.elevation(to)),
                "range": eye.range_to(hex_of_spot(to.spot)),
                "clear": verdict.clear,
                "hindrance": None if verdict.clear is None else verdict.hindrance,
                "norm": verdict.norm or None,
                "cite": norms[verdict.norm].paragraph if verdict.norm else None,
                "at": verdict.place or None,
                **unknown(verdict.why, verdict.clear is None),
                **({"doubts": doubts[to]} if doubts[to] else {}),
            }
            for to, verdict in answer.sights
        ],
        **notes_json(
            position.program.notes,
            position.program.paragraphs(each.norm for _, each in answer.sights if each.norm),
        ),
        **issues(answer),
    }


def sight(ends: LosPair, verdict: LosVerdict) -> Record:
    """A sight of a matrix."""
    a, b = ends
    why = "; ".join(map(str, verdict.why))
    return {
        "a": to_board_text(a, "location"),
        "b": to_board_text(b, "location"),
        "clear": verdict.clear,
        "hindrance": None if verdict.clear is None else verdict.hindrance,
        "norm": verdict.norm or None,
        "at": verdict.place or None,
        **({"unknown": why} if verdict.clear is None else {}),
    }


# --- What an answer hangs on, and what would change it, as JSON; `as_json` documents the shapes.


def sensitive(position: Position, question: str, found: Hanging) -> Record:
    """What an answer hangs on."""
    return {
        "board": position.board.name,
        "question": question,
        "answer": found.short,
        "not_tried": dict(found.left),
        "tried": dict(found.tried),
        "statements": [_turning(each) for each in found.said],
        "absences": [_turning(each) for each in found.unsaid],
        "norms": list(_ruled(position, found.norms)),
        "rulings": list(_ruled(position, found.rulings)),
        "readings": list(found.readings),
        **issues(found),
    }


def case(position: Position, question: str, found: Case) -> Record:
    """The least of a board that gives the same answer."""
    return {
        "board": position.board.name,
        "question": question,
        "text": found.text,
        "expects": found.expects,
        "verdict": found.verdict,
        "cites": list(found.cites),
        "smallest": found.smallest,
        **notes_json(position.program.notes, found.cites),
        **issues(found),
    }


def repair(position: Position, question: str, found: Repaired) -> Record:
    """The smallest changes that give a wanted answer."""
    return {
        "board": position.board.name,
        "question": question,
        "answer": found.short,
        "wanted": found.wanted,
        "already": found.already,
        "allowed": list(found.allowed),
        "not_tried": {"lines": found.lines_left, "pairs": found.pairs_left},
        "tried": {"lines": found.lines, "pairs": found.pairs},
        "repairs": [
            {"changes": [_change(each) for each in repair.lines], "answer": repair.short}
            for repair in found.repairs
        ],
        **issues(found),
    }


def _turning(turning: DecisiveLine) -> Record:
    return {**_change(turning.candidate), "answer": turning.answer}


def _change(candidate: ChangeCandidate) -> Record:
    """A change: `if` or `unless`, with its line, and of which kind it is."""
    return {candidate.option.removeprefix("--"): candidate.line, "kind": candidate.kind}


def _ruled(position: Position, found: Iterable[DecisiveNorm]) -> Iterable[Record]:
    norms = position.program.norms
    for each in found:
        cite = norms[each.norm].paragraph
        yield {"norm": each.norm, "cite": cite, "answer": each.answer}


# --- Proofs as JSON: told as people read them, and whole, so that anyone can check them against
#     the rules.


def why(position: Position, query: Query, answer: Why) -> Record:
    """The answer to a question with its proofs, told as points and step by step, and what was beaten."""
    beaten = [{"norm": e.norm, "by": e.by, "at": e.place} for e in answer.beaten]
    return {
        **ask(position, query, replace(answer.asked, beside=answer.beside)),
        **reasons(position, [answer]),
        "lacking": [{"norm": e.norm, "lacks": e.condition, "at": e.at} for e in answer.lacking],
        "beaten": beaten,
    }


def reasons(position: Position, answers: Iterable[Why]) -> Record:
    """The proofs of some answers."""
    steps = [step for answer in answers for step in answer.proofs]
    points = justification(steps, position.program.norms, position.notation)
    return {"proof": [_point(each) for each in points], **proof(steps)}


def proof(goals: Sequence[ProofStep]) -> Record:
    """The proofs of these goals, step by step."""
    return {
        "goals": list(dict.fromkeys(each.id for each in goals)),
        "steps": [_proof_step(each) for each in merged_steps(goals)],
    }


def _point(told: JustificationNode) -> Record:
    return {
        "claim": told.claim,
        "norm": told.norm,
        "sense": told.sense,
        "because": [_point(each) for each in told.because],
        "again": told.again,
        "tie": told.tie,
        "id": told.id,
        "at": told.at,
    }


def _proof_step(step: ProofStep) -> Record:
    return {
        "id": step.id,
        "atom": step.atom,
        "origin": step.origin,
        "norm": step.norm,
        "rule": step.at,
        "because": _ids(step.premises),
        "counted": list(dict.fromkeys(_ids(step.aggregate_premises))),
        "absent": list(step.negative_premises),
        "beside": _ids(step.defeats),
        "aside": _ids(step.notes),
    }


def _ids(steps: Iterable[ProofStep]) -> list[str]:
    return [each.id for each in steps]
