"""The engine's end of the protocol: transcripts held against the published description."""

import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from typing import Self

import pytest
from numba.core import event
from support.games import after

from tablebase.commands.tablebase import Tablebase
from tablebase.game import Outcome, load_game
from tablebase.game.moves import legal_moves
from tablebase.game.notation import parse, render_move
from tablebase.play.protocol import uci_server
from tablebase.play.protocol.uci_server import UciServer, info, score
from tablebase.play.protocol.uci_settings import UciSettings
from tablebase.search import Analysis, Engine
from tablebase.system.compute.progress import COMPILING
from tablebase.tables.values import Value

JUNGLE = load_game("doushouqi")
START = parse(JUNGLE, JUNGLE.start)
OPTION = re.compile(
    r"option name \S+( \S+)* type "
    r"(check default (true|false)|spin default -?\d+ min -?\d+ max \d+|combo default \S+( var \S+)+|button|string default .+)"
)
INFO = re.compile(
    r"info string .+|info depth \d+ multipv \d+ score (cp|mate) -?\d+ nodes \d+ nps \d+ tbhits \d+ time \d+"
    r"( pv( [a-z]\d+[a-z]\d+)+)?"
)
"""The forms that the description gives, in the words that are used here."""
THREE = "7/7/c6/D6/7/7/7/6r/7 w"
"""A capture leads to two pieces."""

PATIENCE = 60.0
"""Seconds to wait for a line."""


class Dialogue:
    """A conversation with a server in a separate thread, without the lines about compiling unless `compiling` is set."""

    def __init__(self, game: str = "doushouqi", folder: Path | None = None, *, compiling: bool = False) -> None:
        self._compiling = compiling
        self._asked: Queue[str | None] = Queue()
        self._said: Queue[str] = Queue()
        server = UciServer(UciSettings(load_game(game), folder, hash_mebibytes=1), self._hear)
        self._thread = threading.Thread(target=server.serve, args=(self._lines(),), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._asked.put(None)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    def _lines(self) -> Iterator[str]:
        while (line := self._asked.get()) is not None:
            yield line

    def _hear(self, line: str) -> None:
        if self._compiling or COMPILING not in line:
            self._said.put(line)

    def send(self, *lines: str) -> None:
        """Lines for the engine."""
        for line in lines:
            self._asked.put(line)

    def until(self, beginning: str) -> list[str]:
        """What the engine says, up to the first line that begins like this."""
        heard: list[str] = []
        while not heard or not heard[-1].startswith(beginning):
            heard.append(self._said.get(timeout=PATIENCE))
        return heard

    def ask(self, *lines: str, until: str) -> list[str]:
        """Send lines, and hear the answer."""
        self.send(*lines)
        return self.until(until)

    @property
    def silent(self) -> bool:
        """Whether nothing has been said that was not read."""
        return self._said.empty()


def moves_of(line: str) -> list[str]:
    return line.partition(" pv ")[2].split()


def test_the_description_s_example() -> None:
    """The course of events of the description: uci, options, isready, position, go, stop, quit."""
    with Dialogue() as talk:
        declared = talk.ask("uci", until="uciok")
        assert re.fullmatch(r"id name tablebase \S+", declared[0])
        assert declared[1].startswith("id author ")
        assert declared[-1] == "uciok"
        assert all(OPTION.fullmatch(line) for line in declared[2:-1])
        names = {line.partition(" type ")[0].removeprefix("option name ") for line in declared[2:-1]}
        assert names >= {"Hash", "Threads", "MultiPV", "TablebasePath", "UCI_Variant"}
        assert "option name UCI_Variant type combo default doushouqi var doushouqi" in "\n".join(declared)
        talk.send("setoption name Hash value 2", "setoption name Threads value 1")
        assert talk.ask("isready", until="readyok") == ["readyok"]
        talk.send("ucinewgame", "position startpos moves a1a2 g9g8", "go infinite")
        talk.until("info depth 3 ")
        heard = talk.ask("stop", until="bestmove")
        assert all(INFO.fullmatch(line) for line in heard[:-1])
        here = after(JUNGLE, START, ["a1a2", "g9g8"])[-1]
        assert re.fullmatch(r"bestmove [a-g][1-9][a-g][1-9]", heard[-1])
        assert heard[-1].split()[1] in {render_move(JUNGLE, move) for move in legal_moves(JUNGLE, here)}


def test_lines_and_the_best_move() -> None:
    """Each depth once and in order, lines that can be played, and the first move of the last one as the answer."""
    with Dialogue() as talk:
        *heard, best = talk.ask("position startpos", "go depth 5", until="bestmove")
        assert [int(line.split()[2]) for line in heard] == [1, 2, 3, 4, 5]
        assert all(INFO.fullmatch(line) for line in heard)
        for line in heard:
            after(JUNGLE, START, moves_of(line))
        assert best == f"bestmove {moves_of(heard[-1])[0]}"
        talk.send("setoption name MultiPV value 3")
        *heard, best = talk.ask("go depth 2", until="bestmove")
        assert [line.split()[2:5] for line in heard] == [[depth, "multipv", rank] for depth in "12" for rank in "123"]
        assert best == f"bestmove {moves_of(heard[3])[0]}"
        assert len({moves_of(line)[0] for line in heard[3:]}) == 3


def test_readiness_while_thinking() -> None:
    """Asked in mid-search, the engine answers at once and searches on; other commands have to wait for stop."""
    with Dialogue() as talk:
        talk.ask("isready", until="readyok")
        talk.send("position startpos", "go infinite")
        begin = time.monotonic()
        assert talk.ask("isready", until="readyok")[-1] == "readyok"
        assert time.monotonic() - begin < 5
        assert "send 'stop' before 'setoption'" in talk.ask("setoption name Hash value 1", until="info string")[-1]
        assert "send 'stop' before 'go'" in talk.ask("go depth 1", until="info string")[-1]
        assert talk.ask("stop", until="bestmove")[-1] != "bestmove 0000"
        talk.send("stop")
        assert talk.ask("isready", until="readyok") == ["readyok"]


def test_commands_that_follow_stop() -> None:
    """Written at once, they wait until the stopped search has answered: none is refused, and the last position is searched."""
    text = "position startpos|go infinite|stop|position fen 3/P1p/3 w|setoption name MultiPV value 2|go depth 4|stop|go depth 1"
    for _ in range(5):
        with Dialogue("hexapawn") as talk:
            talk.send(*text.split("|"))
            heard = talk.until("bestmove") + talk.until("bestmove") + talk.until("bestmove")
            assert [line for line in heard if "error" in line] == []
            first, *others = [line for line in heard if line.startswith("bestmove")]
            assert first in {"bestmove a1a2", "bestmove b1b2", "bestmove c1c2"}
            assert others == ["bestmove a2a3"] * 2
            assert " multipv 2 " not in heard[0]


def test_moves_to_search() -> None:
    """With ``searchmoves``, no other move begins a line; those that are not legal do not count, unless all are."""
    with Dialogue("hexapawn") as talk:
        talk.send("setoption name MultiPV value 3")
        *heard, best = talk.ask("position startpos", "go searchmoves b1b2 c1c2 a1b2 depth 5", until="bestmove")
        assert {moves_of(line)[0] for line in heard} == {"b1b2", "c1c2"}
        assert best in ("bestmove b1b2", "bestmove c1c2")
        heard = talk.ask("go depth 1 searchmoves a1b2", until="bestmove")
        assert heard == ["info string error: none of the given moves is legal: choose from a1a2, b1b2, c1c2", "bestmove 0000"]


def test_moves_to_search_with_tables(tables: Tablebase, two_pieces: Path) -> None:
    """Where tables know the values, the best of the moves to search."""
    text = "7/7/7/7/3c3/7/7/R6/7 w"
    _, *others = tables.probe(JUNGLE, text).moves
    with Dialogue(folder=two_pieces) as talk:
        words = " ".join(move.move for move in reversed(others))
        answer = talk.ask(f"position fen {text}", f"go depth 3 searchmoves {words}", until="bestmove")[-1]
        assert answer == f"bestmove {others[0].move}"


def test_wins_within_some_moves() -> None:
    """``go mate`` ends with the shortest win, or as soon as there is none within so many moves."""
    with Dialogue("hexapawn-4x3") as talk:
        talk.ask("isready", until="readyok")
        # The first side wins in three moves.
        heard = talk.ask("position startpos", "go mate 9", until="bestmove")
        assert " score mate 3 " in heard[-2]
        assert [line.split()[2] for line in heard[:-1]] == ["1", "2", "3", "4", "5"]
        heard = talk.ask("go mate 2", until="bestmove")
        assert heard[-2].startswith("info depth 3 ")
        assert " score cp " in heard[-2]
        # The engine of other searches is not this one.
        assert talk.ask("go depth 7", until="bestmove")[-2].startswith("info depth 7 ")


def test_compiling_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """While kernels are compiled, a line comes again and again before ``readyok``; no line follows it."""
    note = "info string compiling, which takes up to a minute or two the first time"

    def compile_for_a_while(_: Engine) -> None:
        with event.trigger_event("numba:compile"):
            time.sleep(0.3)

    monkeypatch.setattr(uci_server, "SILENCE", 0.05)
    monkeypatch.setattr(Engine, "prepare", compile_for_a_while)
    with Dialogue("hexapawn", compiling=True) as talk:
        for ask, answer in ("isready", "readyok"), ("go depth 1", "info depth"):
            *notes, _ = talk.ask(ask, until=answer)
            assert len(notes) >= 2
            assert set(notes) == {note}


def test_an_infinite_search_holds_its_answer(two_pieces: Path) -> None:
    """Even if all is known: the best move comes after stop, not before."""
    with Dialogue(folder=two_pieces) as talk:
        talk.ask("position fen 7/7/7/7/3c3/7/7/R6/7 w", "go infinite", until="info depth 0")
        time.sleep(0.3)
        assert talk.ask("isready", until="readyok") == ["readyok"]
        assert talk.ask("stop", until="bestmove")[-1].startswith("bestmove a2")


def test_limits() -> None:
    """Nodes, time for a move and clocks end a search by themselves."""
    with Dialogue() as talk:
        talk.ask("isready", until="readyok")
        heard = talk.ask("position startpos", "go nodes 5000", until="bestmove")
        assert 0 < int(heard[-2].split(" nodes ")[1].split()[0]) <= 5000
        for words, least, most in (
            ("movetime 300", 0.25, 3),
            ("wtime 9000 btime 1 winc 400", 0.4, 3),
            ("wtime 0 btime 90000", 0, 1),
        ):
            begin = time.monotonic()
            talk.ask(f"go {words}", until="bestmove")
            assert least <= time.monotonic() - begin < most
        begin = time.monotonic()
        talk.ask("position startpos moves a1a2", "go wtime 1 btime 9000", until="bestmove")
        assert time.monotonic() - begin > 0.2


def test_tables_answer(tables: Tablebase, two_pieces: Path) -> None:
    """With a path, positions of two pieces have the tables' results and best moves, and hits are counted."""
    with Dialogue() as talk:
        talk.send(f"setoption name TablebasePath value {two_pieces}")
        for text in ("7/7/7/7/3c3/7/7/R6/7 w", "7/7/2c4/7/7/7/7/3C3/7 w", "7/2c4/7/7/7/7/3C3/7/7 b"):
            answer = tables.probe(JUNGLE, text)
            line, best = talk.ask(f"position fen {text}", "go depth 3", until="bestmove")
            assert answer.distance is not None
            moves = (answer.distance + 1) // 2 * (1 if answer.outcome is Outcome.WIN else -1)
            assert f" score mate {moves} " in line
            assert int(line.split(" tbhits ")[1].split()[0]) == len(answer.moves) + 1
            assert best == f"bestmove {answer.best}"
        # Three pieces end in these tables.
        heard = talk.ask(f"position fen {THREE}", "go depth 4", until="bestmove")
        assert int(heard[-2].split(" tbhits ")[1].split()[0]) > 0
        talk.send("setoption name TablebasePath value <empty>")
        heard = talk.ask(f"position fen {THREE}", "go depth 4", until="bestmove")
        assert " tbhits 0 " in heard[-2]


def test_variants() -> None:
    """Another game, with its own start and moves; a game of chance is none of squares."""
    with Dialogue() as talk:
        talk.send("setoption name UCI_Variant value hexapawn-4x3")
        *heard, best = talk.ask("position startpos", "go depth 9", until="bestmove")
        assert " score mate 3 " in heard[-1]
        assert best.split()[1] in ("a1a2", "b1b2", "c1c2", "d1d2")
        assert "is not a game with pieces on squares" in talk.ask("setoption name uci_variant value pig", until="info string")[-1]
        assert talk.ask("go depth 1", until="bestmove")[-1] != "bestmove 0000"


def test_games_that_are_over() -> None:
    """A goal, the last piece, no move: no search, no move, and what the side to move has got."""
    ended = {
        "startpos moves b1b2 a3b2 a1b2 c3b2 c1b2": "mate 0",
        "fen 1p1/3/1P1 w moves b1b2": "mate 0",
        "fen 3/P1p/3 w moves a2a3": "mate 0",
    }
    with Dialogue("hexapawn") as talk:
        for words, result in ended.items():
            assert talk.ask(f"position {words}", "go infinite", "stop", until="bestmove") == [
                f"info depth 0 score {result}",
                "bestmove 0000",
            ]
        assert "the game is already over" in talk.ask("position fen 3/P1p/3 w moves a2a3 c2c1", until="info string")[-1]
    with Dialogue() as talk:
        assert talk.ask("position fen 7/7/7/7/7/7/7/w6/Cd5 w", "go depth 3", until="bestmove")[0] == "info depth 0 score cp 0"


ERRORS = {
    "no position": "is not a position",
    "position fen 9/9 w": "has 2 ranks, but the board of doushouqi has 9",
    "position fen 7/7/7/7/7/7/7/7/R6 w": "has no pieces",
    "position startpos moves a1a2 a1a2": "move 2 ('a1a2') cannot be made: the move is illegal",
    "position startpos moves ab": "'ab' is not a move",
    "position startpos moves \\xff\\x00": "is not a move",
    f"position startpos moves {'x' * 100_000}": "is not a move",
    "setoption name Hsh value 3": "unknown option 'Hsh': choose Hash, Threads, ",
    "setoption name Hash value many": "Hash must be a whole number from 1 to",
    "setoption name Threads value -1": "Threads must be a whole number from 1 to 256, not '-1'",
    "setoption name MultiPV": "MultiPV must be a whole number from 1 to 500, not ''",
    "setoption name Repetition value often": "unknown repetition rule 'often'",
    "setoption name UCI_Variant value chess": "unknown game 'chess'",
    "setoption name TablebasePath value /nowhere/at/all": "no tablebase in /nowhere/at/all",
    "setoption name TablebasePath value ~nobody-has-this-name/x": "no tablebase in ~nobody-has-this-name/x",
    "quit!": "unknown command 'quit!'",
    "\x00\x07": "unknown command",
}


@pytest.mark.parametrize("line", ERRORS)
def test_malformed_lines(line: str) -> None:
    with Dialogue() as talk:
        heard = talk.ask(line, until="info string")
        assert heard[-1].startswith("info string error: ")
        assert ERRORS[line] in heard[-1]
        assert talk.ask("isready", until="readyok") == ["readyok"]
        if "position" in line:
            heard = talk.ask("go depth 1", until="bestmove")
            assert heard == ["info string error: cannot search without a position: send 'position' before 'go'", "bestmove 0000"]
        assert talk.ask("position startpos", "go depth 1", until="bestmove")[-1] != "bestmove 0000"


def test_what_is_ignored() -> None:
    """Empty lines, stop without a search, debug and the like get no answer; ponder is named as not supported."""
    with Dialogue() as talk:
        assert talk.ask("", "stop", "debug on", "ponderhit", "register later", "isready", until="readyok") == ["readyok"]
        heard = talk.ask("position startpos", "go ponder depth 1", until="bestmove")
        assert heard[0] == "info string ignoring unsupported words: 'ponder'"


@pytest.mark.parametrize(
    ("value", "points", "expected"),
    [
        (None, 37, "cp 37"),
        (None, -899_999, "cp -899999"),
        (Value(Outcome.WIN, 1), 999_999, "mate 1"),
        (Value(Outcome.WIN, 2), 999_998, "mate 1"),
        (Value(Outcome.WIN, 3), 999_997, "mate 2"),
        (Value(Outcome.LOSS, 0), -1_000_000, "mate 0"),
        (Value(Outcome.LOSS, 2), -999_998, "mate -1"),
        (Value(Outcome.LOSS, 4), -999_996, "mate -2"),
        (Value(Outcome.DRAW, None), 0, "cp 0"),
    ],
)
def test_scores(value: Value | None, points: int, expected: str) -> None:
    """Mate counts moves, not plies, and is negative for the side that loses."""
    answer = Analysis(3, 1, value, points, 1000, 0.5, 7, ("a1a2", "g9g8"))
    assert score(answer) == expected
    assert info(answer) == f"info depth 3 multipv 1 score {expected} nodes 1000 nps 2000 tbhits 7 time 500 pv a1a2 g9g8"
