"""The picture of a board, of any answer about it, or of a proof."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from rules_asp.drawing import los, style
from rules_asp.drawing.canvas import LINE, Canvas, wrapped
from rules_asp.drawing.map import AnswerOverlay, MapView, board_svg, hexes_near
from rules_asp.drawing.style import COLOUR, Theme
from rules_asp.drawing.svg import (
    Element,
    PictureError,
    data,
    document,
    group,
    path,
    placed,
    ring_path,
    text,
    width_of,
)
from rules_asp.explain.justification import JustificationNode, justification
from rules_asp.game.board import Board, Shot
from rules_asp.game.grid import Hex, Location, Vertex, hex_of_spot
from rules_asp.game.values import level_text, quarters_text, to_board_text
from rules_asp.geometry.polygons import hexagon
from rules_asp.positions.locations import hexes_named, locations
from rules_asp.positions.position import Position
from rules_asp.queries.fire import Drm, Fire
from rules_asp.queries.los import Los
from rules_asp.queries.los_matrix import Viewshed
from rules_asp.queries.movement import Moves
from rules_asp.queries.paths import ReachedLocation
from rules_asp.queries.why import Why


def viewshed_map(position: Position, answer: Viewshed) -> AnswerOverlay:
    """Draw the LOS from a Location: hexes colored by visibility, with the visible levels."""
    states: dict[Hex, list[tuple[Location, bool | None, int]]] = defaultdict(list)
    for to, verdict in answer.sights:
        states[hex_of_spot(to.spot)].append((to, verdict.clear, verdict.hindrance))
    texts: dict[Hex, tuple[str, ...]] = {}
    kinds: dict[str, list[Hex]] = defaultdict(list)
    for hex_, found in states.items():
        seen = [(to, amount) for to, clear, amount in found if clear]
        kinds[_kind(found)].append(hex_)
        by_amount: dict[int, list[str]] = defaultdict(list)
        for to, amount in seen:
            by_amount[amount].append(str(to.floor))
        if seen and (len(found) > 1 or any(by_amount)):
            texts[hex_] = tuple(
                " ".join(floors if len(found) > 1 else []) + (f" +{amount}" if amount else "")
                for amount, floors in sorted(by_amount.items())
            )
    count = sum(verdict.clear is True for _, verdict in answer.sights)
    eye = to_board_text(answer.eye, "location")
    return AnswerOverlay(
        title=f"what {eye} sees",
        caption=(
            f"{eye} at level {level_text(answer.level)} sees {count} of {len(answer.sights)} Locations;"
            " numbers are the levels that are seen, +1 is a Hindrance",
        ),
        under=lambda pen: [*_tinted(pen, kinds), _eye(pen, answer.eye)],
        texts=texts,
    )


def _kind(found: Sequence[tuple[Location, bool | None, int]]) -> str:
    verdicts = {clear for _, clear, _ in found}
    if verdicts == {True}:
        return "seen with a Hindrance" if all(amount for _, _, amount in found) else "seen"
    if True in verdicts:
        return "seen on some levels"
    return "hidden" if False in verdicts else "not known"


def _tinted(pen: Canvas, kinds: Mapping[str, Sequence[Hex]]) -> list[Element]:
    """Draw hexes in the tint of their kind."""
    looks = pen.looks
    tints = {
        "seen": (looks.seen, 0.3),
        "seen with a Hindrance": (looks.hindered, 0.4),
        "seen on some levels": (looks.clear_line, 0.22),
        "hidden": (looks.hidden, 0.42),
        "not known": (looks.alarm, 0.25),
    }
    found: list[Element] = []
    for kind, (colour, opacity) in tints.items():
        hexes = [hex_ for hex_ in kinds.get(kind, ()) if hex_ in pen.hexes]
        if not hexes:
            continue
        for hex_ in hexes:
            tint = path(ring_path(hexagon(hex_)), fill=colour, fill_opacity=opacity)
            found.append(group([tint], "verdict", about=data(hex=hex_, verdict=kind)))
        swatch = path(
            "M-56-36h112v72h-112z",
            fill=colour,
            fill_opacity=opacity,
            stroke=looks.grid,
            stroke_width=5,
        )
        pen.explain(f"verdict {kind}", kind, [swatch])
    return found


def _eye(pen: Canvas, place: Location) -> Element:
    """Draw the mark of the Location that the question is about."""
    hex_ = hex_of_spot(place.spot)
    return path(
        ring_path(hexagon(hex_)),
        data(hex=hex_),
        "from",
        fill=pen.looks.clear_line,
        fill_opacity=0.3,
        stroke=pen.looks.clear_line,
        stroke_width=30,
        stroke_linejoin="round",
    )


def moves_map(position: Position, answer: Moves, ways: bool = True) -> AnswerOverlay:
    """Draw where units can move: MF per hex and level, shaded by the least MF, and paths."""
    by_hex: dict[Hex, list[ReachedLocation]] = defaultdict(list)
    for each in (*answer.reach, *answer.perhaps):
        by_hex[hex_of_spot(each.to.spot)].append(each)
    names = " and ".join(answer.units)
    price = answer.paid_in.upper()
    spend = "" if answer.pace is None else f", {quarters_text(answer.pace)} {price}"
    title = f"{names} from {to_board_text(answer.start, 'location')}{spend}"
    caption = [f"{price} by hex; /1 is the level"] if by_hex else []
    caption += [f"+: so much at least, {why}" for why in answer.besides if by_hex]
    caption += [f"not known: {why}" for why in answer.reasons]
    return AnswerOverlay(
        title=title,
        caption=tuple(caption if by_hex or answer.reasons else ["nowhere"]),
        under=lambda pen: [*_reached(pen, by_hex, answer.pace), _eye(pen, answer.start)],
        over=lambda pen: _ways(pen, answer.reach) if ways else [],
        texts={hex_: _amounts(found) for hex_, found in by_hex.items()},
    )


def _amounts(found: Iterable[ReachedLocation]) -> tuple[str, ...]:
    """Return the MF of each Location of a hex; ground level alone has no label; +: at least."""
    lines = []
    for each in found:
        bounded = (each.mf, each.at_least, each.at_most) != (None, None, None)
        more = "" if each.mf is not None else "+"
        amount = quarters_text(_least(each)) + more if bounded else "?"
        spot = each.to.spot
        where = f"/{each.to.floor} " if each.to.floor else ""
        at = (
            f"@{to_board_text(spot, 'spot').partition('@')[2]} " if isinstance(spot, Vertex) else ""
        )
        lines.append(f"{where}{at}{amount}")
    return tuple(lines)


def _least(each: ReachedLocation) -> int:
    """Return the least MF, as far as it is known."""
    return next((n for n in (each.mf, each.at_least, each.at_most) if n is not None), 0)


def _reached(
    pen: Canvas, by_hex: Mapping[Hex, Sequence[ReachedLocation]], pace: int | None
) -> list[Element]:
    found: list[Element] = []
    shades = pen.looks.reach
    most = max([pace or 0, *(_least(each) for here in by_hex.values() for each in here)], default=0)
    for hex_, here in by_hex.items():
        if hex_ not in pen.hexes:
            continue
        least = min((_least(each) for each in here), default=0)
        shade = shades[min(len(shades) - 1, least * len(shades) // max(1, most))]
        tint = path(ring_path(hexagon(hex_)), fill=shade, fill_opacity=0.5)
        about = data(hex=hex_, mf=" ".join(_amounts(here)))
        found.append(group([tint], "reached", about=about))
    if found:
        for shade, words in ((shades[0], "reached soon"), (shades[-1], "reached late")):
            swatch = path(
                "M-56-36h112v72h-112z",
                fill=shade,
                fill_opacity=0.5,
                stroke=pen.looks.grid,
                stroke_width=5,
            )
            pen.explain(words, words, [swatch])
    return found


def _ways(pen: Canvas, reach: Iterable[ReachedLocation]) -> list[Element]:
    """Draw the steps of the least-cost paths, each once, as arrows between hex centers."""
    steps = {(step.start.spot, step.to.spot) for each in reach for step in each.path}
    found: list[Element] = []
    for one, two in sorted(steps, key=str):
        if one == two or hex_of_spot(one) not in pen.hexes or hex_of_spot(two) not in pen.hexes:
            continue
        (a, b) = one.centre, two.centre
        length = max(1.0, ((b.x - a.x) ** 2 + (b.y - a.y) ** 2) ** 0.5)
        u, v = (b.x - a.x) / length, (b.y - a.y) / length
        reach_ = min(110.0, length / 3)
        # Next to the straight path, away from names and amounts.
        aside = 96.0 if length > 300 else 0.0
        start = (a.x + u * reach_ - v * aside, a.y + v * reach_ + u * aside)
        end = (b.x - u * reach_ - v * aside, b.y - v * reach_ + u * aside)
        back = (end[0] - u * 46, end[1] - v * 46)
        shaft = path(
            ring_path((start, back), False),
            fill="none",
            stroke=pen.looks.clear_line,
            stroke_width=15,
        )
        head = path(
            ring_path(
                (end, (back[0] - v * 28, back[1] + u * 28), (back[0] + v * 28, back[1] - u * 28))
            ),
            fill=pen.looks.clear_line,
        )
        found.append(
            group(
                [shaft, head],
                "step",
                about=data(start=to_board_text(one, "spot"), to=to_board_text(two, "spot")),
            )
        )
    if found:
        swatch = path("M-56-7H10V-26L56 0L10 26V7H-56z", fill=pen.looks.clear_line)
        pen.explain("way", "the least way", [placed(group([swatch], "glyph"), 0, 0)])
    return found


def fire_map(position: Position, answer: Fire) -> AnswerOverlay:
    """Draw a fire attack: its LOS, with every DRM in the caption."""
    norms = position.program.norms
    more = [f"not allowed, {each}: {norms[each].sense}" for each in answer.norms]
    more += [f"not known: {why}" for why in answer.unknown]
    return drm_map(position, answer.drm, "DRM", answer.sight, more)


def drm_map(
    position: Position, answer: Drm, what: str, sight: Los | None = None, more: Sequence[str] = ()
) -> AnswerOverlay:
    """Draw the TEM or the DRM of a fire attack, with its parts in the caption."""
    norms, item = position.program.norms, answer.item(what)
    parts = [
        f"{each.value} {each.label}, {norm}: {norms[norm].sense}"
        for each in item.parts
        for norm in each.norms
    ]
    parts += [f"not known: {why}" for why in answer.unknown]
    caption = tuple(dict.fromkeys((*parts, *more)))
    title = f"{answer.subject}: {what} {item.value}"
    line = sight or no_line(answer.shot)
    return los.overlay(position, line, title, caption, sight is not None)


def no_line(shot: Shot) -> Los:
    """Return the two ends of a fire attack as a LOS without an answer."""
    one, two = shot.firer, shot.target
    return Los(one, two, None, 0, hex_of_spot(one.spot).range_to(hex_of_spot(two.spot)), None, None)


_WIDTH = 1100.0
_SIZE, _STEP, _MARGIN = 15.0, 30.0, 24.0


def tree_svg(
    title: str,
    points: Sequence[JustificationNode],
    cites: Sequence[str] = (),
    looks: Theme = COLOUR,
) -> str:
    """Draw the proof of an answer as SVG; the summary of a norm is shown at its first use."""
    drawing = _Tree(looks)
    drawing.words([title], _MARGIN, bold=True, size=20.0)
    for point in points:
        drawing.y += 8
        drawing.point(point, 0)
    if cites:
        drawing.y += 10
        drawing.words([f"Rules: {', '.join(cites)}"], _MARGIN)
    paper = path(f"M0 0h{_WIDTH:.0f}v{drawing.y + _MARGIN:.0f}h-{_WIDTH:.0f}z", fill=looks.paper)
    box = (0.0, 0.0, _WIDTH, drawing.y + _MARGIN)
    return document([paper, *drawing.found], box, _WIDTH, title)


class _Tree:
    """A tree while it is drawn: its current depth, and the norms explained so far."""

    def __init__(self, looks: Theme) -> None:
        self.looks = looks
        self.y = _MARGIN
        self.found: list[Element] = []
        self.explained: set[str] = set()

    def words(
        self,
        said: Sequence[str],
        left: float,
        bold: bool = False,
        size: float = _SIZE,
        fill: str = "",
    ) -> None:
        """Draw lines of text from a left edge; long ones are broken."""
        for paragraph in said:
            for each in wrapped(paragraph, size, _WIDTH - _MARGIN - left):
                self.y += size * LINE
                at = (left, self.y - size * LINE / 2)
                self.found.append(
                    text(each, at, size, fill or self.looks.ink, anchor="start", bold=bold)
                )

    def point(self, point: JustificationNode, depth: int) -> tuple[float, float]:
        """Draw a point and its subtree; return the start of its first line."""
        left = _MARGIN + depth * _STEP
        top = self.y + _SIZE * LINE / 2
        before = len(self.found)
        norm_width = width_of(point.norm or "", _SIZE) + 12 if point.norm else 0
        room = _WIDTH - _MARGIN - left
        said = point.sentence
        if point.norm and width_of(said, _SIZE) + norm_width <= room:
            at = (left + width_of(said, _SIZE) + 12, top)
            self.words([said], left, bold=True)
            self.found.append(
                text(point.norm, at, _SIZE, self.looks.clear_line, anchor="start", bold=True)
            )
        else:
            self.words([said], left, bold=bool(point.norm))
            if point.norm:
                self.words([point.norm], left + 20, bold=True, fill=self.looks.clear_line)
        if point.again:
            self.words(["(shown above)"], left + 20)
        elif point.norm and point.sense and point.sense not in self.explained:
            self.explained.add(point.sense)
            self.words([point.sense], left + 20)
        self.y += 4
        below = [self.point(each, depth + 1) for each in point.because]
        x = left + 8
        guides = [
            path(
                f"M{x:.0f} {top + 12:.0f}V{y:.0f}H{to - 4:.0f}",
                fill="none",
                stroke=self.looks.grid,
                stroke_width=1.5,
            )
            for to, y in below
        ]
        inner = self.found[before:]
        del self.found[before:]
        about = data(norm=point.norm or "", depth=depth)
        self.found.append(group([*guides, *inner], "point", about=about))
        return left, top


#: On a map with more hexes than this, only the surroundings of a line or path are shown.
_MANY = 80


def theme_named(ink: bool = False) -> style.Theme:
    """Return the theme for the screen, or for black and white."""
    return style.INK if ink else style.COLOUR


def floor_named(position: Position, name: str | int | None) -> int | str | None:
    """Return the floor of this name; PictureError if no Location of the board has it."""
    if name is None:
        return None
    text = str(name)
    floors = {str(each.floor): each.floor for each in locations(position)}
    if text not in floors:
        raise PictureError(
            f"no Location is at level {text}; the levels are {', '.join(sorted(floors))}"
        )
    return floors[text]


def draw_svg(
    thing: Position | Board,
    answer: object,
    hexes: str | None,
    level: str | int | None,
    ink: bool,
    ways: bool,
) -> str:
    """Draw a board, or an answer about a position, as SVG: these hexes, this level, this theme.

    For a plain Board, the rules are not asked.
    """
    if isinstance(thing, Board):
        return picture(thing, None, MapView(looks=theme_named(ink)))
    shown = None if hexes is None else hexes_named(thing, hexes)
    return picture(thing, answer, MapView(shown, floor_named(thing, level), theme_named(ink)), ways)


def picture(
    thing: Position | Board,
    answer: object = None,
    view: MapView | None = None,
    ways: bool = True,
    title: str = "",
) -> str:
    """Draw a board, or an answer about a position, as SVG.

    PictureError for an answer without a picture. `title` is the heading of a proof, since a proof
    does not contain its question.
    """
    view = view or MapView()
    if answer is None:
        return board_svg(thing, view, AnswerOverlay(title=title))
    if isinstance(thing, Board):
        raise PictureError("the answer has no position: give the argument `position` to draw it")
    if isinstance(answer, Why):
        points = justification(answer.proofs, thing.program.norms, thing.notation)
        holds = {True: "yes", False: "no", None: "unknown"}[answer.asked.holds]
        return tree_svg(title or holds, points, answer.asked.cites, view.looks)
    overlay, around = _overlay(thing, answer, ways)
    if view.hexes is None and around is not None:
        view = replace(view, hexes=around)
    return board_svg(thing, view, overlay)


def _overlay(
    position: Position, answer: object, ways: bool
) -> tuple[AnswerOverlay, frozenset[Hex] | None]:
    """Return the parts of an answer, and the part of a large map it concerns (None: all)."""
    match answer:
        case Los():
            return los.overlay(position, answer), los.around(position, answer)
        case Fire():
            sight = answer.sight or no_line(answer.shot)
            return fire_map(position, answer), los.around(position, sight)
        case Drm():
            sight = no_line(answer.shot)
            return drm_map(position, answer, "TEM"), los.around(position, sight)
        case Viewshed():
            return viewshed_map(position, answer), None
        case Moves():
            reached = {hex_of_spot(each.to.spot) for each in answer.reach} | {
                hex_of_spot(answer.start.spot)
            }
            few = len(position.board.grid.hexes()) <= _MANY
            return moves_map(position, answer, ways), None if few else hexes_near(reached)
    raise PictureError(f"an answer of the type {type(answer).__name__} cannot be drawn")
