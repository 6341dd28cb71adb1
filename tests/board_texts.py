"""Texts and boards for the tests of the board language: the examples of its pages, random boards."""

import re
from importlib import resources

from hypothesis import strategies as st

from rules_asp.game import board as b
from rules_asp.game.grid import Grid, Hex, Hexside, Location, Point, Vertex
from rules_asp.game.query import Argument, DeedQuery, FunctionTerm, Query, QueryLiteral, Variable
from rules_asp.game.vocabulary import YES, YES_NO, vocabulary

#: The pages of the board language.
PAGES = "\n".join(
    path.read_text("utf-8")
    for path in sorted(resources.files("rules_asp.parser").iterdir(), key=lambda path: path.name)
    if path.name.endswith(".md")
)
GRID = Grid(33, 10)
HEXES = GRID.hexes()
WORDS = vocabulary().words


#: A board that states every input of the vocabulary; a test holds that it does.
BOARD_OF_ALL = """board "all" grid 9x7
rules B23 PB4 PB6 BRT7 ABTF3
sides british german
level 1: H1 H2 I2
level -1: I6
unknown terrain jungle-hut: A1
treat jungle-hut as woods
woods: A2
orchard: A3
grain: I4
lumberyard: E1
marketplace: D2
building "church" gray: C2 D2   joined C2-D2   stairwell C2
building brown: C3 D3   joined C3-D3   bar C3-D3 covers 0-25
building brown: F3 G3   joined F3-G3   bar F3-G3   stairwell F3
building disputed: H5
building brown: B5
building gray: A6
building brown: I7   stairwell I7
factory A6
outline brush: 0,2000 300,2000 300,2300 0,2300
symbol large-white-dot: B5
symbol round: F3 I7
symbol black-dot-in-white-cross: A6
symbol white-dot: G3
wall: B1-B2
hedge: B2-B3
cliff: H1-I2
bocage: H2-I3
road paved: E2-E3-E4
road dirt: E5-F5
road path: G1-G2
road runway: I1-I2
road sunken: F6-G6
road elevated: G6-H6
road dirt: C3-C4
roads pass C3
narrow street C4-D3 C4-D4
slope C4: C4-C5 C4-D4
gap no: B1-B2
below crest: B1-B2
unpaved C4-D4
rooftops
third level C2 building
third level stairwell D2
upper levels 2: G3
all buildings wooden
cut off hexes: G3
ift 8: nmc 9
access point A6
roofless G3
tower B5 obstacle 1
purchase german 3 fortified
purchase british 2 breaches
ob british 1 breaches
fpp british 20
edition 2
ruling R-B31
turn 3 german mph
month 7
season winter
night
nvr 3
weather mud rain
lv hindrance 1 from range 7
ec wet
control german: C2
front line C3
unit A squad 4-5-7 british at C2/2: broken DM, PP 4, spent 1, nationality finnish
unit L leader british at C2/2: leadership -1, leads A, possesses LMG, LMG 2-8
unit C half-squad 2-3-7 british at E6@D6-E7: climb D6/E7 level 1
unit T vehicle german at C4@C3-D3: fully-tracked AFV CT BU, VCA D3/D4, TCA C3/D3, MA 75L, MP 14,
    bypasses C4-D3
unit W vehicle german at H4: truck, tows H
unit H gun german at H4: limbered, kind AT, MA 50, size small
unit R squad 4-4-7 german at H4: rides W
commando A
rubble stone: H5
rubbled level 1: D2
breach F3-G3/0
hidden breach F3-G3/1
level counter 1: C2
flame C3/1
blaze F3
smoke 2: E4
wp E4
wire E3
mines ap 6 hidden: E5
roadblock C4-D3 toward C3
fortified hidden: C2/1
fortified counter F3
residual fp 4: E4
collapsed B5
bridge stone: E3
event A attempted entry of D2/1 in turn 3
event A crossed C2-D2 in turn 3 german mph
event T made 1 tca change dr
event A fires through C2-D2
event L directs fire through C2-D2
event H fired through G4-H4 in turn 3
event set-fire "the church was set on fire"
"""


def examples(language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGES, re.MULTILINE | re.DOTALL)


def _some(values: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(values, min_size=1, max_size=5, unique=True).map(tuple)


hexes = st.sampled_from(HEXES)
sides = st.tuples(hexes, st.integers(0, 5)).flatmap(
    lambda pair: (
        st.just(Hexside(*sorted((pair[0], pair[0].neighbour(pair[1])))))
        if pair[0].neighbour(pair[1]) in set(HEXES)
        else st.nothing()
    )
)
vertices = st.builds(Vertex, hexes, st.integers(0, 5))
spots = st.one_of(hexes, vertices)
floors = st.sampled_from((0, 1, 2, 3, "roof", "steeple", "tower", "stairs1", "stairs2"))
locations = st.builds(Location, spots, floors)
texts = st.text(
    st.characters(exclude_categories=["Cc", "Cs"], include_characters="\n"), max_size=20
)
free_words = st.from_regex(r"[a-z][a-z0-9]{0,5}(_[a-z0-9]{1,4})?", fullmatch=True).filter(
    lambda word: word not in ("not", *WORDS["phase"])
)
terrains = st.one_of(
    st.sampled_from((*WORDS.get("terrain", ("woods", "brush")), *b.PRINTED_MARKS)),
    free_words.filter(lambda word: word not in WORDS["hexside_terrain"]),
)
unit_names = st.sampled_from(("A", "T-34", "Sgt_Steiner", "squad", "b2"))
_stacks = st.lists(unit_names, min_size=1, max_size=3).map(tuple)
numbers = st.integers(-99, 99)


def _value(kind: str) -> st.SearchStrategy[object]:
    """Values of a kind of argument."""
    known = {
        "hex": hexes,
        "hexside": sides,
        "location": locations,
        "number": numbers,
        "half_level": numbers,
        "quarter": numbers,
        "text": texts,
        "unit": unit_names,
    }
    if kind in WORDS:
        return st.sampled_from(WORDS[kind])
    return known.get(kind, free_words)


def _corner(at: Hex) -> st.SearchStrategy[int]:
    return st.integers(0, 5)


def _given(name: str, unit: str | None = None) -> st.SearchStrategy[b.Fact]:
    kinds = vocabulary().inputs[name].kinds
    if name == "has":
        kinds = ("unit", "quantity", "quarter")
    values = [st.integers(0, 5) if kind == "corner" else _value(kind) for kind in kinds]
    if name == "has":
        return st.tuples(*values).map(
            lambda args: b.Fact(
                name, (unit, args[1], args[2] if args[1] in ("mf", "mp") else abs(args[2]))
            )
        )
    if name == "roadblock":
        return sides.flatmap(
            lambda s: st.sampled_from(
                [c for c in range(6) if s.b in (s.a.neighbour(c), s.a.neighbour(c + 1))]
            ).map(lambda corner: b.Fact(name, (s, corner)))
        )
    if name in ("breach", "hidden_breach"):
        values[1] = st.integers(0, 9)
    if name == "weapon_strength":
        values[2] = values[3] = st.integers(0, 99)
    if name in ("ma",):
        values[1] = st.integers(0, 999)
    return st.tuples(*values).map(
        lambda args: b.Fact(name, args if unit is None else (unit, *args[1:]))
    )


def givens() -> st.SearchStrategy[b.Fact]:
    """A fact that has a statement of its own."""
    from rules_asp.parser.input_syntax import STATEMENTS

    return st.sampled_from(sorted(STATEMENTS)).flatmap(_given)


@st.composite
def things(draw: st.DrawFn) -> b.UnitStatement:
    """A unit with some of its traits."""
    from rules_asp.parser.input_syntax import TRAITS

    name = draw(unit_names)
    facts = [b.Fact("unit", (name, draw(_value("unit_type"))))]
    if draw(st.booleans()):
        facts.append(b.Fact("strength", (name, *draw(st.tuples(*[st.integers(0, 16)] * 3)))))
    if draw(st.booleans()):
        facts.append(b.Fact("of_side", (name, draw(free_words))))
    facts.append(b.Fact("at", (name, draw(locations))))
    for trait in draw(st.lists(st.sampled_from(sorted(TRAITS)), max_size=6)):
        facts.append(draw(_given(trait, name)))
    return b.UnitStatement(name, tuple(facts))


@st.composite
def buildings(draw: st.DrawFn) -> b.Building:
    """A building whose symbols lie in its hexes."""
    own = draw(st.lists(hexes, min_size=1, max_size=5, unique=True))
    around = [
        Hexside(*sorted((hex_, near)))
        for hex_ in own
        for near in hex_.neighbours()
        if near in set(HEXES)
    ]
    some_sides = st.lists(st.sampled_from(around), max_size=3).map(tuple)
    return b.Building(
        draw(st.sampled_from(WORDS["colour"])),
        tuple(own),
        draw(st.none() | texts),
        draw(some_sides),
        tuple(draw(st.lists(st.sampled_from(own), max_size=2))),
        tuple(b.Bar(side, draw(_stretches)) for side in draw(some_sides)),
    )


_stretches = st.none() | st.tuples(st.integers(0, 59), st.integers(1, 60)).filter(
    lambda pair: pair[0] < pair[1]
)
_rings = st.lists(
    st.builds(Point, st.integers(-40_000, 40_000), st.integers(-40_000, 40_000)),
    min_size=3,
    max_size=40,
).map(tuple)


@st.composite
def roads(draw: st.DrawFn) -> b.Road:
    """A road from hex to hex, which may leave the map."""
    way = [draw(st.sampled_from([hex_ for hex_ in HEXES if 5 < hex_.col < 28 and hex_.row > 5]))]
    for turn in draw(st.lists(st.integers(0, 5), min_size=1, max_size=5)):
        way.append(way[-1].neighbour(turn))
    return b.Road(draw(st.sampled_from(WORDS["surface"])), tuple(way))


_paragraphs = st.sampled_from(("B23.25", "PB4.141", "BRT7.2", "PB6.42", "ABTF3.31", "A6.4"))
_variables = st.sampled_from(("L", "Hex", "V", "_")).map(Variable)


@st.composite
def literals(draw: st.DrawFn) -> QueryLiteral:
    """A literal over inputs and topics whose arguments are simple."""
    words = vocabulary()
    simple = {"hex", "hexside", "location", "half_level", "number", "unit", "side", YES_NO, *WORDS}
    entries = [*words.inputs.values(), *words.topics.values()]
    entry = draw(st.sampled_from([each for each in entries if simple >= set(each.kinds)]))
    args = tuple(Argument(draw(_value(kind)), kind) for kind in entry.kinds)
    value = None
    if entry.name in words.topics:
        kind = words.topics[entry.name].value
        value = Argument(YES if kind == YES_NO else draw(_value(kind)), kind)
    return QueryLiteral(entry.name, args, value, draw(st.booleans()))


shots = st.builds(
    b.Shot,
    locations,
    locations,
    st.sampled_from(WORDS["fire"]),
    st.sampled_from(WORDS["target"]),
)


@st.composite
def deeds(draw: st.DrawFn) -> DeedQuery:
    """A deed, some of it left open."""
    free = st.just(Variable("_"))
    if draw(st.booleans()):
        ends = [Argument(draw(locations), "party") for _ in range(2)]
        return DeedQuery(Argument(FunctionTerm("fire", tuple(ends)), "deed"))
    spots = vertices.map(lambda spot: FunctionTerm("around", (Argument(spot, "spot"),)))
    parts = {
        "by": st.sampled_from(WORDS["by"]),
        "unit": unit_names,
        "location": free | locations,
        "way": free | st.sampled_from(WORDS["way"]) | spots,
    }
    kinds = vocabulary().forms["step"].kinds
    step = FunctionTerm("step", tuple(Argument(draw(parts[kind]), kind) for kind in kinds))
    beside = None
    if isinstance(step.args[4].value, Variable) and not isinstance(step.args[3].value, Variable):
        beside = draw(st.none() | hexes)
    return DeedQuery(Argument(step, "deed"), beside)


@st.composite
def expects(draw: st.DrawFn) -> b.Expect:
    """An expectation of any kind."""
    known = st.sampled_from(("yes", "no"))
    either = st.sampled_from(("yes", "no", "unknown"))
    amounts = st.one_of(st.just("unknown"), numbers)
    questions: list[st.SearchStrategy[b.Expect]] = [
        st.builds(
            b.Expect,
            st.builds(b.ExpectedLos, locations, locations),
            st.sampled_from(("clear", "blocked", "unknown")),
            hindrance=st.none() | st.integers(0, 9),
            at=st.none() | hexes,
        ),
        st.builds(b.Expect, shots, amounts),
        st.builds(b.Expect, st.builds(b.ExpectedDrm, shots), amounts),
        st.builds(b.Expect, st.builds(b.ExpectedCost, _stacks, locations), amounts),
        st.builds(b.Expect, deeds(), either),
        st.builds(b.Expect, st.builds(b.ExpectedViolation, _paragraphs)),
        st.builds(b.Expect, st.builds(b.ExpectedConflict, _paragraphs, _paragraphs)),
        st.builds(
            b.Expect,
            st.lists(literals(), min_size=1, max_size=3).map(lambda some: Query(tuple(some))),
            known,
        ),
    ]
    expect = draw(st.one_of(questions))
    cites = draw(st.lists(_paragraphs, max_size=3))
    return b.Expect(expect.question, expect.answer, tuple(cites), expect.hindrance, expect.at)


def statements() -> st.SearchStrategy[b.Statement]:
    """Any statement but `use`."""
    marks = ("stairwell", "doubt", *b.PRINTED_MARKS, *WORDS.get("terrain", ()))
    yes_no = st.sampled_from(("yes", "no"))
    side_marks = ("joined", "bar", "doubt", *WORDS["hexside_terrain"])
    return st.one_of(
        st.builds(b.Area, terrains, _some(hexes)),
        st.builds(b.Level, st.integers(-9, 9), _some(hexes)),
        buildings(),
        st.builds(b.Bar, sides, _stretches),
        st.builds(b.HexsideTerrain, st.sampled_from(WORDS["hexside_terrain"]), _some(sides)),
        roads(),
        st.builds(b.Outline, terrains, _rings, st.lists(_rings, max_size=2).map(tuple)),
        st.builds(b.Outline, st.just("ground"), _rings, level=st.integers(-3, 3)),
        st.builds(b.Correction, hexes, st.sampled_from(marks), yes_no),
        st.builds(b.Correction, hexes, st.just("level"), st.integers(-9, 9)),
        st.builds(
            b.Correction, hexes, st.just("building"), st.sampled_from(("no", *WORDS["colour"]))
        ),
        st.builds(b.Correction, sides, st.sampled_from(side_marks), yes_no),
        st.builds(b.Correction, sides, st.just("road"), st.just("no")),
        st.builds(
            b.TerrainSubstitution, free_words, st.sampled_from(WORDS.get("terrain", ("woods",)))
        ),
        st.builds(b.Doubt, hexes | sides, texts),
        givens(),
        things(),
        expects(),
    )


boards = st.builds(b.Board, texts, st.just(GRID), st.lists(statements(), max_size=8).map(tuple))
