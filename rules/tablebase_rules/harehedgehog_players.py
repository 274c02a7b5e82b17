"""Hare & Hedgehog as the game of the commands that servers answer (`tablebase.api.commands`), unless they name another one."""

COMMANDED = "harehedgehog"
