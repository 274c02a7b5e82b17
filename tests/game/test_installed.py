"""Installed games and their variants: names, words, sentences; and that their rules pass the checks."""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.games import DOUSHOUQI_VARIANTS
from support.installs import forget_games, install_points
from support.program import Ask, assert_refused

from tablebase.errors import RulesError
from tablebase.game.companions import companion, companions
from tablebase.game.installed import game_names, load_game, variants
from tablebase.testing.suite import CHECKS, check_rules


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("foxhounds-8x8", "foxhounds"),
        ("foxhounds-08x008", "foxhounds"),
        ("foxhounds-size=10x10", "foxhounds-10x10"),
        ("hasenspiel-8x8-pawns=0-early=default", "hasenspiel"),
        ("hasenspiel-early=none-6x6", "hasenspiel-6x6-early=none"),
        ("hasenspiel-early=none-pawns=02-6x6", "hasenspiel-6x6-pawns=2-early=none"),
        ("hasenspiel-early=default-8x10", "hasenspiel-8x10"),
    ],
)
def test_a_variant_has_one_name(name: str, canonical: str) -> None:
    """However it is spelled it is one game, under a name that gives what is not the default, in the order of the rules."""
    assert load_game(name) is load_game(canonical)
    assert load_game(name).name == canonical


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("chess", f"unknown game 'chess': choose {', '.join(game_names())}"),
        ("", "unknown game ''"),
        ("take.py", "unknown game 'take.py': to use a rules file in Python, pass tablebase.load('take.py') as the game"),
        ("foxhound-8x8", "unknown game 'foxhound-8x8' (did you mean 'foxhounds'?)"),
        *((f"foxhounds-{size}", f"invalid size '{size}'") for size in ("8", "8x", "8x8x8", "8X8", "٨x٨", "1000x1000")),
        ("hexapawn-size=", "invalid size '' for hexapawn: expected files and ranks, as in 3x3"),
        ("hexapawn-pawns=2", "unknown variant 'pawns=2' of hexapawn"),
        ("doushouqi-7x9", f"unknown variant '7x9' of doushouqi: {DOUSHOUQI_VARIANTS}"),
        *((f"hasenspiel-pawns={no}", f"must be a whole number of at most 9 digits, not '{no}'") for no in ("two", "", "²", "1.5")),
        (f"hasenspiel-pawns={'9' * 9}", "hasenspiel on 8 files has 1 to 4 pawns, not 999999999"),
        (f"hasenspiel-pawns={'9' * 5000}", f"of at most 9 digits, not '{'9' * 80}…'"),
        ("hasenspiel-early=foo", "hasenspiel has no variant early=foo: choose one of default, article, none"),
        ("hasenspiel-6x6-pawns=4", "hasenspiel on 6 files has 1 to 3 pawns, not 4"),
        ("hasenspiel-7x8", "2 to 12 files, an even number, and 2 to 12 ranks, not on 7x8"),
        *((f"foxhounds-{size}", f"n even from 2 to 12, not {size}") for size in ("14x14", "5x5", "8x10", "0x0")),
        *((f"hexapawn-{size}", f"3 to 9 ranks, not on {size}") for size in ("3x2", "3x10", "0x3", "10x3")),
        ("foxhounds-8x8-10x10", "'foxhounds-8x8-10x10' sets size twice"),
        ("hasenspiel-early=none-8x8-early=none", "sets early twice"),
    ],
)
def test_what_is_no_game_is_told_in_one_sentence(name: str, error: str) -> None:
    """An unknown game, an unknown or malformed variant, one that is given twice, or one that the rules refuse."""
    with pytest.raises(RulesError, match=re.escape(error)) as caught:
        load_game(name)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


MODULE = """
from dataclasses import replace

from support import toys


def game(size=(3, 4), dogs=2, sort="open", *, level=1):
    found = replace(toys.herd(sort), name="herd", title=f"{size} {dogs!r} {sort!r} {level!r}")
    return replace(found, kinds=(replace(found.kinds[0], limit=dogs), found.kinds[1]))


def long():
    return replace(toys.hunt(), name="herd-long")


def wrong_name():
    return toys.hunt()


def no_game(size=(8, 8)):
    return "hunt"


def needy(size):
    return toys.hunt()


plain = 7
"""
POINTS = {
    "herd": "herds:game",
    "herd-long": "herds:long",
    "misnamed": "herds:wrong_name",
    "wordy": "herds:no_game",
    "number": "herds:plain",
    "needy": "herds:needy",
}

Install = Callable[[str, str, dict[str, str]], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a distribution of one module with this name, text and entry points beside the package."""
    modules = []

    def install(module: str, text: str, points: dict[str, str]) -> None:
        (tmp_path / f"{module}.py").write_text(text, encoding="utf-8")
        modules.append(module)
        install_points(tmp_path, monkeypatch, module, points)

    yield install
    for module in modules:
        sys.modules.pop(module, None)
    forget_games()


@pytest.fixture
def herds(install: Install) -> None:
    install("herds", MODULE, POINTS)


@pytest.fixture
def broken(install: Install) -> Callable[[str], None]:
    return lambda text: install("broken", text, {"broken": "broken:game"})


@pytest.mark.usefixtures("herds")
def test_a_rules_function_gets_what_the_name_says() -> None:
    """A pair for a size, whole numbers and words, by name or default, keyword-only ones too."""
    assert load_game("herd").title == "(3, 4) 2 'open' 1"
    assert load_game("herd-10x7").title == "(10, 7) 2 'open' 1"
    assert load_game("herd-level=12-sort=reach-dogs=1").title == "(3, 4) 1 'reach' 12"
    assert load_game("herd-level=12-sort=reach-dogs=1").name == "herd-dogs=1-sort=reach-level=12"
    assert load_game("herd-dogs=1").kinds[0].limit == 1
    assert load_game("herd-3x4-dogs=2-sort=open-level=1") is load_game("herd")
    assert variants("herd") == ("3x4", "dogs=2", "sort=open", "level=1")


@pytest.mark.usefixtures("herds")
def test_the_longest_name_is_meant() -> None:
    """A game whose name begins like a variant of another is found, and what follows is its own variant."""
    assert load_game("herd-long").title == "Hunt"
    assert "herd-long" in game_names()
    with pytest.raises(RulesError, match=r"^unknown variant '3x4' of herd-long: use 'herd-long', which has no variants$"):
        load_game("herd-long-3x4")
    with pytest.raises(RulesError, match=r"^unknown variant 'longer=1' of herd: write a variant such as 3x4, dogs=2, sort=open"):
        load_game("herd-longer=1")


@pytest.mark.usefixtures("herds")
@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("misnamed", "'herds:wrong_name' returns a game with the name 'hunt' instead of 'misnamed'"),
        ("wordy", "'herds:no_game' of wordy must be a function that returns a game, not 'hunt'"),
        ("wordy-4x4", "'herds:no_game' of wordy must be a function that returns a game, not 'hunt'"),
        ("number", "'herds:plain' must be a function that returns a game"),
        ("needy", "herds:needy"),
    ],
)
def test_wrong_entry_points_are_told(name: str, error: str) -> None:
    """What gives no game, one of another name, or none without a variant, is named with its entry point."""
    with pytest.raises(RulesError, match=error):
        load_game(name)


BROKEN = {
    "an error": ("raise ValueError('no\\nrules')", "cannot be loaded: ValueError: no rules"),
    "a fault of syntax": ("def", "cannot be loaded: SyntaxError: invalid syntax"),
    "an import that fails": ("import no_such_thing", "cannot be loaded: ModuleNotFoundError: No module named 'no_such_thing'"),
    "no such function": ("", "cannot be loaded: AttributeError: module 'broken' has no attribute 'game'"),
    "an exit": ("raise SystemExit(0)", "cannot be loaded: SystemExit: 0"),
    "something of its own": ("class Stop(BaseException): pass\nraise Stop('now')", "cannot be loaded: Stop: now"),
    "a refusal": ("import tablebase\nraise tablebase.RulesError('not today')", "cannot be loaded: RulesError: not today"),
    "a function that fails": ("def game(): return 1 / 0", "fails: ZeroDivisionError: division by zero"),
    "a function that exits": ("def game(): raise SystemExit(3)", "fails: SystemExit: 3"),
}


@pytest.mark.parametrize(("text", "said"), BROKEN.values(), ids=BROKEN)
def test_games_go_on_and_say_which_is_broken(text: str, said: str, broken: Callable[[str], None], ask: Ask) -> None:
    """Whatever a rules module raises, the other games are listed, and one sentence names its entry point."""
    whole = ask("games", "--format", "json")
    assert (whole.code, whole.err) == (0, "")
    broken(text)
    sentence = f"the entry point 'broken:game' of broken {said}"
    answer = ask("games", "--format", "json")
    assert (answer.code, answer.json) == (1, whole.json)
    assert answer.err.startswith(f"error: {sentence}")
    assert len(answer.err.splitlines()) == 1
    with pytest.raises(RulesError, match=re.escape(sentence)):
        load_game("broken")
    assert ask("estimate", "hexapawn", "--pieces", "2").code == 0


def test_an_interrupt_is_no_error_of_the_rules(broken: Callable[[str], None]) -> None:
    """Ctrl-C while a module is being loaded ends what has been asked, as anywhere else."""
    broken("raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        load_game("broken")


@pytest.mark.parametrize("size", ["8", "(8,)", "(8, 'x')", "None"])
def test_a_size_is_a_pair(size: str, broken: Callable[[str], None], ask: Ask) -> None:
    """Another default of a parameter called size is a fault of the rules."""
    broken(f"def game(size={size}): return None")
    answer = ask("games")
    assert_refused(answer, 1, "'broken:game'", "an invalid default for its parameter size")


@pytest.mark.parametrize(
    "name",
    [
        *(f"foxhounds-{n}x{n}" for n in (4, 8, 12)),
        *(f"hasenspiel{early}" for early in ("", "-early=article", "-early=none")),
        "hasenspiel-4x7-pawns=1",
        *(f"hexapawn-{n}x{n}" for n in (3, 4)),
    ],
)
def test_rules_pass_their_checks(name: str) -> None:
    """Every check that applies to the game's symmetries has looked at something and found nothing."""
    game = load_game(name)
    results = check_rules(game, samples=60)
    assert [(result.name, result.failure) for result in results if result.failure] == []
    missing = {"mirror", "swap"} if game.mirror is None else set()
    assert {result.name for result in results} == {check.name for check in CHECKS} - missing
    assert all(result.cases > 0 for result in results)


def test_modules_next_to_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are found by their names; one that fails is one sentence, and one that is missing is not needed."""
    (tmp_path / "odd_players.py").write_text("PLAYERS = ()\n")
    (tmp_path / "odd_routes.py").write_text("raise ValueError('no\\nrouter')\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert companion("odd", "_players", "players").PLAYERS == ()
    assert companion("odd", "_pictures", "pictures") is None
    assert companion("nowhere.odd", "_players", "players") is None
    with pytest.raises(RulesError) as refused:
        companion("odd", "_routes", "routes")
    assert str(refused.value) == "the routes of odd in odd_routes cannot be used: ValueError: no router"
    assert [module.__name__ for module in companions("_players", "players")] == [
        "tablebase_rules.foxhounds_players",
        "tablebase_rules.harehedgehog_players",
    ]
