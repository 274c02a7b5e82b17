"""Games from rules files: commands, batches, Python and other processes take them; names, faults, and what must not take them."""

import importlib
import inspect
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import h5py
import pytest
from support.program import Ask, ask_fresh, assert_one_sentence, contents
from support.web import client_of

import tablebase
from tablebase.building.shared_folder import site
from tablebase.errors import RULES_FILES, MissingTableError, RulesError, StaleTableError
from tablebase.game import Game, installed, rules_files
from tablebase.game.installed import load_rules
from tablebase.game.rules_files import VARIABLE

HEAP = '''"""A heap of counters: a player takes one or two, and the last counter wins."""

from tablebase.errors import NotationError
from tablebase.game.functions import OVER, Ending, FunctionGame


def game(counters=7):
    return Heap(counters)


class Heap(FunctionGame):
    name = "heap"
    title = "A heap"

    def __init__(self, counters):
        self.options = {"counters": counters}
        self.start = (counters, 0)

    def to_move(self, position):
        return position[1] if position[0] else OVER

    def moves(self, position):
        counters, player = position
        return {str(taken): (counters - taken, 1 - player) for taken in (1, 2) if taken <= counters}

    def result(self, position):
        return None if position[0] else Ending.of_two(1 - position[1], "last")

    def format(self, position):
        return f"{position[0]} {'ab'[position[1]]}"

    def parse(self, text):
        counters, _, player = text.partition(" ")
        if not counters.isdecimal() or player not in ("a", "b"):
            raise NotationError(f"{text!r} is not a heap: write it as in '7 a'")
        return int(counters), "ab".index(player)
'''
PAWNS = """
from dataclasses import replace

from tablebase_rules.hexapawn import game as hexapawn


def game(size=(3, 3)):
    return replace(hexapawn(size), name="pawns", title="Pawns")
"""
WITHOUT_FUNCTION = HEAP.replace("def game(counters=7)", "def other(counters)").replace(
    "counters):\n        self.opt", "counters=7):\n        self.opt"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to work in, with the file heap.py; afterwards this process knows nothing of the files in it."""
    assert "heap" not in sys.modules
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "heap.py").write_text(HEAP)
    yield tmp_path
    forget(tmp_path)


def forget(folder: Path) -> None:
    os.environ[VARIABLE] = ""
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(folder)):
            del sys.modules[name]
    rules_files._loaded.clear()
    RULES_FILES.clear()
    installed._installed.cache_clear()
    load_rules.cache_clear()


def other_file(folder: Path, stem: str, old: str = "", new: str = "") -> str:
    assert old in HEAP
    path = folder / f"{stem}.py"
    path.write_text(HEAP.replace(old, new) if old else new)
    return str(path)


def test_a_table_from_a_file(folder: Path, ask: Ask) -> None:
    """Commands take the file for the game; of 7 counters the first player takes 1; 6 are lost, and so are 3 for either player."""
    assert ask("build", "./heap.py", "--data", "d").code == 0
    rows = ask("probe", "heap.py", "7 a", "6 b", "--data", "d", "--format", "json").json
    assert [row["outcome"] for row in rows] == ["win", "loss"]
    assert rows[0]["best"] == "1"
    assert ask("stats", folder / "heap.py", "--data", "d", "--format", "json").json[0]["losses"] == 3
    assert ask("build", "heap.py", "--variant", "counters=4", "--data", "d").code == 0
    assert {path.name for path in (folder / "d").iterdir()} >= {"heap", "heap-counters=4"}
    assert not [name for name, content in contents(folder / "d").items() if str(folder).encode() in content]


def test_without_a_function_game(folder: Path, ask: Ask) -> None:
    """The only class or object of a game is taken; of none or two, none is."""
    (folder / "heap.py").write_text(WITHOUT_FUNCTION)
    assert load_rules(installed.use_rules("heap.py")).title == "A heap"
    (folder / "one.py").write_text(WITHOUT_FUNCTION.replace('"heap"', '"one"') + "\n\nmade = Heap(4)\nagain = made\n")
    assert load_rules(installed.use_rules("one.py")).initial == (4, 0)
    (folder / "two.py").write_text(WITHOUT_FUNCTION + "\n\nmade, other = Heap(4), Heap(5)\n")
    assert_one_sentence(ask("check-rules", "two.py"), "the rules file two.py must define one game, not 2: add a function game()")
    (folder / "none.py").write_text("")
    assert_one_sentence(ask("check-rules", "none.py"), "the rules file none.py must define one game, not 0")


def test_commands_without_a_game(folder: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """--rules may be repeated, TABLEBASE_RULES is a list; without them tables of the games are left alone."""
    other_file(folder, "other", '"heap"', '"small-heap"')
    for file in ("heap.py", "other.py"):
        assert ask("build", file, "--data", "d").code == 0
    forget(folder)
    before = contents(folder / "d")
    names = [row["game"] for row in ask("games", "--rules", "heap.py", "--rules", "other.py", "--format", "json").json]
    assert {"heap", "small-heap", "hexapawn"} <= set(names)
    forget(folder)
    answer = ask("reindex", "--data", "d")
    assert answer.code == 0
    assert answer.err.endswith(
        "rebuilt from 0 tables of no game; left out: heap/exact/all.h5 belongs to a game that is not installed,"
        " small-heap/exact/all.h5 belongs to a game that is not installed\n"
    )
    assert "nothing to remove" in ask("prune", "--yes", "--data", "d").err
    monkeypatch.setenv(VARIABLE, os.pathsep.join([str(folder / "heap.py"), "other.py"]))
    assert "2 tables of heap, small-heap" in ask("reindex", "--data", "d").err
    assert {name for name in contents(folder / "d") if name.endswith(".h5")} == {name for name in before if name.endswith(".h5")}
    forget(folder)
    (folder / "heap.py").write_text(HEAP.replace("(1, 2)", "(1, 3)"))
    assert ask("prune", "--rules", "heap.py", "--format", "json", "--data", "d").json[0]["reason"] == "built with different rules"


@pytest.mark.release
def test_a_batch(folder: Path, ask: Ask) -> None:
    """Its builds and its follow-ups, which are other processes, take files; a fault names the line."""
    text = 'data = "d"\n[[build]]\ngame = "./heap.py"\nvariant = "counters=5"\n[[then]]\ncommand = {}\noutput = "out"\n'
    (folder / "night.toml").write_text(text.format('["stats", "heap-counters=5", "--format", "csv"]'))
    assert ask("batch", "night.toml").code == 0
    assert (folder / "out").read_text().startswith("positions,")
    (folder / "night.toml").write_text('[[build]]\ngame = "./none.py"\n')
    assert_one_sentence(ask("batch", "night.toml"), "night.toml, line 2: none.py cannot be used (No such file or directory)")
    (folder / "night.toml").write_text(text.format('["verify", "none.py"]'))
    assert_one_sentence(ask("batch", "night.toml"), "night.toml, line 5: none.py cannot be used")


def test_python(folder: Path) -> None:
    rules = tablebase.load("heap.py", variant="counters=5")
    assert rules.name == "heap-counters=5"
    assert tablebase.load("heap") is load_rules("heap") is tablebase.load("./heap.py")
    assert os.environ[VARIABLE] == str(folder / "heap.py")
    assert "heap" in [row["game"] for row in tablebase.games()]
    tablebase.build("heap.py", data="d", workers=1)
    with tablebase.open("d") as tables:
        assert tables.probe("heap", "6 b").outcome == "loss"
    assert ask_fresh("stats", "heap", "--data", "d").code == 0


@pytest.mark.full
def test_worker_processes(folder: Path) -> None:
    (folder / "pawns.py").write_text(PAWNS)
    answer = ask_fresh("build", "pawns.py", "--pieces", 4, "--workers", 2, "--data", "d")
    assert (answer.code, answer.err.splitlines()[1]) == (0, "tables at a time: up to 2")
    assert "built and verified in d: 4 of 4 tables" in answer.err
    with h5py.File("d/pawns/4/PPvPP.h5") as table:
        assert table.attrs["rules_digest"].decode() == tablebase.load("pawns.py").digest


def test_neighbours_can_be_imported(folder: Path) -> None:
    (folder / "heap_words.py").write_text('TITLE = "Neighbour"\n')
    text = HEAP.replace('title = "A heap"', "title = TITLE").replace("\n\n\n", "\nfrom heap_words import TITLE\n\n\n", 1)
    (folder / "heap.py").write_text(text)
    assert tablebase.load("heap.py").title == "Neighbour"


def test_the_digest_is_that_of_the_installed_source(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python imports an installed module from a folder of its path, and reads its source from the file."""
    site_packages = folder / "site"
    site_packages.mkdir()
    for name, text in (("heap", HEAP.rstrip("\n")), ("pawns", PAWNS)):
        (site_packages / f"{name}.py").write_text(text)
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(site_packages)
    expected = [importlib.import_module(name).game().digest for name in ("heap", "pawns")]
    sys.path.remove(str(site_packages))
    del sys.modules["heap"], sys.modules["pawns"]
    assert [tablebase.load(f"{name}.py").digest for name in ("heap", "pawns")] == expected


def test_a_change_after_loading(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules and digest stay those that were loaded; loading the file again is refused, and no code is kept beside it."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    tablebase.load("heap.py")
    (folder / "heap.py").write_text(HEAP.replace("(1, 2)", "(1, 3)"))
    assert inspect.getsource(sys.modules["heap"]) == HEAP
    with pytest.raises(RulesError, match=r"^the rules file \./heap.py has changed since it was loaded: restart Python$"):
        tablebase.load("./heap.py")
    assert not (folder / "__pycache__").exists()


def test_a_worker_with_another_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker of a cluster is refused by the digest, and told what to do."""
    (folder / "pawns.py").write_text(PAWNS)
    pawns = tablebase.load("pawns.py")
    assert isinstance(pawns, Game)
    (folder / "d").mkdir()
    with site(folder / "d", pawns) as mine:
        assert mine() is None
        forget(folder)
        monkeypatch.setenv(VARIABLE, "pawns.py")
        (folder / "pawns.py").write_text(PAWNS.replace("hexapawn(size)", "hexapawn((size[0], 4))"))
        other = mine()
        assert other is not None
        assert other.what == "has different rules of pawns"
        assert other.hint.endswith(f"or set {VARIABLE} to the same file there")
        (folder / "pawns.py").unlink()
        installed._installed.cache_clear()
        load_rules.cache_clear()
        missing = mine()
        assert missing is not None
        assert missing.what.startswith("does not have the rules of pawns (")


def test_a_script_that_loads_itself(folder: Path) -> None:
    (folder / "heap.py").write_text(f"{HEAP}\n\nimport tablebase\n\ntablebase.load('heap.py')\n")
    with pytest.raises(
        RulesError, match=r"RulesError: the rules file heap\.py loads itself: call load\(\) below .* \(heap\.py, line 4.\)$"
    ):
        tablebase.load("heap.py")


@pytest.mark.parametrize(
    ("stem", "old", "new", "error"),
    [
        ("broken", "", "x = 1\ndef game(:\n", "cannot be loaded: SyntaxError: invalid syntax (broken.py, line 2)"),
        ("failing", "", "x = 1\n\nraise ValueError('no\\nrules')\n", "cannot be loaded: ValueError: no rules (failing.py, line 3)"),
        ("leaving", "", "raise SystemExit(0)\n", "cannot be loaded: SystemExit: 0 (leaving.py, line 1)"),
        ("divided", "    return Heap(counters)", "    return 1 / 0", "ZeroDivisionError: division by zero (divided.py, line 8)"),
        ("partly", "    def parse(", "    def read(", "cannot be loaded: TypeError: Can't instantiate abstract class Heap"),
        ("nameless", '    name = "heap"\n', "", "the class Heap has no attribute 'name': set 'name' to a string"),
        ("number", "", "game = 7\n", "'game' in the rules file {} must be a function that returns a game, not 7"),
        ("taken", '"heap"', '"hexapawn"', "defines the game 'hexapawn', but the name 'hexapawn' is used by the entry point"),
        ("longer", '"heap"', '"hexapawn-small"', "'hexapawn-small', but the name 'hexapawn' is used by the entry point"),
        ("json", '"heap"', '"heap"', "the rules file {} shadows the Python module 'json': rename the file"),
        ("two.parts", '"heap"', '"heap"', "invalid rules file name '{}': use letters, digits and underscores"),
    ],
)
def test_a_file_that_cannot_be_used(stem: str, old: str, new: str, error: str, folder: Path, ask: Ask) -> None:
    """One sentence that names the file and, where there is one, the line; a file that is mended can be used at once."""
    file = os.path.relpath(other_file(folder, stem, old, new))
    for words in (["build", file], ["games", "--rules", file]):
        assert_one_sentence(ask(*words), error.format(file), file)
    assert os.environ[VARIABLE] == ""
    assert any(word in error for word in ("is used by", "shadows")) or stem not in sys.modules
    (folder / "heap.py").rename(file)
    if error.startswith("cannot") or "divided" in error:
        assert ask("check-rules", file).code == 0
    assert ask("estimate", "hexapawn", "--pieces", "2").code == 0


def test_two_files_of_one_name(folder: Path) -> None:
    other = other_file(folder, "other")
    Path(other).write_text(HEAP)
    tablebase.load("heap.py")
    with pytest.raises(
        RulesError, match=r"defines the game 'heap', but the name 'heap' is used by the rules file heap\.py: rename the game"
    ):
        tablebase.load(other)
    (folder / "deeper").mkdir()
    (folder / "deeper" / "heap.py").write_text(HEAP.replace('"heap"', '"deep"'))
    with pytest.raises(RulesError, match=r"the rules file deeper/heap\.py shadows the Python module 'heap': rename the file"):
        tablebase.load("deeper/heap.py")


def test_a_file_in_the_variable_that_is_broken(folder: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(folder / "gone.py"))
    assert_one_sentence(ask("stats", "hexapawn", "--data", folder), f"{folder / 'gone.py'} cannot be used")


def test_sentences_name_the_file(folder: Path) -> None:
    """A missing table with the command that builds it, and an outdated one with the file that is in use."""
    (folder / "d").mkdir()
    (folder / "pawns.py").write_text(PAWNS)
    pawns = tablebase.load("pawns.py", size="3x4")
    error = MissingTableError(pawns.name, "d", pieces=2)
    assert error.command == "tablebase build pawns.py --variant 3x4 --pieces 2 --data d"
    assert ask_fresh(*error.command.split()[1:]).code == 0
    tablebase.load("heap.py")
    assert "differ from heap.py" in str(StaleTableError(Path("d/heap/exact/all.h5"), "heap-counters=3"))
    assert "differ from the installed rules" in str(StaleTableError(Path("d/heaps/exact/all.h5"), "heaps"))


def test_no_address_takes_a_file(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Over HTTP a path is the name of no game, and nothing is loaded."""
    data = tmp_path_factory.mktemp("data")
    tablebase.build("noughts", variant=["m=2", "n=2", "k=2"], data=data)
    with client_of(data, mine=True) as client:
        for game in ("heap.py", "./heap.py", str(folder / "heap.py")):
            given = {"game": game, "position": "7 a", "material": "RvC", "pieces": 2, "statement": "SELECT 1"}
            for place in ("probe", "line", "stats", "materials", "material", "records", "count", "estimate"):
                assert client.get(f"/api/v1/{place}", params=given).status_code in (400, 404), place
            for place, fields in (("probe", ["game"]), ("play", ["game", "position"]), ("mine", ["game", "statement"])):
                sent = {name: given[name] for name in fields} | ({"positions": ["7 a"]} if place == "probe" else {})
                assert client.post(f"/api/v1/{place}", json=sent).status_code in (400, 404), place
            assert client.get(f"/{game}/").status_code in (400, 404)
    assert "heap" not in sys.modules
    assert os.environ[VARIABLE] == ""


def test_a_server_names_no_file(folder: Path) -> None:
    """It answers by the game's name; sentences have that instead of the path."""
    tablebase.load(str(folder / "heap.py"))
    tablebase.build("noughts", variant=["m=2", "n=2", "k=2"], data="d")
    with client_of(folder / "d") as client:
        assert client.get("/api/v1/count", params={"game": "heap"}).json()[0]["games"] == 21
        missing = client.get("/api/v1/probe", params={"game": "heap", "position": "7 a"})
    assert missing.json()["detail"].endswith("run 'tablebase build heap'")
