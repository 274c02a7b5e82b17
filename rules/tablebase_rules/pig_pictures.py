"""Pictures of Pig: the score of each player as a bar that ends at the target, and the total of the turn beside the die.

The total is striped where it would be added to the mover's score; a die or a coin with a question mark is being rolled.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element

from tablebase.game.stochastic import CHANCE, OVER, State
from tablebase.svg.markup import HEIGHT as GLYPH
from tablebase.svg.markup import STEP, Svg, element, framed, lettering, picture
from tablebase.svg.markup import WIDTH as LETTER
from tablebase.svg.players import token
from tablebase.svg.themes import Theme, as_theme
from tablebase_rules.pig import Pig

WIDTH, MARGIN = 640, 14
ROW = 96
TOP = 150
"""The height of the die and the total."""
BAR, THICK = 380, 40
"""The length of a bar at the target, and how thick bars are."""
LEFT = MARGIN + 100
"""Where bars begin."""
SIZE = 400
CELLS = 40
"""Characters of a bar in a terminal."""
LEGEND = "= is a player's score, + the total of the turn"


def svg(rules: Pig, state: State, theme: str | Theme = "light") -> Svg:
    """The picture, in the colours of a theme."""
    colours = as_theme(theme)
    height = TOP + ROW * rules.players + MARGIN
    stripes = element("path", d="M-4 4L4-4M0 16L16 0M12 20L20 12", stroke=colours.page.fill, stroke_width=5)
    pattern = element("pattern", stripes, id="stripes", width=16, height=16, patternUnits="userSpaceOnUse")
    words = f"{rules.title}: {_doing(rules, state)}", described(rules, state)
    rows = (part for player in range(rules.players) for part in _row(rules, state, player, colours))
    parts = (*_turn(rules, state, colours), *rows)
    return picture(framed(words, (WIDTH, height), colours.page.fill, [pattern], parts, SIZE))


def drawn(rules: Pig, state: State) -> str:
    """A line for each player with a bar, and one for the turn."""
    *scores, _, total, _ = state
    mover = _mover(rules, state)
    lines = [f"player  score of {rules.target}"]
    for player, score in enumerate(scores):
        sure = min(CELLS, CELLS * score // rules.target)
        hoped = min(CELLS, CELLS * (score + total) // rules.target) if player == mover else sure
        bar = f"{'=' * sure}{'+' * (hoped - sure)}".ljust(CELLS, ".")
        lines.append(f"{'>' if player == mover else ' '}{player + 1:>5}  {score:>5} |{bar}|")
    return "\n".join([*lines, "", _doing(rules, state) + (f", turn total {total}" if mover is not None else "")])


def described(rules: Pig, state: State) -> str:
    """The scores and the turn."""
    *scores, _, total, _ = state
    said = ", ".join(f"player {player} has {score}" for player, score in enumerate(scores, start=1))
    turn = f" The total of the turn is {total}." if _mover(rules, state) is not None else ""
    return f"Of {rules.target} points {said}.{turn} {_doing(rules, state).capitalize()}."


def _mover(rules: Pig, state: State) -> int | None:
    """Whose turn it is; None at the end."""
    return None if rules.to_move(state) == OVER else state[rules.players]


def _doing(rules: Pig, state: State) -> str:
    mover = _mover(rules, state)
    if mover is None:
        return f"player {rules.places(state).index(1) + 1} has won"
    device = "die" if rules.options["die"] != 2 else "coin"
    return f"player {mover + 1} {f'throws the {device}' if rules.to_move(state) == CHANCE else 'to move'}"


def _turn(rules: Pig, state: State, theme: Theme) -> Iterator[Element]:
    """The die, whether it is being rolled, and the total of the turn."""
    total = state[-2]
    look: dict[str, Any] = {"fill": theme.square.fill, "stroke": theme.square.line, "stroke_width": 4}
    square: dict[str, Any] = {"x": -46, "y": -46, "width": 92, "height": 92, "rx": 18}
    shape = element("circle", r=48, **look) if rules.options["die"] == 2 else element("rect", **square, **look)
    rolling = rules.to_move(state) == CHANCE
    inside = [_text("?", 0, 0, 56, theme.square.line)] if rolling else []
    yield element("g", shape, *inside, transform=f"translate({MARGIN + 54} 74)" + (" rotate(-12)" if rolling else ""))
    goal = f"up to {rules.target}"
    yield _text(goal, WIDTH - MARGIN - 24 / GLYPH * _units(goal), 112, 24, theme.page.line, left=True)
    if _mover(rules, state) is not None:
        yield _text(str(total), LEFT + 20, 56, 54, theme.page.line, left=True)
        yield _text("turn total", LEFT + 20, 112, 24, theme.page.line, left=True)
    else:
        yield _text(_doing(rules, state), LEFT + 20, 56, 24, theme.page.line, left=True)


def _row(rules: Pig, state: State, player: int, theme: Theme) -> Iterator[Element]:
    """A player's score."""
    *scores, _, total, _ = state
    score, top = scores[player], TOP + ROW * player
    middle = top + ROW / 2 - 4
    frame: dict[str, Any] = {"fill": "none", "stroke": theme.page.line, "stroke_width": 1.5}
    if player == _mover(rules, state):
        frame |= {"stroke": theme.mark, "stroke_width": 7}
    yield element("rect", x=MARGIN, y=top, width=WIDTH - 2 * MARGIN, height=ROW - 8, rx=12, **frame)
    yield token(player, MARGIN + 50, middle, theme)
    place: dict[str, Any] = {"x": LEFT, "y": middle - THICK / 2, "height": THICK}
    sure = BAR * min(1.0, score / rules.target)
    yield element("rect", **place, width=BAR, fill=theme.square.fill)
    yield element("rect", **place, width=sure, fill=theme.square.line)
    if player == _mover(rules, state) and total:
        hoped = BAR * min(1.0, (score + total) / rules.target)
        more: dict[str, Any] = {**place, "x": LEFT + sure, "width": hoped - sure}
        yield element("rect", **more, fill=theme.mark)
        yield element("rect", **more, fill="url(#stripes)")
    yield element("rect", **place, width=BAR, fill="none", stroke=theme.square.line, stroke_width=2.5)
    yield _text(str(score), LEFT + BAR + 16, middle, min(38.0, 90 * GLYPH / _units(str(score))), theme.page.line, left=True)


def _units(text: str) -> int:
    """The width of a text, in units of glyphs."""
    return STEP * (len(text) - 1) + LETTER


def _text(text: str, x: float, y: float, height: float, colour: str, *, left: bool = False) -> Element:
    """A text around a point, or from it to the right."""
    middle = x + height / GLYPH * _units(text) / 2 if left else x
    return element("g", *lettering(text, middle, y, height), stroke=colour, stroke_width=1, stroke_linecap="round")
