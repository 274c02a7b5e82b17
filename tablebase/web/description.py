"""The description of the interface (OpenAPI): complete, and with the errors that there really are."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from tablebase.web.api.schemas import MissingTable, Problem
from tablebase.web.settings import Settings

ABOUT = """Values of all positions of small board games, from endgame tablebases.

Answers are what the command line writes with `--format json`. They have a tag, by which clients ask whether something has
changed; answers from tables can be kept. Errors are `application/problem+json` (RFC 9457), with one sentence as `detail`.
An answer that is not known never looks like one: a missing table is an error, or a move without outcome that names it.
"""
TAGS = [
    {"name": "games", "description": "The installed games."},
    {"name": "positions", "description": "Values of positions, and lines to the end."},
    {"name": "catalog", "description": "What has been built, and its statistics."},
    {"name": "play", "description": "Moves of the named players, and a server for Hare & Hedgehog."},
    {"name": "work", "description": "What takes longer: counts, estimates, and statements over positions."},
]
METHODS = ("get", "post")


def describe_as(app: FastAPI, settings: Settings) -> None:
    """Make an application describe itself."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _description(app, settings)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _description(app: FastAPI, settings: Settings) -> dict[str, Any]:
    described = get_openapi(
        title=app.title,
        version=app.version,
        summary="Endgame tablebases over HTTP",
        description=ABOUT,
        routes=app.routes,
        tags=TAGS,
        license_info={"name": "MIT", "identifier": "MIT"},
    )
    paths = {path: item for path, item in described["paths"].items() if path.startswith("/api/")}
    for item in paths.values():
        for method in METHODS:
            # What the framework would answer to what is not as described.
            item.get(method, {}).get("responses", {}).pop("422", None)
    if not settings.mine:
        paths.pop("/api/v1/mine", None)
    described["paths"] = paths
    schemas = described.setdefault("components", {}).setdefault("schemas", {})
    _, known = models_json_schema(
        [(Problem, "serialization"), (MissingTable, "serialization")], ref_template="#/components/schemas/{model}"
    )
    schemas |= known["$defs"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    return described
