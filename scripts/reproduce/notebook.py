"""Run the cells of the notebook as a script, and print their results.

python -m scripts.reproduce.notebook --data data --pieces 4
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

import IPython.core.interactiveshell as interactive

NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebook.ipynb"


def main() -> None:
    """Run each cell of code; the first that fails ends the script."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="data", help="folder of the tables")
    parser.add_argument("--pieces", default="3", help="the largest number of pieces")
    given = parser.parse_args()
    os.environ |= {"TABLEBASE_DATA": given.data, "PIECES": given.pieces}
    module: Any = interactive
    shell = module.InteractiveShell.instance(colors="nocolor")
    shell.run_cell('import pandas; pandas.set_option("display.width", 200, "display.max_columns", None)')
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            print()
            shell.run_cell("".join(cell["source"])).raise_error()


if __name__ == "__main__":
    main()
