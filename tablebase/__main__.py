"""``python -m tablebase`` is the command ``tablebase``."""

from tablebase.commands.program import main

main()
