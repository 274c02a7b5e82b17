"""Readers of text, JSON, TOML, SQL and records: of damaged, nested and senseless bytes they raise nothing but `TablebaseError`."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablebase.building.batch import read_batch
from tablebase.building.batch_record import BatchRecord
from tablebase.checking.proofs import proof_faults, read_proof
from tablebase.checking.published import read_published
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import TablebaseError
from tablebase.game import load_game
from tablebase.game.installed import load_rules
from tablebase.mining.own_tables import own_tables
from tablebase.play.learning.learner import Learner
from tablebase.play.learning.matchboxes import Matchboxes, grow_tree
from tablebase.play.learning.self_play import Training
from tablebase.play.records import Record, records_in, replayed, write_record
from tablebase_rules._jungle_boards import USUAL

Readers = dict[str, Callable[[Path], object]]
PAWNS = load_game("hexapawn")
TEXTS = {
    "batch": 'workers = 2\nfor="8h"\n[[build]]\ngame = "hexapawn"\nlimits = {a = 1}\n[[then]]\ncommand = ["stats", "hexapawn"]\n',
    "batch record": json.dumps(
        {
            "format": "batch record 1",
            "commands": [
                {"command": ["stats"], "version": "1", "tables": None, "inputs": {}, "outputs": {}, "finished": "", "seconds": 1}
            ],
        }
    ),
    "records": write_record(Record("hexapawn", 1, ("a", "b"), "3/P1p/3 w", 0, ("a2a3",), (1, 2), "White wins: goal")),
    "proof": "\n".join(
        json.dumps(row)
        for row in (
            {"game": "hexapawn", "rules": PAWNS.digest, "position": "3/P1p/3 w", "outcome": "win", "positions": 1},
            {"position": "3/P1p/3 w", "rank": 1, "reason": "move", "move": "a2a3"},
        )
    ),
    "published": f"game,material,values_sha256\nhexapawn,PvP,{'0' * 64}\n",
    "own table": "game,ended\n1,ppp/3/PPP w\n",
    "board": (Path(__file__).parents[2] / "rules/tablebase_rules/boards/and.txt").read_text(encoding="utf-8"),
    "position": "ppp/3/PPP w",
    "mine": "SELECT CASE WHEN outcome = 'win' THEN 1 ELSE 0 END AS n, count(*) FROM positions WHERE NOT (pieces = 2) GROUP BY 1",
    "sql": "SELECT material, count(*) FROM slices WHERE game = 'hexapawn' AND side IN ('w', 'b') GROUP BY material",
}


@pytest.fixture(scope="module")
def readers(pawn_tables: Tablebase) -> Readers:
    """Readers of files by the names of what they read."""
    boxes = Matchboxes(PAWNS, 1, grow_tree(PAWNS, PAWNS.initial))

    def text(path: Path) -> str:
        """As a command line has it, where bytes that are not UTF-8 are halves of characters."""
        return path.read_bytes().decode(errors="surrogateescape")

    return {
        "batch": read_batch,
        "batch record": lambda path: BatchRecord(path.replace(path.with_name("a.record.json")).with_name("a")),
        "records": lambda path: [list(replayed(PAWNS, record)) for record in records_in(path)],
        "proof": lambda path: list(proof_faults(read_proof(text(path)), pawn_tables.prober)),
        "published": lambda path: read_published(path, PAWNS),
        "own table": lambda path: own_tables({"own": path.replace(path.with_suffix(".csv"))}),
        "board": lambda path: load_rules(f"doushouqi-board={USUAL.read(str(path))}"),
        "position": lambda path: pawn_tables.probe("hexapawn", text(path)),
        "mine": lambda path: pawn_tables.mine("hexapawn", text(path)),
        "sql": lambda path: pawn_tables.sql(text(path)),
        "boxes": lambda path: boxes.load(path),
        "learner": lambda path: Learner(PAWNS, PAWNS.initial).load(path, any_start=True),
    }


@pytest.fixture(scope="module")
def valid(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Files that can be read, by the same names."""
    folder = tmp_path_factory.mktemp("valid")
    Matchboxes(PAWNS, 1, grow_tree(PAWNS, PAWNS.initial)).save(folder / "boxes")
    Learner(PAWNS, PAWNS.initial, Training(order=1)).save(folder / "learner")
    files = {name: (folder / name).read_bytes() for name in ("boxes", "learner")}
    return {**{name: content.encode() for name, content in TEXTS.items()}, **files}


ODD = st.one_of(
    st.binary(max_size=8),
    st.text(max_size=8).map(lambda text: text.encode(errors="surrogatepass")),
    st.sampled_from(
        [b"\\ud800", b"\xed\xa0\x80", b"\0", b"\xef\xbb\xbf", b"\r", b"\n", b'"', b"'", b";", b"--", b"1e999", b"NaN", b"-0"]
    ),
    st.sampled_from([b"(", b"[", b"{", b"NOT ", b"CASE WHEN ", b"9", b"0x", b'{"a":', b"[[", b"f", b"a.", b"/", b","]).flatmap(
        lambda word: st.sampled_from([2, 50, 300, 5000]).map(lambda times: word * times)
    ),
)
"""What may stand in a text by mistake or on purpose."""


@st.composite
def damaged(draw: Any, content: bytes) -> bytes:
    """A text with up to three places where something else stands, or nothing."""
    for _ in range(draw(st.integers(1, 3))):
        begin = draw(st.integers(0, len(content)))
        end = draw(st.integers(begin, min(len(content), begin + 20)))
        content = content[:begin] + draw(ODD) + content[end:]
    return content


NAMES = (*TEXTS, "boxes", "learner")


@contextmanager
def sentences() -> Iterator[None]:
    """Errors can be written as text in UTF-8, whatever they quote."""
    try:
        yield
    except TablebaseError as fault:
        str(fault).encode()
        raise


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The name of the file that is read."""
    return tmp_path_factory.mktemp("odd") / "file"


@pytest.mark.parametrize("name", NAMES)
def test_what_is_valid_is_read(name: str, readers: Readers, valid: dict[str, bytes], file: Path) -> None:
    """Otherwise the property below would show nothing."""
    file.write_bytes(valid[name])
    readers[name](file)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_what_is_not_valid_is_refused_in_a_sentence(
    name: str, data: Any, readers: Readers, valid: dict[str, bytes], file: Path
) -> None:
    content = data.draw(st.one_of(damaged(valid[name]), damaged(valid[name]), ODD), "content")
    file.write_bytes(content)
    with suppress(TablebaseError), sentences():
        readers[name](file)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("batch", "2", "9" * 4301),
        ("batch", "2", "0x" + "f" * 5000),
        ("batch", "2", "[" * 3000 + "]" * 3000),
        ("batch", "2", "{a=" * 3000 + "1" + "}" * 3000),
        ("records", '"a"', r'"\ud800"'),
        ("mine", "pieces", "(" * 50 + "pieces" + ")" * 50),
        ("mine", "NOT", "NOT " * 100),
        ("mine", "1 ELSE", "CASE WHEN true THEN " * 50 + "1 " + "END " * 50 + "ELSE"),
        ("mine", "win", "\udcff"),
        ("sql", "game", "(" * 50 + "game" + ")" * 50),
        ("sql", "hexapawn", "\udcff"),
    ],
)
def test_what_was_a_traceback(name: str, old: str, new: str, readers: Readers, file: Path) -> None:
    """Nesting, digits and halves of characters that a parser, Python or a database does not take."""
    file.write_bytes(TEXTS[name].replace(old, new, 1).encode(errors="surrogateescape"))
    with pytest.raises(TablebaseError):
        readers[name](file)
