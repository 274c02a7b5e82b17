"""Lines of the protocol, taken apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablebase.errors import TablebaseError
from tablebase.play.protocol.uci_words import LEAST, Go, read_go, read_option, read_placement, seconds_for_move, split

START = "l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L"


@pytest.mark.parametrize(
    ("line", "command", "words"),
    [
        # The description's own examples of white space and unknown words.
        ("debug on\n", "debug", ["on"]),
        ("   debug     on  \n", "debug", ["on"]),
        ("\t  debug \t  \t\ton\t  \n", "debug", ["on"]),
        ("joho debug on\n", "debug", ["on"]),
        ("\n", "", []),
        ("joho\n", "", ["joho"]),
        ("GO infinite", "", ["GO", "infinite"]),
    ],
)
def test_white_space_and_unknown_words(line: str, command: str, words: list[str]) -> None:
    assert split(line) == (command, words)


@pytest.mark.parametrize("line", ["", "moves a1a2", "fen", f"fen {START}", f"fen {START} w x", "startpos a1a2", "start"])
def test_what_is_no_position(line: str) -> None:
    with pytest.raises(TablebaseError, match="is not a position: write 'startpos', or 'fen' and a position"):
        read_placement(line.split())


@pytest.mark.parametrize(
    ("line", "limits"),
    [
        ("", Go()),
        ("infinite", Go(infinite=True)),
        ("depth 5 nodes 1000", Go(depth=5, nodes=1000)),
        ("movetime 250", Go(movetime=250)),
        ("wtime 1 btime 2 winc 3 binc 4 movestogo 5", Go(movestogo=5, wtime=1, btime=2, winc=3, binc=4)),
        ("btime 2 wtime -7", Go(wtime=0, btime=2)),
        ("nodes 123456789012345", Go(nodes=123456789012345)),
        ("searchmoves a1a2 b2b3 depth 2 b3b4", Go(depth=2, searchmoves=("a1a2", "b2b3"), unknown=("b3b4",))),
        ("ponder movetime 3 mate 4", Go(movetime=3, mate=4, unknown=("ponder",))),
        # Out of range.
        ("movetime -1", Go(movetime=1)),
        ("depth 0 nodes -3 mate 0", Go(depth=1, nodes=1, mate=1)),
        ("movestogo 0 wtime -5 winc -1", Go(wtime=0, winc=0)),
        (f"movetime {'9' * 20} nodes {'1' * 5_000}", Go(movetime=10**15, nodes=10**15)),
    ],
)
def test_limits(line: str, limits: Go) -> None:
    assert read_go(line.split()) == limits


@pytest.mark.parametrize("line", ["depth", "depth x", "nodes 1e9", "wtime --1", "mate -"])
def test_what_is_no_number(line: str) -> None:
    with pytest.raises(TablebaseError, match=f"^the value of {line.split()[0]} must be a whole number, not "):
        read_go(line.split())


@pytest.mark.parametrize(
    ("limits", "plies"),
    [(Go(nodes=1), None), (Go(depth=6), 6), (Go(mate=3), 5), (Go(depth=6, mate=3), 5), (Go(depth=2, mate=3), 2)],
)
def test_plies_of_a_win(limits: Go, plies: int | None) -> None:
    """A win in N moves has N moves of the winner and N - 1 of the loser."""
    assert (limits.plies, limits.is_held(0)) == (plies, False)


@pytest.mark.parametrize("line", ["", "Hash value 3", "named Hash value 3", "name", "name value 3"])
def test_what_sets_no_option(line: str) -> None:
    with pytest.raises(TablebaseError, match=r"^invalid option '.*': write 'setoption name NAME value VALUE'"):
        read_option(line.split())


@given(st.integers(0, 10**7), st.integers(0, 10**5), st.one_of(st.none(), st.integers(1, 100)), st.integers(0, 1_000))
def test_a_clock_does_not_run_out(left: int, increment: int, moves: int | None, overhead: int) -> None:
    """A whole time control fits into its time, and a move into what is left."""
    for number in range(moves or 200, 0, -1):
        seconds = seconds_for_move(left, increment, number if moves else None, overhead)
        assert seconds == LEAST or 1000 * seconds <= left - overhead + 1e-6
        left = max(0, round(left - 1000 * seconds - overhead)) + increment
        if not overhead:
            assert left >= increment


def test_time_is_used() -> None:
    """An even share, most of the increment, all of the time for the last move before a time control."""
    assert seconds_for_move(60_000, 0, 20, 0) == 3.0
    assert seconds_for_move(60_000, 0, None, 0) == 2.0
    assert seconds_for_move(60_000, 4_000, 60, 0) == 5.0
    assert seconds_for_move(5_000, 0, 1, 50) == 4.95
    assert seconds_for_move(10, 0, None, 50) == LEAST
