"""``python -m tablebase`` is the command ``tablebase``."""

from tablebase.cli import main

main()
