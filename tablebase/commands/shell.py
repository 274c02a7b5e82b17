"""Commands made from functions: options, their help and the call follow from signature, annotations and docstring.

The parameters of a verb's function come first, those of its rendering function ``show_NAME`` after them. A rendering function
is given the `Call`, runs it, and writes what it returns; a verb without one needs none, since its rows are written as they are.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, get_origin

import click
from click.core import ParameterSource

from tablebase.commands import lib
from tablebase.commands.calls import OF_FOLDER, Call, show_result
from tablebase.commands.parameters import Parameter, Shell, of_shell, parameters_of, words_of
from tablebase.commands.registry import VERBS, Verb
from tablebase.errors import TablebaseError, did_you_mean, quoted
from tablebase.system.compute.messages import silenced
from tablebase.system.compute.modules import docstring

HELP = ("-h", "--help")
LAST = (*OF_FOLDER, "workers", "style", "quiet")
"""Parameters that come last in the help of a command about an open tablebase."""
MOST_OPTIONS = 13
"""Most options that the help of a command lists without groups."""
TIMES = ("deadline", "duration", "grace", "time", "timeout")
OPTION_GROUPS = {
    "Game and tables": ("rules", "size", "variant", "players", "pieces", "material", "with_dependencies", *OF_FOLDER),
    "Resources": ("workers", "memory", "executor", "scheduler", "cache", "hash", *TIMES),
    "Output": ("style", "output", "sheet", "page", "svg", "to", "curve", "log", "json_log", "verbose", "quiet", "access_log"),
}
"""Further groups of options in the help, with the names of parameters."""


def verb_parameters(verb: Verb) -> list[Parameter]:
    """The parameters of a command in the order of its help.

    An open tablebase has a folder, a catalog and variants of games; parameters that commands share come before its own.
    """
    shared = {one.name: one for one in parameters_of(of_shell)}
    own, shown = list(parameters_of(verb.function)), list(parameters_of(verb.show or show_result))
    shown = [shared["rules"]] * verb.takes_rules + shown + [shared["style"]] * verb.writes_rows + [shared["quiet"]]
    if not verb.owner:
        return own + shown
    own.sort(key=lambda one: not (one.shell.argument or one.shell.help))
    of_game = [shared[name] for name in ("size", "variant") if verb.takes_game]
    of_folder = [shared[name] for name in verb.of_folder]
    return sorted(
        [*of_game, *own, *shown, *of_folder],
        key=lambda one: (not one.shell.argument, not one.is_required, one.name in LAST and LAST.index(one.name) + 1),
    )


class _Word(click.Choice[Any]):
    def normalize_choice(self, choice: object, ctx: click.Context | None) -> str:  # noqa: ARG002
        return str(choice)


class _Read(click.ParamType[Any]):
    """A value that a function reads from a text, with errors that are sentences."""

    name = "text"

    def __init__(self, read: Callable[[str], Any], shell: Shell) -> None:
        self._read, self.min, self.max = read, shell.least, shell.most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            number = self._read(value)
        except TablebaseError:
            raise
        except ValueError:
            kind = "an integer" if self._read is int else "a number"
            self.fail(f"Input should be a valid {kind.split()[1]}, unable to parse string as {kind}", param, ctx)
        if self.min is not None and not number >= self.min:
            self.fail(f"Input should be greater than or equal to {self.min}", param, ctx)
        if self.max is not None and not number <= self.max:
            self.fail(f"Input should be less than or equal to {self.max}", param, ctx)
        return number


class _InRange(_Read, click.FloatRange):
    """A number from a range, which the help shows."""

    min_open = max_open = False


def _type_of(kinds: Sequence[Any], shell: Shell) -> click.ParamType[Any]:
    if shell.parse:
        return _Read(shell.parse, shell)
    if words := words_of(kinds):
        return _Word(words)
    if Path in kinds:
        return click.Path(path_type=Path)
    number = next((kind for kind in (float, int) if kind in kinds), None)
    return click.STRING if number is None else (_Read if shell.least is None else _InRange)(number, shell)


class _Argument(click.Argument):
    def get_usage_pieces(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return [str(self.metavar) if self.required else f"[{self.metavar}]"]

    def get_error_hint(self, ctx: click.Context | None) -> str:  # noqa: ARG002
        return f"'{self.metavar}'"


class Exemplified:
    """A command whose help ends with examples, if an installed game gives them."""

    name: str | None
    epilog: str | None

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples as click takes text that it must not wrap."""
        for lines in lib.examples.examples(f"help of {self.name}"):
            self.epilog = "\n  ".join([f"\b\nExample{'s' if len(lines) > 1 else ''}:", *lines])
        super().format_epilog(ctx, formatter)  # type: ignore[misc]


class _Command(Exemplified, click.Command):
    """A verb as a command.

    Its help has the first paragraph about the function and any paragraph that begins with "By default", then the docstring of the
    rendering function.
    """

    def __init__(self, verb: Verb) -> None:
        self.verb, self.parameters = verb, verb_parameters(verb)
        more = docstring(verb.show).partition("Parameters\n---")[0].strip() if verb.show else ""
        first, *others = docstring(verb.function).split("\n\n")
        text = "\n\n".join(filter(None, (first, *(one for one in others if one.startswith("By default")), more)))
        more_options = "limits" in inspect.signature(verb.function).parameters
        settings = {"allow_extra_args": more_options, "ignore_unknown_options": more_options}
        params = [part for one in self.parameters for part in _parts_of(one)]
        super().__init__(verb.name, help=text, params=params, context_settings=settings)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        arguments = [part for part in self.parameters if part.shell.argument]
        sections = {"Arguments": [(part.shell.metavar, part.help + "  [required]" * part.is_required) for part in arguments]}
        options = [one for one in self.get_params(ctx) if isinstance(one, click.Option)]
        for one in options:
            title = next((title for title, names in OPTION_GROUPS.items() if one.name in names), "Options")
            record = one.get_help_record(ctx)
            if record:
                sections.setdefault(title if len(options) > MOST_OPTIONS else "Options", []).append(record)
        for title in ("Arguments", "Options", *OPTION_GROUPS):
            if sections.get(title):
                with formatter.section(title):
                    formatter.write_dl(sections[title])

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write nothing at the place that recent versions of click give to arguments."""

    def invoke(self, ctx: click.Context) -> Any:
        given = {name: value for name, value in ctx.params.items() if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT}
        show = self.verb.show or show_result
        if files := given.pop("rules", None):
            for file in files:
                lib.installed.use_rules(file)
        if given.pop("quiet", False):
            ctx.with_resource(silenced())
        shown = {one.name: given.pop(one.name) for one in parameters_of(show) if one.name in given}
        call = Call(self.verb, given)
        if ctx.args:
            word = ctx.args[0]
            meant = did_you_mean(word, [option for one in self.params for option in one.opts])
            unknown = TablebaseError(f"unknown option {quoted(word)}{meant}: see 'tablebase {ctx.info_name} --help'")
            call.given |= lib.kind.table_kind(call.rules).limits_from(ctx.args, lambda: unknown)
        return show(call, **shown)


def _parts_of(one: Parameter) -> Iterator[click.Parameter]:
    shell, kind = one.shell, _type_of(one.kinds, one.shell)
    metavar = shell.metavar or ("|".join(map(str, kind.choices)) if isinstance(kind, click.Choice) else None)
    default = shell.default or (str(one.default) if isinstance(one.default, Enum) else one.default)
    several = any(get_origin(some) in (list, Sequence) for some in one.kinds)

    def completed(_ctx: click.Context, _param: click.Parameter, beginning: str) -> list[str]:
        from pkgutil import resolve_name

        return [name for name in resolve_name(shell.complete)() if name.startswith(beginning)]

    more: dict[str, Any] = {"help": one.help + " You can repeat this option." * (several and not shell.argument)}
    if bool not in one.kinds:
        more |= {"type": kind, "metavar": metavar, "shell_complete": completed if shell.complete else None}
    if shell.argument:
        yield _Argument([one.name], required=one.is_required, nargs=-1 if several else 1, **more)
        if shell.option:
            yield click.Option([shell.option, "start"], metavar=metavar, help=f"Same as the argument {metavar}.")
        return
    # Click takes a default that is None for a value.
    more |= {"required": True} if one.is_required else {"default": None if several else default}
    yield click.Option(
        [shell.option or f"--{one.name.replace('_', '-')}", one.name],
        show_default=one.default != "",
        is_flag=bool in one.kinds,
        multiple=several,
        envvar=shell.variable or None,
        show_envvar=True,
        **more,
    )


def summary(verb: Verb) -> str:
    """The first paragraph about a verb."""
    return docstring(verb.function).partition("\n\n")[0]


def command_of(name: str) -> Any:
    """A command of click by the name of its verb."""
    return _Command(VERBS[name])
