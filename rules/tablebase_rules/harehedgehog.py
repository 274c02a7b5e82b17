"""Hare & Hedgehog, the race of D. Parlett, for two to six players with one hare each.

The rules are those of an article on a program that plays it, completed where its prose is silent by the published ones of
1978 and 1995. What they leave open are options, see `WORDS`; the first values are the defaults. If a whole round passes in
which everybody is stuck and nothing changes, the game ends; states know nothing of that, but `Race.is_deadlock` does.

A turn is made of moves, cards and choices. The codes of a move are the squares ahead; the squares back to a hedgehog, below
0; 1001 and 1002 to stay and take or give ten carrots; 0 to stay, if nothing else is possible. A card that carries a hare to
another hare square (``card_chain=draw``) leads to another card only once in a turn, since turns would have no end otherwise.

As text, a state is ``square:carrots:lettuces`` for each player, separated by commas, and the number of the player to move:
``58:20:0,59:20:0 1``. A letter behind a player says that he waits: ``m`` to miss a turn, ``e`` to eat, ``p`` to be paid for
eating (``lettuce_pay=leaving``); ``#1`` is a finishing rank. Further words follow where there is something to say:

- ``draw:3``, ``choice`` or ``again``: a card is to be drawn after three carrots were paid, carrots may be taken or given,
  the player is to move again in the same turn;
- ``chained``: a card has led to another card in this turn (``card_chain=draw``);
- ``drawn:100000000``: how many of each kind of card are out (``deck=exhaust``);
- ``round:5``: rounds that are over (``rounds=R``).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from tablebase.errors import RulesError
from tablebase.game.stochastic import State
from tablebase_rules._harehedgehog import CARD_TEXTS, FIRST_CARROTS, RANK
from tablebase_rules._harehedgehog_digests import FORMER_DIGESTS
from tablebase_rules._harehedgehog_tables import TabledRace
from tablebase_rules._harehedgehog_text import in_words, read, write
from tablebase_rules.harehedgehog_json import describe, text_of

if TYPE_CHECKING:
    from tablebase.game.kernels import StateEvaluation

NUMBERS = {"players": (2, 6), "carrots": (0, 1000), "rounds": (0, 1000)}
"""The least and the largest value of the options that are numbers; the least is the default."""
WORDS = {
    "lettuce_pay": ("eating", "leaving"),
    "hedgehog": ("nearest", "nearest_free"),
    "stuck": ("stay", "restart"),
    "deck": ("replace", "exhaust"),
    "eat_card": ("next_turn", "at_once"),
    "again": ("must", "may"),
    "carrot_card": ("nearest", "nearest_free"),
    "card_chain": ("no", "draw"),
    "fall_on_hedgehog": ("yes", "no"),
    "end": ("all_but_one", "first"),
    "cards": ("deck", "none"),
}
"""The values of the options that are words, the default first."""


@cache
def game(
    players: int = 2,
    carrots: int = 0,
    lettuce_pay: str = "eating",
    hedgehog: str = "nearest",
    stuck: str = "stay",
    deck: str = "replace",
    eat_card: str = "next_turn",
    again: str = "must",
    carrot_card: str = "nearest",
    card_chain: str = "no",
    fall_on_hedgehog: str = "yes",
    end: str = "all_but_one",
    rounds: int = 0,
    cards: str = "deck",
) -> HareHedgehog:
    """The game.

    Parameters
    ----------
    players : int
        Two to six.
    carrots : int
        What each player begins with; 0 for 68, or 98 with five or six players.
    lettuce_pay : str
        Whether carrots for a lettuce are paid on eating it, or at the beginning of the following turn.
    hedgehog : str
        Whether the nearest hedgehog behind must be free, or a move goes to the nearest free one.
    stuck : str
        Whether a player who can do nothing stays, or goes back to the start with the first carrots.
    deck : str
        Whether each card is replaced at once, or only after all twelve are out.
    eat_card : str
        Whether the card ``eat`` means the next turn, or at once.
    again : str
        Whether the card ``again`` must or may be used.
    carrot_card : str
        Whether the cards to a carrot square lead to the nearest one if it is free, or to the nearest free one.
    card_chain : str
        Whether a hare square that a card leads to draws another card.
    fall_on_hedgehog : str
        Whether the card ``fall_back`` may lead to a hedgehog.
    end : str
        Whether the game goes on until all players but one have finished, or one has.
    rounds : int
        The rounds after which the game ends; 0 for no such end.
    cards : str
        Whether hare squares draw from the deck, or do nothing.

    Raises
    ------
    RulesError
        If an option has another value.
    """
    given = dict(locals())
    for name, (least, most) in NUMBERS.items():
        if not isinstance(given[name], int) or not least <= given[name] <= most:
            raise RulesError(f"harehedgehog has {name} from {least} to {most}, not {given[name]}")
    for name, words in WORDS.items():
        if given[name] not in words:
            raise RulesError(f"harehedgehog has no variant {name}={given[name]}: choose one of {', '.join(words)}")
    return HareHedgehog({**given, "carrots": carrots or FIRST_CARROTS[players]})


class HareHedgehog(TabledRace):
    """The game with its texts."""

    name = "harehedgehog"
    title = "Hare & Hedgehog"
    former_digests = FORMER_DIGESTS
    weights: ClassVar[Mapping[str, str]] = {
        "lettuces": "weight of lettuces, Ks",
        "carrots": "weight of carrots, Kc",
        "squares": "weight of the way covered, Kp",
    }

    def format(self, state: State) -> str:
        """A state as text."""
        return write(self, state)

    def parse(self, text: str) -> State:
        """The state that a text describes; errors are those of `StochasticGame.parse`."""
        return read(self, text)

    def code_text(self, code: int) -> str:
        """A move's code in words."""
        return in_words(code)

    def draw_text(self, label: str) -> str:
        """What a card says."""
        return CARD_TEXTS[label]

    def standing(self, state: State) -> tuple[int, ...]:
        """The finishing ranks; after them, who is ahead on the board."""
        return tuple(hare[RANK] or self.place(state, who) for who, hare in enumerate(self.hares(state)))

    def describe(self, state: State) -> dict[str, Any]:
        """What a state is made of."""
        return describe(self, state)

    def text_of(self, description: Mapping[str, Any]) -> str:
        """The text of what `describe` returns, or of the little that the article's program knows of a state."""
        return text_of(self, description)

    def evaluation(self, weights: Mapping[str, float]) -> StateEvaluation:
        """That of the article's program; errors are those of `tablebase_rules.harehedgehog_evaluation.evaluation`."""
        from tablebase_rules.harehedgehog_evaluation import evaluation

        return evaluation(weights)
