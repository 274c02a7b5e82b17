"""Records of games of every kind: who played, from which position, each move and outcome of chance, and how it ended.

The form is that of PGN (S. Edwards, *Portable Game Notation Specification and Implementation Guide*, 1994), with moves as they
are written everywhere here, and without move numbers, which are read and skipped::

    [Game "doushouqi"]
    [Round "1"]
    [White "engine:level=3"]
    [Black "engine:level=5"]
    [Start "l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L w"]
    [Opening "4"]
    [Result "0-1"]
    [Termination "Black wins: goal"]

    a1a2 g9g8 …
    0-1

``White`` is the player of side 0. Games of more than two players have the tags ``Player1``, ``Player2`` and so on instead, and
their result is the place of each player, such as ``2-1-3``. An outcome of chance is its label in braces, ``{6}``, which other
programs that read PGN skip as a comment; longer comments are skipped here also. `Opening` counts the turns of random moves at
the beginning; in a game of pieces on squares, a turn is a ply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import wrap
from typing import Generic, NamedTuple

from tablebase.errors import NotationError, TablebaseError, quoted
from tablebase.game.notation import whole_number
from tablebase.game.rules import CHANCE, Ending, P, Rules, legal
from tablebase.system.files.inputs import read_lines

RESULTS: dict[tuple[int, ...], str] = {(1, 2): "1-0", (2, 1): "0-1", (1, 1): "1/2-1/2", (): "*"}
"""Results of games of two players, by their places, and that of a game that was not finished."""
HINT = "use a file written by 'match --output'"
WIDTH = 100
"""Characters of a line of moves."""
MOST = 1_000_000
"""Moves and outcomes of chance of a game, at most."""
_TAG = re.compile(r'\[(\w+) ("(?:[^"\\]|\\.)*")\]')
_WORD = re.compile(r"\{[^\s{}]+\}(?!\S)|\{|;|\S+")
"""An outcome of chance, the beginning of a comment, or any other word."""
_NUMBER = re.compile(r"\d+\.+(?=[A-Za-z]|$)")
"""A move number, which the move may follow without a space."""


@dataclass(frozen=True)
class Record:
    """A recorded game."""

    game: str  # the full name
    number: int  # in its match, from 1
    players: tuple[str, ...]  # in the order of their sides
    start: str  # the position that it began with
    opening: int  # turns from there on that were made of random moves
    events: tuple[str, ...]  # moves by their text, outcomes of chance by their label in braces
    places: tuple[int, ...]  # of each player, from 1; players may share a place; empty without a result
    why: str  # how it ended, in words
    line: int = field(default=0, compare=False)  # of its file, where it begins; 0 if it has not been read

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves alone."""
        return tuple(event for event in self.events if label_of(event) is None)

    @property
    def winner(self) -> int | None:
        """The player who is first alone; None for a draw, or without a result."""
        return Ending(self.places).winner

    @property
    def ending(self) -> str:
        """The reason why it ended, without the winner: ``goal``."""
        return self.why.partition(": ")[2] or self.why

    def __str__(self) -> str:
        return f"game {self.number} (line {self.line})" if self.line else f"game {self.number}"


class Moment(NamedTuple, Generic[P]):
    """A position of a recorded game, and the event that follows."""

    position: P
    mover: int  # the player who moves, or `CHANCE`; after the last event, the player to move or `OVER`
    event: str | None  # as in `Record`; None after the last one
    choices: int  # number of legal moves, or of possible outcomes of chance; 0 after the last event
    turn: int  # number of turns completed since the start


def label_of(event: str) -> str | None:
    """Return the label of an outcome of chance; None for a move."""
    return event[1:-1] if event.startswith("{") else None


def record_of(
    rules: Rules[P],
    number: int,
    players: Sequence[str],
    start: P,
    events: Iterable[tuple[str, bool]],
    places: tuple[int, ...],
    why: str,
    opening: int = 0,
) -> Record:
    """Return the record of a game, with the fields of `Record`, but `why` without the winner: ``goal``.

    `events` has the text of each move with False, and the label of each outcome of chance with True.
    """
    winner = Ending(places).winner
    said = f"{'draw' if winner is None else f'{rules.sides[winner].name} wins'}: {why}"
    texts = tuple(f"{{{text}}}" if drawn else text for text, drawn in events)
    return Record(rules.name, number, tuple(players), rules.format(start), opening, texts, places, said)


def write_record(record: Record) -> str:
    r"""Return a game as text that ends with an empty line."""
    result = _result(record.places)
    tags = {
        "Game": record.game,
        "Round": record.number,
        **dict(zip(_seats(len(record.players)), record.players, strict=True)),
        "Start": record.start,
        "Opening": record.opening,
        "Result": result,
        "Termination": record.why,
    }
    lines = [f"[{name} {json.dumps(str(value), ensure_ascii=False)}]" for name, value in tags.items()]
    moves = wrap(" ".join(record.events), WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join([*lines, "", *moves, result, "", ""])


def _seats(players: int) -> tuple[str, ...]:
    return ("White", "Black") if players == 2 else tuple(f"Player{number}" for number in range(1, players + 1))


def _result(places: tuple[int, ...]) -> str:
    return RESULTS.get(places) or "-".join(map(str, places))


def records_in(path: Path) -> Iterator[Record]:
    """Read the games of a file one by one; raise `TablebaseError` with its name if they cannot be read."""
    try:
        yield from read_records(read_lines(path, HINT))
    except NotationError as error:
        raise NotationError(f"{path}: {error}") from error


def read_records(lines: Iterable[str]) -> Iterator[Record]:
    """Read games from lines; raise `NotationError` with the number of a line if they cannot be read."""
    tags: dict[str, str] = {}
    words: list[str] = []
    begun, inside = 0, False
    for number, line in enumerate(lines, start=1):
        if inside or not line.lstrip().startswith("["):
            found, inside = _words(line, inside)
            if found and not tags:
                raise _no_tag(line.strip(), number)
            words += found
            if len(words) > MOST:
                raise NotationError(f"the game starting on line {begun} has more than {MOST:,} moves")
            continue
        name, value = _tag(line.strip(), number)
        if words or name in tags:
            yield _record(tags, words, begun)
            tags, words = {}, []
        if not tags:
            begun = number
        tags[name] = value
    if tags:
        yield _record(tags, words, begun)


def _tag(line: str, number: int) -> tuple[str, str]:
    if found := _TAG.fullmatch(line):
        try:
            value: str = json.loads(found[2])
            # Half a character, as in "\\ud800", could not be written again.
            value.encode()
            return found[1], value
        except ValueError:
            pass
    raise _no_tag(line, number)


def _no_tag(line: str, number: int) -> NotationError:
    return NotationError(f'line {number} ({quoted(line)}) is not a tag: write a tag such as [Round "1"]')


def _words(line: str, inside: bool) -> tuple[list[str], bool]:
    """Return the words of a line of moves without comments and numbers; the flags say if a comment is open before and after it."""
    words, place = list[str](), 0
    while True:
        if inside:
            end = line.find("}", place)
            if end < 0:
                return words, True
            place = end + 1
        found = _WORD.search(line, place)
        if found is None or found[0] == ";":
            return words, False
        place, inside = found.end(), found[0] == "{"
        if not inside and (word := _NUMBER.sub("", found[0], count=1)):
            words.append(word)


def _record(tags: dict[str, str], words: list[str], line: int) -> Record:
    """Make a record from the tags and words of the game that begins in a line; the last word is its result."""
    result, known = tags.get("Result", ""), {text: places for places, text in RESULTS.items()}
    # A part that is not a place becomes 0, which no player has.
    places = known[result] if result in known else tuple(whole_number(word) or 0 for word in result.split("-"))
    seats = _seats(len(places) or (2 if "White" in tags else sum(name.startswith("Player") for name in tags)))
    for name in ("Result", "Game", "Round", *seats, "Start", "Opening", "Termination"):
        if name not in tags:
            raise NotationError(f"the game starting on line {line} has no {name} tag: add this tag")
    while words and label_of(words[-1]) is not None:
        # A comment, since nothing happens after the result.
        words.pop()
    if words[-1:] != [result]:
        raise NotationError(f"the game starting on line {line} does not end with its result: add the result after the moves")
    number, opening = whole_number(tags["Round"]), whole_number(tags["Opening"])
    ranked = all(place == 1 + sum(other < place for other in places) for place in places)
    if number is None or opening is None or not ranked:
        raise NotationError(f"the game starting on line {line} has an invalid Round, Opening or Result tag: correct the tag")
    players = tuple(tags[name] for name in seats)
    return Record(tags["Game"], number, players, tags["Start"], opening, tuple(words[:-1]), places, tags["Termination"], line)


def happened(rules: Rules[P], record: Record) -> tuple[str, ...]:
    """Return the moves and outcomes of chance of a game; in one without chance, a word in braces is a comment."""
    return record.events if "chance" in rules.can else record.moves


def replayed(rules: Rules[P], record: Record) -> Iterator[Moment[P]]:
    """Yield the positions of a game one by one, from the first to the last.

    Raise `TablebaseError` if it is a game of other rules, if a move or an outcome of chance is not possible, or if the result is
    not that of the last position.
    """
    if record.game != rules.name:
        raise TablebaseError(f"{record} is a game of {record.game}, not of {rules.name}: use the rules of {record.game}")
    if len(record.players) != rules.players:
        raise NotationError(f"{record} has {len(record.players)} players, but {rules.name} has {rules.players}")
    try:
        position = rules.parse(record.start)
    except NotationError as error:
        raise NotationError(f"the start position of {record} is invalid: {error}") from error
    turn = 0
    for number, event in enumerate(happened(rules, record), start=1):
        label = label_of(event)
        draws = rules.draws(position) if rules.to_move(position) == CHANCE else ()
        after = legal(rules, position) if label is None else {draw.label: draw.state for draw in draws}
        name = event if label is None else label
        if name not in after:
            raise NotationError(f"move {number} ({quoted(event)}) of {record} is not {'legal' if label is None else 'possible'}")
        yield Moment(position, rules.viewer(position) if label is None else CHANCE, event, len(after), turn)
        position = after[name]
        turn += rules.begins_turn(position)
    ending = rules.result(position)
    if ending is not None and record.places not in ((), ending.places):
        raise NotationError(f"{record} has the result {_result(record.places)}, but its moves lead to {_result(ending.places)}")
    yield Moment(position, rules.to_move(position), None, 0, turn)
