"""Jobs of a child process, which `tablebase.web.worker_pool` starts."""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from functools import lru_cache
from inspect import signature
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tablebase.commands.row_types import MineAnswer
from tablebase.errors import TablebaseError, system_error
from tablebase.web.problems import FAILED, ProblemError, as_problem, unusable
from tablebase.web.settings import ServerSettings

NICE = 5
"""Requests that are answered at once come first."""


def call(settings: ServerSettings, verb: str, given: Mapping[str, Any]) -> list[Any]:
    """The rows that the function of a verb returns, which gets the server's folder and catalog if it takes them."""
    from tablebase.commands.registry import VERBS

    function, owner = VERBS[verb].function, VERBS[verb].owner
    folder = {"data": settings.folder, "catalog": settings.catalog}
    taken = {name: value for name, value in folder.items() if name in signature(function).parameters}
    found = function(**given, **taken) if owner is None else function(owner(settings.folder, settings.catalog), **given, **taken)
    return [found] if isinstance(found, Mapping) else list(getattr(found, "rows", found))


def mine(settings: ServerSettings, game: str, statement: str, limit: int) -> MineAnswer:
    """The rows that `tablebase mine --format json` writes, at most `limit`, and whether that is all of them."""
    from itertools import islice

    from tablebase.game.installed import load_rules
    from tablebase.mining.query import Query
    from tablebase.mining.results import names_and_rows
    from tablebase.positions.common_features import features_of

    rules: Any = load_rules(game)
    with Query(rules, settings.folder, statement, features_of(rules), 1, settings.catalog) as query:
        columns, rows = names_and_rows(_small(settings, query.run(limit + 1)))
        shown = list(islice(rows, limit))
        return {"columns": columns, "rows": shown, "complete": next(rows, None) is None}


def _small(settings: ServerSettings, batches: Iterator[Any]) -> Iterator[Any]:
    """Batches of rows, as long as their JSON may be small enough; to write hundreds of megabytes takes long."""
    size = 0
    for batch in batches:
        size += batch.nbytes
        # A number takes up to 16 bytes in memory, and at least 2 in JSON.
        if size > 8 * settings.limits.answer:
            raise _too_large(settings)
        yield batch


def _too_large(settings: ServerSettings) -> TablebaseError:
    return TablebaseError(f"the answer has more than {settings.limits.answer:,} bytes: select fewer rows or columns")


def play(settings: ServerSettings, request: Mapping[str, Any]) -> dict[str, Any]:
    """A player's move; see `tablebase.web.player_moves`."""
    from tablebase.web.player_moves import chosen_move, kept_player

    return chosen_move(settings.folder, kept_player, **request)


def computer(settings: ServerSettings, request: Any) -> dict[str, Any]:
    """The command `computer` of `tablebase.commands.game_requests`."""
    from tablebase.commands.game_requests import computer_move, default_game

    leaves, name = None, request.get("game", default_game()) if isinstance(request, dict) else None
    if isinstance(name, str):
        # The command says better what is wrong with the request.
        with suppress(TablebaseError):
            leaves = _leaves(settings.folder, name)
    return computer_move(request, leaves)


@lru_cache(maxsize=4)
def _leaves(folder: Path, name: str) -> Any:
    """The tables for the leaves of a search in a game of two; None in any other game."""
    from tablebase.game.installed import load_rules
    from tablebase.search.lookahead import load_tables

    game: Any = load_rules(name)
    return load_tables(folder, game) if "lookahead" in game.can and game.players == 2 else None


JOBS: Mapping[str, Callable[..., Any]] = {"call": call, "mine": mine, "play": play, "computer": computer}
COMPILING = "compiling"
"""The field of a message that says that kernels are compiled, or no longer are."""
WITH_KERNELS = ("call", "play", "computer")


def answer(settings: ServerSettings, question: Mapping[str, Any]) -> str:
    """The message that answers a question: the `answer`, or the `status`, the `sentence` and the `fields` of an error."""
    try:
        said: dict[str, Any] = {"answer": JOBS[question["job"]](settings, **question["given"])}
        line = _encoded(said)
        if len(line) > settings.limits.answer:
            raise _too_large(settings)
        return line
    except TablebaseError as error:
        found: TablebaseError = error
    except MemoryError:
        found = ProblemError(503, "the answer needs more memory than is available: send a smaller request")
    except OSError as error:
        found = unusable(system_error(error))
    except Exception:
        traceback.print_exc()
        found = ProblemError(500, FAILED)
    problem = as_problem(found, settings)
    return _encoded({"status": problem.status, "sentence": str(problem), "fields": problem.fields})


def _encoded(said: Mapping[str, Any]) -> str:
    try:
        return json.dumps(said, allow_nan=False, default=bytes.hex)
    except ValueError as error:
        raise TablebaseError(f"JSON cannot represent a value in the result ({error}): cast the column to VARCHAR") from error


def work(pipe: Connection, settings: ServerSettings) -> None:
    """Answer questions with some settings until nobody asks any more; runs in the child process."""
    os.nice(NICE)

    def say(message: str) -> None:
        pipe.send_bytes(message.encode("ascii"))

    with suppress(EOFError, OSError):
        while True:
            question = json.loads(pipe.recv_bytes())
            with ExitStack() as stack:
                if question["job"] in WITH_KERNELS:
                    from tablebase.system.compute.compiling import when_compiling

                    stack.enter_context(when_compiling(lambda compiling: say(json.dumps({COMPILING: compiling}))))
                message = answer(settings, question)
            say(message)
