"""Follow-up commands of a batch: everything about them that can be known is checked before anything starts."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

from tablebase.commands import lib, process
from tablebase.commands.arguments import rules_for
from tablebase.commands.calls import from_input, usage_sentence, without_passwords
from tablebase.commands.parameters import Output
from tablebase.commands.probe import STANDARD_INPUT, asked, is_stream
from tablebase.commands.registry import VERBS
from tablebase.commands.shell import command_of, verb_parameters
from tablebase.errors import CommandError, MissingTableError, TablebaseError
from tablebase.game.rules import Rules
from tablebase.system.compute.messages import say
from tablebase.system.files.inputs import check_regular
from tablebase.version import VERSION

if TYPE_CHECKING:
    from tablebase.building.batch import FollowUp
    from tablebase.building.batch_record import BatchRecord

REPEATABLE = ("mine", "stats", "plot", "probe", "line")
"""Commands that do nothing but write outputs, which depend on tables and on files that are named; others always run."""
OUTPUT_HINT = "set 'output' to another file"

Place = tuple[Path, Output, str]
"""Place a command writes to, with the hint if that is impossible."""


@dataclass(frozen=True)
class Prepared:
    """A follow-up command that has been checked."""

    step: FollowUp
    words: list[str]  # of the command, with the folder of the tables
    params: Mapping[str, Any] = field(repr=False)  # as click has read them
    rules: Rules[Any] | None
    data: Path  # the tablebase that it reads
    catalog: str | None
    inputs: tuple[Path, ...]  # files that it reads beside the tables
    places: tuple[Place, ...]  # all that it writes to

    @property
    def outputs(self) -> list[Path]:
        """Files and folders that it writes as a whole."""
        return [path for path, kind, _ in self.places if kind in (Output.FILE, Output.NEW_FOLDER)]

    def __str__(self) -> str:
        return without_passwords(" ".join(self.words))

    def unchanged_since(self, record: BatchRecord, tables: str | None) -> str | None:
        """When it last ran, if it need not run again; None otherwise."""
        repeatable = self.step.command[0] in REPEATABLE and self.outputs
        return record.unchanged(self.words, VERSION, tables, self.inputs, self.outputs) if repeatable else None

    def files(self) -> dict[str, str] | None:
        """Digests of the tables that it can read, by file; None without a catalog, which lists them."""
        if (opened := lib.catalog.open_catalog(self.data, self.catalog)) is None:
            return None
        beginning = "" if self.rules is None else f"{self.rules.name}/"
        with closing(opened):
            return {file: entry.sha256 for file, entry in opened.entries.items() if file.startswith(beginning)}

    def tables(self) -> str | None:
        """Digest of the tables that it can read."""
        return None if (files := self.files()) is None else lib.batch_record.digest_of(files)


def prepared(step: FollowUp, data: Path, catalog: str | None, built: Mapping[Path, set[str]]) -> Prepared:
    """Check a command: its words, its game, its statements, positions and files, its tables and its outputs.

    The folder and the catalog are those of the batch; `built` has the games that it builds, by the real path of their folder.
    """
    import click

    name, *words = step.command
    try:
        with command_of(name).make_context(name, words) as read:
            params, source = dict(read.params), read.get_parameter_source("data")
    except click.ClickException as error:
        raise TablebaseError(usage_sentence(error)) from error
    is_given = source is not None and source.name == "COMMANDLINE"
    folder = Path(params["data"]) if is_given else data
    given = [*step.command, *([] if is_given else ["--data", str(data)])]
    own_catalog = params.get("catalog") or catalog
    game = params.get("game")
    rules = None if game is None else rules_for(name, game, params.get("size"), params.get("variant"))
    inputs = _check_inputs(name, params, rules, own_catalog)
    one = Prepared(step, given, params, rules, folder, own_catalog, inputs, tuple(_places(step, params)))
    _check_tables(one, built)
    return one


def check_outputs(one: Prepared, record: BatchRecord, reserved: Iterable[Path | None], data: Path) -> None:
    """Refuse outputs that cannot be written, are `reserved`, or that no earlier run of the batch wrote; `data` is its folder."""
    for path, kind, hint in one.places:
        if kind in (Output.FOLDER, Output.NEW_FOLDER):
            fresh = kind is Output.NEW_FOLDER and not (path.exists() and record.wrote(path))
            lib.outputs.check_output_folder(path, hint, folder=data, new=fresh)
        else:
            lib.outputs.check_output(path, hint, inputs=[record.path, *reserved, *one.inputs], folder=data)
            # Pipes and devices are written to again.
            if (path.is_file() or path.is_dir()) and not one.step.overwrite and not record.wrote(path):
                advice = "choose another file, delete the existing file, or set overwrite = true"
                raise TablebaseError(f"{path} already exists but was not written by this batch: {advice}")


def run(one: Prepared, record: BatchRecord, environment: Mapping[str, str]) -> bool:
    """Run a command unless it would write the same again; return whether it has run.

    A command that ends with another code than 0 is a `CommandError`.
    """
    tables = one.tables()
    if (since := one.unchanged_since(record, tables)) is not None:
        say(f"{one}: unchanged since {since}")
        return False
    say(str(one))
    check_outputs(one, record, [], one.data)
    output, begin = one.step.output, time.monotonic()
    with (
        _aside([path for path, kind, _ in one.places if kind is Output.NEW_FOLDER and path.exists()]),
        lib.outputs.written(output, OUTPUT_HINT) if output else nullcontext() as file,
    ):
        if code := process.run_command(one.words, file, environment):
            raise CommandError(without_passwords(" ".join(one.step.command)), code)
    outputs = record.digests(path for path in one.outputs if path.is_file() or path.is_dir())
    seconds, now = round(time.monotonic() - begin, 3), datetime.now().astimezone().isoformat(timespec="seconds")
    record.keep(lib.batch_record.Ran(one.words, VERSION, tables, record.digests(one.inputs), outputs, now, seconds))
    return True


@contextmanager
def _aside(folders: list[Path]) -> Iterator[None]:
    """Put folders aside, to be replaced; they come back if that fails."""
    moved = [(folder, lib.outputs.draft_of(folder.resolve())) for folder in folders]
    for folder, draft in moved:
        folder.resolve().rename(draft)
    try:
        yield
    except BaseException:
        for folder, draft in moved:
            draft.rename(folder)
        raise
    for _, draft in moved:
        rmtree(draft, ignore_errors=True)


def _check_inputs(name: str, params: Mapping[str, Any], rules: Rules[Any] | None, catalog: str | None) -> tuple[Path, ...]:
    files = []
    for text in [params["statement"]] if params.get("statement") else params.get("positions") or []:
        if text == STANDARD_INPUT:
            raise TablebaseError("a [[then]] command cannot read standard input: replace '-' with the text, or with @FILE")
        if text.startswith("@"):
            files.append(Path(text[1:]))
    if params.get("statement"):
        _check_statement(name, from_input(params["statement"]), catalog)
    if rules is not None:
        _check_positions(name, params, rules)
    # That of probe is no file.
    if isinstance(features := params.get("features"), Path):
        files.append(features)
        lib.game_features.load_features(features)
    if params.get("table"):
        for file in lib.own_tables.named_files(params["table"]).values():
            lib.own_tables.check_file(file)
            files.append(file)
    for key in ("replay", "published"):
        if params.get(key) is not None:
            files.append(Path(params[key]))
            check_regular(files[-1], f"choose another file for --{key}")
            if not files[-1].exists():
                raise TablebaseError(f"file {files[-1]} not found: check the path given to --{key}")
    return tuple(files)


def _check_statement(name: str, statement: str, catalog: str | None) -> None:
    import sqlite3

    if name != "sql":
        lib.statement.parse_select(lib.statement.read_request(statement)[0])
        return
    if catalog is not None:
        # Only the server could check it.
        return
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.execute(statement if statement.lstrip().upper().startswith("EXPLAIN") else f"EXPLAIN {statement}")
        except (sqlite3.Error, sqlite3.Warning) as error:
            # Which tables there are is known when the statement runs.
            if re.search("syntax error|incomplete input|unrecognized token|one statement", str(error)):
                raise TablebaseError(f"invalid SQL statement: {error}") from error


def _check_positions(name: str, params: Mapping[str, Any], rules: Rules[Any]) -> None:
    if name != "plot":
        # A chart also takes patterns of materials.
        lib.kind.table_kind(rules).check_materials(params.get("material") or [])
    for text in [*(params.get("positions") or []), params.get("position"), params.get("start")]:
        if text is not None and not is_stream(text):
            lib.game_arguments.as_asked(rules, text)
        elif text is not None and text != STANDARD_INPUT:
            # Each of its lines has a separate answer; that the file can be read is all that is checked.
            next(asked([text]), None)


def _check_tables(one: Prepared, built: Mapping[Path, set[str]]) -> None:
    """Refuse a folder without tables of the game, unless the batch builds them."""
    games = built.get(one.data.resolve(), set())
    if one.params.get("replay") is not None or (games and (one.rules is None or one.rules.name in games)):
        return
    lib.folder.check_folder(one.data, built=True)
    if one.step.command[0] == "reindex":
        return
    if (files := one.files()) is None:
        raise lib.folder.missing_tablebase(one.data)
    if one.rules is not None and not files:
        raise MissingTableError(one.rules.name, one.data)


def _places(step: FollowUp, params: Mapping[str, Any]) -> Iterator[Place]:
    if step.output is not None:
        yield step.output, Output.FILE, OUTPUT_HINT
    for one in verb_parameters(VERBS[step.command[0]]):
        place = params.get(one.name)
        if one.shell.output and place and not lib.object_store.is_url(str(place)):
            yield Path(place), one.shell.output, "change the output path in the command"
