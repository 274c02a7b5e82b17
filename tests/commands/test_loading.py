"""Modules that a command imports, none of other commands and nothing heavy without need; commands under ``PYTHONOPTIMIZE=2``."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.program import Answer, ask_fresh
from support.recorded import records

from tablebase.commands.program import commands
from tablebase.commands.registry import VERBS
from tablebase.game.installed import game_names
from tablebase.play.records import write_record

HEAVY = ("numba", "sqlalchemy", "h5py", "numpy", "duckdb", "pyarrow", "sqlglot", "matplotlib", "fastapi", "pandas", "pydantic")
SCRIPT = """
import json, sys
import tablebase
from tablebase.commands.program import {entry}
words = json.loads(sys.argv.pop())
try:
    {call}
finally:
    print("\\n" + json.dumps(sorted(sys.modules)))
"""
IN_PROCESS = SCRIPT.format(entry="run", call="codes = [run(one) for one in words]")
OWN_PROCESS = SCRIPT.format(entry="main", call="main(words)")
POSITION = "7/7/7/7/3c3/7/7/R6/7 w"


def loaded(script: str, words: list[list[str]] | list[str], code: int = 0) -> set[str]:
    answer = ask_fresh(json.dumps(words), program=script)
    assert answer.code == code, answer.err
    return set(json.loads(answer.out.splitlines()[-1]))


def test_help_loads_nothing_heavy() -> None:
    """`import tablebase` and the help of the program and of every command load none of the large libraries."""
    found = loaded(IN_PROCESS, [["--help"], *([name, "--help"] for name in commands())])
    assert not found & set(HEAVY)
    assert {home_of(name) for name in commands()} <= found


def home_of(name: str) -> str:
    home = VERBS[name].home.partition(":")[0]
    return home if "." in home else f"tablebase.commands.{home}"


INTERRUPTED = """
import os, signal, sys

if "{module}" == "tablebase.commands.cataloged":
    signal.signal(signal.SIGINT, signal.SIG_IGN)

class Finder:
    def find_spec(name, path, target=None):
        if name == "{module}":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder)
"""
"""Runs before a program: Ctrl-C when it imports a module, ignored by the program if that is the module of a command."""


@pytest.mark.parametrize("script", [True, pytest.param(False, marks=pytest.mark.full)])
@pytest.mark.parametrize("module", ["click", "tablebase.commands.cataloged"])
def test_ctrl_c_while_the_program_is_loaded(module: str, script: bool, tmp_path: Path, hexapawns: Path) -> None:
    """One sentence instead of a traceback, however it is started; none if the signal was ignored from the start."""
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTED.format(module=module))
    (tmp_path / "tablebase").write_text("from tablebase.commands.program import main\nmain()\n")
    result = subprocess.run(
        [sys.executable, *([tmp_path / "tablebase"] if script else ["-m", "tablebase"]), "stats", "hexapawn", "--data", hexapawns],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    expected = (0, "") if module == "tablebase.commands.cataloged" else (130, "\nerror: interrupted\n")
    assert (result.returncode, result.stderr) == expected


def test_ctrl_c_while_a_library_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTED.format(module="tablebase.errors"))
    call = "try:\n    import tablebase\nexcept KeyboardInterrupt:\n    print('interrupted')"
    assert ask_fresh(program=call, environment={"PYTHONPATH": str(tmp_path)}).out == "interrupted\n"


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        (["probe", "doushouqi", POSITION], {"numpy", "h5py"}),
        (["stats", "doushouqi"], {"numpy", "sqlalchemy"}),
        pytest.param(["games"], {"numpy"}, marks=pytest.mark.full),
        pytest.param(["match-stats", "{games}"], {"numpy"}, marks=pytest.mark.full),
    ],
    ids=["probe", "stats", "games", "match-stats"],
)
def test_a_command_loads_what_it_needs(words: list[str], needed: set[str], two_pieces: Path, tmp_path: Path) -> None:
    """No module of another command, no pictures, and of the large libraries only those that read what is asked for."""
    file = tmp_path / "games"
    file.write_text(write_record(records("hexapawn", 1)[0]))
    data = ["--data", str(two_pieces)] if words[0] in ("probe", "stats") else []
    found = loaded(IN_PROCESS, [[*(word.format(games=file) for word in words), *data]])
    assert found & set(HEAVY) == needed
    assert {home_of(name) for name in commands() if ":" not in VERBS[name].home} & found <= {home_of(words[0])}
    # Names of picture files are checked in `match-stats`, too.
    found -= {"tablebase.mining", "tablebase.mining.charts", "tablebase.mining.charts.picture_files"}
    assert not [name for name in found if name.startswith(("tablebase.svg", "tablebase.building", "tablebase.mining"))]


@pytest.mark.full
def test_files_of_tables_are_handled_without_a_compiler(copied: Path, tmp_path: Path) -> None:
    """Where no position of a game of pieces is computed, Numba is not loaded, which the other sort of tables needs."""
    data = ["--data", str(copied)]
    copy = ["copy", "doushouqi", "--material", "CvC", "--to", str(tmp_path / "copy"), *data]
    commands = [["reindex", *data], ["prune", "--yes", *data], copy, ["verify", "doushouqi", "--quick", *data]]
    found = loaded(IN_PROCESS, commands)
    assert "tablebase.building.slice_kind" in found
    assert not found & {"numba", "tablebase.building.layer_kind"}


@pytest.mark.full
def test_statements_load_no_pandas(two_pieces: Path) -> None:
    words = ["--data", str(two_pieces), "--format", "csv"]
    columns = ("*", "outcome, count(*)", "p1_square, outcome, count(*)", "position, best, twin_distance")
    statements = [f"SELECT {names} FROM positions WHERE material = 'RvE' GROUP BY ALL" for names in columns]
    found = loaded(IN_PROCESS, [["mine", "doushouqi", statement, *words] for statement in statements])
    assert "duckdb" in found
    assert not found & {"pandas", "pydantic", "matplotlib"}


@pytest.mark.full
def test_libraries_end_in_silence(copied: Path) -> None:
    """DuckDB's binding reports on standard error what is left of it when Python ends; nothing is."""
    answer = ask_fresh("patterns", "doushouqi", "--material", "CvC", "--top", "3", "--data", copied)
    assert (answer.code, answer.err) == (0, "")


def test_a_chart_is_refused_before_anything_is_loaded(two_pieces: Path, tmp_path: Path) -> None:
    found = loaded(OWN_PROCESS, ["plot", "draws", "doushouqi", "--data", str(two_pieces), "--output", str(tmp_path / "a.eps")], 2)
    assert not found & set(HEAVY)


@pytest.mark.full
def test_charts_of_the_catalog_read_no_positions(two_pieces: Path, tmp_path: Path) -> None:
    """What counts positions is not loaded for charts that the catalog has the numbers of."""
    found = loaded(OWN_PROCESS, ["plot", "draws", "doushouqi", "--data", str(two_pieces), "--output", str(tmp_path / "a.svg")])
    assert not found & {"duckdb", "numba", "pandas", "tablebase.mining.query"}


@pytest.mark.release
def test_charts_of_positions_compile_nothing(two_pieces: Path, tmp_path: Path) -> None:
    """Numba does not import what compiles, and what that imports, since kernels are in the cache by now."""
    words = ["plot", "squares", "doushouqi", "--material", "RvE", "--data", str(two_pieces), "--output", str(tmp_path / "a.svg")]
    loaded(OWN_PROCESS, words)
    assert not loaded(OWN_PROCESS, words) & {"scipy.linalg", "pandas"}


def test_functions_of_python_load_no_shell() -> None:
    """Their arguments are checked by annotations, which click does not read."""
    call = "assert tablebase.count('hexapawn', workers=1)['games']"
    script = f"import json, sys\nimport tablebase\n{call}\nprint(json.dumps(sorted(sys.modules)))"
    assert not loaded(script, []) & {"click", "tablebase.commands.shell"}


SEVERAL = (
    "import json, sys; from tablebase.commands.program import run; sys.exit(max(run(words) for words in json.loads(sys.argv[1])))"
)


def optimized(*commands: list[str], code: str = SEVERAL, level: str = "2") -> Answer:
    return ask_fresh(json.dumps(commands), program=code, environment={"PYTHONOPTIMIZE": level})


@pytest.mark.release
def test_tables_are_built_and_all_games_can_be_loaded(tmp_path: Path) -> None:
    """A game with features is built, verified, probed, and mined by one of them; each game is checked or described."""
    common = ["doushouqi", "--data", str(tmp_path)]
    answer = optimized(
        ["build", *common, "--material", "RvR"],
        ["verify", *common],
        ["probe", *common, "r6/7/7/7/7/7/7/7/6R w"],
        ["games"],
        ["features", "doushouqi"],
        ["check-rules", "hexapawn"],
        ["mine", *common, "SELECT count(*) AS number FROM positions WHERE distance_1_2 = 1", "--format", "csv"],
    )
    assert answer.code == 0, answer.err
    assert "Traceback" not in answer.err
    assert [name for name in game_names() if name not in answer.out] == []
    assert int(answer.out.split()[-1]) > 0


def test_help_stays() -> None:
    helps = [[name, "--help"] for name in commands()]
    assert len(helps) > 20
    without, with_docstrings = (optimized(["--help"], *helps, level=level) for level in ("2", ""))
    assert without.code == 0
    assert without.out == with_docstrings.out


@pytest.mark.full
def test_the_description_of_the_server_stays(tmp_path: Path) -> None:
    code = f"""
import json
from pathlib import Path
from tablebase.web.app import create_app
from tablebase.web.settings import ServerSettings
paths = create_app(ServerSettings(Path({str(tmp_path)!r}))).openapi()["paths"]
print(json.dumps([one["summary"] for path in paths.values() for one in path.values()]))
"""
    without, with_docstrings = (optimized(code=code, level=level) for level in ("2", ""))
    assert without.code == 0, without.err
    assert without.json == with_docstrings.json
    assert len(without.json) > 10
    assert all(without.json)
