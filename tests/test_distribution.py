"""The distribution: its name, what its wheel installs, and that it gets along with a package called `rules`."""

import os
import re
import subprocess
import sys
import venv
from collections.abc import Callable
from importlib.metadata import Distribution, distributions
from pathlib import Path
from tomllib import loads
from zipfile import ZipFile

import pytest
from support.checks import at_least_one

import tablebase
from tablebase.errors import DISTRIBUTION, EXTRAS, MissingExtraError

ROOT = Path(__file__).parents[1]
PROJECT = loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
GAMES = list(PROJECT["entry-points"]["tablebase.rules"])

Run = Callable[[str], str]


def test_the_project_says_what_the_errors_say() -> None:
    """The name that errors give is the project's, its extras bring the packages that errors miss, and the version is one.

    Programs that run a command without installing it look for one with the name of the distribution.
    """
    assert (PROJECT["name"], PROJECT["version"]) == (DISTRIBUTION, tablebase.__version__)
    assert PROJECT["scripts"] == dict.fromkeys(("tablebase", DISTRIBUTION), "tablebase.commands.program:main")
    brought = {extra: [re.split(r"[^\w-]", one)[0] for one in packages] for extra, packages in named_extras().items()}
    assert {extra: packages[0] for extra, packages in brought.items()} == EXTRAS


def test_classifiers_name_what_a_release_tests() -> None:
    tested = re.search(r"^.*versions=\((3[^)]*)\)", (ROOT / ".ci" / "release").read_text(encoding="utf-8"), re.MULTILINE)
    assert tested
    named = [one.rpartition(" :: ")[2] for one in PROJECT["classifiers"] if one.startswith("Programming Language :: Python :: 3.")]
    assert named == tested[1].split()


def test_the_citation_is_of_this_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall("^version: (.*)$", citation, re.MULTILINE) == [PROJECT["version"]]
    assert re.findall("^license: (.*)$", citation, re.MULTILINE) == [PROJECT["license"]]


def named_extras() -> dict[str, list[str]]:
    """The extras for users; the one for tests contains all of them, and the one for the site none that errors name."""
    extras: dict[str, list[str]] = PROJECT["optional-dependencies"]
    others = {extra: packages for extra, packages in extras.items() if extra not in ("docs", "test")}
    assert f"{PROJECT['name']}[{','.join(sorted(others))}]" in extras["test"]
    return others


def test_the_folder_of_games_is_no_package() -> None:
    """An editable installation has it on its path, where `rules` must stay the name of the other distribution."""
    assert list((ROOT / "rules").glob("*.py")) == []
    assert sorted(GAMES) == GAMES
    assert PROJECT["entry-points"]["tablebase.rules"] == {game: f"tablebase_rules.{game}:game" for game in GAMES}


def test_pages_install_what_there_is() -> None:
    """Every page that installs an extra names this distribution or its folder, and an extra that exists."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    for name, extra in at_least_one(re.findall(r"pip install [^`\n]*?['\"]([\w.-]+)\[(\w+)\]", text)):
        assert name in (".", DISTRIBUTION)
        assert extra in PROJECT["optional-dependencies"]


def test_a_game_of_ones_own_depends_on_this_distribution() -> None:
    """The page about new games shows a project that can be installed."""
    page = (ROOT / "docs" / "pieces-on-squares.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```toml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert loads(shown)["project"]["dependencies"] == [DISTRIBUTION]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(build, check=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Run:
    """Runs a shell's command in an environment that has the wheel, another package called `rules`, and none of the extras."""
    home = tmp_path_factory.mktemp("home")
    builder = venv.EnvBuilder(with_pip=True)
    builder.create(home / "env")
    borrowed = home / "borrowed"
    borrowed.mkdir()
    for package in distributions():
        if package.name not in (DISTRIBUTION, *EXTRAS.values(), "rules", "pip"):
            lend(package, borrowed)
    (site,) = (home / "env").glob("lib/python*/site-packages")
    (site / "borrowed.pth").write_text(f"{borrowed}\n", encoding="utf-8")
    # This tree must not be imported by way of the variable.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["PATH"] = f"{home / 'env' / 'bin'}{os.pathsep}{os.environ['PATH']}"

    def run(command: str) -> str:
        done = subprocess.run(command, shell=True, cwd=home, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run(f"pip install --quiet --no-deps '{wheel}' rules")
    return run


def lend(package: Distribution, folder: Path) -> None:
    """Link all that a distribution has installed into a folder."""
    for name in {file.parts[0] for file in package.files or () if file.parts[0] not in ("..", "__pycache__")}:
        if not (folder / name).exists():
            (folder / name).symlink_to(package.locate_file(name))


@pytest.mark.release
def test_the_wheel_holds_two_packages(wheel: Path) -> None:
    """With the marks that they are typed, and nothing else beside the wheel's own data."""
    names = ZipFile(wheel).namelist()
    data = f"{DISTRIBUTION.replace('-', '_')}-{PROJECT['version']}.dist-info"
    assert {name.partition("/")[0] for name in names} == {"tablebase", "tablebase_rules", data}
    parts = [path for folder in ("templates", "static") for path in (ROOT / "tablebase/web" / folder).iterdir()]
    assert {str(path.relative_to(ROOT)) for path in parts} <= set(names)
    assert len(parts) > 20
    assert {"tablebase/svg/letters.txt", "tablebase/svg/shapes.svg", "tablebase/tables/zstandard.h5"} <= set(names)
    assert {"tablebase/py.typed", "tablebase_rules/py.typed", *(f"tablebase_rules/{game}.py" for game in GAMES)} <= set(names)


BOTH = """
import rules
from tablebase.game import load_game
import tablebase, tablebase_rules

rules.add_rule("may read", rules.predicate(lambda user: user == "reader"))
print(rules.test_rule("may read", "reader"), rules.test_rule("may read", "writer"))
print(load_game("hexapawn").title)
print(*(package.__file__ for package in (rules, tablebase, tablebase_rules)), sep="\\n")
"""


@pytest.mark.release
def test_beside_another_package_called_rules(run: Run, tmp_path: Path) -> None:
    """Both do their work in one process and are whole, and so is the command."""
    (tmp_path / "both.py").write_text(BOTH, encoding="utf-8")
    granted, title, *files = run(f"python '{tmp_path / 'both.py'}'").splitlines()
    assert (granted, title) == ("True False", "Hexapawn")
    assert len({Path(file).parents[1] for file in files}) == 1
    assert [line.partition(",")[0] for line in run("tablebase games --format csv").splitlines()[1:]] == GAMES
    assert "failed" not in run("tablebase check-rules hexapawn")


@pytest.mark.release
@pytest.mark.parametrize("extra", EXTRAS)
def test_extras_are_installed_by_the_words_of_the_errors(run: Run, extra: str) -> None:
    """The command that the error gives installs what was missing, wherever the program came from."""
    error = MissingExtraError("pictures", extra)
    installed = "pip list --format freeze"
    assert f"{error.package}==" not in run(installed)
    run(error.command)
    assert f"{error.package}==" in run(installed)
