"""Conformance suites: for rules modules, solvers and executors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablebase.system.compute.modules import lazy

if TYPE_CHECKING:
    from tablebase.testing.executors import ExecutorTests
    from tablebase.testing.functions import FUNCTION_CHECKS, STATE_CHECKS, FunctionGameTests, StochasticGameTests
    from tablebase.testing.solvers import SolverTests
    from tablebase.testing.suite import CHECKS, CheckResult, GameTests, check_rules, random_position

__all__ = [
    "CHECKS",
    "FUNCTION_CHECKS",
    "STATE_CHECKS",
    "CheckResult",
    "ExecutorTests",
    "FunctionGameTests",
    "GameTests",
    "SolverTests",
    "StochasticGameTests",
    "check_rules",
    "random_position",
]

__getattr__ = lazy(__name__)
