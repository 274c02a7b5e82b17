"""Colours of outcomes in all charts."""

from tablebase.game import Outcome

COLOURS = {Outcome.WIN: "#0072B2", Outcome.LOSS: "#E69F00", Outcome.DRAW: "#BBBBBB"}
"""By Okabe and Ito, distinguishable with any colour vision."""
