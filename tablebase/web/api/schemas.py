"""Basis of all requests and answers in the description of the interface (OpenAPI); names are those of the command line."""

from __future__ import annotations

from types import NoneType
from typing import Annotated, Any, Literal, get_origin

from pydantic import BaseModel, ConfigDict, Field, create_model, with_config
from typing_extensions import is_typeddict

from tablebase.building.estimate import SliceEstimate
from tablebase.catalog.catalog import Counts
from tablebase.commands import row_types
from tablebase.commands.parameters import parameters_of
from tablebase.commands.registry import VERBS
from tablebase.game.examples import example, examples
from tablebase.web.settings import RequestLimits

LIMITS = RequestLimits()
LONGEST_NAME = 100
"""Characters of a game's name with its variant."""
LONGEST_POSITION = 1000

VARIANT = "".join(f", such as {one}" for one in examples("variant"))

GAME: dict[str, Any] = {
    "max_length": LONGEST_NAME,
    "description": f"Name of the game, including its variant{VARIANT}.",
    "examples": examples("game"),
}
GameName = Annotated[str, Field(**GAME)]
PositionText = Annotated[
    str,
    Field(
        max_length=LONGEST_POSITION,
        description="Position in the notation of the game, such as 'ppp/3/PPP w'.",
        examples=examples("position"),
    ),
]
MATERIAL: dict[str, Any] = {
    "max_length": LONGEST_NAME,
    "description": "Material (letters of the pieces of both sides, in any order).",
    "examples": examples("material"),
}
MaterialName = Annotated[str, Field(**MATERIAL)]
Outcome = Annotated[
    Literal["win", "loss", "draw"] | None,
    Field(description="Outcome for the side to move; null if unknown."),
]
Distance = Annotated[int | None, Field(description="Number of plies to the end of the game under best play; null for a draw.")]


class Given(BaseModel):
    """Data of requests: only these fields."""

    model_config = ConfigDict(extra="forbid")


class Told(Given):
    """Data of answers."""


HTTP_FIELDS: dict[str, dict[str, Any]] = {
    "game": GAME,
    "position": {"max_length": LONGEST_POSITION, "description": "Position as text; by default, the initial position."},
    "material": MATERIAL,
    "pieces": {"ge": 2, "le": 64},
}
"""Limits and texts that parameters have over HTTP alone, by name."""


def given_by(name: str, *names: str, **texts: dict[str, Any]) -> Any:
    """The parameters of requests for a verb: types, defaults and descriptions of its function, with limits and `texts` of HTTP."""
    verb = VERBS[name]
    found: dict[str, Any] = {}
    known = {one.name: one for one in parameters_of(verb.function)}
    for one in map(known.__getitem__, names or verb.http):
        kind = next(kind for kind in one.kinds if kind in (bool, int, float, str) or get_origin(kind) is Literal)
        about = {"description": one.help, **HTTP_FIELDS.get(one.name, {}), **texts.get(one.name, {})}
        default = ... if one.is_required else one.default
        found[one.name] = (kind | None if NoneType in one.kinds else kind, Field(default, **about))
    return create_model(f"{name}Given", __base__=Given, **found)


DESCRIBED = ConfigDict(extra="forbid", use_attribute_docstrings=True)
for row in (Counts, SliceEstimate, *filter(is_typeddict, vars(row_types).values())):
    with_config(DESCRIBED)(row)
with_config(ConfigDict(extra="allow", use_attribute_docstrings=True, json_schema_extra=example("count")))(row_types.CountRow)

PROBLEM: Any = {"example": {"title": "Bad Request", "status": 400, "detail": "the parameter game is missing: add the parameter"}}


class Problem(BaseModel):
    """An error in the format of RFC 9457; the field `detail` is one sentence with the error and the remedy."""

    model_config = ConfigDict(extra="allow", json_schema_extra=PROBLEM)
    title: str
    status: int
    detail: str


class MissingTable(Problem):
    """An error for a missing table, with the command that builds the table and the estimated cost of the build."""

    model_config = ConfigDict(json_schema_extra=example("missing"))
    game: str | None = None
    material: str | None = None
    pieces: int | None = None
    command: str | None = None
    estimate: row_types.Cost | None = None
