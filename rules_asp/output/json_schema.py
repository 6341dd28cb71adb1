"""All answers as JSON, the documented shapes.

Every object has "schema": 2 and "command". Levels are numbers such as 1.5. A cite is a printed rule
number, "B23.25". A norm is one numbered statement with an id of its own, "B23.25-3". "beaten" lists
overridden norms, each with the norm that overrides it and the topic, action or place. A schema may get
further keys, but none is removed.

An answer to a question has a "verdict", one of four words:

- "yes": it is true, or has a value.
- "forbidden": norms forbid it; "forbidden_by" names them.
- "not so": nothing on this board makes it true, or a norm denies it.
- "unknown": a rule or a board fact is missing. The key "unknown" gives the reasons and what would settle
    the answer. The key of the answer, such as "holds", "legal" or "clear", is then null.

A question that names something that does not exist is an error: exit code 2, and in a batch "error" and
the verdict "no such thing". "assumed" lists the cites that are assumed general rules, and "readings" lists
our interpretations. "less_sure" lists less certain assumptions. "open" lists the points that the texts of
the cited norms leave open (norm open). The reasons in "unknown" also have an "open" list.

The answers of the commands from los to reach have "faults" (norm cite what at) if the board violates norms
at the places of the answer, and "doubts" (at what) if the map data is uncertain at these places. In `sees`,
the "doubts" of an LOS are the places on its line. A TEM with unknown DRM has "drm_unknown".

Schema 1 had no verdict: "holds", "legal" and "clear" did not distinguish the kinds of no.

    los       board verdict a b clear hindrance lv (not in hindrance) unseen_from range level_a level_b
              levels_by (norm cite at: an exception that gives the level of an end, such as a bridge)
              blocked_at blockers hindrances passes_over beaten close cites; of passes_over: norm cite
              at what level blind_hexes to_lower_end (hexes from the obstacle) text
    range     as ask, of the topic range(a, b)
    tem       board verdict from at how target tem parts beaten cites
    fire      board verdict from at how target legal norms clear hindrance blocked_at blockers tem drm
              parts besides beaten cites
    firers    board verdict target at doing attacks group cites; of an attack: unit from target at doing
              verdict legal norms range clear hindrance blocked_at firepower (with its MG; null:
              unknown) column (of the IFT) weapons (weapon firepower) times doublings direction (best
              leadership) drm parts unknown firepower_unknown drm_unknown
              of the group, the largest Fire Group, or null: units firepower column firepower_unknown drm
              (the least and the greatest) spare (who can be left out)
    targets   board verdict unit from attacks cites
    moves     board verdict units phase from mf mp turns reach perhaps in_passing forbidden
              unknown_steps cites; of a reached Location: to mf mp beaten cites path
    rout      as moves, and must (null: unknown) must_unknown interdictions; of an interdiction: start
              to way by perhaps unknown; of a reached Location: interdicted_by
    threats   board verdict units to doing firers steps forbidden_by cites; of a step: from to way mf mp
              norms cites legal spent firers perhaps best_drm open residual_fp (at fp) exposed_at (at,
              attacks and group, as firers) unknown
    safest    board verdict units to order certain complete paths not_compared forbidden_by cites; of a
              path: mf mp steps first_by (bounds), and by either bound, certain and possible: firers
              drm (null: no fire, or unknown) open
    turn      board verdict side units unplaced (in no Location) cites; of a unit: unit at reach
              perhaps farthest range targets firers; of a target or firer: unit legal firepower best_drm
    can       board verdict deed legal forbidden_by ways way_there besides beaten cites; of a way:
              deed (a term) and sentence
    sequence  board verdict actions unasked not_carried cites; of an action: action phase can (as can)
    roll      board verdict roll sentence dice given modifiers results together beaten cites
    ask       board verdict query holds forbidden_by values could answers perhaps not_allowed beaten cites;
              counted (count values) of a question that counts; value of --greatest or --least
    why       as ask, and proof goals steps lacking (see below); proof goals steps
              are added by --why to los tem fire can roll ask
    sensitive (the command `depends`)
              board question answer tried not_tried statements absences norms rulings readings; of a
              statement or absence: unless or if (the line that changes the answer), kind, answer; of a
              norm or ruling: norm cite answer; the answer "no such thing": the question no longer applies
    repair    board question answer wanted already allowed tried not_tried repairs; of a repair: changes
              (unless or if, kind) and answer
    case      board question text expects verdict cites smallest file; text is the case, a board text;
              expects is its last line without cites; file: where it was written, or null
    sees      board from level sights
    reach     board units phase from mf mp turns reach perhaps cites
    matrix    board from sights key, then a line for each LOS: a b clear hindrance norm at
              of a folder: boards total errors; of a board: board of file sights clear blocked
              unknown
    batch     a line for each question: the keys of its command, and line text; or error
    check     board violations conflicts unknowns doubts; of a folder: boards total errors; each board
              also has of, its file
    test      passed failed outcomes errors
    coverage  sections cases unexercised
    facts     board given derived
    draw      board file
    import    board file grid buildings doubts corrected
    rules     norms, or paragraphs, or readings
    words     kind members words; of each word: form sense sentences said
    lint      faults

    proof   the whole justification: nodes, each with claim norm sense because; again, if its premises are
            at an earlier node; tie, the relation to the parent: "because", "value" (the parent takes its
            value from it), "absent", "beaten" (overridden), "outbid" (a lower offer); id, that of its
            step; at, the file of kb/ and the line of the rule
    goals   ids of the steps that prove the answer
    steps   each step once: id, the same for the same atom in every proof; atom, in clingo syntax; origin,
            "rule", "board", "question" (asked or measured) or "supposed"; norm and rule, the place in kb/
            such as `b23/b23_3.lp:17`, null if there is none; because, ids of the positive body atoms in
            the order of the rule; counted, ids of the elements of aggregates; absent, the negated atoms;
            beside, ids outside the rule body: defeats of opposing norms, met conditions of an action,
            exceptions that block a norm; aside, ids of notes that do not support it: lower offers, and
            reasons of unknown topics
    lacking if nothing makes it true, or nothing denies it: norm lacks at, for each norm that could: the
            first condition that fails here, and its rule

tests/proof_checker.py checks goals and steps independently of this program.
"""

from __future__ import annotations

from rules_asp.explain.record import Record

SCHEMA = 2


def with_header(command: str, record: Record) -> Record:
    """A record with its schema and the command that it answers."""
    return {"schema": SCHEMA, "command": command, **record}
