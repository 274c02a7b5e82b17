"""Errors carry data, from which their sentences are made, and keep it on the way between processes."""

import pickle
from pathlib import Path

import pytest

import tablebase
from tablebase import errors
from tablebase.errors import (
    CapacityError,
    CorruptTableError,
    DeadlineError,
    MissingExtraError,
    MissingTableError,
    StaleTableError,
    TablebaseError,
    TimeLimitError,
)


def classes() -> list[type[TablebaseError]]:
    """All error classes."""
    return [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, TablebaseError)]


def test_all_are_exported() -> None:
    assert len(classes()) > 5
    assert {kind.__name__ for kind in classes()} <= set(tablebase.__all__)
    assert all(getattr(tablebase, kind.__name__) is kind for kind in classes())


@pytest.mark.parametrize(
    ("options", "command", "builds", "sentence"),
    [
        ({"material": "RCvW"}, "--material RCvW", "RCvW", "the table RCvW of doushouqi has not been built"),
        ({"material": "RvW", "needed_by": "RCvW"}, "--material RCvW", "RCvW", "the table RvW of doushouqi has not been built"),
        ({"pieces": 4}, "--pieces 4", 4, "no table of doushouqi with 4 pieces has been built"),
        ({}, "--pieces 2", 2, "no table of doushouqi is in the catalog of data"),
        ({"options": "--limit 3"}, "--limit 3", None, "no table of doushouqi is in the catalog of data"),
    ],
)
def test_what_is_missing(options: dict[str, object], command: str, builds: object, sentence: str) -> None:
    """The command that builds it is data, and ends the sentence."""
    error = MissingTableError("doushouqi", "data", **options)  # type: ignore[arg-type]
    assert (error.game, error.folder) == ("doushouqi", Path("data"))
    assert (error.material, error.pieces) == (options.get("material"), options.get("pieces"))
    assert (error.command, error.builds) == (f"tablebase build doushouqi {command} --data data", builds)
    assert str(error) == f"{sentence}: run '{error.command}'"
    assert isinstance(error, KeyError)


def test_a_missing_extra() -> None:
    error = MissingExtraError("pictures", "plot")
    assert (error.purpose, error.extra, error.package) == ("pictures", "plot", "matplotlib")
    assert error.command == "pip install 'endgame-tablebase[plot]'"
    assert str(error) == f"pictures need matplotlib: run {error.command}"


def test_exit_codes() -> None:
    """2 for what the user can mend, 1 for a check that failed, 3 for what does not fit, 4 for a deadline that came first."""
    codes = {kind: kind.exit_code for kind in classes()}
    assert {kind: code for kind, code in codes.items() if code != 2} == {
        CorruptTableError: 1,
        CapacityError: 3,
        TimeLimitError: 3,
        DeadlineError: 4,
    }


def test_what_does_not_fit() -> None:
    whole = CapacityError("RCvW", "allow more", needed=5000, allowed=1000)
    assert str(whole) == "RCvW needs 5,000 bytes of memory, but only 1,000 are available: allow more"
    half = CapacityError("the graph", "take less", allowed=1000, unit="positions")
    assert str(half) == "the graph needs more than the supported 1,000 positions: take less"
    assert str(CapacityError("a worker was killed", "use fewer")) == "a worker was killed: use fewer"


@pytest.mark.parametrize(
    "error",
    [
        MissingTableError("hexapawn", "games", material="PvP"),
        MissingExtraError("trees", "patterns"),
        CapacityError("RCvW", "allow more", needed=5000, allowed=1000),
        CorruptTableError("contains a chunk of the wrong size", Path("data/RvC.h5")),
        StaleTableError(Path("data/RvC.h5"), "doushouqi"),
        TimeLimitError(2.5),
        TablebaseError("plain"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_data_survive_a_pickle(error: TablebaseError) -> None:
    """A worker's error is the same in the main process: class, sentence, exit code and data."""
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), again.exit_code, vars(again)) == (str(error), error.exit_code, vars(error))
