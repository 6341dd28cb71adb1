"""What a scenario card says of all terrain of a kind, or of all buildings, on a board or on the map."""

from __future__ import annotations

from lark import Token

from rules_asp.parser.errors import ValueMistake, nearest
from rules_asp.parser.laying import BoardBuilder
from rules_asp.terms import board as b
from rules_asp.terms.arguments import unquoted, word_text

#: VASL's names for scenario terms that its boards know, and what they say here. Some make terrain of what
#: is printed that no rule here knows.
VASL_TERMS: dict[str, tuple[tuple[str, str], ...]] = {
    "Bamboo": (("brush", "bamboo"),),
    "BocageToOpenGround": (("bocage", ""),),
    "BrushToOpenGround": (("brush", "open_ground"),),
    "BrushToWoods": (("brush", "woods"),),
    "CragsToOrchards": (("crag", "orchard"),),
    "CragsToPalm": (("crag", "palm_trees"),),
    "CragsToShellholes": (("crag", "shellholes"),),
    "DenseJungle": (("woods", "dense_jungle"),),
    "GrainToBrush": (("grain", "brush"),),
    "GrainToMarsh": (("grain", "marsh"),),
    "GrainToOpenGround": (("grain", "open_ground"),),
    "GrainToPaddy": (("grain", "rice_paddy"),),
    "GrainToVineyard": (("grain", "vineyard"),),
    "GrainToWoods": (("grain", "woods"),),
    "HammadaToOG": (("hammada", "open_ground"),),
    "HedgeToCactus": (("hedge", "cactus_hedge"),),
    "HedgesToBocage": (("hedge", "bocage"),),
    "HedgesToOG": (("hedge", ""),),
    "HedgesToWalls": (("hedge", "wall"),),
    "LightWoods": (("woods", "light_woods"),),
    "MarshToBrush": (("marsh", "brush"),),
    "MarshToGrain": (("marsh", "grain"),),
    "MarshToOpenGround": (("marsh", "open_ground"),),
    "MarshToPaddy": (("marsh", "rice_paddy"),),
    "MarshToVineyard": (("marsh", "vineyard"),),
    "MarshToWoods": (("marsh", "woods"),),
    "NoCliffs": (("cliff", ""),),
    "NoHedges": (("hedge", ""),),
    "NoRoads": (("road", ""),),
    "NoWalls": (("wall", ""),),
    "OrchardsToBrush": (("orchard", "brush"),),
    "OrchardsToCrag": (("orchard", "crag"),),
    "OrchardsToCrags": (("orchard", "crag"),),
    "OrchardsToOpenGround": (("orchard", "open_ground"),),
    "OrchardsToPalmTrees": (("orchard", "palm_trees"),),
    "OrchardsToShellholes": (("orchard", "shellholes"),),
    "PalmTrees": (("orchard", "palm_trees"),),
    "RoadsToPaths": (("paved", "path"), ("dirt", "path")),
    "ScrubToOG": (("scrub", "open_ground"),),
    "ShellholesToOrchards": (("shellholes", "orchard"),),
    "ShellholesToPalmTrees": (("shellholes", "palm_trees"),),
    "WallToCactus": (("wall", "cactus_hedge"),),
    "WallsOnly": (("hedge", "wall"),),
    "WallsToBocage": (("wall", "bocage"),),
    "WallsToHedges": (("wall", "hedge"),),
    "WallsToOG": (("wall", ""),),
    "WoodsToBrush": (("woods", "brush"),),
    "WoodsToOpenGround": (("woods", "open_ground"),),
}


class SpecialRuleBuilder(BoardBuilder):
    """Makes what is said of all terrain of a kind."""

    def make_treat(
        self, terrain: Token, as_terrain: Token, on: Token | None
    ) -> tuple[b.TerrainSubstitution]:
        """`treat scrub as open-ground`, `treat wall as bocage on 21`, `treat paved as dirt`."""
        word = str(terrain).replace("-", "_")
        kind = next(
            (each for each in ("hexside_terrain", "surface") if self.is_a(word, each)), None
        )
        other = self.terrain(as_terrain) if kind is None else self.word(as_terrain, kind)
        return (b.TerrainSubstitution(word, other, self.board(on)),)

    def make_treat_unknown(
        self, terrain: Token, other: Token, on: Token | None
    ) -> tuple[b.TerrainSubstitution]:
        """`treat orchard as unknown terrain vineyard`: what lies there is then not known."""
        word = str(terrain).replace("-", "_")
        if self.is_a(word, "hexside_terrain") or self.is_a(word, "surface"):
            area = "what fills its hex can be treated as terrain that no rule knows"
            self.fail(ValueMistake(f"{terrain} lies on hexsides: {area}"), terrain)
        return (b.TerrainSubstitution(word, self.foreign(other), self.board(on)),)

    def make_none(self, terrain: Token, on: Token | None) -> tuple[b.TerrainSubstitution]:
        """`no cliff`, `no road on 21`, `no woods`."""
        word = str(terrain).replace("-", "_")
        if word == "road" or self.is_a(word, "hexside_terrain"):
            return (b.TerrainSubstitution(word, "", self.board(on)),)
        if self.is_a(word, "terrain"):
            return (b.TerrainSubstitution(word, "open_ground", self.board(on)),)
        known = [
            "road",
            *(word_text(each, kind) for kind in _KINDS for each in self.words.words[kind]),
        ]
        self.fail(
            ValueMistake(f"{terrain} is no terrain", (), nearest(str(terrain), known)), terrain
        )
        return (b.TerrainSubstitution(word, ""),)

    def make_ssr_named(self, name: Token, on: Token | None) -> tuple[b.TerrainSubstitution, ...]:
        """`ssr WallsToBocage on 10`: a scenario term by VASL's name."""
        said = VASL_TERMS.get(str(name))
        if said is None:
            mistake = ValueMistake(
                f"no term {name} is known", sorted(VASL_TERMS), nearest(name, VASL_TERMS)
            )
            self.fail(mistake, name)
        board = self.board(on)
        return tuple(b.TerrainSubstitution(*each, board) for each in said or ())

    def make_ssr_buildings_on(self, kind: Token, on: Token) -> tuple[b.Fact]:
        """`all buildings single-story on 21`; rules know a board by its printed name, `on "21"`."""
        word = self.word(kind, "building_kind")
        if on.type == "STRING":
            return (b.Fact("ssr_buildings_on", (unquoted(on), word)),)
        label = self.board(on)
        named = (part.board for part in self.text.parts if part.label == label)
        return (b.Fact("ssr_buildings_on", (next(named, str(on)), word)),)

    def is_a(self, word: str, kind: str) -> bool:
        """Whether a word is of a kind of the vocabulary."""
        return word in self.words.words[kind]

    def board(self, on: Token | None) -> str | None:
        """A board of the map, by the name that it has there."""
        if on is None:
            return None
        known = [part.label for part in self.text.parts]
        if str(on) not in known:
            here = ", ".join(known) or "one alone: leave out `on`"
            self.fail(ValueMistake(f"there is no board {on}; the boards are {here}"), on)
        return str(on)


_KINDS = ("terrain", "hexside_terrain")
