"""Nets: what commands say of hundreds of positions, games of fixed seeds, digests of rules, and the description of the server.

They hold what a change of the inside must not change. What changes on purpose is written again, and the change says why:

    TABLEBASE_NETS=write pytest -m "full or not full or release" --numprocesses 0 tests/commands/test_nets.py
"""

import json
import lzma
import os
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.program import Answer, Ask
from support.web import client_of

from tablebase.commands.program import run
from tablebase.game import Game
from tablebase.game.installed import load_rules

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
GAMES = ("doushouqi", "hexapawn-4x4", "foxhounds-6x6", "hasenspiel-6x6", "pig-die=3-target=8", "harehedgehog-cards=none")
"""Games of whose random play the net has positions, a few of them ends of games; tables have some of them."""
MATCHES = {
    "engines": "hexapawn-4x4 --player engine:nodes=60 --player engine:level=1 --games 8",
    "tables": "foxhounds-6x6 --player fuzzy:fuzz=0.4 --player tables --games 8 --no-tables",
    "ends by tables": "doushouqi '7/3l3/7/7/7/2R4/4E2/7/7 w' --player engine:nodes=40 --player engine:level=2 --games 4",
    "rankings": "hexapawn-4x4 --player ranking:fuzz=0.3 --player matchboxes --games 6",
    "foxboxes": "foxhounds-6x6 --player foxbox:fuzz=0.3 --player ranking:fuzz=0.2 --games 6 --no-tables",
    "dice": "pig-die=3-target=8 --player tables --player random --games 20",
    "three dice": "pig-players=3 --player random --player random --player random --games 4",
    "two hares": "harehedgehog --player computer:depth=1 --player random --games 2",
    "three hares": "harehedgehog-players=3 --player computer:depth=1,objective=lead --player random --games 2",
    "six hares": "harehedgehog-players=6 --player computer:depth=1 --player random --games 2",
    "no cards": f"{GAMES[-1]} --player computer:depth=2,alpha-beta=yes,objective=lead,sort=yes --player tables --games 2",
}
COSTLY = dict.fromkeys(("rankings", "three hares", "no cards"), pytest.mark.full) | {"six hares": pytest.mark.release}
"""Matches that take seconds."""
RULES = [
    *GAMES,
    *("doushouqi-no_move=loss", "hasenspiel", "foxhounds", "harehedgehog", "harehedgehog-players=6", "pig", "pig-players=3"),
]
Net = dict[str, Any]


def said(answer: Answer, folder: Path) -> Any:
    """What a command has answered or, of one that is refused, its code and sentence; the folder has another name each time."""
    return answer.json if answer.code == 0 else [answer.code, *(error.replace(str(folder), "data") for error in answer.errors)]


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
    found = json.loads(json.dumps(found))
    if WRITING:
        nets.setdefault(part, {})[key] = found
    assert found == nets[part][key], f"{part}: {key}"


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("step", STEPS)
def test_probes_and_lines(name: str, step: int, nets: Net, folder: Path, ask: Ask) -> None:
    end = ["--data", folder, "--format", "json"]
    for position in list(nets[name])[::step]:
        answers = ask("probe", name, position, *end), ask("line", name, position, "--plies", PLIES, *end)
        compare(nets, name, position, [said(answer, folder) for answer in answers])


@pytest.mark.parametrize("name", [pytest.param(name, marks=COSTLY.get(name, ())) for name in MATCHES])
def test_matches(name: str, nets: Net, folder: Path, ask: Ask) -> None:
    """Their tables, and the games of those of pieces."""
    words, output = ["match", *shlex.split(MATCHES[name])], folder.parent / f"{name}.games"
    words += ["--opening", "2", "--seed", "7", "--data", folder, "--format", "json"]
    writes = isinstance(load_rules(words[1]), Game)
    found = said(ask(*words, *["--output", output] * writes), folder)
    compare(nets, "games", name, [found, output.read_text() if writes else None])


def test_digests(nets: Net) -> None:
    for name in RULES:
        compare(nets, "digests", name, load_rules(name).digest)


def test_the_description_of_the_server(nets: Net, folder: Path) -> None:
    with client_of(folder) as client:
        compare(nets, "server", "description", client.get("/api/v1/openapi.json").json())


def test_the_nets_hold_what_they_should(nets: Net) -> None:
    """Wins, losses, draws, unknown values and refusals; games that end in several ways."""
    assert {len(nets[name]) for name in GAMES} == {POSITIONS}
    answers = [probe[0] for name in GAMES for probe, _ in nets[name].values()]
    known = [answer for answer in answers if isinstance(answer, dict)]
    assert {answer["outcome"] for answer in known} == {"win", "loss", "draw", None}
    assert any("missing" in move for answer in known for move in answer["moves"])
    assert len(answers) > len(known) > len(answers) / 2
