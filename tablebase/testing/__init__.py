"""Conformance suites that authors of rules modules can run."""

from tablebase.testing.suite import CHECKS, CheckResult, GameTests, check_rules, random_position

__all__ = ["CHECKS", "CheckResult", "GameTests", "check_rules", "random_position"]
