"""The player of Fox & Hounds, by its name."""

from __future__ import annotations

from typing import Any

from tablebase.game.rules import Rules
from tablebase.play.player_records import PlayerRecord, loaded_later
from tablebase.play.players import FAIR_FUZZ


def _not_fox_and_hounds(rules: Rules[Any]) -> str | None:
    return None if rules.name.partition("-")[0] == "foxhounds" else "only Fox & Hounds has FoxBoxes"


PLAYERS = (
    PlayerRecord(
        "foxbox",
        "keeps the result in Fox & Hounds and makes the game as long, or as hard for the opponent, as possible",
        loaded_later("tablebase_rules.foxbox_players"),
        {
            **FAIR_FUZZ,
            "simple": "yes to make winning hounds aim only for the fastest return to a FoxBox (position in which the hounds "
            "enclose the fox); by default, no",
        },
        fair=True,
        strategy=loaded_later("tablebase_rules.foxbox_players", "fox_boxes"),
        refuses=_not_fox_and_hounds,
    ),
)
