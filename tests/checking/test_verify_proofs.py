"""The check of proofs: it accepts what the search finds, and notices each kind of fault."""

import json
from random import Random

import pytest

from tablebase.checking.proofs import proof_errors, read_proof
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import TablebaseError
from tablebase.game import load_game
from tablebase.game.notation import parse
from tablebase.search.proof_search import find_proof
from tablebase.search.proof_trees import extract

JUNGLE = load_game("doushouqi")
HARD = "4e2/2w4/1E5/7/7/7/4L1R/7/1D5 w"
ENDS_IN_TABLES = "7/1pw4/3L3/7/7/7/7/C6/7 w"
"""Four pieces, won by captures that lead to tables of three."""


def proof_of(text: str, tables: Tablebase) -> list[str]:
    position = parse(JUNGLE, text)
    verdict = find_proof(JUNGLE, position, tables.prober)
    assert verdict.search is not None
    assert verdict.outcome is not None
    return list(extract(verdict.search, position, verdict.outcome).text())


def errors(lines: list[str], tables: Tablebase | None) -> list[str]:
    return list(proof_errors(read_proof("\n".join(lines)), None if tables is None else tables.prober))


def damaged(lines: list[str], random: Random) -> dict[str, list[str]]:
    """A proof with one fault each, by a part of what must be said of it."""
    head, *rows = (json.loads(line) for line in lines)
    attack = next(row for row in rows if row["reason"] == "move" and row["rank"] > 2)
    reply = next(row for row in rows if row["reason"] == "replies")
    lost = random.choice([row for row in rows if row["position"] != head["position"]])

    def changed(row: dict[str, object], **values: object) -> list[str]:
        return [json.dumps(each | values if each is row else each) for each in (head, *rows)]

    return {
        "outside the proof": [json.dumps(row) for row in (head | {"positions": len(rows) - 1}, *rows) if row is not lost],
        "the move a9a9 is not legal": changed(attack, move="a9a9"),
        "the move ['a1a2'] is not legal": changed(attack, move=["a1a2"]),
        "the rank does not decrease after the move": changed(reply, rank=1),
        "the wrong side is to move": changed(reply, reason="move", move="a1a2"),
        "the game has not ended as claimed": changed(attack, reason="over"),
        "the position cannot be proved by a table": changed(rows[0], reason="table"),
        "made with different rules of the game": changed(head, rules="0" * 64),
        "the first position is not proved": changed(head, outcome="draw"),
        "some positions are missing or repeated": [*lines, lines[-1]],
    }


def test_errors_are_found(more_tables: Tablebase) -> None:
    """A proof holds as it was written; each of these changes makes it one that does not."""
    lines = proof_of(HARD, more_tables)
    assert errors(lines, more_tables) == []
    for said, faulty in damaged(lines, Random(3)).items():
        assert any(said in error for error in errors(faulty, more_tables)), said


def test_tables_are_asked(more_tables: Tablebase) -> None:
    """A proof that ends in tables needs them, and what they say."""
    lines = proof_of(ENDS_IN_TABLES, more_tables)
    assert errors(lines, more_tables) == []
    turned = [json.dumps(json.loads(lines[0]) | {"outcome": "loss"}), *lines[1:]]
    assert any("the table has a different value" in error for error in errors(turned, more_tables))
    assert any("the position cannot be proved by a table" in error for error in errors(lines, None))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "the file is empty"),
        ("proof", "a line is not valid JSON"),
        ("[" * 100_000, "a line is not valid JSON"),
        ("[]", "each line needs the fields game"),
        ('{"game": "hexapawn"}', "each line needs the fields game, rules, position, outcome, positions"),
        ('{"game": "hexapawn", "rules": "", "position": "", "outcome": "", "positions": 1}\n{"rank": 1}', "fields position, rank"),
    ],
)
def test_texts_that_are_no_proofs(text: str, error: str) -> None:
    with pytest.raises(TablebaseError, match=error):
        read_proof(text)
