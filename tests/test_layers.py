"""The layers of the package: imports go down only, and nobody has to remember it."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from tablebase.game.installed import game_names, load_rules

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "tablebase"
ORDER = (
    "version",
    "errors",
    "system",
    "game",
    "positions",
    "features",
    "svg",
    "tables",
    "solvers",
    "testing",
    "functions",
    "probe",
    "search",
    "catalog",
    "checking",
    "graph",
    "play",
    "mining",
    "building",
    "commands",
    "web",
)
"""Rooms from the ground up; a room may use those before it."""
RULES_MAY_USE = {"errors", "game", "features", "graph"}
"""All that a rules module needs, so that no author has to know the rest of the house; graphs for features that look ahead."""
COMPANIONS_MAY_USE = {
    "_pictures.py": RULES_MAY_USE | {"svg"},
    "_players.py": RULES_MAY_USE | {"play", "system"},
    "_routes.py": RULES_MAY_USE | {"play", "web"},
}
"""The same for modules next to those of rules: pictures, players, and routes of the server."""
CONTRACTS = {"functions", "compiled", "ranks", "stochastic", "kernels", "file_words"}
"""Modules that rules import from, beside the package of the types: those of functions, and that of parameters from files."""

KINDS = {"Game", "StochasticGame", "FunctionGame", "CompiledGame"}
DELIVERING = (
    "game",
    "positions",
    "functions",
    "building/*_kind.py",
    "building/shared_folder.py",
    "building/slice_work.py",
    "checking",
    "probe/from_*.py",
    "probe/prober.py",
    "testing",
)
"""Rooms and modules that deliver a kind of game: its rules, jobs, values and checks."""
MOST_QUESTIONS, MOST_OUTSIDE = 30, 15
"""Places that ask for the kind of a game, in any spelling: of the package, and of what delivers no kind."""
MOST_CAPABILITIES = 39
"""Places outside that ask for a capability."""


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """The syntax of a file."""
    return [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]


@cache
def imported_modules(path: Path) -> list[str]:
    """Full names of what a file imports, inside functions and for type checkers, too."""
    found = []
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            # The name may be a module of a package.
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


@cache
def room_of(name: str) -> str | None:
    """The room of a dotted name; None for other projects' names and for the facade at the top."""
    parts = name.split(".")
    if parts[0] != "tablebase" or len(parts) == 1:
        return None
    return parts[1] if (PACKAGE / parts[1]).is_dir() or (PACKAGE / f"{parts[1]}.py").is_file() else None


@cache
def rooms() -> dict[str, list[Path]]:
    """The files of each room."""
    found: dict[str, list[Path]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts not in {("__init__",), ("__main__",)}:
            found.setdefault(parts[0], []).append(path)
    return found


def test_every_room_has_a_place() -> None:
    """All packages and loose modules are in the order: at most 18 packages, and three loose modules beside the facade."""
    assert sorted(rooms()) == sorted(ORDER)
    assert len({path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"}) <= 3
    assert len([path for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()]) <= 18


@pytest.mark.parametrize("room", ORDER)
def test_imports_go_down(room: str) -> None:
    """A room imports from rooms before it, and from itself; so there is no circle."""
    below = {*ORDER[: ORDER.index(room)], room}
    upwards = {
        f"{path.relative_to(ROOT)} imports {name}"
        for path in rooms()[room]
        for name in imported_modules(path)
        if (used := room_of(name)) is not None and used not in below
    }
    assert not upwards


def test_nothing_imports_the_facade() -> None:
    """It stands above all rooms, which would import each other through it."""
    names = {name for paths in rooms().values() for path in paths for name in imported_modules(path)}
    assert len(names) > 300
    assert not [name for name in names if name.split(".")[0] == "tablebase" and room_of(name) is None]


@pytest.mark.parametrize(("room", "other"), [("checking", "solvers"), ("solvers", "checking")])
def test_solvers_and_checks_share_no_mistakes(room: str, other: str) -> None:
    """Neither imports the other, nor the arrays that the other makes of the rules; they have set-ups of their own."""
    names = {name for path in rooms()[room] for name in imported_modules(path)}
    assert any(room_of(name) == "system" for name in names)
    assert not [name for name in names if room_of(name) == other]
    # Of what solves by functions, checks read the files alone.
    assert room != "checking" or {name.split(".")[3] for name in names if name.startswith("tablebase.functions.exact.")} == {
        "files",
        "tier_files",
    }
    for arrays in ("slice_arrays", "pursuit_arrays"):
        assert any(name.startswith(f"tablebase.positions.{arrays}") for name in names) == (room == "solvers")


def test_rules_modules_know_the_vocabulary_alone() -> None:
    """What comes with the package needs no more than what a third party needs."""
    paths = sorted((ROOT / "rules").rglob("*.py"))
    names = {(path.name, name) for path in paths for name in imported_modules(path)}
    used: dict[str, set[str]] = {}
    for file, name in names:
        if (room := room_of(name)) is not None:
            used.setdefault(next(filter(file.endswith, COMPANIONS_MAY_USE), ""), set()).add(room)
    assert used.pop("") == RULES_MAY_USE
    assert used.keys() == COMPANIONS_MAY_USE.keys()
    assert all(rooms <= COMPANIONS_MAY_USE[ending] for ending, rooms in used.items())
    inside = {path.stem for path in (PACKAGE / "game").glob("*.py")} - CONTRACTS
    plain = {name for file, name in names if not file.endswith(("_players.py", "_routes.py"))}
    assert not [name for name in plain if name.startswith("tablebase.game.") and name.split(".")[2] in inside]


def test_no_circles_of_modules() -> None:
    """No file imports, directly or not, what imports it; packages' lists of names aside, which load nothing."""
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for paths in rooms().values() for path in paths}
    modules = {name: path for name, path in modules.items() if path.name != "__init__.py"}
    graph = {
        name: {other for used in imported_modules(path) for other in (used, used.rpartition(".")[0]) if other in modules}
        for name, path in modules.items()
    }
    assert sum(map(len, graph.values())) > 200
    while leaves := [name for name, used in graph.items() if not used & graph.keys()]:
        for name in leaves:
            del graph[name]
    assert not graph


def test_no_module_hides_a_name_of_its_package() -> None:
    """What a package hands on lazily is not replaced by a module of the same name as soon as that is imported."""
    handed_on = 0
    for package in sorted(path.parent for path in ROOT.joinpath("tablebase").rglob("__init__.py")):
        names = set(getattr(import_module(".".join(package.relative_to(ROOT).parts)), "__all__", ()))
        handed_on += len(names)
        assert not names & {path.stem for path in package.iterdir()}, package
    assert handed_on > 20


def questions_of_kind(path: Path) -> Counter[str]:
    """Number of times that a file asks which kind of game it has, by spelling; ``can`` is a question for a capability."""
    found = Counter[str]()
    for node in nodes_of(path):
        match node:
            case ast.Call(func=ast.Name("isinstance" | "issubclass" | "cast"), args=[*types]):
                names = {getattr(one, "id", None) or getattr(one, "attr", None) for one in ast.walk(ast.Tuple(types))}
                found["isinstance"] += bool(names & KINDS)
            case ast.Call(func=ast.Name("hasattr" | "getattr"), args=[ast.Name(name) | ast.Attribute(attr=name), *_]):
                found["hasattr"] += name in ("game", "rules")
            case ast.Call(func=ast.Name("type"), args=[ast.Name(name) | ast.Attribute(attr=name)]):
                found["type"] += name in ("game", "rules")
            case ast.Call(func=ast.Name("with_pieces" | "load_game" as name)):
                found[name] += 1
            case ast.Compare(left=ast.Attribute(attr="board"), comparators=[ast.Constant(None)]):
                found["board is None"] += 1
            case ast.Compare(left=ast.Call(func=ast.Attribute(attr="kernels")), comparators=[ast.Constant(None)]):
                found["kernels is None"] += 1
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Attribute(attr="can")]):
                found["can"] += 1
            case ast.IfExp(test=asked) | ast.If(test=asked) | ast.UnaryOp(op=ast.Not(), operand=asked):
                found["if board"] += isinstance(asked, ast.Attribute) and asked.attr in ("board", "kinds")
            case ast.Attribute(attr="has_chance" | "value_fields" as name, ctx=ast.Load()):
                found[name] += 1
    return found


def questions_of_template(path: Path) -> Counter[str]:
    """The same of a template of pages."""
    asked = re.findall(r"\{[%{][^}]*\b(?:if|elif)\b[^}]*[%}]\}", path.read_text(encoding="utf-8"))
    words = re.findall(r"\b(?:game|rules)\.(board|has_chance|value_fields|can)\b(?!\.)", " ".join(asked))
    return Counter(words)


def test_few_places_ask_for_the_kind_of_a_game() -> None:
    """Everything else asks the contract, what the game can do, or what its kind delivers."""
    inside, outside = Counter[str](), Counter[str]()
    files = [(path, questions_of_kind) for paths in rooms().values() for path in paths]
    for path, count in [*files, *((path, questions_of_template) for path in PACKAGE.rglob("*.html"))]:
        name = path.relative_to(PACKAGE)
        delivers = any(name.match(one) or name.parts[0] == one for one in DELIVERING)
        (inside if delivers else outside).update(count(path))
    assert outside.pop("can") <= MOST_CAPABILITIES
    inside.pop("can", 0)
    assert outside.total() <= MOST_OUTSIDE, outside
    assert inside.total() + outside.total() <= MOST_QUESTIONS, (inside, outside)


def names_in(path: Path) -> Iterator[str]:
    """Identifiers and texts of a file, except docstrings."""
    bodies = [node.body for node in nodes_of(path) if isinstance(getattr(node, "body", None), list)]
    docstrings = {id(one.value) for body in bodies for one in body if isinstance(one, ast.Expr)}
    for node in nodes_of(path):
        if isinstance(node, ast.Constant) and id(node) not in docstrings:
            yield str(node.value)
        elif not isinstance(node, ast.Constant):
            yield from (str(value) for name, value in ast.iter_fields(node) if name in NAMES and isinstance(value, str))


NAMES = {"id", "attr", "name", "arg", "module", "asname"}
"""Fields of syntax that hold an identifier."""


def test_no_module_names_a_game() -> None:
    """What belongs to one game stands next to its rules, and is found there by the name of its module."""
    games = [word for name in game_names() for word in (name, load_rules(name).title)]
    pattern = re.compile("|".join(rf"(?<![a-z]){re.escape(word)}(?![a-z])" for word in games), re.IGNORECASE)
    paths = [path for paths in rooms().values() for path in paths if pattern.search(path.read_text(encoding="utf-8"))]
    assert paths
    named = {(path.relative_to(ROOT).as_posix(), text) for path in paths for text in names_in(path) if pattern.search(text)}
    assert not named
    assert all(pattern.search(text) for text in ("tablebase_rules.foxhounds_boxes", "/harehedgehog/new", "a die of Pig"))


def test_private_names_of_numba_are_in_one_module() -> None:
    used = {(path.stem, name) for paths in rooms().values() for path in paths for name in imported_modules(path)}
    numba = {(stem, name.rpartition(".")[0]) for stem, name in used if name.startswith("numba.")}
    assert {stem for stem, module in numba if module not in ("numba", "numba.types", "numba.extending")} == {"numba_internals"}


def test_no_folder_is_left_out(pytestconfig: pytest.Config) -> None:
    """Pytest looks into every folder of the package and of the tests; by default it passes over some names."""
    folders = {path.parent.name for base in (PACKAGE, ROOT / "tests") for path in base.rglob("*.py")}
    assert "building" in folders
    assert not [name for name in folders if any(fnmatch(name, pattern) for pattern in pytestconfig.getini("norecursedirs"))]
