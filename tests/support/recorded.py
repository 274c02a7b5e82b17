"""Records of random games of every kind."""

from dataclasses import replace
from random import Random
from typing import Any

from hypothesis import strategies as st

from tablebase.game.installed import load_rules
from tablebase.game.rules import CHANCE, Rules, legal
from tablebase.play.records import Record, record_of

KINDS = (
    "hexapawn",
    "doushouqi",
    "pig-target=10",
    "pig-players=3-target=10",
    "harehedgehog",
    "harehedgehog-players=3",
    "harehedgehog-players=6",
)


def random_game(rules: Rules[Any], random: Random, most: int = 80) -> tuple[Record, list[Any]]:
    positions, events = [rules.initial], list[tuple[str, bool]]()
    for _ in range(most):
        position = positions[-1]
        drawn = rules.to_move(position) == CHANCE
        after = {draw.label: draw.state for draw in rules.draws(position)} if drawn else legal(rules, position)
        if not after:
            break
        name = random.choice(list(after))
        events.append((name, drawn))
        positions.append(after[name])
    ending = rules.result(positions[-1])
    names = [f"player {number} of {random.choice('ab')}" for number in range(rules.players)]
    places = rules.standing(positions[-1]) if ending is None else ending.places
    why = "broken off" if ending is None else ending.why
    opening = random.randrange(4)
    return record_of(rules, random.randrange(1, 99), names, rules.initial, events, places, why, opening), positions


GAMES = st.tuples(st.sampled_from(KINDS), st.integers(0, 999)).map(lambda one: random_game(load_rules(one[0]), Random(one[1])))
"""Records with their positions."""


def records(name: str, number: int, seed: int = 0) -> list[Record]:
    random = Random(f"{name} {seed}")
    return [replace(random_game(load_rules(name), random)[0], number=place) for place in range(1, number + 1)]
