"""Maps of answers about many places: LOS, movement, and the modifiers of a fire attack."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from rules_asp.drawing import los
from rules_asp.drawing.canvas import Canvas
from rules_asp.drawing.map import AnswerOverlay
from rules_asp.drawing.svg import Element, data, group, path, placed, ring_path
from rules_asp.game.board import Shot
from rules_asp.game.grid import Hex, Location, Vertex, hex_of_spot
from rules_asp.game.values import level_text, quarters_text, to_board_text
from rules_asp.geometry.polygons import hexagon
from rules_asp.positions.position import Position
from rules_asp.queries.fire import Drm, Fire
from rules_asp.queries.los import Los
from rules_asp.queries.los_matrix import Viewshed
from rules_asp.queries.movement import Moves
from rules_asp.queries.steps import ReachedLocation


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
