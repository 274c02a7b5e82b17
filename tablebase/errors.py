"""Errors with a sentence for people and an exit code for shells."""


class TablebaseError(Exception):
    """Bad input, a missing table, a broken file: one sentence naming what is wrong and what to do."""

    exit_code = 2


class RulesError(TablebaseError):
    """A rules module that contradicts itself, or a game that is not installed."""


class NotationError(TablebaseError):
    """Text that is no position, material or move of the game."""


class MissingTableError(TablebaseError, KeyError):
    """The position is fine, but the table that would answer has not been built."""

    def __str__(self) -> str:
        # KeyError would print the representation of the sentence instead of the sentence.
        return str(self.args[0])


class StaleTableError(TablebaseError):
    """The table was built under other rules than those installed now."""


class CorruptTableError(TablebaseError):
    """A table file that is not, or is no longer, what was written; a check that failed."""

    exit_code = 1


class CapacityError(TablebaseError):
    """The work would not fit into memory or onto the disk; the sentence gives the numbers."""

    exit_code = 3
