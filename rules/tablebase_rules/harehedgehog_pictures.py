"""Pictures of Hare & Hedgehog: the track, winding upwards from the start to the finish, and below it what each player has.

What a square is, is said by a shape or a number and not by colour alone: a carrot, a lettuce, a hedgehog, a card for a hare, and
the places that a square pays. A hare is a token with the player's number; two bars on it mean that the player waits.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any
from xml.etree.ElementTree import Element

from tablebase.game.stochastic import CHANCE, State
from tablebase.svg.markup import HEIGHT as GLYPH
from tablebase.svg.markup import STEP, WIDTH, Svg, element, framed, lettering, picture
from tablebase.svg.players import token
from tablebase.svg.themes import Theme, Tint, as_theme
from tablebase_rules._harehedgehog import (
    AGAIN,
    BOARD,
    CARROTS,
    CHOICE,
    DRAW,
    EAT,
    HELD,
    HOME,
    LETTUCES,
    MISS,
    PAY,
    PHASE,
    RANK,
    READY,
    ROUND,
    SQUARE,
    WAIT,
    Race,
)

COLUMNS, ROWS = 9, 7
"""Of the squares between the start and the finish."""
PITCH, TALL = 100, 112
"""From one square to the next, and from one row to the next."""
HALF, CORNER = 46, 12
STRIP = 86
"""The height of the start and of the finish, on which all hares have room."""
MARGIN, ENTRY = 14, 112
"""Around everything; and the height of a player's entry."""
SIZE = 400
KINDS = {
    "S": "start",
    "L": "lettuce",
    "I": "hedgehog",
    "C": "carrots",
    "H": "hare",
    "F": "places 1, 5 and 6",
    "2": "place 2",
    "3": "place 3",
    "4": "place 4",
    "Z": "finish",
}
LEGEND = """C carrots, H hare, I hedgehog, L lettuce, S start, Z finish
2, 3, 4, and F for 1, 5 and 6, pay that place; (1) is player 1"""
WAITS = {READY: "", MISS: "misses a turn", EAT: "eats a lettuce", PAY: "is to be paid"}
PHASES = {DRAW: "draws a card", CHOICE: "takes or gives", AGAIN: "moves again"}
TINTS = {"C": "trap", "L": "other", "H": "water", **dict.fromkeys("234F", "den")}
"""The texture whose colours a kind of square has; others have those of a plain square."""
SHAPES = {
    "C": "M-13-8Q0-19 13-8Q9 14 0 33Q-9 14-13-8ZM-9 1H0M9 9H1M0-14V-36M0-15Q-14-20-15-32M0-15Q14-20 15-32",
    "L": "M-30 2Q-34-12-22-16Q-22-32-6-28Q4-38 14-28Q28-30 26-15Q36-8 29 4Q32 18 18 20Q10 32 0 24Q-12 32-18 20Q-32 18-30 2Z"
    "M0 24V-14M0 12L-14-2M0 12L14-2M0 0L-8-10M0 0L8-10",
    "I": "M-32 20L-38 8L-29 7L-33-8L-22-6L-22-21L-11-15L-5-29L4-17L15-26L17-12L28-14Q37-2 42 14Q37 21 27 21Z",
    "H": "M-22-34H22V34H-22ZM-7 3Q-16-24-8-25Q-1-24-2 0M7 3Q16-24 8-25Q1-24 2 0M0 2A13 12 0 1 0 .1 2Z",
}
"""Lines around the middle of a square; a hare square is a card with a hare's head."""
EYES = {"I": "M27 3v.1", "H": "M-5 11v.1M5 11v.1"}


def svg(rules: Race, state: State, theme: str | Theme = "light") -> Svg:
    """The picture, in the colours of a theme."""
    colours = as_theme(theme)
    entries = (rules.players + 1) // 2
    width = COLUMNS * PITCH + 2 * MARGIN
    height = 2 * (STRIP + MARGIN) + ROWS * TALL + entries * ENTRY + MARGIN
    words = f"{rules.title}: {_moment(rules, state)}", described(rules, state)
    positioned = (part(rules, state, colours) for part in (_squares, _strips, _entries))
    parts = (*_way(colours), *chain.from_iterable(positioned))
    return picture(framed(words, (width, height), colours.page.fill, _definitions(colours), parts, SIZE))


def drawn(rules: Race, state: State) -> str:
    """The board in rows of ten squares, each with the letter of its kind and the hares on it, and a line for each player."""
    hares = rules.hares(state)
    cells = []
    for number, kind in enumerate(BOARD):
        on = "".join(str(player) for player, hare in enumerate(hares, start=1) if hare[SQUARE] == number)
        cells.append(f"{kind}({on})" if on else kind)
    widths = [max(len(cells[at]) for at in range(column, len(cells), 10)) for column in range(10)]
    lines = ["   " + " ".join(f" {column:<{width}}" for column, width in enumerate(widths))]
    for first in range(0, len(cells), 10):
        row = " ".join(f" {cell:<{width}}" for cell, width in zip(cells[first : first + 10], widths, strict=False))
        lines.append(f"{first:>2} {row}")
    lines += ["", "player  square  carrots  lettuces"]
    mover = rules.to_move(state)
    for player, hare in enumerate(hares):
        mark = ">" if player == mover or (mover == CHANCE and player == state[rules.shared]) else " "
        numbers = f"{mark}{player + 1:>5}  {hare[SQUARE]:>6}  {hare[CARROTS]:>7}  {hare[HELD]:>8}"
        lines.append(f"{numbers}  {_doing(rules, state, player)}")
    return "\n".join(line.rstrip() for line in lines)


def described(rules: Race, state: State) -> str:
    """The players one after the other."""
    sentences = []
    for player, hare in enumerate(rules.hares(state)):
        doing = _doing(rules, state, player)
        has = f"{_count(hare[CARROTS], 'carrot')} and {_count(hare[HELD], 'lettuce')}"
        where = f"square {hare[SQUARE]} ({KINDS[BOARD[hare[SQUARE]]]})"
        sentences.append(f"Player {player + 1} is on {where} with {has}{doing and ', '}{doing}.")
    return " ".join([*sentences, *([f"Rounds that are over: {state[rules.shared + ROUND]}."] if rules.rounds else [])])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _moment(rules: Race, state: State) -> str:
    mover = rules.to_move(state)
    return f"player {mover + 1} to move" if mover >= 0 else "a card is drawn" if mover == CHANCE else "the game is over"


def _doing(rules: Race, state: State, player: int) -> str:
    """What a player waits for, or does in this turn; empty if he has nothing to say."""
    hare = rules.hares(state)[player]
    if hare[RANK]:
        return f"is home, place {hare[RANK]}"
    if rules.to_move(state) not in (player, CHANCE) or state[rules.shared] != player:
        return WAITS[hare[WAIT]]
    return PHASES.get(state[rules.shared + PHASE]) or WAITS[hare[WAIT]] or "to move"


# The board


def _middle(number: int) -> tuple[int, int]:
    """The middle of a square between the start and the finish: rows go to the right and to the left by turns."""
    row, column = divmod(number - 1, COLUMNS)
    along = COLUMNS - 1 - column if row % 2 else column
    return MARGIN + PITCH * along + PITCH // 2, MARGIN + STRIP + TALL * (ROWS - 1 - row) + TALL // 2


def _tint(kind: str, theme: Theme) -> Tint:
    texture = TINTS.get(kind)
    return theme.square if texture is None else theme.terrain[texture]


def _way(theme: Theme) -> Iterator[Element]:
    """A ribbon below the squares, which shows where the way turns."""
    points = [_middle(number) for number in range(1, HOME)]
    (first, low), (last, high) = points[0], points[-1]
    path = f"M{first} {low + TALL}" + "".join(f"L{x} {y}" for x, y in points) + f"L{last} {high - TALL}"
    yield element("path", d=path, fill="none", stroke=theme.square.line, stroke_width=34, stroke_linejoin="round", opacity=0.45)


def _definitions(theme: Theme) -> Iterator[Element]:
    """The ground and the figure of each kind of square, to be used by all squares of the kind."""
    for kind in sorted(set(BOARD[1:HOME])):
        tint = _tint(kind, theme)
        shape: dict[str, Any] = {"x": -HALF, "y": -HALF, "width": 2 * HALF, "height": 2 * HALF, "rx": CORNER}
        yield element("rect", id=f"ground-{kind}", **shape, fill=tint.fill, stroke=tint.line, stroke_width=2.5)
        yield element("g", *_figure(kind, tint), id=f"figure-{kind}")


def _squares(rules: Race, state: State, theme: Theme) -> Iterator[Element]:
    """The squares between the start and the finish, each with the hare on it."""
    hares = rules.hares(state)
    on = {hare[SQUARE]: player for player, hare in enumerate(hares)}
    for number in range(1, HOME):
        x, y = _middle(number)
        kind = BOARD[number]
        figure = "translate(-23 15) scale(.56)" if number in on else "translate(4 9) scale(.95)"
        parts = [
            element("title", text=f"{number}: {KINDS[kind]}"),
            element("use", href=f"#ground-{kind}"),
            element("use", href=f"#figure-{kind}", transform=figure),
            _text(str(number), -HALF + 6, -33, 19, _tint(kind, theme).line, 1.1, left=True),
        ]
        yield element("g", *parts, transform=f"translate({x} {y})")
        if number in on:
            yield from _hare(on[number], hares[on[number]], x + 17, y + 18, theme, 0.85)


def _figure(kind: str, tint: Tint) -> Iterator[Element]:
    """What a square is: a shape, or the places that it pays."""
    if kind in SHAPES:
        look: dict[str, Any] = {"stroke": tint.line, "stroke_width": 4, "stroke_linecap": "round", "stroke_linejoin": "round"}
        yield element("path", d=SHAPES[kind], fill="none", **look)
        if kind in EYES:
            yield element("path", d=EYES[kind], **{**look, "stroke_width": 7})
    elif kind == "F":
        for place, x, y in (("1", 0, -19), ("5", -17, 19), ("6", 17, 19)):
            yield _text(place, x, y, 27, tint.line, 1.05)
    else:
        yield _text(kind, 0, 0, 48, tint.line, 0.9)


def _hare(player: int, hare: State, x: float, y: float, theme: Theme, scale: float = 1.0) -> Iterator[Element]:
    """A hare, with two bars if he waits."""
    yield token(player, x, y, theme, scale=scale, ears=True)
    if hare[WAIT]:
        place = f"translate({x + 26 * scale:g} {y + 18 * scale:g})"
        look: dict[str, Any] = {"fill": theme.page.fill, "stroke": theme.page.line, "stroke_width": 3}
        bars = element("path", d="M-4-6V6M4-6V6", stroke=theme.page.line, stroke_width=5)
        yield element("g", element("title", text=WAITS[hare[WAIT]]), element("circle", r=14, **look), bars, transform=place)


def _strips(rules: Race, state: State, theme: Theme) -> Iterator[Element]:
    """The start below the squares and the finish above them, with the hares that stand there side by side."""
    hares = rules.hares(state)
    ends = ((0, "START", MARGIN + STRIP + ROWS * TALL, 1), (HOME, "FINISH", MARGIN, -1))
    for number, name, top, way in ends:
        middle = top + STRIP / 2
        width = COLUMNS * PITCH
        look: dict[str, Any] = {"fill": theme.square.fill, "stroke": theme.square.line, "stroke_width": 2.5}
        yield element("rect", x=MARGIN + 4, y=top + 2, width=width - 8, height=STRIP - 4, rx=CORNER, **look)
        # Written where the way begins and ends: at the left below, at the right above.
        edge = MARGIN + 26 if way > 0 else MARGIN + width - 26 - _width(name, 30)
        yield _text(name, edge, middle, 30, theme.square.line, 1.0, left=True)
        standing = [player for player, hare in enumerate(hares) if hare[SQUARE] == number]
        first = MARGIN + 250 if way > 0 else MARGIN + width - 280
        for place, player in enumerate(standing):
            yield from _hare(player, hares[player], first + way * 82 * place, middle + 10, theme)


# The players


def _entries(rules: Race, state: State, theme: Theme) -> Iterator[Element]:
    """What each player has, two side by side."""
    top = 2 * (MARGIN + STRIP) + ROWS * TALL
    width = COLUMNS * PITCH / 2
    mover = state[rules.shared] if rules.to_move(state) != -2 else None
    for player, hare in enumerate(rules.hares(state)):
        row, column = divmod(player, 2)
        left, upper = MARGIN + column * width, top + row * ENTRY
        frame: dict[str, Any] = {"fill": "none", "stroke": theme.page.line, "stroke_width": 1.5, "rx": CORNER}
        if player == mover:
            frame |= {"stroke": theme.mark, "stroke_width": 7}
        carrot, leaf = theme.terrain[TINTS["C"]], theme.terrain[TINTS["L"]]
        doing = _doing(rules, state, player)
        parts = [
            element("rect", x=4, y=4, width=width - 8, height=ENTRY - 10, **frame),
            token(player, 46, 62, theme, ears=True),
            _icon("C", 112, 40, carrot),
            _number(str(hare[CARROTS]), 136, 40, theme.page.line),
            *(_icon("L", 300 + 50 * held, 40, leaf, gone=held >= hare[HELD]) for held in range(LETTUCES)),
            _text(doing, 98, 84, 20, theme.page.line, 1.0, left=True),
        ]
        yield element("g", *parts, transform=f"translate({left:g} {upper:g})")


def _icon(kind: str, x: float, y: float, tint: Tint, *, gone: bool = False) -> Element:
    """A carrot or a lettuce; a lettuce that is gone is no more than a dot."""
    if gone:
        return element("circle", cx=x, cy=y, r=5, fill=tint.line)
    ground = element("path", d=SHAPES[kind].partition("Z")[0] + "Z", fill=tint.fill)
    return element("g", ground, *_figure(kind, tint), transform=f"translate({x:g} {y:g}) scale(.68)")


def _number(text: str, x: float, y: float, colour: str) -> Element:
    """A number of carrots, smaller if it is so long that it would reach the lettuces."""
    height = min(34.0, 130 * GLYPH / (STEP * (len(text) - 1) + WIDTH))
    return _text(text, x, y, height, colour, 1.0, left=True)


def _width(text: str, height: float) -> float:
    return height / GLYPH * (STEP * (len(text) - 1) + WIDTH)


def _text(text: str, x: float, y: float, height: float, colour: str, stroke: float, *, left: bool = False) -> Element:
    """A text around a point, or from it to the right."""
    middle = x + _width(text, height) / 2 if left else x
    paths = lettering(text, middle, y, height)
    return element("g", *paths, stroke=colour, stroke_width=stroke, stroke_linecap="round", stroke_linejoin="round")
