"""What all requests and answers share in the description of the interface (OpenAPI); names are those of the command line."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from inspect import getdoc
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model, with_config
from typing_extensions import is_typeddict

from tablebase.api import row_types
from tablebase.web.settings import Limits

LIMITS = Limits()
LONGEST_NAME = 100
"""Characters of a game's name with its variant."""
LONGEST_POSITION = 1000
LOST = "7/7/7/7/3c3/7/7/R6/7 w"
"""A position of two pieces, for examples."""

GameName = Annotated[
    str,
    Field(
        max_length=LONGEST_NAME,
        description="Name of the game, with its variant if it has one, such as hexapawn-4x4.",
        examples=["doushouqi"],
    ),
]
PositionText = Annotated[
    str,
    Field(
        max_length=LONGEST_POSITION,
        description="Rows from the top, then the side to move; of games of chance, as the game writes its states.",
        examples=[LOST],
    ),
]
MaterialName = Annotated[str, Field(max_length=LONGEST_NAME, description="Pieces of both sides, in any order.", examples=["RvC"])]
Outcome = Annotated[
    Literal["win", "loss", "draw"] | None, Field(description="For the side that it is about; null if it is unknown.")
]
Distance = Annotated[int | None, Field(description="Plies to the result under best play; null for a draw.")]


class Given(BaseModel):
    """What is sent: nothing but these fields."""

    model_config = ConfigDict(extra="forbid")


class Told(BaseModel):
    """What is answered."""

    model_config = ConfigDict(extra="forbid")


DESCRIBED = ConfigDict(extra="forbid", use_attribute_docstrings=True)
for row in filter(is_typeddict, vars(row_types).values()):
    with_config(DESCRIBED)(row)
with_config(
    ConfigDict(
        extra="allow",
        json_schema_extra={"example": {"game": "hexapawn", "reachable": 135, "final": 65, "games": 134, "won_w": 64, "won_b": 70}},
    )
)(row_types.CountRow)


def told(row: type[Any], name: str, optional: Collection[str] = ()) -> Any:
    """The schema of answers that are the fields of a dataclass, whose docstrings become descriptions.

    `optional` are fields that are left out of some answers.
    """
    hints = get_type_hints(row)
    properties = TypeAdapter(with_config(DESCRIBED)(row)).json_schema()["properties"]
    described = {
        field.name: (
            hints[field.name],
            Field(None if field.name in optional else ..., description=properties[field.name].get("description")),
        )
        for field in fields(row)
    }
    return create_model(name, __base__=Told, __doc__=getdoc(row), **described)  # type: ignore[call-overload]


class Problem(BaseModel):
    """An error (RFC 9457), whose `detail` is one sentence: what is wrong, and what to do."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "example": {
                "title": "Bad Request",
                "status": 400,
                "detail": "there is no game 'doushuqi' (did you mean 'doushouqi'?); "
                "installed: doushouqi, foxhounds, harehedgehog, hasenspiel, hexapawn, pig",
            }
        },
    )
    title: str
    status: int
    detail: str


class MissingTable(Problem):
    """A table that has not been built, the command that builds it, and what that takes."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "title": "Not Found",
                "status": 404,
                "detail": "the table RCvW of doushouqi has not been built: run 'tablebase build doushouqi --material RCvW'",
                "game": "doushouqi",
                "material": "RCvW",
                "pieces": None,
                "command": "tablebase build doushouqi --material RCvW",
                "estimate": {
                    "tables": 1,
                    "placements": 228096,
                    "disk": 41000,
                    "memory": 301000000,
                    "cpu_seconds": 0.1,
                    "wall_seconds": 0.1,
                },
            }
        }
    )
    game: str | None = None
    material: str | None = None
    pieces: int | None = None
    command: str | None = None
    estimate: row_types.Cost | None = None
