"""Guards around the functions that authors write: an error in one of them becomes one sentence that names it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from types import NoneType
from typing import Any

from tablebase.errors import RulesError, TablebaseError, game_word
from tablebase.game.rules import Ending, Rules

RETURNED: Mapping[str, tuple[type, ...]] = {
    "to_move": (int,),
    "moves": (dict, Mapping),
    "draws": (tuple, list),
    "result": (NoneType, Ending),
    "places": (tuple,),
    "begins_turn": (bool,),
    "canonical": (),
    "format": (str,),
    "parse": (),
    "move_text": (str,),
    "draw_text": (str,),
    "code_text": (str,),
    "svg": (str, NoneType),
    "drawn": (str, NoneType),
    "described": (str,),
    "standing": (tuple,),
    "is_deadlock": (bool,),
    "read_move": (str,),
}
"""The functions of an author's class, each with what it may return; anything if there is nothing."""


def guard(cls: type[Rules[Any]]) -> None:
    """Replace the functions that a class defines by ones that raise nothing but errors of this program."""
    for name in RETURNED.keys() & vars(cls).keys():
        function = vars(cls)[name]
        if callable(function) and not isinstance(function, (staticmethod, classmethod)):
            setattr(cls, name, guarded(name, function))


def contradiction(rules: Rules[Any], position: Any, what: str) -> RulesError:
    """That functions of the rules do not agree about a position, as a clause says."""
    return RulesError(f"in {_shown(rules, position)}, {what}{advice(rules)}")


def advice(rules: Rules[Any]) -> str:
    """Return advice to end a sentence about an error of rules."""
    return f": run 'tablebase check-rules {game_word(rules.name)}'"


def guarded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of an author, which raises nothing but errors of this program, and returns what it must."""
    returned = RETURNED[name]

    @wraps(function)
    def call(self: Rules[Any], position: Any, *more: Any) -> Any:
        try:
            # Millions of calls have nothing more to pass on.
            found = function(self, position, *more) if more else function(self, position)
        except (TablebaseError, MemoryError):
            raise
        except Exception as error:
            said = " ".join(f"{type(error).__name__}: {error}".split())
            raise _failed(self, name, (position, *more), f"fails ({said})") from error
        if returned and not isinstance(found, returned):
            wanted = " or ".join("None" if kind is NoneType else kind.__name__ for kind in returned)
            raise _failed(self, name, (position, *more), f"returns {found!r}, but must return {wanted}")
        return found

    return call


def _failed(rules: Rules[Any], name: str, args: tuple[Any, ...], what: str) -> RulesError:
    # A text that a function reads or writes is best shown as it is.
    shown = [repr(one) if name in ("format", "parse") or number else _shown(rules, one) for number, one in enumerate(args)]
    return RulesError(f"{name}({', '.join(shown)}) of {rules.name} {what}{advice(rules)}")


def _shown(rules: Rules[Any], position: Any) -> str:
    """A position as its author writes it, if that is possible."""
    try:
        return rules.format(position)
    except Exception:
        return repr(position)
