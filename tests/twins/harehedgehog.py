"""Hare & Hedgehog written anew, without the package: a whole turn is one tree, with dictionaries and fractions.

`read` and `write` turn texts of states at the beginning of a turn into dictionaries and back. `wins`
is the chance that a player comes first within a number of turns, from which `W` and `U` follow. Options are a dictionary of
those that are not the default; beside those of the rules it may have ``cap``, and ``merged`` or ``generous``.

A turn is a tree of tuples: ``("choose", mover, {code: node})``, ``("draw", [(probability, card, node)])``,
``("worst", [node])`` where a number of carrots is not known, ``("capped",)``, ``("end", state)``.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

State = dict[str, Any]
Node = tuple[Any, ...]
Options = dict[str, Any]

FIELDS = "SHCH3CHLI42I3CHIF24I3CL2IHC432IHFCH23ICHC2LI34H2FCIH324CILHC2HLHZ"
CARDS = {"free": 2, "take_or_give": 2, "fall_back": 2} | dict.fromkeys(
    ("miss", "eat", "move_up", "again", "next_carrot", "last_carrot"), 1
)
MANY = "many"
"""More carrots than the cap, nobody knows how many."""


def read(text: str, options: Options | None = None) -> State:
    """A state from its text; under a merged cap, a hare with more than that has many carrots."""
    options = options or {}
    hares, mover, *more = text.split()
    state: State = {"hares": [], "mover": int(mover) - 1, "round": 0, "drawn": dict.fromkeys(CARDS, 0)}
    for word in hares.split(","):
        numbers, _, rank = word.partition("#")
        wait = numbers[-1] if numbers[-1].isalpha() else ""
        square, carrots, lettuces = map(int, numbers.rstrip("mep").split(":"))
        state["hares"].append({"at": square, "carrots": carrots, "lettuces": lettuces, "wait": wait, "rank": int(rank or 0)})
    for word in more:
        key, _, value = word.partition(":")
        state[key] = int(value) if key == "round" else dict(zip(CARDS, map(int, value), strict=True))
    return clipped(state, options)


def write(state: State) -> str:
    """The text of a state; it has words for what is drawn and for the round only where there is anything to say."""
    hares = [
        f"{hare['at']}:{hare['carrots']}:{hare['lettuces']}{hare['wait']}" + (f"#{hare['rank']}" if hare["rank"] else "")
        for hare in state["hares"]
    ]
    words = [",".join(hares), str(state["mover"] + 1)]
    if any(state["drawn"].values()):
        words.append("drawn:" + "".join(map(str, state["drawn"].values())))
    if state["round"]:
        words.append(f"round:{state['round']}")
    return " ".join(words)


def copied(state: State) -> State:
    return {**state, "hares": [dict(hare) for hare in state["hares"]], "drawn": dict(state["drawn"])}


def finished(state: State) -> int:
    return sum(hare["rank"] > 0 for hare in state["hares"])


def place(state: State, who: int) -> int:
    return 1 + sum(hare["at"] > state["hares"][who]["at"] for hare in state["hares"])


def is_free(state: State, square: int) -> bool:
    return square in (0, 64) or all(hare["at"] != square for hare in state["hares"])


def is_over(state: State, options: Options) -> bool:
    done = finished(state)
    if done == len(state["hares"]) - 1 or (done and options.get("end") == "first"):
        return True
    return bool(options.get("rounds")) and state["round"] == options["rounds"]


def sole_first(state: State) -> int | None:
    for who, hare in enumerate(state["hares"]):
        if hare["rank"] == 1:
            return who
    furthest = max(hare["at"] for hare in state["hares"])
    first = [who for who, hare in enumerate(state["hares"]) if hare["at"] == furthest]
    return first[0] if len(first) == 1 else None


def clipped(state: State, options: Options) -> State:
    """The state as a table with a merged cap knows it."""
    if options.get("merged"):
        for hare in state["hares"]:
            if hare["carrots"] != MANY and hare["carrots"] > options["cap"]:
                hare["carrots"] = MANY
    return state


def checked(state: State, options: Options, then: Callable[[State], Node]) -> Node:
    clipped(state, options)
    if "cap" in options and not options.get("merged") and any(hare["carrots"] > options["cap"] for hare in state["hares"]):
        return ("capped",)
    return then(state)


def gain(hare: dict[str, Any], number: int) -> None:
    if hare["carrots"] != MANY:
        hare["carrots"] += number


def turn(state: State, options: Options, attacker: int | None = None) -> Node:
    """Everything that may happen until the next turn begins."""
    state = copied(state)
    who = state["mover"]
    hare = state["hares"][who]
    waited, hare["wait"] = hare["wait"], ""
    if waited == "m":
        return ("choose", who, {0: end(state, options)})
    if waited == "e":
        if hare["lettuces"]:
            eat(state, who, options)
        return ("choose", who, {0: checked(state, options, lambda after: end(after, options))})
    due = 10 * place(state, who) if waited == "p" else 0
    field = FIELDS[hare["at"]]
    if field == str(place(state, who)) or (field == "F" and place(state, who) in (1, 5, 6)):
        due += 10 * place(state, who)
    return play(state, who, due, False, options, attacker)


def eat(state: State, who: int, options: Options) -> None:
    hare = state["hares"][who]
    hare["lettuces"] -= 1
    if options.get("lettuce_pay") == "leaving":
        hare["wait"] = "p"
    else:
        gain(hare, 10 * place(state, who))


def play(state: State, who: int, due: int, again: bool, options: Options, attacker: int | None) -> Node:
    hare = state["hares"][who]

    def after(code: int, target: int, carrots: int) -> Node:
        new = copied(state)
        new["hares"][who].update(at=target, carrots=carrots)
        return checked(new, options, lambda now: arrive(now, who, code, options, attacker))

    if hare["carrots"] != MANY:
        codes = legal(state, who, hare["carrots"] + due, again, options)
        return ("choose", who, {code: after(code, *there) for code, there in codes.items()})

    # A number that pays the way home and leaves more than the cap allows what all larger ones allow.
    least = options["cap"] + 1 + due
    most = max(least, sum(range(65 - hare["at"]))) + options["cap"] + 20
    each = [legal(state, who, carrots, again, options) for carrots in range(least, most)]
    common = set.intersection(*map(set, each)) if attacker == who else set.union(*map(set, each))
    if common:
        return ("choose", who, {code: worst(code, each, after, options) for code in sorted(common)})
    return ("worst", [worst(code, each, after, options) for code in sorted(set.union(*map(set, each)))])


def worst(code: int, each: list[dict[int, tuple[int, int]]], after: Callable[..., Node], options: Options) -> Node:
    """What a code leads to for all numbers of carrots that allow it."""
    there = {codes[code] for codes in each if code in codes}
    there = {(target, min(carrots, options["cap"] + 1)) for target, carrots in there}
    return ("worst", [after(code, *one) for one in sorted(there)])


def legal(state: State, who: int, carrots: int, again: bool, options: Options) -> dict[int, tuple[int, int]]:
    hare = state["hares"][who]
    here = hare["at"]
    codes: dict[int, tuple[int, int]] = {}
    for target in range(here + 1, 65):
        cost = sum(range(target - here + 1))
        if cost > carrots:
            break
        if may_stand(state, who, target, carrots - cost) and FIELDS[target] != "I":
            codes[target - here] = (target, carrots - cost)
    for target in range(here - 1, 0, -1):
        if FIELDS[target] == "I":
            if is_free(state, target):
                codes[target - here] = (target, carrots + 10 * (here - target))
            if is_free(state, target) or options.get("hedgehog") != "nearest_free":
                break
    if FIELDS[here] == "C":
        codes[1001] = (here, carrots + 10)
        if carrots >= 10:
            codes[1002] = (here, carrots - 10)
    if again and options.get("again") == "may":
        codes[0] = (here, carrots)
    if not codes:
        codes[0] = (0, first_carrots(state, options)) if options.get("stuck") == "restart" else (here, carrots)
    return codes


def first_carrots(state: State, options: Options) -> int:
    return int(options.get("carrots") or (98 if len(state["hares"]) >= 5 else 68))


def may_stand(state: State, who: int, square: int, carrots: int | str) -> bool:
    """Whether the hare may come to a square ahead, or fall onto it, with this many carrots; hedgehogs apart."""
    lettuces = state["hares"][who]["lettuces"]
    if square == 64:
        return lettuces == 0 and carrots != MANY and int(carrots) <= 10 * (1 + finished(state))
    return is_free(state, square) and (FIELDS[square] != "L" or lettuces > 0)


def arrive(state: State, who: int, code: int, options: Options, attacker: int | None) -> Node:
    """What the square does to a hare that has come to it by a code."""
    if not 1 <= code <= 64:
        return end(state, options)
    stand(state, who)
    if FIELDS[state["hares"][who]["at"]] == "H" and options.get("cards") != "none":
        return draw(state, who, sum(range(code + 1)), options, attacker)
    return end(state, options)


def stand(state: State, who: int) -> None:
    hare = state["hares"][who]
    if hare["at"] == 64:
        hare["rank"] = 1 + finished(state)
    if FIELDS[hare["at"]] == "L":
        hare["wait"] = "e"


def end(state: State, options: Options) -> Node:
    state.pop("chained", None)
    before = state["mover"]
    playing = [who for who, hare in enumerate(state["hares"]) if not hare["rank"]]
    later = [who for who in playing if who > before]
    state["mover"] = later[0] if later else playing[0]
    if not later and options.get("rounds"):
        state["round"] += 1
    return ("end", state)


def draw(state: State, who: int, paid: int, options: Options, attacker: int | None) -> Node:
    left = {card: number - state["drawn"][card] for card, number in CARDS.items()}
    outcomes = []
    for card, number in left.items():
        if number:
            new = copied(state)
            if options.get("deck") == "exhaust":
                new["drawn"][card] += 1
                if new["drawn"] == CARDS:
                    new["drawn"] = dict.fromkeys(CARDS, 0)
            node = EFFECTS[card](new, who, paid, options, attacker)
            outcomes.append((Fraction(number, sum(left.values())), card, node))
    return ("draw", outcomes)


def free(state: State, who: int, paid: int, options: Options, _: int | None) -> Node:
    gain(state["hares"][who], paid)
    return checked(state, options, lambda now: end(now, options))


def take_or_give(state: State, who: int, _: int, options: Options, __: int | None) -> Node:
    def with_carrots(carrots: int) -> Node:
        new = copied(state)
        new["hares"][who]["carrots"] = carrots
        return checked(new, options, lambda now: end(now, options))

    carrots = state["hares"][who]["carrots"]
    if carrots == MANY:
        above = options["cap"] + 1
        giving = sorted({min(carrots - 10, above) for carrots in range(above, above + 20)})
        given = ("worst", [with_carrots(carrots) for carrots in giving])
        return ("choose", who, {0: with_carrots(above), 1001: with_carrots(above), 1002: given})
    results = {0: carrots, 1001: carrots + 10, 1002: carrots - 10}
    return ("choose", who, {code: with_carrots(after) for code, after in results.items() if after >= 0})


def go(state: State, who: int, squares: list[int], options: Options, attacker: int | None) -> Node:
    """The hare goes to the first of these squares, if there is one; a card may lead to another card once in a turn."""
    if squares:
        state["hares"][who]["at"] = squares[0]
        stand(state, who)
        if FIELDS[squares[0]] == "H" and options.get("card_chain") == "draw" and "chained" not in state:
            state["chained"] = True
            return draw(state, who, 0, options, attacker)
    return end(state, options)


def fall_back(state: State, who: int, _: int, options: Options, attacker: int | None) -> Node:
    behind = [hare["at"] for hare in state["hares"] if hare["at"] < state["hares"][who]["at"]]
    if not behind:
        return end(state, options)
    below = [square for square in range(max(behind) - 1, -1, -1) if may_stand(state, who, square, 0)]
    if options.get("fall_on_hedgehog") == "no":
        below = [square for square in below if FIELDS[square] != "I"]
    return go(state, who, below, options, attacker)


def move_up(state: State, who: int, _: int, options: Options, attacker: int | None) -> Node:
    hare = state["hares"][who]
    ahead = [other["at"] for other in state["hares"] if hare["at"] < other["at"] < 64]
    if not ahead:
        return end(state, options)
    above = [
        square for square in range(min(ahead) + 1, 65) if may_stand(state, who, square, hare["carrots"]) and FIELDS[square] != "I"
    ]
    return go(state, who, above, options, attacker)


def miss(state: State, who: int, _: int, options: Options, __: int | None) -> Node:
    state["hares"][who]["wait"] = "m"
    return end(state, options)


def eat_card(state: State, who: int, _: int, options: Options, __: int | None) -> Node:
    hare = state["hares"][who]
    if options.get("eat_card") != "at_once":
        hare["wait"] = "e"
    elif hare["lettuces"]:
        eat(state, who, options)
    else:
        hare["wait"] = "m"
    return checked(state, options, lambda now: end(now, options))


def again(state: State, who: int, _: int, options: Options, attacker: int | None) -> Node:
    return play(state, who, 0, True, options, attacker)


def to_carrots(state: State, who: int, squares: Iterable[int], options: Options, attacker: int | None) -> Node:
    fields = [square for square in squares if FIELDS[square] == "C"]
    if options.get("carrot_card") == "nearest_free":
        fields = [square for square in fields if is_free(state, square)]
    return go(state, who, [square for square in fields[:1] if is_free(state, square)], options, attacker)


def next_carrot(state: State, who: int, _: int, options: Options, attacker: int | None) -> Node:
    return to_carrots(state, who, range(state["hares"][who]["at"] + 1, 65), options, attacker)


def last_carrot(state: State, who: int, _: int, options: Options, attacker: int | None) -> Node:
    return to_carrots(state, who, range(state["hares"][who]["at"] - 1, -1, -1), options, attacker)


EFFECTS: dict[str, Callable[[State, int, int, Options, int | None], Node]] = dict(
    zip(CARDS, (free, take_or_give, fall_back, miss, eat_card, move_up, again, next_carrot, last_carrot), strict=True)
)


def wins(text: str, turns: int, attacker: int, **options: Any) -> Fraction:
    """The chance that the attacker comes first within a number of turns of all together, while all others hinder him."""
    known: dict[tuple[str, int], Fraction] = {}

    def of_state(state: State, turns: int) -> Fraction:
        if is_over(state, options):
            return Fraction(sole_first(state) == attacker)
        if turns == 0:
            return Fraction(0)
        key = (write(state), turns)
        if key not in known:
            known[key] = of_node(turn(state, options, attacker), turns)
        return known[key]

    def of_node(node: Node, turns: int) -> Fraction:
        match node:
            case ("choose", who, codes):
                return (max if who == attacker else min)(of_node(child, turns) for child in codes.values())
            case ("draw", outcomes):
                return sum((chance * of_node(child, turns) for chance, _, child in outcomes), Fraction(0))
            case ("worst", children):
                return min(of_node(child, turns) for child in children)
            case ("capped",):
                return Fraction(bool(options.get("generous")))
        return of_state(node[1], turns - 1)

    return of_state(read(text, options), turns)


def W(text: str, turns: int, **options: Any) -> Fraction:  # noqa: N802 (as in the definition)
    """The chance that the player to move wins within a number of turns of both together."""
    return wins(text, turns, int(text.split()[1]) - 1, **options)


def U(text: str, turns: int, **options: Any) -> Fraction:  # noqa: N802
    """One minus the chance that the other of two players wins within a number of turns."""
    return 1 - wins(text, turns, 2 - int(text.split()[1]), **options)
