"""Conformance suites: for rules modules, solvers and executors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablebase.compute.lazy import lazy

if TYPE_CHECKING:
    from tablebase.testing.executors import ExecutorTests
    from tablebase.testing.solvers import SolverTests
    from tablebase.testing.suite import CHECKS, CheckResult, GameTests, check_rules, random_position

__all__ = ["CHECKS", "CheckResult", "ExecutorTests", "GameTests", "SolverTests", "check_rules", "random_position"]

_RULES = ("CHECKS", "CheckResult", "GameTests", "check_rules", "random_position")
__getattr__ = lazy(
    __name__,
    {
        "ExecutorTests": "tablebase.testing.executors",
        "SolverTests": "tablebase.testing.solvers",
        **dict.fromkeys(_RULES, "tablebase.testing.suite"),
    },
)
