"""Boards of Dou Shou Qi from files: what they say, what the games are called, and which files are refused."""

import shutil
from pathlib import Path

import pytest
from support.program import Ask, assert_one_sentence
from support.web import client_of

import tablebase_rules
from tablebase.commands.program import run
from tablebase.errors import RulesError
from tablebase.game import load_game
from tablebase.game.installed import full_name, load_rules
from tablebase_rules._jungle import STANDARD
from tablebase_rules._jungle_boards import board_names, packed

BOARDS = Path(tablebase_rules.__file__).parent / "boards"
USUAL = """; The usual board.
..^#^..
...^...
.......
.~~.~~.
.~~.~~.
.~~.~~.
.......
..._...
.._=_..

l.^#^.t
.d.^.c.
r.p.w.e
.~~.~~.
.~~.~~.
.~~.~~.
E.W.P.R
.C._.D.
T._=_.L
"""
TINY = "..#\n\nRr#\n"


def drawn(folder: Path, text: str, name: str = "mine.txt") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def named(path: Path) -> str:
    return full_name("doushouqi", None, [f"board={path}"])


def test_the_usual_board_from_a_file_is_the_usual_game(tmp_path: Path) -> None:
    """All rules are the same, symmetries and the start included; only the name, and therefore the digest, differs."""
    game, usual = load_game(named(drawn(tmp_path, USUAL))), load_game("doushouqi")
    assert (game.kinds, game.board, game.start) == (usual.kinds, usual.board, usual.start)
    assert (game.mirror, game.swap, game.evaluation) == (usual.mirror, usual.swap, usual.evaluation)
    assert game.digest != usual.digest
    assert load_game("doushouqi-board=standard") is usual
    assert STANDARD.start == usual.start


@pytest.mark.parametrize("board", board_names())
def test_boards_of_the_package_are_files_like_others(board: str) -> None:
    """A copy of its file has the same rules, under a name that fits into requests over HTTP."""
    game, copy = load_game(f"doushouqi-board={board}"), load_game(named(BOARDS / f"{board}.txt"))
    assert copy.name.startswith(f"doushouqi-board={board}@")
    assert len(copy.name) <= 100
    assert (copy.kinds, copy.start, copy.terrain) == (game.kinds, game.start, game.terrain)


def test_the_name_says_what_the_file_says(tmp_path: Path) -> None:
    """Comments and empty lines make no difference, one square does; and the file is not needed again."""
    path = drawn(tmp_path, TINY)
    name = named(path)
    assert named(drawn(tmp_path, f"; why\n\n{TINY}\n\n")) == name
    other = named(drawn(tmp_path, TINY.replace(".", "_")))
    path.unlink()
    assert other != name
    games = load_game(name), load_game(other)
    assert games[0].digest != games[1].digest
    assert [one.title for one in games] == 2 * ["Dou Shou Qi (board mine)"]
    assert named(drawn(tmp_path, TINY, "My-own board.v2.txt")).startswith("doushouqi-board=my_own_board_v2@")


def test_other_options_go_with_a_board(tmp_path: Path) -> None:
    name = full_name("doushouqi", None, ["no_move=loss", f"board={drawn(tmp_path, TINY)}"])
    assert load_game(name).no_move.value == "loss"


def test_pieces_stand_where_they_can_come_to(tmp_path: Path) -> None:
    """Kinds are those of the start, as many as there; a cat is kept by water and holes, a tiger leaps over water alone."""
    game = load_game(named(drawn(tmp_path, "..~.-.\n~~~~-.\n\nTC~.-c\n~~~~-c\n")))
    assert [(kind.symbol, kind.limit) for kind in game.kinds] == [("C", 1), ("T", 1), ("c", 2)]
    squares = {kind.symbol: {game.board.names[square] for square in kind.squares} for kind in game.kinds}
    assert squares == {"C": {"a2", "b2"}, "T": {"a2", "b2", "d2"}, "c": {"f1", "f2"}}
    assert game.max_pieces == 4


def test_any_number_of_dens_and_symmetries(tmp_path: Path) -> None:
    """A side wins on each den of the other and enters none of its own; images that change the field or the pieces do not count."""
    game = load_game(named(drawn(tmp_path, "#.#\n...\n=.=\n\n#d#\n...\n=D=\n")))
    board = game.board
    assert {board.names[step.target] for step in game.kinds[0].steps if step.wins} == {"a3", "c3"}
    assert {board.names[step.target] for step in game.kinds[1].steps if step.wins} == {"a1", "c1"}
    assert game.mirror is not None
    assert game.swap is not None
    one_sided = load_game(named(drawn(tmp_path, "#.#\n...\n=..\n\n#d#\n...\n=D.\n")))
    assert (one_sided.mirror, one_sided.swap) == (None, None)
    other_pieces = load_game(named(drawn(tmp_path, "#.#\n...\n=.=\n\n#d#\n...\n=P=\n")))
    assert other_pieces.mirror is not None
    assert other_pieces.swap is None


ERRORS = {
    "": "there must be two drawings with an empty line between them, the board and the board with pieces, not 0",
    "..#\n": "there must be two drawings with an empty line between them, the board and the board with pieces, not 1",
    "..#\n..\n\nRr#\n..#\n": "row 2 of the board has 2 cells, but the first row of the board has 3",
    "..#\n\nRr\n": "row 1 of the start has 2 cells, but the first row of the board has 3",
    "..#\n\nRr#\n...\n": "the board has 1 rows, but the start has 2",
    ".o#\n\nRr#\n": "'o' on b1 of the board is not one of . ~ - _ ^ = #",
    "..#\n\nRx#\n": "'x' on b1 of the start is neither a piece nor '.', as on the board",
    "..#\n\nRr.\n": "'.' on c1 of the start is neither a piece nor '#', as on the board",
    "..#\n\nR.r\n": "'r' cannot stand on c1, which is '#' on the board",
    ".~#\n\nRc#\n": "'c' cannot stand on b1, which is '~' on the board",
    ".-#\n\nRr#\n": "'r' cannot stand on b1, which is '-' on the board",
    "..#\n\nR.#\n": "Black has no pieces in the start: draw at least one of r c w d p t l e",
    "..#\n\n.r#\n": "White has no pieces in the start: draw at least one of R C W D P T L E",
    f"{'.' * 27}\n\nRr{'.' * 25}\n": "a board has at most 26 files and 99 ranks, not 27 and 1",
    "\n".join([".", *["."] * 99, "", "R", "r", *["."] * 98]): "a board has at most 26 files and 99 ranks, not 1 and 100",
    "\n".join([*8 * ["." * 16], "", "Rr" + "." * 14, *7 * ["." * 16]]): "a board has 1 to 127 squares, not 128",
}


@pytest.mark.parametrize("text", ERRORS, ids=range(len(ERRORS)))
def test_what_is_wrong_with_a_file(tmp_path: Path, text: str) -> None:
    path = drawn(tmp_path, text)
    with pytest.raises(RulesError) as caught:
        named(path)
    assert str(caught.value) == f"{path}: {ERRORS[text]}"


def test_the_largest_board() -> None:
    rows = [*8 * ["." * 16]]
    rows[0] = "-" + "." * 15
    start = ["-Rr" + "." * 13, *rows[1:]]
    game = load_game(f"doushouqi-board=large@{packed(chr(10).join([*rows, '', *start]))}")
    assert len(game.board) == 127


@pytest.mark.parametrize("code", ["", "0", "zzz", "a.b", "é", "CODE0", "CODE_", "0CODE"])
def test_a_code_that_describes_no_board(code: str) -> None:
    word = f"and@{code.replace('CODE', packed(TINY))}"
    with pytest.raises(RulesError, match="does not describe a board of doushouqi: copy the whole name, or name the file again"):
        load_game(f"doushouqi-board={word}")


def test_a_name_reads_no_file(tmp_path: Path) -> None:
    """A name may come from a visitor of the server: only where a variant is given, files are read."""
    path = drawn(tmp_path, TINY)
    shutil.copy(path, tmp_path / "plain")
    for name in (str(path).replace("-", "_"), "plain", "../boards/and"):
        with pytest.raises(RulesError, match="has no board"):
            load_rules(f"doushouqi-board={name}")


def test_commands_take_a_file(tmp_path: Path, ask: Ask) -> None:
    """Tables are in a folder of the file's name and code; who forgets the file, or names a wrong one, is told so."""
    path, data = drawn(tmp_path, "...#\n....\n\nR..#\nr...\n"), tmp_path / "data"
    chosen = ["doushouqi", "--variant", f"board={path}", "--data", data]
    assert ask("build", *chosen, "--pieces", "2").code == 0
    assert named(path) in {folder.name for folder in data.iterdir()}
    assert "White to move: win in 1 ply" in ask("probe", *chosen, "R3/r3 w").out
    path.write_text("...\n")
    assert_one_sentence(ask("probe", *chosen, "R3/r3 w"), f"{path}: there must be two drawings")
    for given, error in ((f"{tmp_path}/none.txt", "none.txt cannot be used"), ("none", "doushouqi has no board 'none': choose")):
        assert_one_sentence(ask("probe", "doushouqi", "--variant", f"board={given}", "R3/r3 w"), error)


def test_pages_show_a_board_from_a_file(tmp_path: Path) -> None:
    """By its name alone: the game, a position, its picture, a game to play, and the answer to a request."""
    name = named(drawn(tmp_path, TINY))
    assert run(["build", name, "--pieces", "2", "--data", str(tmp_path / "data")]) == 0
    with client_of(tmp_path / "data") as client:
        for address in ("", "position/Rr1 w", "play", "play?seat=person&seat=random"):
            assert "(board mine)" in client.get(f"/{name}/{address}").text
        picture = client.get(f"/{name}/board/Rr1 w.svg").text
        assert "Black's den" in picture
        (answer,) = client.get("/api/v1/probe", params={"game": name, "position": "Rr1 w"}).json()
        assert (answer["outcome"], answer["distance"]) == ("win", 1)
