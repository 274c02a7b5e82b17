"""Modules of pictures beside rules: they are found by their name, are no part of the digest, and their faults are sentences."""

import sys
from pathlib import Path
from typing import Any

import pytest

from tablebase import svg
from tablebase.errors import RulesError
from tablebase.game.guards import guarded
from tablebase.game.pictures import beside

RULES = """
from tablebase.errors import NotationError
from tablebase.game.functions import OVER, Ending, FunctionGame

class Coin(FunctionGame[str]):
    name = title = "coin"
    start = "heads"
    def to_move(self, position): return 0 if position == "heads" else OVER
    def moves(self, position): return {"turn": "tails"} if position == "heads" else {}
    def result(self, position): return None if position == "heads" else Ending.of_two(0, "turned")
    def format(self, position): return position
    def parse(self, text):
        if text not in ("heads", "tails"):
            raise NotationError("heads or tails")
        return text
"""
PICTURES = """
LEGEND = "o is heads"
def svg(rules, position, theme): return f'<svg viewBox="0 0 9 3"><title>{position} {theme}</title></svg>'
def drawn(rules, position): return "o" if position == "heads" else "x"
def described(rules, position): return f"The coin shows {position}."
"""


def coin(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, pictures: str | None) -> Any:
    monkeypatch.syspath_prepend(str(folder))
    (folder / f"{name}.py").write_text(RULES, encoding="utf-8")
    if pictures is not None:
        (folder / f"{name}_pictures.py").write_text(pictures, encoding="utf-8")
    __import__(name)
    return sys.modules[name].Coin()


def test_a_module_beside_the_rules_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever shows a position finds it; the digest is the same with and without it."""
    plain = coin(tmp_path, monkeypatch, "plain_coin", None)
    drawn = coin(tmp_path, monkeypatch, "drawn_coin", PICTURES)
    assert (plain.pictures, plain.svg("heads"), plain.drawn("heads"), plain.legend()) == (None, None, None, "")
    assert plain.described("heads") == "The position heads."
    assert (drawn.drawn("tails"), drawn.legend(), drawn.described("tails")) == ("x", "o is heads", "The coin shows tails.")
    assert "heads light" in drawn.svg("heads")
    picture = svg.board(drawn, "heads", size=90, theme="dark")
    assert ">heads dark<" in picture
    assert 'width="90" height="30"' in picture
    assert drawn.digest == plain.digest
    with pytest.raises(RulesError, match="coin does not support pictures"):
        svg.board(plain, "heads")


@pytest.mark.parametrize(
    ("pictures", "said"),
    [
        ("1 / 0", "cannot be used: ZeroDivisionError: division by zero"),
        ("LEGEND = ''", "cannot be used: AttributeError: module .* has no attribute 'svg'"),
        (PICTURES.replace("return f'<svg", "return 1 + f'<svg"), r"svg\(heads, .* of coin fails \(TypeError: .*check-rules coin"),
        (PICTURES.replace("return f'<svg", "1; f'<svg"), r"svg\(heads, .* of coin returns None|not support pictures"),
        (PICTURES.replace("<svg viewBox", "<svg width"), "has neither a viewBox nor a size"),
    ],
)
def test_errors_of_pictures_are_sentences(pictures: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = coin(tmp_path, monkeypatch, f"coin_{abs(hash(pictures))}", pictures)
    with pytest.raises(Exception, match=said) as error:
        svg.board(rules, "heads")
    assert "\n" not in str(error.value)


def test_modules_without_a_package() -> None:
    """A program that is run by its path, and modules of no package that is known."""
    assert beside("__main__", guarded) is None
    assert beside("nowhere.at.all", guarded) is None
