"""Rules as functions of a position: games without pieces on squares.

An author writes a class with a start and five functions: who is to move, the moves, the result, and text there and back. A position
is any immutable value that can be hashed, such as a string or a tuple; equal positions have the same future. Games without chance
are described by this class alone, games of chance and of several players by `tablebase.game.stochastic.StochasticGame`.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from tablebase.errors import NotationError, RulesError, TablebaseError, quoted
from tablebase.game.companions import companion
from tablebase.game.guards import guard, guarded
from tablebase.game.pictures import Pictures, beside
from tablebase.game.rules import OVER, Ending, P, Rules
from tablebase.game.types import Side
from tablebase.game.values import EXACT

if TYPE_CHECKING:
    from tablebase.game.features import Feature


class FunctionGame(Rules[P]):
    """Base class for two-player games without chance that are defined by functions of a position.

    For an example, see ``tablebase_rules.noughts``.

    Attributes
    ----------
    start : position
        The initial position.
    options : mapping of str to int or str
        Options of the variant; the digest of the rules includes these options.
    former_digests : mapping of str to str
        Dict from the digest of the source to the digest of an older, equivalent source; older tables remain valid.
    """

    can = frozenset({"counting", "exact values", "paired matches"})
    parts: ClassVar[Mapping[str, str]] = {
        **Rules.parts,
        "tables": "tablebase.building.exact_kind:ExactTables",
        "values": "tablebase.probe.from_codes:CodesSource",
        "checks": "tablebase.testing.functions:FUNCTION_CHECKS",
    }
    kinds = ()
    players = 2
    value_fields: tuple[str, ...] = EXACT
    repetitions: int | None = 3
    most_turns_each: int | None = None
    start: P
    options: Mapping[str, int | str] = MappingProxyType({})
    former_digests: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        guard(cls)

    @property
    def initial(self) -> P:
        """The initial position."""
        return self.start

    @cached_property
    def sides(self) -> Sequence[Side]:  # type: ignore[override]
        """The players, identified by digits (from 1) instead of letters."""
        return tuple(Side(str(number), f"player {number}") for number in range(1, self.players + 1))

    def given(self, position: Any) -> P:
        """Check a position object and return it; raise `NotationError` unless parsing its text returns an equal position."""
        if type(position) is type(self.start):
            with suppress(TablebaseError):
                if self.parse(self.format(position)) == position:
                    return position
        return super().given(position)

    def check_text(self, text: Any, pattern: str, form: str) -> None:
        """Raise `NotationError` unless `text` matches the regular expression `pattern`; `form` describes the expected text."""
        if not isinstance(text, str) or not re.fullmatch(pattern, text):
            example = self.format(self.start)
            raise NotationError(f"{quoted(str(text))} is not a position of {self.name}: write {form}, as in {example!r}")

    def check_parts(self) -> None:
        """Raise `RulesError` if a required attribute is missing or invalid."""
        wanted: Mapping[str, tuple[Callable[[Any], bool], str]] = {
            "name": (lambda name: isinstance(name, str), "a string"),
            "title": (lambda title: isinstance(title, str), "a string"),
            "options": (lambda options: isinstance(options, Mapping), "a dict"),
            "start": (_can_be_hashed, "a value that can be hashed, such as a string or a tuple"),
            "sides": (
                lambda some: (
                    isinstance(some, Sequence) and len(some) == self.players and all(isinstance(one, Side) for one in some)
                ),
                f"{self.players} objects of the class Side",
            ),
        }
        for part, (fits, what) in wanted.items():
            if not hasattr(self, part):
                raise RulesError(f"the class {type(self).__name__} has no attribute {part!r}: set {part!r} to {what}")
            if not fits(getattr(self, part)):
                raise RulesError(f"{part!r} of the class {type(self).__name__} must be {what}, not {getattr(self, part)!r}")

    def canonical(self, position: P) -> P:
        """Return the position that tables store for all positions symmetric to `position`; by default, `position` itself."""
        return position

    @property
    def pictures(self) -> Pictures | None:
        """Drawing functions from the module ``NAME_pictures`` in the rules' folder, or None; not part of the rules' digest."""
        return beside(type(self).__module__, guarded)

    @property
    def features(self) -> tuple[Feature, ...]:
        """Features of positions, from the module ``NAME_features`` in the rules' folder; not part of the rules' digest.

        For rules in the module ``pig``, the features are the tuple ``FEATURES`` in the module ``pig_features``.
        """
        found = companion(type(self).__module__, "_features", "features")
        if found is not None and not hasattr(found, "FEATURES"):
            raise RulesError(f"the module {found.__name__} does not define FEATURES: define FEATURES as a tuple of features")
        return () if found is None else tuple(found.FEATURES)

    @cached_property
    def digest(self) -> str:
        """Hexadecimal SHA-256 digest of the options and the source code of the rules.

        If the digest is a key of `former_digests`, the older digest is used instead, so that existing tables remain valid.
        """
        sources = [inspect.getsource(sys.modules[module]) for module in sorted(self.source_modules())]
        text = json.dumps([dict(self.options), sources], sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()
        return self.former_digests.get(digest, digest)

    def source_modules(self) -> set[str]:
        """Return the names of the modules that define the rules; the rules' digest includes their source code."""
        own = {cls.__module__ for cls in type(self).__mro__ if issubclass(cls, FunctionGame)}
        return {module for module in own if module.split(".")[:2] != ["tablebase", "game"]}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


def valid_options(game: str, known: Mapping[str, Collection[Any]], **chosen: Any) -> dict[str, Any]:
    """Check the options of a game and return them; raise `RulesError` if a value is not allowed."""
    for name, value in chosen.items():
        if value not in known[name]:
            raise RulesError(f"the option {name} of {game} must be one of {', '.join(map(str, known[name]))}, not {quoted(value)}")
    return chosen


def _can_be_hashed(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


__all__ = ["OVER", "Ending", "FunctionGame", "valid_options"]
