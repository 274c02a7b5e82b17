"""Servers in this process for tests of pages and of the interface, and a folder with tables of two games."""

from support.tablebases import built_by
from support.web import client_fixture

two_games = built_by("build hexapawn --pieces 6", "build foxhounds-4x4", "patterns doushouqi --material RvE", base="two_pieces")
"""The two-piece tables of Dou Shou Qi with patterns of RvE, the tiers of Fox & Hounds on 4x4, and Hexapawn."""
client, pawns = client_fixture("two_games", "session", mine=True), client_fixture("hexapawns")
