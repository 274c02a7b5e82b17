"""Nets: what commands say of hundreds of positions, games of fixed seeds, digests of rules, and the description of the server.

They hold what a change of the inside must not change. What changes on purpose is written anew, and the change says why:

    TABLEBASE_NETS=write pytest -m "full or not full or release" --numprocesses 0 tests/commands/test_nets.py
"""

import json
import lzma
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.program import Answer, Ask
from support.web import client_of

from tablebase.commands.program import run
from tablebase.game import Game
from tablebase.game.installed import load_rules
from tablebase.game.moves import legal_moves, play
from tablebase.game.notation import read, render
from tablebase.testing.contract import following

FILE = Path(__file__).with_name("nets.json.xz")
WRITING = os.environ.get("TABLEBASE_NETS") == "write"
POSITIONS, PLIES = 200, 12
"""Positions of a game, and plies of a line."""
STEPS = [
    pytest.param(20, id="some"),
    pytest.param(4, id="more", marks=pytest.mark.full),
    pytest.param(1, id="all", marks=pytest.mark.release),
]
"""Which share of the positions, one in so many, is looked at in which run."""
TABLES = (
    "build hexapawn-4x4 --pieces 2-5",
    "build foxhounds-6x6 --pieces 4",
    "build hasenspiel-6x6 --pieces 4",
    "build pig-die=3-target=8",
)
GONE = "hexapawn-4x4/4/PPvPP.h5"
STARTS: dict[str, list[str]] = {
    "doushouqi": ["7/7/3t3/7/7/R6/4E2/7/7 w", "7/7/3t3/7/7/R6/7/7/7 b", "7/3l3/7/7/7/2R4/4E2/7/7 w", "7/2c4/7/7/7/7/3W3/7/7 w"],
    "hexapawn-4x4": [],
    "foxhounds-6x6": [],
    "hasenspiel-6x6": [],
    "pig-die=3-target=8": [],
    "harehedgehog-cards=none": ["62:1:0,63:1:0 1", "61:1:1,60:0:0 2", "57:0:1,62:1:0 1", "59:1:0,56:1:1 2"],
}
"""Positions beside the start from which random moves lead to those of the nets; tables have some of them."""
SHARED = ["--opening", "2", "--seed", "7"]
MATCHES: dict[str, list[str]] = {
    "engines": ["hexapawn-4x4", "engine:nodes=60", "engine:level=1", "--games", "8", *SHARED],
    "tables": ["foxhounds-6x6", "fuzzy:fuzz=0.4", "tables", "--games", "8", "--no-tables", *SHARED],
    "ends by tables": ["doushouqi", "engine:nodes=40", "engine:level=2", "--from", STARTS["doushouqi"][2], "--games", "4", *SHARED],
    "rankings": ["hexapawn-4x4", "ranking:fuzz=0.3", "matchboxes", "--games", "6", *SHARED],
    "foxboxes": ["foxhounds-6x6", "foxbox:fuzz=0.3", "ranking:fuzz=0.2", "--games", "6", "--no-tables", *SHARED],
    "dice": ["pig-die=3-target=8", "tables", "random", "--games", "20", *SHARED],
    "three dice": ["pig-players=3", "random", "random", "random", "--games", "4", *SHARED],
    "two hares": ["harehedgehog", "computer:depth=1", "random", "--games", "2", *SHARED],
    "three hares": ["harehedgehog-players=3", "computer:depth=1,objective=lead", "random", "--games", "2", *SHARED],
    "six hares": ["harehedgehog-players=6", "computer:depth=1", "random", "--games", "2", *SHARED],
    "no cards": [
        "harehedgehog-cards=none",
        "computer:depth=2,alpha-beta=yes,objective=lead,sort=yes",
        "tables",
        "--games",
        "2",
        *SHARED,
    ],
}
COSTLY = dict.fromkeys(("rankings", "three hares", "no cards"), pytest.mark.full) | {"six hares": pytest.mark.release}
"""Matches that take seconds."""
RULES = [
    *STARTS,
    "doushouqi-no_move=loss",
    "hasenspiel",
    "foxhounds",
    "harehedgehog",
    "harehedgehog-players=6",
    "pig",
    "pig-players=3",
]
DESCRIBED_ANEW = (
    # Games by functions have a table of their own, and endings in their author's words; there is one list of players.
    "components schemas ExactRow",
    "components schemas EndingRow properties why",
    "components schemas PlayGiven properties player description",
    # They may be numbers.
    "components schemas PlayGiven properties settings",
    "paths /api/v1/stats get responses 200 content application/json schema",
    # The description stands with the parameter itself.
    "paths /api/v1/estimate get parameters 1",
    # It names a module.
    "components schemas HareAnswer description",
    # It is what the program says of the games that are installed.
    "components schemas Problem example detail",
    # Bounds show whether a move is best.
    "components schemas ProbeRow properties best_is_certain",
    "components schemas LineRow properties best_is_certain",
)
"""Where the description of the server has changed on purpose since the nets were made."""
NEW_IN_ANSWERS = "best_is_certain"
"""A field of probes and lines with bounds that is new."""
RECKONED_ANEW = ("rank", "rank_from", "rank_to", "place_from", "place_to", "share_from", "share_to")
"""Columns of matches in rounds that are new, or have another interval since games of one opening count as one observation."""
GONE_FROM_MATCHES = ("elo", "elo_from", "elo_to")
"""Columns of matches that there are no more: shares have intervals of their own."""
Net = dict[str, Any]


def positions_of(name: str) -> list[str]:
    """Positions of random play, each once; a few of them are ends of games."""
    rules, random = load_rules(name), Random(f"nets {name}")
    found: dict[str, None] = {}
    for _ in range(20 * POSITIONS):
        if isinstance(rules, Game):
            position = read(rules, random.choice([rules.start, *STARTS[name]]))
            while True:
                found[render(rules, position)] = None
                if not (moves := legal_moves(rules, position)) or random.random() < 0.1:
                    break
                position = play(position, random.choice(moves))
        else:
            state = rules.parse(random.choice([rules.format(rules.start), *STARTS[name]]))
            while True:
                found[rules.format(state)] = None
                if not (after := following(rules, state)) or random.random() < 0.1:
                    break
                state = random.choice(after)
    return list(found)[:POSITIONS]


def said(answer: Answer, folder: Path) -> Any:
    """What a command has answered or, of one that is refused, its code and sentence; the folder has another name each time."""
    return answer.json if answer.code == 0 else [answer.code, *(error.replace(str(folder), "data") for error in answer.errors)]


def all_of(ask: Ask, folder: Path, name: str, position: str) -> list[Any]:
    """What the program says of a position."""
    end = ["--data", folder, "--format", "json"]
    found = [said(ask("probe", name, position, *end), folder), said(ask("line", name, position, "--plies", PLIES, *end), folder)]
    bounded = "chance" in load_rules(name).can
    assert all((NEW_IN_ANSWERS in row) == bounded for rows in found for row in rows if isinstance(row, dict))
    return [[_without_new(row) for row in rows] for rows in found]


def _without_new(row: Any) -> Any:
    return {key: value for key, value in row.items() if key != NEW_IN_ANSWERS} if isinstance(row, dict) else row


def games_of(ask: Ask, folder: Path, name: str) -> list[Any]:
    """The table of a match, and its games if they are written."""
    game, *words = MATCHES[name]
    seated = [part for word in words for part in (["--player", word] if word.split(":")[0] in PLAYERS else [word])]
    output = folder.parent / f"{name}.games"
    output.unlink(missing_ok=True)
    writes = ["--output", output] if isinstance(load_rules(game), Game) else []
    found = said(ask("match", game, *seated, *writes, "--data", folder, "--format", "json"), folder)
    return [found, output.read_text() if writes else None]


PLAYERS = {"engine", "fuzzy", "tables", "ranking", "matchboxes", "foxbox", "random", "computer"}


@pytest.fixture(scope="module")
def nets() -> Iterator[Net]:
    """The nets as written; after a run that writes them, they are in the file."""
    net: Net = json.loads(lzma.decompress(FILE.read_bytes())) if FILE.exists() else {}
    yield net
    if WRITING:
        FILE.write_bytes(lzma.compress(json.dumps(net, ensure_ascii=False, separators=(",", ":")).encode(), preset=9))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, two_pieces: Path, race_tables: Path) -> Path:
    """Tables of every game, some of whose positions no table has, nor the moves of some others."""
    folder: Path = tmp_path_factory.mktemp("nets") / "tables"
    shutil.copytree(race_tables, folder)
    assert run(["copy", "doushouqi", "--pieces", "2", "--data", str(two_pieces), "--to", str(folder)]) == 0
    for words in TABLES:
        assert run([*words.split(), "--data", str(folder)]) == 0
    (folder / GONE).unlink()
    return folder


def compare(nets: Net, part: str, key: str, found: Any) -> None:
    """What has been found is what the net has."""
    found = json.loads(json.dumps(found))
    if WRITING:
        nets.setdefault(part, {})[key] = found
    assert found == nets[part][key], f"{part}: {key}"


@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("step", STEPS)
def test_probes_and_lines(name: str, step: int, nets: Net, folder: Path, ask: Ask) -> None:
    for position in (positions_of(name) if WRITING else list(nets[name]))[::step]:
        compare(nets, name, position, all_of(ask, folder, name, position))


@pytest.mark.parametrize("name", [pytest.param(name, marks=COSTLY.get(name, ())) for name in MATCHES])
def test_games(name: str, nets: Net, folder: Path, ask: Ask) -> None:
    """Nothing has changed in them, except what `RECKONED_ANEW` and `GONE_FROM_MATCHES` list."""
    rows, texts = games_of(ask, folder, name)
    held, _ = nets["games"][name]
    assert all(key in was and key not in row for row, was in zip(rows, held, strict=True) for key in GONE_FROM_MATCHES)
    rows = [{**row, **{key: was[key] for key in GONE_FROM_MATCHES}} for row, was in zip(rows, held, strict=True)]
    if texts is None:
        rows = [
            {
                **{key: value for key, value in row.items() if key not in RECKONED_ANEW},
                **{key: was[key] for key in RECKONED_ANEW if key in was},
            }
            for row, was in zip(rows, held, strict=True)
        ]
    compare(nets, "games", name, [rows, texts])


def test_digests(nets: Net) -> None:
    for name in RULES:
        compare(nets, "digests", name, load_rules(name).digest)


def test_the_description_of_the_server(nets: Net, folder: Path) -> None:
    """Nothing has changed in it, except what `DESCRIBED_ANEW` lists."""
    with client_of(folder) as client:
        now = client.get("/api/v1/openapi.json").json()
    found, held = json.loads(json.dumps(now)), nets["server"]["description"]
    for path in DESCRIBED_ANEW:
        # The first parameters of an address have the numbers of a list.
        *parts, last = (int(part) if part in ("0", "1") else part for part in path.split(" "))
        there, before = found, held
        for part in parts:
            there, before = there[part], before[part]
        if isinstance(last, int) or last in before:
            assert there[last] != before[last], path
            there[last] = before[last]
        else:
            del there[last]
    compare(nets, "server", "description", found)


def test_the_nets_hold_what_they_should(nets: Net) -> None:
    """Wins, losses, draws, unknown values and refusals; games that end in several ways."""
    for name in STARTS:
        assert len(nets[name]) == POSITIONS
    answers = [probe[0] for name in STARTS for probe, _ in nets[name].values()]
    known = [answer for answer in answers if isinstance(answer, dict)]
    assert {answer["outcome"] for answer in known} == {"win", "loss", "draw", None}
    assert any("missing" in move for answer in known for move in answer["moves"])
    assert len(answers) > len(known) > len(answers) / 2
