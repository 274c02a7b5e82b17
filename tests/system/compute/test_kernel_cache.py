"""The cache of compiled kernels: its places, its claims, and what is removed."""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from support.program import Ask, assert_refused, flip
from support.tablebases import copy_of

from tablebase.solvers.planes.solve import enter
from tablebase.system.compute import jit, kernel_cache
from tablebase.system.compute.kernel_cache import KernelCache

ROOT = Path(__file__).resolve().parents[3]
KERNEL = """
from tablebase.system.compute.jit import jit

@jit
def twice(numbers):
    return 2 * numbers[0]
"""
CALL = """
import sys
from numba.core import event

compiled = []
class Listener(event.Listener):
    def on_start(self, event):
        compiled.append(event.data["dispatcher"].__name__)
    def on_end(self, event):
        pass
event.register("numba:compile", Listener())
import numpy as np, tablebase
from kernel import twice
answers = [twice(np.array([value], dtype)) for dtype, value in (("int8", -3), ("float64", 0.25), ("uint16", 40_000), ("int64", 7))]
print(tablebase.__file__, answers == [-6, 0.5, 80_000, 14], compiled.count("twice"))
"""


def start(
    folder: Path, package: Path = ROOT, code: str = CALL, command: Sequence[str] = (), **variables: str
) -> subprocess.Popen[str]:
    if not (folder / "kernel.py").exists():
        (folder / "kernel.py").write_text(KERNEL)
    paths = os.pathsep.join(map(str, (package, package / "rules", folder)))
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "TABLEBASE_"))}
    inherited |= {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "TABLEBASE_CACHE": str(folder / "cache")}
    environment = {name: value for name, value in (inherited | variables).items() if value}
    arguments = [*command, sys.executable, "-c", code]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(arguments, env=environment, cwd=folder, text=True, **pipes)


def run(*arguments: Any, **named: Any) -> tuple[str, str]:
    with start(*arguments, **named) as program:
        printed, errors = program.communicate(timeout=120)
    assert program.returncode == 0, errors
    return printed, errors


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compiled")
    assert run(folder) == (f"{ROOT / 'tablebase/__init__.py'} True 4\n", "")
    return folder


folder = copy_of("compiled")


@pytest.mark.full
def test_installations_share_kernels(folder: Path, tmp_path: Path) -> None:
    """A copy of the package and of a file with a kernel, at another path and of another time, compiles nothing."""
    copy = tmp_path / "copy"
    shutil.copytree(ROOT / "tablebase", copy / "tablebase", copy_function=shutil.copyfile)
    (copy / "kernel.py").write_text(KERNEL)
    cache = str(folder / "cache")
    assert run(copy, package=copy, TABLEBASE_CACHE=cache) == (f"{copy / 'tablebase/__init__.py'} True 0\n", "")
    # A file that is not of the package is part of the key.
    (copy / "kernel.py").write_text(KERNEL.replace("2", "1 * 2"))
    assert run(copy, package=copy, TABLEBASE_CACHE=cache)[0].endswith(" True 4\n")


@pytest.mark.full
def test_processes_compile_at_the_same_time(tmp_path: Path) -> None:
    """Three processes at once, four signatures each, then a fourth process: all answers are right, and each is compiled once."""
    programs = [start(tmp_path) for _ in range(3)]
    compiled = 0
    for program in programs:
        printed, errors = program.communicate(timeout=300)
        assert (program.returncode, " True " in printed) == (0, True), errors
        compiled += int(printed.split()[-1])
    assert compiled == 4
    assert run(tmp_path)[0].endswith(" True 0\n")
    (folder,) = (tmp_path / "cache").iterdir()
    assert all(path.suffix == ".nbc" for path in folder.iterdir() if path.name != "claims")


CLAIM = """
from tablebase.system.compute.kernel_cache import KernelCache
cache = KernelCache("kernels-test")
print(cache.claim("one"), flush=True)
input()
if SAVES:
    cache.save("one", b"content")
    cache.release("one")
    input()
"""


@pytest.mark.parametrize("saves", [True, False])
def test_a_claim_ends_with_the_file_or_with_the_process(saves: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until then another process waits, but only for the same file, and not for ever."""
    monkeypatch.setenv("TABLEBASE_CACHE", str(tmp_path / "cache"))
    cache = KernelCache("kernels-test")
    with start(tmp_path, code=CLAIM.replace("SAVES", str(saves))) as other:
        assert other.stdout.readline() == "False\n"
        assert not cache.claim("another")
        monkeypatch.setattr(kernel_cache, "PATIENCE", 0.2)
        assert (cache.claim("one"), cache.load("one")) == (True, None)
        monkeypatch.setattr(kernel_cache, "PATIENCE", 60)
        print(file=other.stdin, flush=True)
        cache.claim("one")
        assert cache.load("one") == (b"content" if saves else None)
        other.communicate("\n", timeout=60)


@pytest.mark.release
def test_a_damaged_file_is_replaced(folder: Path) -> None:
    cut, changed, empty, _ = (folder / "cache").rglob("*twice*.nbc")
    cut.write_bytes(cut.read_bytes()[:-1])
    flip(changed, changed.stat().st_size // 2)
    empty.write_bytes(b"")
    assert run(folder)[0].endswith(" True 3\n")


@pytest.mark.full
def test_a_users_own_functions_are_left_alone(tmp_path: Path) -> None:
    """With our kernels loaded, `numba.njit(cache=True)` uses NUMBA_CACHE_DIR or, without it, the folder of its file."""
    (tmp_path / "own.py").write_text("import numba\n\n@numba.njit(cache=True)\ndef own(value):\n    return value + 1\n")
    code = "import os, kernel, own; own.own(1); print(own.own.stats.cache_path); print(os.environ.get('NUMBA_CACHE_DIR'))"
    chosen = tmp_path / "chosen"
    printed, _ = run(tmp_path, code=code, NUMBA_CACHE_DIR=str(chosen))
    assert printed.splitlines()[1] == str(chosen)
    assert len(list(chosen.rglob("own.own-*.nbc"))) == 1
    printed, _ = run(tmp_path, code=code)
    assert printed.splitlines() == [str(tmp_path / "__pycache__"), "None"]
    assert not list((tmp_path / "cache").rglob("*own*"))


class Compiler:
    """All that the cache asks of Numba's."""

    def __init__(self, processor: str = "haswell", features: str = "") -> None:
        self.description = ("x86_64", processor, features)

    def magic_tuple(self) -> tuple[str, str, str]:
        """System, processor and features."""
        return self.description


def test_a_kernel_is_for_one_processor_and_one_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another processor, version of Numba or of Python, or another signature leads to another file."""

    def name(compiler: Compiler, signature: tuple[str, ...] = ()) -> str:
        found: str = enter._cache._name_and_key(signature, compiler)[0]
        return found

    assert name(Compiler()) == name(Compiler())
    names = [name(Compiler()), name(Compiler("nehalem")), name(Compiler(features="-avx2")), name(Compiler(), ("int8",))]
    for position in range(4):
        versions = list(jit._VERSIONS)
        versions[position] = "another"
        with monkeypatch.context() as patch:
            patch.setattr(jit, "_VERSIONS", tuple(versions))
            names.append(name(Compiler()))
    assert len(set(names)) == 8


def test_kernels_with_and_without_docstrings_are_the_same(tmp_path: Path) -> None:
    """Under ``PYTHONOPTIMIZE=2`` nothing is compiled again; two kernels of one file have files of their own."""
    source = 'def twice(number):\n    """Both times."""\n    return 2 * number\n'

    def made(text: str, level: int) -> jit._Cache:
        names: dict[str, Any] = {"__name__": "kernel"}
        exec(compile(text, tmp_path / "kernel.py", "exec", optimize=level), names)
        return jit._Cache(names["twice"], "digest of the file")

    plain, bare, later = made(source, 0), made(source, 2), made(f"\n{source}", 0)
    assert plain._py_func.__code__.co_code != bare._py_func.__code__.co_code
    plain_key, bare_key, later_key = (cache._name_and_key((), Compiler()) for cache in (plain, bare, later))
    assert plain_key == bare_key != later_key


@pytest.mark.full
def test_without_a_file_nothing_is_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions typed into an interpreter have none by which a change could be noticed; nobody waits for one with an address."""
    code = "from tablebase.system.compute.jit import jit\n@jit\ndef twice(value):\n    return 2 * value\nprint(twice(4))"
    assert run(tmp_path, code=code) == ("8\n", "")
    assert not list((tmp_path / "cache").rglob("*twice*"))
    monkeypatch.setattr(jit.CACHE, "release", released := Mock())
    with pytest.warns(UserWarning, match="cannot be cached"):
        enter._cache.save_overload((), Mock())
    released.assert_called_once()


def test_the_environment_names_the_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("TABLEBASE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    parents = [kernel_cache.cache_parent()]
    for name in ("XDG_CACHE_HOME", "TABLEBASE_CACHE"):
        monkeypatch.setenv(name, str(tmp_path / name))
        parents.append(kernel_cache.cache_parent())
    assert parents == [tmp_path / ".cache" / "tablebase", tmp_path / "XDG_CACHE_HOME" / "tablebase", tmp_path / "TABLEBASE_CACHE"]


# Old folders


@pytest.fixture
def versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TABLEBASE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "elsewhere").mkdir()
    for name in ("kernels-a/one", "kernels-a/claims", "kernels-b/two", f"{jit.KERNELS}/three", "mutants/four", "kernels-c"):
        path = tmp_path / "cache" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"12345")
    (tmp_path / "cache" / "kernels-d").symlink_to(tmp_path / "elsewhere")
    return tmp_path / "cache"


def test_kernels_of_other_versions_are_removed_when_asked(versions: Path, ask: Ask) -> None:
    """Without a tablebase; neither those of this version nor other folders, files and links; and only with a yes."""
    before = {path.name for path in versions.iterdir()}
    listed = ask("prune", "--kernels", "--format", "json", "--data", versions / "nowhere")
    assert_refused(listed, 2, "run the command again with --yes")
    assert [(Path(row["folder"]).name, row["files"], row["bytes"]) for row in listed.json] == [
        ("kernels-a", 2, 10),
        ("kernels-b", 1, 5),
    ]
    assert {path.name for path in versions.iterdir()} == before
    assert ask("prune", "--kernels", "--yes").err == f"removed from {versions}: 3 files, 15 bytes\n"
    assert {path.name for path in versions.iterdir()} == before - {"kernels-a", "kernels-b"}
    assert ask("prune", "--kernels", "--yes").err == f"nothing to remove in {versions}\n"


def test_a_running_program_makes_its_folder_again(versions: Path) -> None:
    cache = KernelCache("kernels-a")
    shutil.rmtree(versions / "kernels-a")
    assert cache.load("one") is None
    assert not cache.claim("one")
    cache.save("one", b"1")
    cache.release("one")
    assert (cache.folder, cache.load("one")) == (versions / "kernels-a", b"1")


# No folder that can be written to


@pytest.mark.full
@pytest.mark.parametrize("private", [False, None], ids=["not private", "none"])
def test_without_a_temporary_folder_kernels_stay_in_memory(private: bool | None, tmp_path: Path) -> None:
    """A folder that others can write to is not used, and kernels work without any."""
    folder = tmp_path / f"tablebase-{os.getuid()}"
    if private is None:
        folder.write_bytes(b"")
    else:
        folder.mkdir()
        folder.chmod(0o777)
    printed, errors = run(tmp_path, TABLEBASE_CACHE="/proc/none", TMPDIR=str(tmp_path))
    assert printed.endswith(" True 4\n")
    assert ("every time" in errors, errors.count("\n")) == (True, 1)
    assert not list(tmp_path.rglob("*.nbc"))


def test_a_full_disk_is_not_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """If a kernel cannot be saved, it goes to the temporary folder, and so do those after it."""
    monkeypatch.setenv("TABLEBASE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kernel_cache.tempfile, "tempdir", str(tmp_path))
    cache = KernelCache("kernels-a")
    assert cache.folder is not None
    shutil.rmtree(cache.folder)
    cache.folder.write_bytes(b"")
    cache.save("one", b"1")
    cache.save("two", b"2")
    assert [cache.load(name) for name in ("one", "two", "three")] == [b"1", b"2", None]
    assert cache.folder == tmp_path / f"tablebase-{os.getuid()}" / "kernels-a"
    assert capsys.readouterr().err.count(str(tmp_path / "cache")) == 1


@pytest.mark.full
@pytest.mark.skipif(os.getuid() == 0 and not shutil.which("setpriv"), reason="root may write to any folder")
def test_folders_that_cannot_be_written_to(folder: Path, tmp_path: Path) -> None:
    """A folder with all kernels is used without a word though it is read-only; without one, a private temporary folder is."""
    (kernels,) = (folder / "cache").iterdir()
    home, temporary = tmp_path / "home", tmp_path / "tmp"
    home.mkdir()
    temporary.mkdir()
    for one in (kernels, folder / "cache", home):
        one.chmod(0o555)
    ordinary = {"command": ("setpriv", "--bounding-set=-all", "--inh-caps=-all")} if os.getuid() == 0 else {}
    variables = {"HOME": str(home), "TMPDIR": str(temporary)}
    printed, errors = run(folder, **ordinary, **variables)
    assert (printed.endswith(" True 0\n"), errors) == (True, "")
    child = "import os, subprocess; print(subprocess.run([sys.executable, '-c', 'import kernel'], stderr=subprocess.STDOUT))"
    printed, errors = run(folder, code=CALL + child, **ordinary, TABLEBASE_CACHE="", XDG_CACHE_HOME="", **variables)
    # Processes that follow stay silent.
    assert (" True 4\n" in printed, printed.endswith("returncode=0)\n"), errors.count("\n")) == (True, True, 1)
    (private,) = temporary.glob("tablebase-*")
    for word in (str(home), str(private), "every time", "TABLEBASE_CACHE"):
        assert word in errors
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert len(list(private.rglob("*twice*.nbc"))) == 4
