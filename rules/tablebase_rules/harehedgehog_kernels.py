"""Hare & Hedgehog as compiled functions; states and their order are those of `tablebase_rules.harehedgehog`.

A table limits the carrots. Under a strict cap, the game is over without a winner once a player holds more. Under a merged
one, all larger numbers are one, the cap plus 1. Of those, the attacker may use what every such number allows, the other
player what some such number allows. Where the carrots left are then unknown, a state has -1 - n instead of their number,
which stands for n or more, and `expand` returns `DOUBT` with all of these. Under a generous one, the attacker has won once a
player holds more.

With a merged cap of 20 or more, every number above it allows some step ahead unless all are blocked, and allows none home
where that is the only one left. So a player can be stuck with all of these numbers or with none.
"""

from __future__ import annotations

from typing import Any

from tablebase.game.kernels import (
    BEGINS,
    CHANCE,
    DOUBT,
    LABEL,
    OVER,
    STATE,
    WEIGHT,
    borrowed,
    counts_alike,
    expands,
    indexes,
    inline,
    lists_states,
)

# Where the numbers of the rules are. Options are 1 where they have their second value.
PLAYERS, FIRST_CARROTS, ROUNDS = 0, 1, 2
LEAVING, FREE_HEDGEHOG, RESTART, EXHAUST, AT_ONCE, MAY, FREE_CARROTS, CHAIN, NO_HEDGEHOG, FIRST_ENDS, NO_CARDS = range(3, 14)
CAP, MERGED = 14, 15
LAYOUTS = 16
"""How many pairs of lettuces a table has; 0 if there is no table."""
PLACEMENTS = 17
"""How many placements there are if the player who is not to move has no lettuces; after it, if he has some."""
GENEROUS = 19
KINDS, PAYS, HEDGEHOGS, NEXT_CARROTS, LAST_CARROTS = range(32, 32 + 5 * 65, 65)
"""For each square its kind, a bit for each place that it pays, and the nearest square of a kind, -1 if there is none."""
COPIES = 360
BASES = 370
"""The first number of the states with these lettuces, by four times the mover's plus the other's; -1 if there are none."""
LETTUCES = 390
"""The same pairs of lettuces, in the order of their numbers."""
NUMBERS = 410
"""The number of a placement: what both players wait for, and their squares; -1 if the table has it not."""
WAITS, BOARD = 5, 64
PLACES = NUMBERS + WAITS * WAITS * BOARD * BOARD
"""The inverse: the position in `NUMBERS`."""

SQUARE, CARROTS, HELD, WAIT, RANK, PER_PLAYER = range(6)
MOVER, PHASE, PAID, CHAINED, DRAWN, ROUND, SHARED = range(7)
READY, MISS, EAT, PAY, ONCE_MORE = range(5)
"""What players wait for; a mover in the phase `AGAIN` is stored as one who waits to move once more."""
TURN, DRAW, CHOICE, AGAIN = range(4)
PLAIN, CARROT, LETTUCE, HEDGEHOG, HARE = range(5)
FREE, TAKE_OR_GIVE, FALL_BACK, MISS_TURN, EAT_LETTUCE, MOVE_UP, MOVE_AGAIN, NEXT, LAST, CARDS = range(10)
HOME, UNIT, TAKE, GIVE = 64, 10, 1001, 1002


@inline
def _doubts(rules: Any, state: Any, begin: Any, rows: Any) -> Any:
    """A row for each number of carrots that a player may have."""
    least = -1 - state[begin + CARROTS]
    count = rules[CAP] + 2 - least
    for row in range(count):
        _copy(rules, state, rows, row, 0, 1)
        rows[row, STATE + begin + CARROTS] = least + row
        rows[row, BEGINS] = state[PER_PLAYER * rules[PLAYERS] + PHASE] == TURN
    return count


@inline
def _winner(rules: Any, state: Any) -> Any:
    """Who alone is in first place in a game that is over: the first to finish or, if nobody has, the first on the board."""
    first, best, several = -1, -1, False
    for player in range(rules[PLAYERS]):
        if state[PER_PLAYER * player + RANK] == 1:
            return player
        square = state[PER_PLAYER * player + SQUARE]
        if square == best:
            several = True
        if square > best:
            first, best, several = player, square, False
    return -1 if several else first


# Parts of a turn


@inline
def _copy(rules: Any, state: Any, rows: Any, row: Any, label: Any, weight: Any) -> None:
    """Begin a row with the state as it is."""
    rows[row, LABEL] = label
    rows[row, WEIGHT] = weight
    rows[row, BEGINS] = 0
    for field in range(PER_PLAYER * rules[PLAYERS] + SHARED):
        rows[row, STATE + field] = state[field]


@inline
def _end(rules: Any, rows: Any, row: Any) -> None:
    """The turn of a row is over; it has yet to be known how many carrots the player has left if that is in doubt."""
    players = rules[PLAYERS]
    shared = STATE + PER_PLAYER * players
    mover = rows[row, shared + MOVER]
    rows[row, BEGINS] = rows[row, STATE + PER_PLAYER * mover + CARROTS] >= 0
    rows[row, shared + PHASE] = TURN
    rows[row, shared + CHAINED] = 0
    following = mover + 1 if mover + 1 < players else 0
    while rows[row, STATE + PER_PLAYER * following + RANK] > 0:
        following = following + 1 if following + 1 < players else 0
    rows[row, shared + MOVER] = following
    if rules[ROUNDS] > 0 and following <= mover:
        rows[row, shared + ROUND] += 1


@inline
def _clipped(rules: Any, carrots: Any) -> Any:
    """A number of carrots as the table knows it."""
    return min(carrots, rules[CAP] + 1) if rules[MERGED] else carrots


@inline
def _left(rules: Any, held: Any, carrots: Any, paid: Any) -> Any:
    """What is left of carrots after some were paid, if the player held so many before the turn."""
    if rules[MERGED] and held > rules[CAP] and carrots - paid <= rules[CAP]:
        return -1 - max(carrots - paid, 0)
    return _clipped(rules, carrots - paid)


@inline
def _place(rules: Any, state: Any) -> Any:
    """The place of the player to move on the board."""
    shared = PER_PLAYER * rules[PLAYERS]
    here = state[PER_PLAYER * state[shared + MOVER] + SQUARE]
    place = 1
    for begin in range(0, shared, PER_PLAYER):
        place += state[begin + SQUARE] > here
    return place


@inline
def _is_free(rules: Any, state: Any, square: Any) -> Any:
    """Whether a player can come to a square that another may stand on."""
    if square == 0:
        return True
    for begin in range(0, PER_PLAYER * rules[PLAYERS], PER_PLAYER):
        if state[begin + SQUARE] == square:
            return False
    return True


@inline
def _admits(rules: Any, state: Any, lettuces: Any, square: Any) -> Any:
    """Whether a player with so many lettuces can come to a square before home, hedgehogs apart."""
    return (rules[KINDS + square] != LETTUCE or lettuces > 0) and _is_free(rules, state, square)


@inline
def _nearest(rules: Any, state: Any, table: Any, free: Any) -> Any:
    """The nearest square of a kind, or the nearest free one; -1 if there is none, or it is not free."""
    square = rules[table + state[PER_PLAYER * state[PER_PLAYER * rules[PLAYERS] + MOVER] + SQUARE]]
    while square >= 0 and not _is_free(rules, state, square):
        square = rules[table + square] if free else -1
    return square


@inline
def _eat(rules: Any, state: Any, rows: Any, row: Any) -> None:
    """The player to move gives up a lettuce, if he has one, and is paid for it now or later."""
    begin = STATE + PER_PLAYER * state[PER_PLAYER * rules[PLAYERS] + MOVER]
    if rows[row, begin + HELD] > 0:
        rows[row, begin + HELD] -= 1
        if rules[LEAVING]:
            rows[row, begin + WAIT] = PAY
        else:
            rows[row, begin + CARROTS] = _clipped(rules, rows[row, begin + CARROTS] + UNIT * _place(rules, state))


@inline
def _stand(rules: Any, rows: Any, row: Any, square: Any, finished: Any) -> None:
    """The player to move has come to a square by a move ahead or by a card."""
    begin = STATE + PER_PLAYER * rows[row, STATE + PER_PLAYER * rules[PLAYERS] + MOVER]
    rows[row, begin + SQUARE] = square
    if square == HOME:
        rows[row, begin + RANK] = finished + 1
    elif rules[KINDS + square] == LETTUCE:
        rows[row, begin + WAIT] = EAT


@inline
def _stay(rules: Any, state: Any, rows: Any, row: Any, code: Any, square: Any, carrots: Any) -> Any:
    """Add a row for a turn that ends on a square that does nothing."""
    _copy(rules, state, rows, row, code, 1)
    begin = STATE + PER_PLAYER * state[PER_PLAYER * rules[PLAYERS] + MOVER]
    rows[row, begin + WAIT] = READY
    rows[row, begin + SQUARE] = square
    rows[row, begin + CARROTS] = carrots
    _end(rules, rows, row)
    return row + 1


# Moves


@inline
def _codes(rules: Any, state: Any, attacker: Any, finished: Any, rows: Any) -> Any:
    """The codes of a player who does not wait."""
    shared = PER_PLAYER * rules[PLAYERS]
    who = state[shared + MOVER]
    here, held = state[PER_PLAYER * who + SQUARE], state[PER_PLAYER * who + CARROTS]
    carrots = held
    if state[shared + PHASE] == TURN:
        place = _place(rules, state)
        carrots += UNIT * place * ((rules[PAYS + here] >> place & 1) + (state[PER_PLAYER * who + WAIT] == PAY))
    unknown = rules[MERGED] and held > rules[CAP]
    count = _ahead(rules, state, finished, carrots, unknown, unknown and attacker != who, rows)
    back = _nearest(rules, state, HEDGEHOGS, rules[FREE_HEDGEHOG])
    if back >= 0:
        count = _stay(rules, state, rows, count, back - here, back, _clipped(rules, carrots + UNIT * (here - back)))
    if rules[KINDS + here] == CARROT:
        count = _stay(rules, state, rows, count, TAKE, here, _clipped(rules, carrots + UNIT))
        if carrots >= UNIT:
            count = _stay(rules, state, rows, count, GIVE, here, _left(rules, held, carrots, UNIT))
    if state[shared + PHASE] == AGAIN and rules[MAY]:
        count = _stay(rules, state, rows, count, 0, here, _clipped(rules, carrots))
    if count == 0 and rules[RESTART]:
        return _stay(rules, state, rows, 0, 0, 0, _clipped(rules, rules[FIRST_CARROTS]))
    if count == 0:
        return _stay(rules, state, rows, 0, 0, here, _clipped(rules, carrots))
    return count


@inline
def _ahead(rules: Any, state: Any, finished: Any, carrots: Any, unknown: Any, some: Any, rows: Any) -> Any:
    """The moves ahead.

    If the number of carrots is unknown, `carrots` is the least; the moves are those that some such number allows, or all.
    """
    shared = PER_PLAYER * rules[PLAYERS]
    begin = PER_PLAYER * state[shared + MOVER]
    here, lettuces = state[begin + SQUARE], state[begin + HELD]
    count = 0
    for target in range(here + 1, HOME + 1):
        paid = (target - here) * (target - here + 1) // 2
        if paid > carrots and not some:
            break
        if target == HOME:
            if lettuces > 0 or carrots - paid > UNIT * (1 + finished) or (unknown and not some):
                break
        elif rules[KINDS + target] == HEDGEHOG or not _admits(rules, state, lettuces, target):
            continue
        _copy(rules, state, rows, count, target - here, 1)
        rows[count, STATE + begin + WAIT] = READY
        left = _left(rules, state[begin + CARROTS], carrots, paid)
        rows[count, STATE + begin + CARROTS] = max(carrots - paid, 0) if target == HOME else left
        _stand(rules, rows, count, target, finished)
        if rules[KINDS + target] == HARE and not rules[NO_CARDS]:
            rows[count, STATE + shared + PHASE] = DRAW
            rows[count, STATE + shared + PAID] = paid
        else:
            _end(rules, rows, count)
        count += 1
    return count


@inline
def _choices(rules: Any, state: Any, rows: Any) -> Any:
    """Doing nothing, taking and giving."""
    begin = PER_PLAYER * state[PER_PLAYER * rules[PLAYERS] + MOVER]
    here, carrots = state[begin + SQUARE], state[begin + CARROTS]
    _stay(rules, state, rows, 0, 0, here, carrots)
    _stay(rules, state, rows, 1, TAKE, here, _clipped(rules, carrots + UNIT))
    if carrots < UNIT:
        return 2
    return _stay(rules, state, rows, 2, GIVE, here, _left(rules, carrots, carrots, UNIT))


# Cards


@inline
def _draws(rules: Any, state: Any, finished: Any, rows: Any) -> Any:
    """A row for each kind of card that is left."""
    shared = PER_PLAYER * rules[PLAYERS]
    drawn = state[shared + DRAWN]
    full = 0
    for card in range(CARDS):
        full |= rules[COPIES + card] << 2 * card
    count = 0
    for card in range(CARDS):
        left = rules[COPIES + card] - (drawn >> 2 * card & 3)
        if left > 0:
            _copy(rules, state, rows, count, card, left)
            rows[count, STATE + shared + PAID] = 0
            if rules[EXHAUST]:
                after = drawn + (1 << 2 * card)
                rows[count, STATE + shared + DRAWN] = 0 if after == full else after
            _card(rules, state, card, finished, rows, count)
            count += 1
    return count


@inline
def _card(rules: Any, state: Any, card: Any, finished: Any, rows: Any, row: Any) -> None:
    """What a card does to a row."""
    shared = PER_PLAYER * rules[PLAYERS]
    begin = PER_PLAYER * state[shared + MOVER]
    if card == TAKE_OR_GIVE:
        rows[row, STATE + shared + PHASE] = CHOICE
        return
    if card == MOVE_AGAIN:
        rows[row, STATE + shared + PHASE] = AGAIN
        return
    if card == FREE:
        rows[row, STATE + begin + CARROTS] = _clipped(rules, state[begin + CARROTS] + state[shared + PAID])
    elif card == EAT_LETTUCE and rules[AT_ONCE] and state[begin + HELD] > 0:
        _eat(rules, state, rows, row)
    elif card == EAT_LETTUCE and not rules[AT_ONCE]:
        rows[row, STATE + begin + WAIT] = EAT
    elif card in (MISS_TURN, EAT_LETTUCE):
        rows[row, STATE + begin + WAIT] = MISS
    else:
        target = _target(rules, state, card, finished)
        if target >= 0:
            _stand(rules, rows, row, target, finished)
            if rules[CHAIN] and rules[KINDS + target] == HARE and not state[shared + CHAINED]:
                rows[row, STATE + shared + CHAINED] = 1
                return
    _end(rules, rows, row)


@inline
def _target(rules: Any, state: Any, card: Any, finished: Any) -> Any:
    """The square that a card leads to; -1 if there is none."""
    shared = PER_PLAYER * rules[PLAYERS]
    begin = PER_PLAYER * state[shared + MOVER]
    here, lettuces = state[begin + SQUARE], state[begin + HELD]
    if card == NEXT:
        return _nearest(rules, state, NEXT_CARROTS, rules[FREE_CARROTS])
    if card == LAST:
        return _nearest(rules, state, LAST_CARROTS, rules[FREE_CARROTS])
    behind, ahead = 0, HOME
    for other in range(0, shared, PER_PLAYER):
        square = state[other + SQUARE]
        if square < here:
            behind = max(behind, square)
        if square > here:
            ahead = min(ahead, square)
    if card == FALL_BACK:
        for target in range(behind - 1, -1, -1):
            if _admits(rules, state, lettuces, target) and not (rules[NO_HEDGEHOG] and rules[KINDS + target] == HEDGEHOG):
                return target
        return -1
    for target in range(ahead + 1, HOME):
        if rules[KINDS + target] != HEDGEHOG and _admits(rules, state, lettuces, target):
            return target
    return HOME if ahead < HOME and lettuces == 0 and state[begin + CARROTS] <= UNIT * (1 + finished) else -1


@expands
def expand(rules: Any, state: Any, attacker: Any, rows: Any) -> Any:
    """The moves, the cards, or all numbers of carrots that there may be."""
    rules, state, rows = borrowed(rules), borrowed(state), borrowed(rows)
    finished = 0
    for begin in range(0, PER_PLAYER * rules[PLAYERS], PER_PLAYER):
        if state[begin + CARROTS] < 0:
            return DOUBT, _doubts(rules, state, begin, rows)
        if 0 <= rules[CAP] < state[begin + CARROTS] and not rules[MERGED]:
            return OVER, attacker if rules[GENEROUS] else -1
        finished += state[begin + RANK] > 0
    shared = PER_PLAYER * rules[PLAYERS]
    most = 1 if rules[FIRST_ENDS] else rules[PLAYERS] - 1
    if finished >= most or 0 < rules[ROUNDS] <= state[shared + ROUND]:
        return OVER, _winner(rules, state)
    who, phase = state[shared + MOVER], state[shared + PHASE]
    if phase == DRAW:
        return CHANCE, _draws(rules, state, finished, rows)
    if phase == CHOICE:
        return who, _choices(rules, state, rows)
    wait = state[PER_PLAYER * who + WAIT]
    if wait in (MISS, EAT):
        _copy(rules, state, rows, 0, 0, 1)
        rows[0, STATE + PER_PLAYER * who + WAIT] = READY
        if wait == EAT:
            _eat(rules, state, rows, 0)
        _end(rules, rows, 0)
        return who, 1
    return who, _codes(rules, state, attacker, finished, rows)


# Numbers of states in a table, for two players


@indexes
def index(rules: Any, state: Any) -> Any:
    """The number of the state at which a player next has a choice, if the carrots stay within what the table knows."""
    shared = 2 * PER_PLAYER
    phase = state[shared + PHASE]
    if rules[LAYOUTS] == 0 or phase in (DRAW, CHOICE) or state[shared + CHAINED] or state[RANK] or state[PER_PLAYER + RANK]:
        return -1, -1
    who = state[shared + MOVER]
    mine, others = PER_PLAYER * who, PER_PLAYER * (1 - who)
    square, carrots, lettuces, wait = state[mine + SQUARE], state[mine + CARROTS], state[mine + HELD], state[mine + WAIT]
    square_2, carrots_2, lettuces_2 = state[others + SQUARE], state[others + CARROTS], state[others + HELD]
    wait_2 = state[others + WAIT]
    if phase == AGAIN:
        wait = ONCE_MORE
    for _ in range(2):
        # Who misses a turn or eats has no choice.
        if wait in (MISS, EAT):
            if wait == EAT and lettuces > 0:
                lettuces -= 1
                wait = PAY if rules[LEAVING] else READY
                if not rules[LEAVING]:
                    carrots = _clipped(rules, carrots + UNIT * (1 + (square_2 > square)))
            else:
                wait = READY
            square, square_2, carrots, carrots_2 = square_2, square, carrots_2, carrots
            lettuces, lettuces_2, wait, wait_2 = lettuces_2, lettuces, wait_2, wait
            who = 1 - who
    if wait_2 == EAT and lettuces_2 == 0:
        wait_2 = MISS
    width = rules[CAP] + 1 + rules[MERGED]
    if not (0 <= carrots < width and 0 <= carrots_2 < width):
        return -1, -1
    base = rules[BASES + 4 * lettuces + lettuces_2]
    placement = rules[NUMBERS + ((wait * WAITS + wait_2) * BOARD + square) * BOARD + square_2]
    if base < 0 or placement < 0:
        return -1, -1
    return base + (placement * width + carrots_2) * width + carrots, who


@lists_states
def state_at(rules: Any, number: Any, state: Any) -> Any:
    """The state with a number, player 0 being the one to move."""
    width = rules[CAP] + 1 + rules[MERGED]
    for layout in range(rules[LAYOUTS]):
        lettuces = rules[LETTUCES + layout]
        relative = number - rules[BASES + lettuces]
        if 0 <= relative < rules[PLACEMENTS + (lettuces % 4 > 0)] * width * width:
            place = rules[PLACES + relative // (width * width)]
            for field in range(2 * PER_PLAYER + SHARED):
                state[field] = 0
            wait = place // (WAITS * BOARD * BOARD)
            state[WAIT] = READY if wait == ONCE_MORE else wait
            state[2 * PER_PLAYER + PHASE] = AGAIN if wait == ONCE_MORE else TURN
            state[PER_PLAYER + WAIT] = place // (BOARD * BOARD) % WAITS
            state[SQUARE], state[PER_PLAYER + SQUARE] = place // BOARD % BOARD, place % BOARD
            state[CARROTS], state[PER_PLAYER + CARROTS] = relative % width, relative // width % width
            state[HELD], state[PER_PLAYER + HELD] = lettuces // 4, lettuces % 4
            return True
    return False


@counts_alike
def alike(rules: Any, number: Any) -> Any:
    """The states that differ in the carrots of the player who is not to move, on which nothing depends unless he is to eat."""
    width = rules[CAP] + 1 + rules[MERGED]
    for layout in range(rules[LAYOUTS]):
        lettuces = rules[LETTUCES + layout]
        relative = number - rules[BASES + lettuces]
        if 0 <= relative < rules[PLACEMENTS + (lettuces % 4 > 0)] * width * width:
            waits = rules[PLACES + relative // (width * width)] // (BOARD * BOARD) % WAITS
            if waits in (EAT, PAY):
                return 1, 1
            return width if relative // width % width == width - 1 else 0, width
    return 1, 1
