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

    los       board verdict a b clear hindrance lv (not in hindrance) unseen_from range level_a level_b
              blocked_at blockers hindrances beaten close cites
    range     as ask, of the topic range(a, b)
    tem       board verdict from at how target tem parts beaten cites
    fire      board verdict from at how target legal norms clear hindrance tem drm parts besides beaten
    cites
    firers    board verdict target at doing attacks group cites; of an attack: unit from target at doing
              verdict legal norms range clear hindrance blocked_at firepower (with its MG; null:
              unknown) column (of the IFT) weapons (weapon firepower) times doublings direction (best
              leadership) drm parts unknown firepower_unknown drm_unknown
              of the group, the largest Fire Group, or null: units firepower column firepower_unknown drm
              (the least and the greatest) spare (who can be left out)
    targets   board verdict unit from attacks cites
    moves     board verdict units phase from mf mp turns reach perhaps in_passing forbidden
              unknown_steps cites; of what is reached: to mf mp beaten cites path
    rout      as moves, and must (null: unknown) must_unknown interdictions; of an interdiction: start
              to way by perhaps unknown; of what is reached: interdicted_by
    threats   board verdict units to doing firers steps forbidden_by cites; of a step: from to way mf mp
              norms cites legal spent firers perhaps best_drm open residual_fp (at fp) exposed_at (at,
              attacks and group, as firers) unknown
    safest    board verdict units to order certain complete paths not_compared forbidden_by cites; of a
              path: mf mp steps first_by (bounds), and by either bound, certain and possible: firers
              drm (null: no fire, or unknown) open
    turn      board verdict side units unplaced (in no Location) cites; of a unit: unit at reach
              perhaps farthest range targets firers; of a target or firer: unit legal firepower best_drm
    can       board verdict deed legal forbidden_by ways way_there besides beaten cites; of a way:
    deed, as a
              term, and sentence
    sequence  board verdict actions unasked not_carried cites; of an action: action phase can (as can)
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

from rules_asp.explain.record import Record

SCHEMA = 2


def with_header(command: str, record: Record) -> Record:
    """A record with its schema and the command that it answers."""
    return {"schema": SCHEMA, "command": command, **record}
