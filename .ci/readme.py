"""Run what the README shows.

readme.py command N       print the N-th command of the ``sh`` blocks
readme.py examples BIN    run every ``$ …`` line of the ``console`` blocks, BIN first on the path, and compare
"""

import os
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def blocks(language: str) -> list[str]:
    """The fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)


def examples() -> list[tuple[str, str]]:
    """Commands and the output shown below each."""
    found = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output.strip("\n")))
    return found


def run_examples(folder: str) -> None:
    """Fail at the first example whose output is not what the README shows."""
    environment = os.environ | {"PATH": f"{Path(folder).resolve()}{os.pathsep}{os.environ['PATH']}"}
    for command, shown in examples():
        print(f"$ {command}", flush=True)
        result = subprocess.run(command, shell=True, env=environment, capture_output=True, text=True, check=False)
        printed = "\n".join(line.rstrip() for line in result.stdout.splitlines()).strip("\n")
        if result.returncode != 0 or printed != shown:
            sys.exit(f"exit code {result.returncode}\n{result.stderr}\nprinted:\n{printed}\nbut the README shows:\n{shown}")


if __name__ == "__main__":
    if sys.argv[1] == "command":
        commands = [line for block in blocks("sh") for line in block.splitlines() if line.strip()]
        print(commands[int(sys.argv[2]) - 1])
    else:
        run_examples(sys.argv[2])
