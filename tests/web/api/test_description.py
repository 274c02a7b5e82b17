"""The description of the interface: complete, and kept to; requests are made from it by Schemathesis."""

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from support.checks import at_least_one, thinned
from support.web import PROBLEM, get_raw, served

with warnings.catch_warnings():
    # Of packages that it loads.
    warnings.simplefilter("ignore")
    import schemathesis
    from schemathesis import GenerationMode
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        negative_data_rejection,
        response_headers_conformance,
        response_schema_conformance,
        status_code_conformance,
        unsupported_method,
    )

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
]
"""All that apply: nobody signs in here, nothing is deleted, and a text that may be a position need not be one."""

REFUSALS = ["400", "403", "404", "405", "413", "415", "5xx"]
"""Statuses with which the server refuses what is not as described; a text that is too long may make the whole body too large."""
SECONDS = 300.0
"""For an answer: a player's kernels may have to be compiled first."""
OPERATIONS = [
    *("count", "estimate", "games", "harehedgehog_computer", "harehedgehog_move", "harehedgehog_new", "line", "material"),
    *("materials", "mine", "play", "probe", "probe_many", "records", "stats"),
]


@pytest.fixture(scope="module")
def address(two_pieces: Path) -> Iterator[str]:
    """Of a server of two pieces, in a process of its own."""
    with served("--data", two_pieces, "--mine", "--port", "0") as (_, found):
        yield found


@pytest.fixture(scope="module")
def description(address: str) -> Any:
    return get_raw(address, "/api/v1/openapi.json")


@pytest.fixture(scope="module")
def described(address: str) -> dict[str, Any]:
    config = schemathesis.Config.from_dict({"checks": {"negative_data_rejection": {"expected-statuses": REFUSALS}}})
    schema = schemathesis.openapi.from_url(f"{address}/api/v1/openapi.json", config=config)
    found = [one.ok() for one in schema.get_all_operations()]
    return {one.definition.raw["operationId"]: one for one in found}


def operations(description: Any) -> list[tuple[str, str, dict[str, Any]]]:
    return [(path, method, one) for path, item in description["paths"].items() for method, one in item.items()]


def test_everything_is_described(description: Any) -> None:
    """Each operation has a name of its own, a summary, a schema of its answer, and its errors as problems."""
    known = at_least_one(operations(description))
    names = [one["operationId"] for _, _, one in known]
    assert sorted(names) == OPERATIONS
    for path, method, one in known:
        assert path.startswith("/api/v1/")
        assert one["summary"]
        assert one["tags"]
        assert one["responses"]["200"]["content"]["application/json"]["schema"]
        assert "422" not in one["responses"]
        wanted = {"400", "500", "503", "504"} | ({"304"} if method == "get" else {"408", "413", "415"})
        assert wanted <= one["responses"].keys()
        for status, answer in one["responses"].items():
            if status not in ("200", "304"):
                assert list(answer["content"]) == [PROBLEM], (path, status)


def example_of(description: Any, method: str, one: dict[str, Any]) -> dict[str, Any]:
    """The examples of an operation, as arguments of a case."""
    if method == "get":
        listed = one.get("parameters", [])
        return {"query": {it["name"]: it["schema"]["examples"][0] for it in listed if "examples" in it["schema"]}}
    name = one["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    schema = description["components"]["schemas"][name]
    fields = {field: it["examples"][0] for field, it in schema["properties"].items() if "examples" in it}
    return {"body": schema.get("example", fields), "media_type": "application/json"}


def test_examples_are_answered(description: Any, described: dict[str, Any]) -> None:
    """Each with an answer that is as described."""
    for path, method, one in at_least_one(operations(description)):
        case = described[one["operationId"]].Case(**example_of(description, method, one))
        answer = case.call(timeout=SECONDS)
        assert answer.status_code == 200, (path, answer.text)
        case.validate_response(answer, checks=[check for check in CHECKS if check is not unsupported_method])


@pytest.mark.parametrize("name", thinned(OPERATIONS, 3))
def test_requests_made_from_the_description(described: dict[str, Any], name: str) -> None:
    """Valid and invalid ones: answers are as described, and never a fault of the server."""

    @given(
        case=described[name].as_strategy(generation_mode=GenerationMode.POSITIVE)
        | described[name].as_strategy(generation_mode=GenerationMode.NEGATIVE)
    )
    @settings(
        max_examples=settings().max_examples // 4,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def ask(case: Any) -> None:
        case.validate_response(case.call(timeout=SECONDS), checks=CHECKS)

    ask()
