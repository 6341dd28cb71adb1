"""Archives, saved games, folders of rules and cache files with damaged bytes."""

from __future__ import annotations

import gzip
import random
import tempfile
from functools import cache
from pathlib import Path

from rules_asp import api, parser
from rules_asp.boards.resolve import resolve
from rules_asp.game.grid import Grid
from rules_asp.game.house_rules import NotOnlyRules, check_only_rules
from rules_asp.knowledge.reader import kb_folder
from rules_asp.runtime import cache as disk_cache
from rules_asp.saves.container import SaveError
from tests import archives as drawn
from tests import saved_games
from tests.fuzz.bench import hold, mangled, refusing


def archives(dice: random.Random) -> str:
    """An archive of a board that was drawn over, or of which some bytes are others."""
    sketch, _ = drawn.generate(dice.randrange(200), hilly=dice.random() < 0.5, grid=Grid(4, 2))
    for _ in range(dice.choice((0, 1, 5, 40))):
        x, y = dice.randrange(sketch.width), dice.randrange(sketch.height)
        to = x + dice.choice((1, 3, 20, 99)), y + dice.choice((1, 3, 20, 99))
        if dice.random() < 0.8:
            sketch.codes[x : to[0], y : to[1]] = dice.randrange(256)
        else:
            sketch.elevation[x : to[0], y : to[1]] = dice.randrange(-4, 9)
    hexes = sketch.grid.hexes()
    sketch.flagged ^= set(dice.sample(hexes, dice.randrange(4)))
    for hex_ in dice.sample(hexes, dice.randrange(3)):
        sketch.types[hex_] = dice.choice(("Stone Building, 2 Level", "Rowhouse", "x", ""))
        sketch.slopes[str(hex_)] = dice.choice(("0", "012345", "9", ""))
    payload = bytearray(sketch.payload())
    metadata = sketch.metadata()
    if dice.random() < 0.3:
        metadata = mangled(dice, metadata, ("A1", "<", "&x;", '"', "width", "-1"))
    if dice.random() < 0.2:
        payload[dice.randrange(16)] ^= 1 << dice.randrange(8)
    stream = drawn.java_stream(bytes(payload))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "board")
        drawn.pack(path, gzip.compress(stream, 1, mtime=0), metadata.encode("utf-8", "replace"))
        if dice.random() < 0.2:
            data = bytearray(path.read_bytes())
            data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
            path.write_bytes(data[: dice.choice((len(data), dice.randrange(len(data))))])
        with refusing("an archive") as refused:
            board = api.import_archive(path)
        if refused:
            return "refused"
        file = Path(folder, "x.board")
        api.write(board, file)
        loaded = parser.load(file)
        hold(loaded.statements == board.statements, "the importer's board reads otherwise")
        resolve(loaded)
        if dice.random() < 0.05:
            api.position(loaded)
            return "a position"
    return "imported"


#: What a player's secret word is; no message and no board may have it.
_SECRET = saved_games.SECRETS[0]
_IN_SAVES = (
    "\x1b",
    "\t",
    "\\",
    "/",
    ";",
    "+",
    "M",
    "D",
    "null",
    "bd\t",
    "r71",
    "Main Map",
    "-1",
    "9" * 30,
)
_COUNTERS = ("LMG", "?", "Wire", "Rubble", "MA Malf", "1 Lvl", "5/8 nothing")


def saves(dice: random.Random) -> str:
    """A saved game whose text, obfuscated bytes or zip file are others: refused, or a board that reads."""
    pieces = [saved_games.squad(hidden=dice.random() < 0.2, concealed=dice.random() < 0.2)]
    pieces += map(saved_games.counter, dice.sample(_COUNTERS, dice.randrange(4)))
    stack = (dice.randrange(2500), dice.randrange(1500), pieces)
    text = saved_games.Save([stack], dice.choice(("bd\t", "bd\t0\t0\t01\t"))).commands()
    if dice.random() < 0.6:
        text = mangled(dice, text, _IN_SAVES)
    data = bytearray(
        saved_games.obfuscate(
            text.encode("utf-8", "replace").decode(), dice.choice(saved_games.OBFUSCATIONS)
        )
    )
    if dice.random() < 0.3:
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        del data[dice.choice((len(data), dice.randrange(len(data)))) :]
    with tempfile.TemporaryDirectory() as folder:
        path = saved_games.write(Path(folder, "a.vsav"), saved_games.Save(), data=bytes(data))
        if dice.random() < 0.3:
            whole = bytearray(path.read_bytes())
            for _ in range(dice.choice((1, 1, 8))):
                whole[dice.randrange(len(whole))] ^= 1 << dice.randrange(8)
            path.write_bytes(whole[: dice.choice((len(whole), dice.randrange(len(whole))))])
        try:
            game = api.import_game(path)
        except SaveError as error:
            hold(_SECRET not in str(error), f"a secret word in a message: {error}")
            return "refused"
    hold(_SECRET not in game.text, "a secret word in a board")
    parser.parse(game.text, "game.board")
    return "imported"


@cache
def rules() -> tuple[str, ...]:
    """Files of rules."""
    return tuple(path.read_text("utf-8") for path in sorted(kb_folder().glob("*/*.lp")))


_IN_RULES = (
    *("%*", "*%", "%@ XX1.1-1  x", "%", '"', "#include", "#script", "(", "[", "{", "@", "&", ".."),
    *(
        ":-",
        ".",
        "is(",
        "says(",
        "topic(height(hex), yes_no, ",
        "word(side, ",
        "sentence(",
        "once(",
    ),
    *(
        'overrides("B23.3-1","XX1.1-1").',
        "Or: ",
        " " * 4000,
        "1..",
        "$",
        "not",
        "X",
        "_",
        "é",
        "\\",
    ),
)


def folders(dice: random.Random) -> str:
    """A folder of rules: refused with the file and line, or played by."""
    whole = dice.choice(rules()).split("\n")
    start = dice.randrange(len(whole))
    text = mangled(dice, "\n".join(whole[start : start + dice.choice((5, 20))]), _IN_RULES)
    try:
        check_only_rules(text)
    except NotOnlyRules as none:
        hold(1 <= none.line <= text.count("\n") + 1 and none.message, f"{none.line} of {text!r}")
        return "no rules"
    if dice.random() > 0.05:
        return "rules"
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "x.lp").write_text(text, "utf-8", newline="")
        try:
            with refusing(text) as refused:
                api.play_by(folder)
        finally:
            api.play_by(None)
        hold(not refused or "x.lp" in str(refused[0]), f"no file is told: {refused} of {text!r}")
    return "refused" if refused else "played by"


def kept(dice: random.Random) -> str:
    """A file of the cache: what is damaged is not read, and nothing but values is."""
    value = {"a": (1, 2, "x" * 50), "b": frozenset((dice.random(), None, True))}
    data = bytearray(disk_cache.add_checksum("name", disk_cache.dumps(value)))
    if dice.random() < 0.7:
        for _ in range(dice.choice((1, 1, 5))):
            data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        if dice.random() < 0.3:
            del data[dice.randrange(len(data)) :]
        try:
            found = disk_cache.loads(disk_cache.verify_checksum("name", bytes(data)))
        except disk_cache.FormatError:
            return "unreadable"
        hold(found == value, "a damaged file was read as another value")
        return "the same"
    table = mangled(
        dice, disk_cache.dumps(value).decode(), ("[", "]", '"t"', "null", "-1", "1e999")
    )
    try:
        disk_cache.loads(table.encode("utf-8", "replace"))
    except disk_cache.FormatError:
        return "unreadable"
    return "a value"
