"""Run what the README and other pages show.

readme.py command N             print the N-th command of the README's ``sh`` blocks
readme.py examples BIN [PAGE [FOLDER]]   run every ``$ …`` command of the page's ``console`` blocks, and compare
readme.py pages WHERE           print the pages in docs whose examples are marked to be run in such a folder

A page is marked by its first lines, as in ``examples: empty`` between two lines ``---``. Its examples run in an empty folder
(``empty``), in the clone after the README's first command (``root``), beside tables of Dou Shou Qi with two and three pieces
(``three``), or by a test of its own (``tests``).

BIN is put first on the path; commands run in FOLDER, by default here. They write as on a terminal of 80 columns.
A command may only fail where the page shows an error. Blocks of Python below the name of a file are written to that file.

A command continues over lines until its quotes are closed and its here document has ended.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def blocks(language: str, page: Path = README) -> list[str]:
    """The fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)


def pages(where: str) -> list[Path]:
    """The pages that are marked so."""
    return sorted(page for page in README.parent.glob("docs/**/*.md") if page.read_text().startswith(f"---\nexamples: {where}\n"))


def examples(page: Path) -> list[tuple[str, str]]:
    """Commands, each with the output shown below it."""
    shown = []
    for block in blocks("console", page):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.split("\n")
            end = next((end for end in range(1, len(lines)) if is_complete("\n".join(lines[:end]))), len(lines))
            shown.append(("\n".join(lines[:end]), "\n".join(lines[end:]).strip("\n")))
    return shown


def is_complete(command: str) -> bool:
    """Whether a command does not continue on the next line."""
    here_document = re.search(r"<<'(\w+)'", command)
    if here_document:
        return command.endswith(f"\n{here_document[1]}")
    try:
        shlex.split(command)
    except ValueError:
        return False
    return True


def printed_by(result: subprocess.CompletedProcess[str]) -> str:
    """What a run prints, without progress: messages first, then results."""
    progress = re.compile(r"^\s*$|: compiling, |: [0-9]+% .* passed")
    lines = [line for line in result.stderr.splitlines() if not progress.search(line)]
    return "\n".join(line.rstrip() for line in [*lines, *result.stdout.splitlines()]).strip("\n")


def run_examples(programs: str, page: Path, folder: str) -> None:
    """Run the examples of a page; fail at the first whose output differs from the page."""
    for name, text in re.findall(r"`(\w+\.py)`:\n\n```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE):
        Path(folder, name).write_text(text)
    environment = os.environ | {"PATH": f"{Path(programs).resolve()}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "80"}
    for command, shown in examples(page):
        print(f"$ {command}", flush=True)
        result = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        printed = printed_by(result)
        may_fail = re.search("^error: ", shown, re.MULTILINE)
        if (result.returncode != 0 and not may_fail) or printed != shown:
            sys.exit(f"exit code {result.returncode}\n{result.stderr}\nprinted:\n{printed}\nbut {page.name} shows:\n{shown}")


if __name__ == "__main__":
    if sys.argv[1] == "command":
        commands = [line for block in blocks("sh") for line in block.splitlines() if line.strip()]
        print(commands[int(sys.argv[2]) - 1])
    elif sys.argv[1] == "pages":
        print(*pages(sys.argv[2]), sep="\n")
    else:
        page, folder = (Path(sys.argv[3]) if len(sys.argv) > 3 else README), (sys.argv[4] if len(sys.argv) > 4 else ".")
        run_examples(sys.argv[2], page, folder)
