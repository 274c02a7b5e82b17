"""The engine's end of the line: it reads commands, searches in a thread of its own, and answers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from tablebase.errors import TablebaseError, quoted, system_error
from tablebase.game import Outcome
from tablebase.game.moves import Position, decided, legal_moves, play, wins_at_once
from tablebase.game.notation import parse, read_move
from tablebase.play.protocol.uci_settings import BUTTON, UciSettings
from tablebase.play.protocol.uci_words import Go, read_go, read_option, read_placement, split
from tablebase.probe.prober import Prober
from tablebase.search import Analysis, Engine
from tablebase.search.frames import MOST_DEPTH
from tablebase.system.compute.compiling import when_compiling
from tablebase.system.compute.progress import COMPILING
from tablebase.system.files.inputs import LONGEST_LINE
from tablebase.version import VERSION

NO_MOVE = "0000"
"""The move of a side that has none."""
SILENCE = 5.0
"""Seconds between two lines while kernels are compiled; python-chess waits 10 s for an answer."""


class UciServer:
    """Answers commands of the protocol, one line after another.

    An invalid line is answered by an ``info string`` with a sentence, and changes nothing; but an invalid ``position`` deletes the
    old one, so that no move is made in it. `write` gets each line of the answers, without its end, from one thread at a time.
    """

    def __init__(self, settings: UciSettings, write: Callable[[str], None]) -> None:
        self.settings = settings
        self._write = write
        self._lock = threading.Lock()
        self._positions: list[Position] | None
        self._over: Outcome | None
        self._engine: Engine | None = None
        self._prober: Prober | None = None
        self._thread: threading.Thread | None = None
        self._thinking = threading.Event()
        self._stopped = threading.Event()
        self._compiled = threading.Event()
        self._next_note = 0.0
        self._place(["startpos"])

    def serve(self, lines: Iterable[str]) -> None:
        """Answer lines until one of them is ``quit``, or there are no more; a search ends with them."""
        with when_compiling(self._note_compiling):
            try:
                for line in lines:
                    try:
                        if len(line) > LONGEST_LINE:
                            raise TablebaseError(f"a line has more than {LONGEST_LINE:,} characters: send a shorter line")
                        command, words = split(line)
                        if command == "quit":
                            break
                        self._answer(command, words)
                    except (TablebaseError, OSError, MemoryError) as error:
                        self._complain(error)
            finally:
                self._stop()
                self._wait()
                self._drop_engine()

    def _note_compiling(self, compiling: bool) -> None:
        def say() -> None:
            while not self._compiled.wait(self._next_note - time.monotonic()):
                self._next_note = time.monotonic() + SILENCE
                self._say(f"info string {COMPILING}")

        if compiling:
            self._compiled.clear()
            threading.Thread(target=say, daemon=True).start()
        else:
            self._compiled.set()

    def _say(self, *lines: str) -> None:
        with self._lock:
            for line in lines:
                self._write(line)

    def _complain(self, error: BaseException) -> None:
        if isinstance(error, OSError):
            error = system_error(error)
        self._say(f"info string error: {' '.join((str(error) or 'out of memory').split())}")

    def _answer(self, command: str, words: list[str]) -> None:
        if command == "uci":
            name = f"id name tablebase {VERSION}"
            self._say(name, "id author the authors of tablebase", *self.settings.declared(), "uciok")
        elif command == "isready":
            if not self._thinking.is_set():
                self._prepared().prepare()
            self._say("readyok")
        elif command == "stop":
            self._stop()
        elif command in ("setoption", "ucinewgame", "position", "go"):
            if self._thinking.is_set() and not self._stopped.is_set():
                raise TablebaseError(f"a search is running: send 'stop' before {command!r}")
            self._wait()
            if command == "ucinewgame":
                self._drop_engine()
            else:
                {"setoption": self._set, "position": self._place, "go": self._go}[command](words)
        elif words and not command:
            raise TablebaseError(f"unknown command {quoted(' '.join(words))}: send uci, isready, position, go, stop or quit")

    # What a search needs

    def _prepared(self, exact: bool = False) -> Engine:
        """Return the engine with the present options; it is made when it is first needed."""
        if self._engine is not None and self._engine.options.exact != exact:
            self._drop_engine()
        if self._engine is None:
            if self.settings.folder is not None:
                self._prober = Prober(self.settings.folder)
            self._engine = Engine(self.settings.game, self._prober, replace(self.settings.search, exact=exact))
        return self._engine

    def _drop_engine(self) -> None:
        """Give back memory and files; what a search has learnt is forgotten."""
        self._engine = None
        if self._prober is not None:
            self._prober.close()
            self._prober = None

    def _set(self, words: list[str]) -> None:
        name, value = read_option(words)
        changed = self.settings.changed(name, value)
        if changed.search != self.settings.search or changed.folder != self.settings.folder or name.lower() == BUTTON.lower():
            self._drop_engine()
        if changed.game is not self.settings.game:
            self._drop_engine()
            self.settings = changed
            self._place(["startpos"])
        self.settings = changed

    def _place(self, words: list[str]) -> None:
        """Set up a position; after an error there is none."""
        self._positions = None
        game = self.settings.game
        fen, played = read_placement(words)
        positions = [parse(game, game.start if fen is None else fen)]
        over = decided(game, positions[0])
        for text in played:
            here = positions[-1]
            ends = read_move(game, text)
            moves = [] if over else [move for move in legal_moves(game, here) if (move.origin, move.target) == ends]
            if not moves:
                why = "the game is already over" if over else "the move is illegal"
                raise TablebaseError(f"move {len(positions)} ({quoted(text)}) cannot be made: {why}")
            positions.append(play(here, moves[0]))
            over = Outcome.LOSS if wins_at_once(game, here, moves[0]) else decided(game, positions[-1])
        self._positions, self._over = positions, over

    # The search

    def _go(self, words: list[str]) -> None:
        """Begin to search; a search that cannot begin is answered immediately."""
        try:
            limits = read_go(words)
            if limits.unknown:
                self._say(f"info string ignoring unsupported words: {quoted(' '.join(limits.unknown))}")
            if self._positions is None:
                raise TablebaseError("cannot search without a position: send 'position' before 'go'")
            self._stopped.clear()
            self._thinking.set()
            answers = self._answers(limits, self._positions)
        except (TablebaseError, OSError, MemoryError) as error:
            self._thinking.clear()
            self._complain(error)
            self._say(f"bestmove {NO_MOVE}")
            return
        self._thread = threading.Thread(target=self._think, args=(answers, limits.is_held(self._positions[-1].side)), daemon=True)
        self._thread.start()

    def _answers(self, limits: Go, positions: list[Position]) -> Iterator[Analysis]:
        if self._over is not None:
            return iter(())
        side = positions[-1].side
        answers = self._prepared(exact=limits.mate is not None).analyse(
            positions[-1],
            depth=None if limits.plies is None else min(limits.plies, MOST_DEPTH),
            seconds=float("inf") if limits.is_held(side) else limits.seconds(side, self.settings.overhead),
            nodes=limits.nodes,
            lines=self.settings.lines,
            past=positions[:-1],
            moves=limits.searchmoves,
        )
        return answers if limits.mate is None else up_to_proof(answers, 2 * limits.mate - 1)

    def _think(self, answers: Iterator[Analysis], held: bool) -> None:
        best = NO_MOVE
        try:
            if self._over is not None:
                self._say(f"info depth 0 score {'cp' if self._over is Outcome.DRAW else 'mate'} 0")
            for answer in answers:
                self._say(info(answer))
                if answer.rank == 1 and answer.best is not None:
                    best = answer.best
        except (TablebaseError, OSError, MemoryError) as error:
            self._complain(error)
        if held:
            self._stopped.wait()
        # First, since the next command may come as soon as the answer is out.
        self._thinking.clear()
        self._say(f"bestmove {best}")

    def _stop(self) -> None:
        self._stopped.set()
        if self._engine is not None:
            self._engine.stop()

    def _wait(self) -> None:
        if self._thread is not None:
            self._thread.join()


def up_to_proof(answers: Iterator[Analysis], plies: int) -> Iterator[Analysis]:
    """Yield answers up to the first one with a proof that the game ends within some plies."""
    for answer in answers:
        yield answer
        if answer.value is not None and answer.value.distance is not None and answer.value.distance <= plies:
            return


def info(answer: Analysis) -> str:
    """Return an analysis as a line of the protocol."""
    rate = round(answer.nodes / answer.seconds) if answer.seconds > 0 else 0
    words = [
        f"info depth {answer.depth} multipv {answer.rank} score {score(answer)} nodes {answer.nodes} nps {rate}",
        f"tbhits {answer.table_hits} time {round(1000 * answer.seconds)}",
    ]
    return " ".join([*words, *(["pv", *answer.line] if answer.line else [])])


def score(answer: Analysis) -> str:
    """A score: hundredths of a piece or, once there is a proof, moves of the winner, negative if that is the other side."""
    if answer.value is None or answer.value.distance is None:
        return f"cp {answer.score if answer.value is None else 0}"
    moves = (answer.value.distance + 1) // 2
    return f"mate {moves if answer.value.outcome is Outcome.WIN else -moves}"
