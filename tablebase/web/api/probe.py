"""Values of positions, and lines to the end of the game."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import ConfigDict, Field

from tablebase.game.capabilities import refuse
from tablebase.game.examples import example, examples
from tablebase.game.installed import load_rules
from tablebase.game.rules import Rules
from tablebase.probe.answers import Probe
from tablebase.web.api.routes import get, post, query_of
from tablebase.web.api.schemas import LIMITS, Distance, GameName, Given, Outcome, PositionText, Told
from tablebase.web.caching import answered
from tablebase.web.context import in_thread, settings_of, tables_of, with_spaces
from tablebase.web.problems import ProblemError, without_paths

router = APIRouter(tags=["positions"])
Turns = Annotated[int | None, Field(ge=1, le=100, description="Also return the chance of winning within this number of turns.")]


class ProbeGiven(Given):
    """A position, and how to look it up."""

    game: GameName
    position: PositionText
    strict: Annotated[bool, Field(description="Return an error if one of the moves leads to a missing table.")] = False
    turns: Turns = None


class BatchGiven(Given):
    """A request to probe several positions of a game."""

    game: GameName
    # Longer lists are refused by the route, whose sentence names the server's own limit.
    positions: list[str] = Field(min_length=1, examples=examples("positions"), json_schema_extra={"maxItems": LIMITS.batch})
    strict: Annotated[bool, Field(description="Return an error for a position if a move leads to a missing table.")] = False
    turns: Turns = None


class MoveRow(Told):
    """A legal move, with its value for the side that makes the move."""

    move: Annotated[str, Field(description="Origin and target square; in games with chance, the number of the move.")]
    position: Annotated[str, Field(description="Position after the move.")]
    outcome: Annotated[Outcome, Field(description="Outcome for the side that makes the move; null if unknown.")]
    distance: Annotated[Distance, Field(description="Number of plies to the end, including the move; null for a draw.")]
    missing: Annotated[str | None, Field(description="Material of the missing table if the value is unknown.")] = None
    lower: Annotated[float | None, Field(description="Lower bound on the mover's winning chance, in games with chance.")] = None
    upper: Annotated[float | None, Field(description="Upper bound on the mover's winning chance, in games with chance.")] = None
    outcomes: Annotated[list[DrawRow] | None, Field(description="Possible outcomes, if the move leads to a chance event.")] = None


class DrawRow(Told):
    """A possible outcome of a chance event, such as a dice roll."""

    probability: Annotated[str, Field(description="Probability as a fraction, such as 1/6.")]
    card: Annotated[str, Field(description="Name of the outcome.")]
    position: Annotated[str, Field(description="Position after the outcome.")]
    lower: Annotated[float, Field(description="Lower bound on the probability of winning, for the player of the enclosing row.")]
    upper: Annotated[float, Field(description="Upper bound on the probability of winning, for the player of the enclosing row.")]


class ProbeRow(Told):
    """A position with its value and moves, as in `tablebase probe --format json`; only games with chance have bounds."""

    model_config = ConfigDict(json_schema_extra=example("probe"))
    game: str
    position: str
    side: Annotated[str, Field(description="Letter or number of the side to move.")]
    outcome: Outcome
    distance: Distance
    best: Annotated[str | None, Field(description="Best move; null without moves, or if a move of unknown value may be better.")]
    best_is_certain: bool | None = Field(
        None, description="In games with chance, true if the bounds prove that no other move is better."
    )
    moves: Annotated[list[MoveRow], Field(description="All legal moves, best first.")]
    lower: Annotated[float | None, Field(description="Lower bound on the probability of winning for the side to move.")] = None
    upper: Annotated[float | None, Field(description="Upper bound on the probability of winning for the side to move.")] = None
    stalling: float | None = Field(None, description="Share of the chances that neither player can force to win; null if unknown.")
    outcomes: Annotated[list[DrawRow] | None, Field(description="Possible outcomes of chance, if chance is to move.")] = None
    within: dict[str, Any] | None = Field(None, description="Bounds on the mover's chance of winning within `turns` turns.")
    winner: Annotated[str | None, Field(description="The side that has won, if the game is over.")] = None


class Reason(Told):
    """The error for one position of a request."""

    code: Annotated[str, Field(description="`bad_notation`, `missing_table`, `damaged_table`, `outdated_table` or `error`.")]
    message: Annotated[str, Field(description="One sentence with the error and the remedy.")]


class UnansweredRow(Told):
    """An error for one position of a request, instead of its value."""

    game: str
    position: Annotated[str, Field(description="Position as in the request.")]
    error: Reason


class LineGiven(Given):
    """A position, and how far to follow the best moves."""

    game: GameName
    position: PositionText
    plies: Annotated[int | None, Field(ge=0, le=LIMITS.plies, description="Stop after this number of plies.")] = None
    explain: Annotated[bool, Field(description="Also return all moves and count the moves that keep the result.")] = False


class LineRow(Told):
    """A position in a line of best play, as in `tablebase line --format json`."""

    ply: Annotated[int, Field(description="Number of the position in the line, from 0.")]
    side: Annotated[str, Field(description="Letter or number of the side to move.")]
    outcome: Outcome
    distance: Distance
    lower: Annotated[float | None, Field(description="Lower bound on the probability of winning for the side to move.")] = None
    upper: Annotated[float | None, Field(description="Upper bound on the probability of winning for the side to move.")] = None
    best: Annotated[str | None, Field(description="Best move, or the outcome of a chance event that the line follows.")]
    best_is_certain: bool | None = Field(None, description="True if the bounds prove that no other move is better.")
    position: str
    legal_moves: int | None = Field(None, description="Number of legal moves; this and the following fields require `explain`.")
    keeping_moves: Annotated[int | None, Field(description="Number of moves that keep the outcome; null if unknown.")] = None
    best_moves: Annotated[int | None, Field(description="Number of moves as good as the best move.")] = None
    is_only: Annotated[bool | None, Field(description="True if only one of several moves keeps a win or a draw.")] = None
    others: Annotated[list[MoveRow | DrawRow] | None, Field(description="Other moves, or other outcomes of chance.")] = None


@get(router, "/probe", list[ProbeRow], 404, given=ProbeGiven)
async def probe(request: Request) -> Response:
    """Show the value and the moves of a position, best move first.

    The response is a list with one element, as in `tablebase probe --format json`.
    """
    given = query_of(request, ProbeGiven)
    rules = _game_of(given)
    position = with_spaces(rules, given.position)
    probed: Callable[[], Probe] = partial(tables_of(request).probe, rules, position, strict=given.strict, turns=given.turns)
    # Pieces here and not in a thread, to which a position would take longer to be handed over than to be looked up.
    answer = probed() if "exact values" in rules.can else await in_thread(request, probed)
    return answered(request, [answer.to_dict()])


@post(router, "/probe", list[ProbeRow | UnansweredRow], name="probe_many")
async def probe_many(request: Request, given: BatchGiven) -> Response:
    """Show the values and moves of several positions of a game, with an error for each position that cannot be probed."""
    most = settings_of(request).limits.batch
    if len(given.positions) > most:
        raise ProblemError(413, f"too many positions ({len(given.positions):,}): send at most {most:,} positions")
    rules = _game_of(given)

    def rows() -> list[dict[str, Any]]:
        positions = [with_spaces(rules, one) for one in given.positions]
        answers = tables_of(request).probe_many(rules, positions, strict=given.strict, turns=given.turns)
        found = list(answers.to_dicts())
        for place, error in answers.errors.items():
            found[place]["error"]["message"] = without_paths(error, settings_of(request))
        return found

    return answered(request, await in_thread(request, rows))


def _game_of(given: ProbeGiven | BatchGiven) -> Rules[Any]:
    rules = load_rules(given.game)
    refuse(rules, "exact values", strict=given.strict)
    refuse(rules, "chance", turns=given.turns)
    return rules


@get(router, "/line", list[LineRow], 404, given=LineGiven)
async def line(request: Request) -> Response:
    """Show best play from a position to the end of the game; at each chance event, the most likely outcome is chosen.

    The response is the output of `tablebase line --format json`; with `explain`, of `tablebase line --explain --format json`.
    """
    given = query_of(request, LineGiven)
    rules = load_rules(given.game)
    position, plies = with_spaces(rules, given.position), given.plies
    if plies is None and rules.repetitions is not None:
        plies = settings_of(request).limits.plies

    def rows() -> list[dict[str, Any]]:
        found = tables_of(request).line(rules, position, plies)
        return found.explained if given.explain else found.to_dict()

    return answered(request, await in_thread(request, rows))
