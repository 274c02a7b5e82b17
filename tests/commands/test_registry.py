"""The list of verbs, compared with the command line, with Python, and with the answers over HTTP."""

from pathlib import Path

import pytest
from support.checks import at_least_one
from support.program import Ask, assert_one_sentence, every_command
from support.web import client_of

import tablebase
from tablebase.commands.registry import VERBS, Verb, check_verb, commands_for
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import RulesError, TablebaseError
from tablebase.game.capabilities import missing
from tablebase.game.installed import load_rules
from tablebase.system.files.outputs import draft_of


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_python_has_them_with_the_same_words(verb: Verb) -> None:
    """A command has a function of the same name, unless it talks to a person or to a chess program."""
    name = verb.name.replace("-", "_")
    if verb.group and verb.name not in ("play", "uci"):
        assert getattr(Tablebase if verb.owner else tablebase, name) is verb.function


def test_what_games_lists(ask: Ask) -> None:
    rows = {row["game"]: row["commands"] for row in ask("games", "--format", "json").json}
    assert rows["hexapawn"] == "all"
    assert rows["pig"].split() == list(commands_for(load_rules("pig")))


MORE = {
    "copy": ["--to", "copy"],
    "export": ["--to", "new"],
    "line": ["--plies", 3],
    "match": ["--player", "random", "--player", "random", "--games", 2],
    "mine": ["SELECT best FROM positions"],
    "pack": ["--to", "packed"],
    "perft": ["--depth", 1],
    "play": ["--player", "random"],
    "plot": ["--output", "new.svg"],
    "train": ["--output", "new"],
}
"""What commands need beside a game."""


def test_games_may_have_no_features(ask: Ask) -> None:
    for game in ("connect4", "harehedgehog"):
        assert ask("features", game, "--format", "csv").out.strip() == "feature,of,type,column,tells"
        assert ask("features", game).out.split()[:2] == ["feature", "of"]
        assert ask("features", game, "--format", "json").json == []


@pytest.mark.parametrize("game", ["pig-die=2-target=2", "noughts"])
def test_every_command_takes_a_game_or_refuses_it(game: str, typed: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rules = load_rules(game)
    taken, commands = commands_for(rules), every_command()
    games = {name for name, one in commands.items() if any(part.metavar == "GAME" for part in one.params)}
    assert set(taken) < games
    for name in ("build", *sorted(games - {"build"})):
        words = [name, *["values", "--by", "side"] * (name == "plot"), game, *MORE.get(name, [])]
        answer = typed([], *words, *[rules.format(rules.initial)] * (name == "probe"))
        if name in taken:
            assert answer.code == 0, (name, answer.err)
        else:
            lacks = missing(rules, VERBS[name].needs)
            assert_one_sentence(answer, f"cannot use '{name}' with {game}, which {lacks}: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "data", "new", "new.svg", "packed"]


def test_one_sentence_everywhere(two_pieces: Path) -> None:
    """Python and HTTP refuse a game for the capability that the list names, as commands do."""
    rules = load_rules("pig")
    given = {"mine": {"statement": "SELECT 1"}, "material": {"material": "RvC"}, "estimate": {"pieces": 2}}
    with Tablebase(two_pieces) as tables, client_of(two_pieces, mine=True) as client:
        for verb in at_least_one([one for one in VERBS.values() if missing(rules, one.http_needs or one.needs)]):
            with pytest.raises(RulesError, match=f"which {missing(rules, verb.http_needs or verb.needs)}: ") as error:
                check_verb(verb.name, rules, over_http=True)
            sent = {"game": "pig", **given.get(verb.name, {})}
            answer = client.post("/api/v1/mine", json=sent) if verb.name == "mine" else None
            if verb.name in ("count", "estimate", "materials", "material", "records"):
                answer = client.get(f"/api/v1/{verb.name}", params=sent)
            if answer is not None:
                assert (answer.status_code, answer.json()["detail"]) == (400, str(error.value))
            if verb.name in ("count", "prove", "features", "patterns"):
                with pytest.raises(RulesError) as said:
                    verb.function(*[tables] * bool(verb.owner), "pig")
                assert str(said.value) == str(error.value)


def test_stats_of_all_games(two_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    with Tablebase(two_pieces) as tables:
        assert {one.pieces for one in tables.stats("doushouqi", pieces=2)} == {2}
        with pytest.raises(TablebaseError, match="3 pieces"):
            tables.stats("doushouqi", pieces=3)
    tablebase.build("noughts", data=tmp_path)
    with Tablebase(tmp_path) as tables:
        assert tables.stats("noughts") == ask("stats", "noughts", "--data", tmp_path, "--format", "json").json
        with pytest.raises(RulesError, match="noughts, which has no tables by material: leave out --pieces"):
            tables.stats("noughts", pieces=2)


def test_work_on_folders(two_pieces: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copied = tablebase.copy("doushouqi", tmp_path / "copy", material="RvC", data=two_pieces)
    assert (copied.tables, copied.new, copied.there) == (1, 1, 0)
    assert "copied to" in capsys.readouterr().err
    assert tablebase.copy("doushouqi", tmp_path / "copy", material=["RvC"], data=two_pieces).there == 1
    packed = tablebase.pack("doushouqi", tmp_path / "packed", pieces=2, strength=3, data=tmp_path / "copy", workers=1)
    assert (packed.new, packed.before) == (1, copied.bytes)
    with pytest.raises(TablebaseError, match="invalid --strength 23: expected 1 to 22"):
        tablebase.pack("doushouqi", tmp_path / "other", strength=23, data=two_pieces)
    assert tablebase.unpack(tmp_path / "packed", tmp_path / "back", workers=1).bytes == copied.bytes
    assert tablebase.merge(tmp_path / "back", data=tmp_path / "merged").new == 1
    table = next((tmp_path / "merged").rglob("RvC.h5"))
    stray = draft_of(table)
    stray.write_bytes(b"")
    for yes in (False, True):
        assert [item.file for item in tablebase.prune(tmp_path / "merged", yes=yes)] == [
            stray.relative_to(tmp_path / "merged").as_posix()
        ]
        assert stray.exists() is not yes
    assert not tablebase.verify("doushouqi", data=tmp_path / "merged", workers=1).errors


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("perft", {"game": "hexapawn", "repetitions": "once"}, "repetitions must be 'continue' or 'leaf', not 'once'"),
        ("analyse", {"game": "hexapawn", "repetition": "win"}, "repetition must be 'none' or 'draw' or 'loss', not 'win'"),
    ],
)
def test_words_of_python_are_those_of_the_shell(name: str, arguments: dict[str, object], said: str) -> None:
    with pytest.raises(TablebaseError, match=said):
        getattr(tablebase, name)(**arguments)
