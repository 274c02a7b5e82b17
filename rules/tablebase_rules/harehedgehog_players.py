"""Hare & Hedgehog as the default game of `tablebase.commands.game_requests`, which servers answer."""

COMMANDED = "harehedgehog"
