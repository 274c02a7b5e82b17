"""Proofs of wins and losses: against tables that are hidden from them, against plain solving, and at their limits."""

from collections import Counter

import pytest
from support import toys
from support.checks import before_release
from support.games import drawn, sampled
from twins import jungle, naive

from tablebase.checking.proofs import proof_errors, read_proof
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import TablebaseError
from tablebase.game import Game, Outcome, load_game
from tablebase.game.moves import Position, decided, legal_moves, play, wins_at_once
from tablebase.game.notation import parse
from tablebase.probe.prober import Prober
from tablebase.search.proof_search import Allowance, ProofSearch, Verdict, find_proof
from tablebase.search.proof_trees import Proof, ProofReason, extract

JUNGLE = load_game("doushouqi")
ENDS_IN_TABLES = "7/1pw4/3L3/7/7/7/7/C6/7 w"
"""Four pieces, won by captures that lead to tables of three."""


def proved(game: Game, position: Position, prober: Prober | None = None, **limits: int) -> tuple[Verdict, Proof | None]:
    """A verdict, with its proof if there is one, which has been checked."""
    verdict = find_proof(game, position, prober, **limits)  # type: ignore[arg-type]
    if verdict.search is None or verdict.outcome is None:
        return verdict, None
    proof = extract(verdict.search, position, verdict.outcome)
    assert list(proof_errors(read_proof("\n".join(proof.text())), prober)) == []
    return verdict, proof


@pytest.mark.parametrize(("pieces", "least"), [(3, 25), *before_release((2, 8))])
def test_proofs_agree_with_hidden_tables(pieces: int, least: int, more_tables: Tablebase) -> None:
    """Random positions, with the tables of fewer pieces at the leaves; draws are never decided."""
    found: Counter[str] = Counter()
    for position in drawn(JUNGLE, pieces, 40):
        value = more_tables.probe_value(JUNGLE, position)
        if not legal_moves(JUNGLE, position):
            continue
        verdict, proof = proved(JUNGLE, position, more_tables.prober, nodes=2_000, most_pieces=pieces - 1)
        assert verdict.outcome in (None, value.outcome)
        assert verdict.outcome is not Outcome.DRAW
        if verdict.outcome is not None:
            found[str(verdict.outcome)] += 1
            assert proof is not None
            # Outside the tables, no proof is shorter than the shortest win that uses none.
            if not any(node.reason is ProofReason.TABLE for node in proof.nodes.values()):
                assert value.distance is not None
                assert proof.plies() >= value.distance
    assert found["win"] + found["loss"] >= least
    assert min(found["win"], found["loss"]) > 1


def test_plies_are_counted_to_the_ply(tables: Tablebase) -> None:
    """Of two pieces and without tables: a result in d plies is proved within d - 1, before the last move, and not within fewer."""
    compared: Counter[str] = Counter()
    for position in drawn(JUNGLE, 2, 80, seed=4):
        value = tables.probe_value(JUNGLE, position)
        if value.distance is None or not 3 <= value.distance <= 7:
            continue
        attacker = position.side if value.outcome is Outcome.WIN else 1 - position.side
        for plies, expected in ((value.distance - 2, False), (value.distance - 1, True), (value.distance, True)):
            search = ProofSearch(JUNGLE, attacker, None, 0, Allowance(1 << 30, float("inf"), 1 << 30))
            assert search.prove(position, plies, 1 << 30) is expected
            assert search.prove(position, plies, 1) is expected
        other = ProofSearch(JUNGLE, 1 - attacker, None, 0, Allowance(1 << 30, float("inf"), 1 << 30))
        assert other.prove(position, 4, 1 << 30) is False
        compared[str(value.outcome)] += 1
    assert min(compared["win"], compared["loss"]) > 2


def test_the_position_itself_is_not_looked_up(more_tables: Tablebase) -> None:
    """Even where it has a table, its proof begins with a move."""
    for position in drawn(JUNGLE, 3, 10, seed=6):
        _, proof = proved(JUNGLE, position, more_tables.prober, nodes=2_000)
        assert proof is None or proof.nodes[position].reason is not ProofReason.TABLE


@pytest.mark.parametrize("name", ["hexapawn-4x3", "foxhounds-4x4", "hasenspiel-4x4-early=article"])
def test_games_that_must_end_are_decided(name: str) -> None:
    """Without any table: every position of random games has the result of plain minimax, escapes and blocked sides included."""
    game = load_game(name)
    results: dict[Position, Outcome] = {}

    def minimax(position: Position) -> Outcome:
        if position not in results:
            over = decided(game, position)
            moves = legal_moves(game, position)
            won = any(
                wins_at_once(game, position, move) or minimax(play(position, move)) is Outcome.LOSS
                for move in moves
                if over is None
            )
            results[position] = over or (Outcome.WIN if won else Outcome.LOSS)
        return results[position]

    outcomes = set()
    for position in [parse(game, game.start), *sampled(game, 8)]:
        verdict, proof = proved(game, position)
        assert verdict.outcome is minimax(position)
        assert proof is not None
        outcomes.add(verdict.outcome)
    assert outcomes == {Outcome.WIN, Outcome.LOSS}


def test_going_round_in_circles_proves_nothing() -> None:
    """Pieces that can only go to and fro: neither side wins, in any number of plies."""
    game = toys.pacers()
    verdict, _ = proved(game, parse(game, game.start), nodes=5_000)
    assert verdict.outcome is None
    assert verdict.plies >= 8
    # A weaker piece that holds the stronger one off for ever.
    draws = 0
    for pair in ("Rc", "Cw", "Wt"):
        kinds = tuple(JUNGLE.by_symbol[symbol] for symbol in pair)
        for position, (outcome, _distance) in list(naive.solve(JUNGLE, kinds).items())[::400]:
            if outcome == "draw":
                assert proved(JUNGLE, position, nodes=300)[0].outcome is None
                draws += 1
    assert draws > 1


def test_limits(more_tables: Tablebase) -> None:
    """Nodes to the node, time, and memory, of which little costs work and too little the result, but never its truth."""
    start = parse(JUNGLE, JUNGLE.start)
    verdict = find_proof(JUNGLE, start, nodes=50)
    assert (verdict.outcome, verdict.nodes, verdict.search) == (None, 50, None)
    assert find_proof(JUNGLE, start, seconds=0.3).seconds < 5
    hard = parse(JUNGLE, "4e2/2w4/1E5/7/7/7/4L1R/7/1D5 w")
    plenty, scarce = (find_proof(JUNGLE, hard, more_tables.prober, memory=memory) for memory in (1 << 30, 1 << 20))
    assert plenty.outcome is scarce.outcome is Outcome.WIN
    # It had to do some work again.
    assert scarce.nodes > plenty.nodes
    assert find_proof(JUNGLE, hard, more_tables.prober, memory=1 << 12).outcome is None
    for limits in ({"nodes": 0}, {"seconds": -1.0}, {"memory": 0}):
        with pytest.raises(TablebaseError, match=f"the limit on {next(iter(limits)).replace('seconds', 'time')} must be positive"):
            find_proof(JUNGLE, start, **limits)  # type: ignore[arg-type]


def test_games_that_are_over() -> None:
    """No legal move: a draw or a loss, as the rules say, without a search."""
    for name, outcome in (("doushouqi", Outcome.DRAW), ("doushouqi-no_move=loss", Outcome.LOSS)):
        game = load_game(name)
        verdict = find_proof(game, parse(game, "7/7/7/7/7/7/7/w6/Cd5 w"))
        assert (verdict.outcome, verdict.nodes, verdict.search) == (outcome, 0, None)


def test_lines_are_the_longest(more_tables: Tablebase) -> None:
    """They can be played, the winner's moves are those of the proof, and no line is longer."""
    position = parse(JUNGLE, ENDS_IN_TABLES)
    _, proof = proved(JUNGLE, position, more_tables.prober)
    assert proof is not None

    def longest(here: Position) -> int:
        return max((1 + (0 if child is None else longest(child)) for _, child in proof.nodes[here].moves), default=0)

    moves, last = proof.line()
    assert len(moves) == proof.plies() == longest(position)
    here = position
    for text in moves:
        reached = dict(proof.nodes[here].moves)[text]
        if reached is None:
            break
        here = reached
    assert here == last


def test_proofs_by_other_rules(more_tables: Tablebase) -> None:
    """A proof of Dou Shou Qi, whose moves are those of a program that shares nothing with the package."""
    position = parse(JUNGLE, "4e2/2w4/1E5/7/7/7/4L1R/7/1D5 w")
    _, proof = proved(JUNGLE, position, more_tables.prober)
    assert proof is not None
    assert proof.outcome is Outcome.WIN
    for node in proof.nodes.values():
        board = tuple(sorted((JUNGLE.board.names[square], JUNGLE.kinds[kind].symbol) for kind, square in node.position.pieces))
        moves = {"".join(move) for move in jungle.moves(board, "wb"[node.position.side], jungle.PAPER)}
        named = {text for text, _ in node.moves}
        assert (named == moves) if node.reason is ProofReason.REPLIES else (named <= moves)
        assert set(naive.moves(JUNGLE, node.position)) == set(legal_moves(JUNGLE, node.position))
