"""Run the cells of the notebook as a script, and print their results; PIECES is the largest number of pieces, by default 3.

    PIECES=4 python -m scripts.reproduce.notebook

The tables are read from ``data``, or from the folder that ``TABLEBASE_DATA`` names.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import IPython.core.interactiveshell as interactive

NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebook.ipynb"


def main() -> None:
    """Run each cell of code; the first that fails ends the script."""
    module: Any = interactive
    shell = module.InteractiveShell.instance(colors="nocolor")
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            print()
            shell.run_cell("".join(cell["source"])).raise_error()


if __name__ == "__main__":
    main()
