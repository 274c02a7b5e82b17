"""Pictures of boards, read back: pieces, terrain, shapes, marks, names, words, identifiers, and what is refused."""

import re
import string
from dataclasses import replace
from math import cos, hypot, radians, sin
from random import Random
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import toys
from support.checks import at_least_one
from support.games import GAMES, random_games
from support.pictures import SVG, centre, corners, every, parsed, title_of, uses
from support.program import ask_fresh

import tablebase
from tablebase import svg
from tablebase.errors import NotationError, RulesError, TablebaseError
from tablebase.game import Board, Game, Kind, load_game, types
from tablebase.game.moves import Move, Position
from tablebase.game.notation import parse, read_move, render
from tablebase.svg.ground import MEANINGLESS, TEXTURES
from tablebase.svg.markup import GLYPHS
from tablebase.svg.tokens import FIGURE, RADIUS, SHAPES

JUNGLE = load_game("doushouqi")
PAIR = "7/7/3t3/7/7/R6/4E2/7/7 w"
SIZES = (
    *(f"foxhounds-{n}x{n}" for n in range(2, 13, 2)),
    *(f"hasenspiel-{w}x{h}" for w in (2, 8, 12) for h in (2, 7, 12)),
    *("hexapawn-1x3", "hexapawn-9x9", "hexapawn-4x5"),
)
ALL = {**GAMES, **{name: load_game(name) for name in SIZES}}


def assert_pieces(picture: str, game: Game, position: Position) -> None:
    """Each piece is drawn once, on its square, and nothing else is."""
    names = [f"{game.sides[game.side_of(kind)].name} {game.kinds[kind].name} {game.board.names[s]}" for kind, s in position.pieces]
    expected = [(kind, centre(game.board, square)) for kind, square in position.pieces]
    drawn = list(uses(parsed(picture), "piece"))
    assert sorted((kind, place) for kind, place, _ in drawn) == sorted(expected)
    assert sorted(str(title) for _, _, title in drawn) == sorted(names)


@pytest.mark.parametrize("name", ALL)
def test_every_game_can_be_drawn(name: str) -> None:
    """In every size and theme, the start and another position: all pieces and all squares."""
    game = ALL[name]
    for theme, position in (("light", parse(game, game.start)), ("dark", random_games(game, 1, 9)[-1])):
        picture = svg.board(game, position, theme=theme)
        assert_pieces(picture, game, position)
        grid = [node for node in every(parsed(picture), "path") if node.get("stroke") and node.get("fill") == "none"][-1]
        squares = {centre(game.board, square) for square in range(len(game.board))}
        drawn = re.findall(r"M([0-9]+) ([0-9]+)h100v100h-100z", grid.attrib["d"])
        assert {(int(x) + 50, int(y) + 50) for x, y in drawn} >= squares
        assert len(drawn) <= len(squares) + 1


@given(st.lists(st.sampled_from(range(16)), min_size=1, unique=True), st.randoms(use_true_random=False), st.sampled_from((0, 1)))
@settings(max_examples=30)
def test_every_position_can_be_drawn(kinds: list[int], random: Random, side: int) -> None:
    """Whatever stands where, also if one side has no piece; the text says the same as the object."""
    squares = random.sample(range(len(JUNGLE.board)), len(kinds))
    position = Position(tuple(sorted(zip(kinds, squares, strict=True))), side)
    picture = svg.board(JUNGLE, position)
    assert_pieces(picture, JUNGLE, position)
    assert picture == svg.board("doushouqi", render(JUNGLE, position))


def test_the_side_to_move_is_shown() -> None:
    """As a token of its form beside the board, and in the title."""
    for letter, form, name in (("w", "circle", "White"), ("b", "rect", "Black")):
        root = parsed(svg.board("hexapawn", f"ppp/3/PPP {letter}"))
        (shown,) = [node for node in every(root, "g") if title_of(node) == f"{name} to move"]
        assert [child.tag for child in shown] == [f"{SVG}title", SVG + form]
        assert title_of(root) == f"Hexapawn: {name} to move"


def test_kinds_without_a_shape_show_their_letters() -> None:
    """As lines, not in a font; letters that are not among them are left to the reader's fonts."""
    plain = svg.board(toys.pond(), toys.pond().start)
    assert {one.attrib["id"].partition("-letter-")[2] for one in every(parsed(plain), "g") if "-letter-" in one.get("id", "")} == {
        str(ord(letter)) for letter in "RTL"
    }
    assert "<text" not in plain
    board, sides = Board.full(2, 1), toys.SIDES
    kinds = (Kind("Ä", "ape", 0, (0, 1), ()), Kind("b", "bee", 1, (0, 1), ()))
    game = replace(toys.pond(), board=board, sides=sides, kinds=kinds, start="Äb w", mirror=None, swap=None)
    (letter,) = every(parsed(svg.board(game, "Äb w")), "text")
    assert letter.text == "Ä"


def test_a_picture_says_what_it_shows() -> None:
    """For those who cannot see it, in the order of sides."""
    root = parsed(svg.board("doushouqi", PAIR, last_move="d6d7", arrows=["a4a5", ("e3f3", "red")]))
    assert root.attrib["role"] == "img"
    assert title_of(root) == "Dou Shou Qi: White to move"
    pieces = "White: rat a4, elephant e3. Black: tiger d7."
    assert root.findtext(f"{SVG}desc") == f"{pieces} Last move: d6d7. Arrows: a4a5 (green), e3f3 (red)."
    assert parsed(svg.board("doushouqi", PAIR)).findtext(f"{SVG}desc") == pieces
    assert "Black: no pieces." in svg.board("hexapawn", "P2/3/3 b")


def test_nothing_in_a_picture_is_markup() -> None:
    """Names come from rules modules, which may hold anything, even what XML cannot."""
    game = toys.twins()
    wild = '</title><b a="1">&amp;\x00\x1b'
    kinds = (replace(game.kinds[0], name=wild), *game.kinds[1:])
    picture = svg.board(replace(game, title=wild, kinds=kinds), game.start)
    assert title_of(parsed(picture)) == '</title><b a="1">&amp;\ufffd\ufffd: White to move'


@pytest.mark.parametrize("size", [16, 801, 10_000])
def test_the_size_is_that_of_the_longer_side(size: int) -> None:
    """In pixels, whatever the board's form; the squares stay squares."""
    for name in ("doushouqi", "hexapawn-9x3", "hexapawn"):
        root = parsed(svg.board(name, load_game(name).start, size=size))
        width, height = float(root.attrib["width"]), float(root.attrib["height"])
        _, _, inner_width, inner_height = map(int, root.attrib["viewBox"].split())
        assert max(width, height) == size
        assert width / height == pytest.approx(inner_width / inner_height, rel=0.01)


def test_the_same_arguments_give_the_same_text() -> None:
    """Here, again, and in another process."""
    program = f"from tablebase import svg; print(svg.board('doushouqi', {PAIR!r}, arrows=['a4a5']))"
    picture = svg.board("doushouqi", PAIR, arrows=["a4a5"])
    assert picture == svg.board(JUNGLE, parse(JUNGLE, PAIR), arrows=["a4a5"])
    assert ask_fresh(program=program, environment={"PYTHONHASHSEED": "1"}).out.rstrip() == picture


def test_pictures_share_no_identifiers() -> None:
    """So that several may stand on one page; within one, each identifier occurs once, and all references lead to one."""
    pictures = [
        svg.board(game, text, theme=theme, size=size)
        for game, text in (("doushouqi", PAIR), ("doushouqi", JUNGLE.start), ("hexapawn", "ppp/3/PPP w"))
        for theme in ("light", "dark")
        for size in (100, 200)
    ]
    seen: set[str] = set()
    for picture in pictures:
        root = parsed(picture)
        own = at_least_one(node.attrib["id"] for node in root.iter() if "id" in node.attrib)
        assert len(set(own)) == len(own)
        assert {node.attrib["href"] for node in root.iter() if "href" in node.attrib} <= {f"#{name}" for name in own}
        assert seen.isdisjoint(own)
        seen |= set(own)


def test_a_picture_is_a_text_that_notebooks_show() -> None:
    """As those of other libraries; and it is small."""
    picture = svg.board("doushouqi", JUNGLE.start)
    assert isinstance(picture, str)
    assert picture._repr_svg_() == picture
    assert type(picture._repr_svg_()) is str
    assert tablebase.svg.board is svg.board
    assert len(picture) < 20_000
    assert len(svg.board("foxhounds", load_game("foxhounds").start)) < 8_000


REFUSED: dict[str, tuple[dict[str, Any], type[TablebaseError], str]] = {
    "no position": ({"position": "7/7 w"}, NotationError, "has 2 ranks, but the board of doushouqi has 9"),
    "no text": ({"position": 7}, NotationError, "invalid doushouqi position of type int: expected a string such as"),
    "one square for two": ({"position": Position(((0, 3), (1, 3)), 0)}, NotationError, "two pieces are on the same square"),
    "no game": ({"game": "chess"}, RulesError, "unknown game 'chess'"),
    "no pictures": ({"game": "awari", "position": "2,2,2,0 2,2,2,0 s"}, RulesError, "does not support pictures"),
    "no squares": ({"game": "pig", "position": "0,0 1 0", "arrows": ["1"]}, RulesError, "has no squares: leave out arrows"),
    "too small": ({"size": 15}, TablebaseError, "number of pixels from 16 to 10000, not 15"),
    "too large": ({"size": 10_001}, TablebaseError, "not 10001"),
    "half a pixel": ({"size": 100.5}, TablebaseError, "not 100.5"),
    "no theme": ({"theme": "pink"}, TablebaseError, "unknown theme 'pink': choose light, dark, mono, or pass a Theme"),
    "half a move": ({"last_move": "a1"}, NotationError, "'a1' is not a move: write the start and end squares .* as in a1g9"),
    "a square that is none": ({"last_move": "a1z9"}, NotationError, "unknown square 'z9'"),
    "a move to where it comes from": ({"last_move": "a1a1"}, NotationError, "'a1a1' is not a move: write two different squares"),
    "a move off the board": (
        {"last_move": Move(0, 0, 63, None, False)},
        NotationError,
        "is not a move: write two different squares of the board",
    ),
    "one arrow alone": ({"arrows": "a1a2"}, TablebaseError, r"arrows must be a list of moves, such as \['a1a2'\]"),
    "no arrow": ({"arrows": [None]}, NotationError, "'None' is not a move"),
    "no colour": ({"arrows": [("a1a2", "pink")]}, TablebaseError, "'pink' is neither a square nor a colour"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_drawn_is_refused(case: str) -> None:
    wrong, error, sentence = REFUSED[case]
    options = {"game": "doushouqi", "position": PAIR, **wrong}
    with pytest.raises(error, match=sentence) as refused:
        svg.board(options.pop("game"), options.pop("position"), **options)
    assert "\n" not in str(refused.value)


A4, A5 = JUNGLE.board.squares("a4 a5")
FORMS = ["a4a5", "A4-A5", ("a4", "a5"), ("A4", "A5"), Move(0, A4, A5, None, False)]


def arrows(picture: str) -> list[Element]:
    """The arrows of a picture."""
    return [node for node in every(parsed(picture), "g") if re.search(r" \((green|red|blue|orange)\)$", title_of(node) or "")]


@pytest.mark.parametrize("form", FORMS, ids=map(str, FORMS))
def test_a_move_may_be_given_in_any_form(form: Any) -> None:
    """As a text, as two squares, as a move; with a colour or without."""
    assert svg.board(JUNGLE, PAIR, last_move=form) == svg.board(JUNGLE, PAIR, last_move="a4a5") != svg.board(JUNGLE, PAIR)
    assert svg.board(JUNGLE, PAIR, arrows=[form]) == svg.board(JUNGLE, PAIR, arrows=[("a4a5", "green")])
    assert svg.board(JUNGLE, PAIR, arrows=[(form, "red")]) == svg.board(JUNGLE, PAIR, arrows=(("a4a5", "red"),))


@pytest.mark.parametrize("move", ["a4a5", "e3d3", "d7c8", "a1g9", "g9a1", "b1a1", "d2d3"])
def test_an_arrow_points_from_square_to_square(move: str) -> None:
    """It begins in its origin and ends in its target, whatever the direction; also if the squares are neighbours."""
    (arrow,) = arrows(svg.board(JUNGLE, PAIR, arrows=[move]))
    origin, target = (centre(JUNGLE.board, square) for square in read_move(JUNGLE, move))
    x, y, angle, begin, _ = map(float, re.findall(r"-?[0-9.]+", arrow.attrib["transform"]))
    assert (x, y) == origin
    tip = max(across for across, _ in corners(arrow[1].attrib["d"]))
    end = x + (begin + tip) * cos(radians(angle)), y + (begin + tip) * sin(radians(angle))
    assert 15 < hypot(end[0] - target[0], end[1] - target[1]) < 30
    assert 0 < begin < 41
    assert min(across for across, _ in corners(arrow[1].attrib["d"])) == 0
    assert title_of(arrow) == f"{move} (green)"


def test_every_name_has_its_drawing() -> None:
    """And every drawing its name, in the order of the alphabet."""
    assert tuple(SHAPES) == types.SHAPES == tuple(sorted(types.SHAPES))
    assert tuple(TEXTURES) == types.TEXTURES == tuple(sorted(types.TEXTURES))


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_lies_within_its_token(name: str) -> None:
    """At the size that shapes have on tokens, all its points; and it fills at least half of the height."""
    points = [point for path in SHAPES[name] for point in corners(path.attrib["d"])]
    assert all(hypot(x, y) * FIGURE <= RADIUS and max(abs(x), abs(y)) <= 40 for x, y in points)
    heights = [y for _, y in points]
    assert max(heights) - min(heights) > 40


@pytest.mark.parametrize("path", [*TEXTURES.values(), *MEANINGLESS])
def test_a_texture_lies_within_its_square_and_shows_around_a_token(path: str) -> None:
    """All its points within 48 hundredths of the middle, and some of them beyond a round token."""
    points = corners(path)
    assert max(max(abs(x), abs(y)) for x, y in points) <= 48
    assert any(hypot(x, y) > RADIUS + 2 for x, y in points)


def test_letters_are_complete() -> None:
    """Letters of kinds and files and digits of ranks, each within its box, and signs of captions."""
    assert set(GLYPHS) == {*string.digits, *string.ascii_letters, *" .,:;-+=/%&×?!'()"}
    for sign in set(GLYPHS) - {" "}:
        assert all(-0.5 <= x <= 4.5 and -1 <= y <= 8 for x, y in corners(GLYPHS[sign])), sign
