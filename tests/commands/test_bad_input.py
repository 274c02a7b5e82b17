"""Bad input of every sort: one sentence, code 2, no traceback; readers of damaged texts raise nothing but `TablebaseError`."""

import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.program import Ask, assert_one_sentence, assert_refused

from tablebase.building.batch import read_batch
from tablebase.building.batch_record import BatchRecord
from tablebase.checking.proofs import proof_errors, read_proof
from tablebase.checking.published import read_published
from tablebase.commands.program import commands
from tablebase.commands.shell import command_of
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import TablebaseError
from tablebase.game import load_game
from tablebase.game.installed import load_rules
from tablebase.mining.own_tables import own_tables
from tablebase.play.learning.learner import Learner
from tablebase.play.learning.matchboxes import Matchboxes, grow_tree
from tablebase.play.learning.self_play import Training
from tablebase.play.records import Record, records_in, replayed, write_record
from tablebase.web.problems import without_paths
from tablebase.web.settings import ServerSettings
from tablebase_rules._jungle_boards import USUAL

GOOD = "7/7/7/7/3c3/7/7/R6/7 w"
FOLDERS = ("file", "file/below", "missing", "empty", "text", "blank", "other", "folder")
NOBODYS = pytest.param("/proc/self", marks=pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc"))
"""A folder without permission to write."""

QUESTIONS = {
    "probe": ["probe", "doushouqi", GOOD],
    "line": ["line", "doushouqi", GOOD],
    "stats": ["stats", "doushouqi"],
    "verify": ["verify", "doushouqi"],
    "sql": ["sql", "SELECT 1"],
}


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """Folders that are not tablebases: without anything, or with a catalog that is a text, empty, of others or a folder."""
    (tmp_path / "file").write_text("This is a file.\n")
    for name in ("empty", "text", "blank", "other", "folder"):
        (tmp_path / name).mkdir()
    (tmp_path / "text" / "catalog.sqlite").write_text("This is no database.\n" * 100)
    (tmp_path / "blank" / "catalog.sqlite").write_text("")
    connection = sqlite3.connect(tmp_path / "other" / "catalog.sqlite")
    connection.execute("CREATE TABLE contacts (name)")
    connection.close()
    (tmp_path / "folder" / "catalog.sqlite").mkdir()
    return tmp_path


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
@pytest.mark.parametrize("name", FOLDERS)
def test_bad_folders(name: str, question: list[str], folders: Path, ask: Ask) -> None:
    before = {path: path.stat().st_mtime_ns for path in folders.rglob("*")}
    assert_one_sentence(ask(*question, "--data", folders / name), folders / name)
    assert {path: path.stat().st_mtime_ns for path in folders.rglob("*")} == before


@pytest.mark.parametrize("command", [["build", "doushouqi", "--pieces", "2"], ["reindex"]], ids=lambda words: words[0])
@pytest.mark.parametrize("name", ["file", "file/below", "folder", NOBODYS])
def test_bad_folders_to_build_in(name: str, command: list[str], folders: Path, ask: Ask) -> None:
    assert_one_sentence(ask(*command, "--data", folders / name), folders / name)
    assert not list(folders.rglob("*.h5"))


def test_reindexing_files_of_no_table(tmp_path: Path, ask: Ask) -> None:
    others = [tmp_path / "chess/2/KvK.h5", tmp_path / "doushouqi/2/notes.h5"]
    for path in others:
        path.parent.mkdir(parents=True)
        path.write_text("")
    assert_one_sentence(ask("reindex", "--data", tmp_path), "notes")
    others[1].unlink()
    answer = ask("reindex", "--data", tmp_path)
    assert (answer.code, others[0].exists()) == (0, True)
    assert answer.err.endswith("left out: chess/2/KvK.h5 belongs to a game that is not installed\n")


def test_help_names_options_that_exist() -> None:
    options = {name: {option for one in command_of(name).params for option in one.opts} for name in commands()}
    for name in commands():
        text = " ".join(str(getattr(one, "help", "")) for one in command_of(name).params)
        foreign = {f"{other} {option}" for other in commands() for option in options[other]}
        text = re.sub("|".join(map(re.escape, sorted(foreign, key=len, reverse=True))), "", text)
        assert set(re.findall(r"(?<![\w-])--[a-z][\w-]*", text)) <= options[name] | {"--help"}, name


@pytest.mark.parametrize("name", ["hexapawn", "hasenspiel", "noughts", "pig", "harehedgehog"])
def test_a_long_text_is_not_repeated(name: str, ask: Ask) -> None:
    """The sentence about a position, a move, a material or a word too many quotes only its beginning."""
    long = "p" * 100_000
    for words in (
        ["perft", name, long],
        ["check-rules", name, long],
        ["estimate", name, "--material", long],
        ["perft", f"{name}-{long}"],
    ):
        answer = ask(*words)
        assert_refused(answer, 2)
        assert len(answer.err) < 600, answer.err[:200]


def test_folders_in_suggested_commands_are_quoted(ask: Ask, tmp_path: Path) -> None:
    folder = tmp_path / "my tables"
    assert_one_sentence(ask("stats", "hexapawn", "--data", folder), f"'tablebase build GAME --data \"{folder}\"'")
    assert ask("build", "hexapawn", "--pieces", "2", "--data", folder).code == 0
    answer = ask("probe", "hexapawn", "ppp/3/PPP w", "--data", folder)
    assert f' --data "{folder}"' in answer.err
    table = next(folder.glob("hexapawn/*/*.h5"))
    table.unlink()
    assert_refused(ask("verify", "hexapawn", "--data", folder), 1, f"{table}", f'--material {table.stem} --data "{folder}"')
    assert without_paths(f"run 'tablebase reindex --data \"{folder}\"'", ServerSettings(folder)) == "run 'tablebase reindex'"


def test_a_variable_is_blamed_only_if_it_is_used(hexapawns: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_, **__: False)
    assert "TABLEBASE_DATA" not in ask("stats", "hexapawn", "--data", hexapawns).err
    monkeypatch.setenv("TABLEBASE_DATA", str(hexapawns))
    assert "TABLEBASE_DATA" in ask("stats", "hexapawn").err


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
    boxes = Matchboxes(PAWNS, 1, grow_tree(PAWNS, PAWNS.initial))

    def text(path: Path) -> str:
        """As a command line has it, where bytes that are not UTF-8 are halves of characters."""
        return path.read_bytes().decode(errors="surrogateescape")

    return {
        "batch": read_batch,
        "batch record": lambda path: BatchRecord(path.replace(path.with_name("a.record.json")).with_name("a")),
        "records": lambda path: [list(replayed(PAWNS, record)) for record in records_in(path)],
        "proof": lambda path: list(proof_errors(read_proof(text(path)), pawn_tables.prober)),
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


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
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
    try:
        readers[name](file)
    except TablebaseError as error:
        str(error).encode()


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
