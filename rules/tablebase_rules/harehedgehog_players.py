"""Hare & Hedgehog as the game of the commands that servers answer (`tablebase.commands.game_requests`), unless they name another one."""

COMMANDED = "harehedgehog"
