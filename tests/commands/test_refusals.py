"""What commands refuse before they do anything: one sentence, code 2, nothing on stdout, and nothing is written."""

import shlex
import sys
from pathlib import Path

import pytest
from support.program import Ask, assert_one_sentence

MATCH = "match hexapawn --player engine:nodes=60 --player engine:level=1 --data nowhere"
BUILD = "build doushouqi --pieces 2"
OVER = "--player random --player random --games 2 --opening 0 --data nowhere"
"""A match whose games would all end where they begin, so that both players would seem equal."""
SCHEDULER = "--scheduler tcp://127.0.0.1:1"
CHANCE = {
    "perft pig --players 7": "players of pig must be a number from 2 to 6, not 7",
    "perft pig --players 2 --variant players=2": "sets players twice",
    "perft hexapawn --players 2": "hexapawn has no variant 'players=2'",
    "perft pig 1,2": "'1,2' is not a state of pig",
    "perft pig '0,0 1 0' --from '0,0 1 0'": "two positions to start from",
    "perft pig --repetitions leaf": "leave out --repetitions",
    "probe harehedgehog '5:1:0,5:2:0 1'": "two players are on square 5",
    "probe harehedgehog '64:0:0,5:2:0 2'": "needs a finishing rank",
    "probe pig '0,0 1 0' --turns 0": "--turns",
    "probe hexapawn 'p2/P2/3 w' --turns 2": "leave out --turns",
    "line pig no": "'no' is not a state of pig",
    "build harehedgehog --carrots": "the option --carrots needs a value",
    "build harehedgehog --carrots 19": "carrots limited to 20 to 250 under a merged cap, not 19",
    "build harehedgehog --cap soft": "no cap=soft: choose one of merged, strict",
    "build harehedgehog --carots 60": "did you mean '--carrots'",
    "build pig --carrots 60": "'--carrots' is not an option for tables of pig",
    "build harehedgehog --variant players=3": "for two players",
    "build hexapawn --carrots 60": "there is no option '--carrots'",
    "build pig --pieces 3": "--pieces",
    "verify pig --pieces 3": "--pieces",
    "prove pig": "pig is not a game for 'prove', because it does not support search: 'tablebase games' lists what it is for",
    "match pig --no-tables": "pig does not support paired matches: leave out --no-tables",
}
PLAYING = {
    "play harehedgehog --players 7": "has players from 2 to 6, not 7",
    "play harehedgehog --side 0": "the side to play must be '1' or '2', not '0'",
    "play harehedgehog --player engine": "because it does not support search: choose computer, tables, fuzzy, random",
    "play harehedgehog --player random --player random": "2 players are named, but only 1 plays against you",
    "play harehedgehog --level 3": "the player computer has no setting 'level': it takes depth",
    "play harehedgehog '0:68:3 1'": "has 2 players here",
    "play harehedgehog --player compute": "there is no player 'compute' (did you mean 'computer'?)",
    "play harehedgehog --players 3 --player tables": "because tables are for two players: choose computer, random",
    "play pig --players 3 --player computer": "cannot play pig-players=3, because its rules are not compiled: choose random",
    "play harehedgehog --player random:depth=3": "the player random has no setting 'depth': it takes none",
    "play harehedgehog --player computer:dept=3": "has no setting 'dept' (did you mean 'depth'?): it takes depth, ",
    "play harehedgehog --player computer:depth=3,depth=4": "'depth=4' is not a new setting of the player computer: write each once",
    "play harehedgehog --player computer:depth=99": "the depth must be a number of turns from 1 to 20, not 99",
    "play harehedgehog --player computer:objective=OWN": "there is no objective 'OWN': choose own or lead",
    "play harehedgehog --player computer:cuts=1/x": "whole numbers with a stroke between, as in 0/0/8/8/4, not '1/x'",
    "play harehedgehog --player computer:alpha-beta=yes": "alpha-beta is sound for two players and the objective lead only",
    "play harehedgehog --player tables --data nowhere": "there is no tablebase in nowhere",
    "play hexapawn --player rankin": "there is no player 'rankin' (did you mean 'ranking'?): choose computer, tables, ",
    "play hexapawn --player ranking --player engine": "2 players are named, but only 1 plays against you: name fewer with --player",
    f"play hexapawn --player {'x' * 9999}": "there is no player 'xxx",
    "play hexapawn --player foxbox": "because only Fox & Hounds has FoxBoxes: choose tables, fuzzy, ",
    "play doushouqi --player ranking": "because that game can go on for ever: choose tables, fuzzy",
    "play hexapawn --player matchboxes --fuzz 1": "matchboxes has no setting 'fuzz': it takes boxes",
    "play foxhounds-4x4 --player foxbox --fuzz 2": "from 0 (only best moves) to 1 (any move), not 2",
    "play hexapawn --players 2": "hexapawn has no variant 'players=2'",
    "play hexapawn --boxes boxes.json": "the player tables has no setting 'boxes': it takes fuzz",
    "play hexapawn --size 1x3 --player matchboxes": "Black never moves in hexapawn-1x3",
    "play hexapawn --player engine --level 11": "from 1 to 10, not '11'",
    "play hexapawn --side w --side b --player ranking": "1 player is named, but only 0 play against you",
    "play hexapawn --side w --side b --level 3": "nobody plays against you: leave out --level",
    "match pig --player random --player uci:x": "programs that speak UCI cannot play pig, which does not support search: name",
    "play hexapawn --side W": "'w' or 'b', not 'W'",
    "play hexapawn --from '3/3/PPP w'": "Black has no pieces",
    "play hexapawn --data nowhere": "there is no tablebase in nowhere",
    "play hexapawn-4x4": "tablebase build hexapawn",
    f"match doushouqi '7/7/7/7/7/7/7/7/R6 b' {OVER}": "the game is over in 7/7/7/7/7/7/7/7/R6 b",
    f"match hexapawn '3/p2/P2 w' {OVER}": "the game is over in 3/p2/P2 w",
    f"match pig '100,0 2 0' {OVER}": "the game is over in 100,0 2 0",
    f"match hexapawn --player engine:nodes={10**19} --player random": f"of at most 9 digits, at least 1, not '{10**19}'",
    "match harehedgehog --player random": "a match is between two players at least",
    "match harehedgehog --player random --player rando": "there is no player 'rando' (did you mean 'random'?)",
    f"{MATCH} --games 3": "give an even number, not 3",
    f"{MATCH} --games 2 --player engine": "a match is between two players, not 3",
    "match hexapawn --player engine --player engin": "there is no player 'engin'",
    "match hexapawn --player engine --player engine:levl=3": "no setting 'levl' (did you mean 'level'?)",
    "match hexapawn --player engine --player engine:level=3,nodes=5": "level and nodes both say",
    f"{MATCH} --games 2 --nodes 5 --time 1": "--nodes and --time both limit a move",
    f"{MATCH} --games 2 --output /nowhere/games": "name a new file with --output",
    f"{MATCH} --games 2 --output {__file__}": "already exists: name a new file with --output",
    "line hexapawn --replay /nowhere/games": "name the file that match --output has written",
    f"line hexapawn '3/P1p/3 w' --replay {__file__}": "a game that is replayed has its own start",
    "line hexapawn --plies=-1": "--plies",
}
SEARCHING = {
    "perft hexapawn --depth 0": "greater than or equal to 1",
    "perft hexapawn --repetitions once": "'--repetitions'",
    "count doushouqi": "doushouqi can go on for ever",
    "perft hexapawn 'P2/3/1p1 w'": "cannot stand on a3 while the game continues",
    "perft hexapawn --size 99x99": "hexapawn",
    "analyse hexapawn 'ppp/PPP w'": "has 2 rows; the board of hexapawn has 3",
    "analyse doushouqi --time nan": "the time must be positive, not nan",
    "analyse doushouqi --repetition win": "'--repetition'",
    "analyse doushouqi --hash much": "invalid size 'much'",
    "analyse doushouqi --hash 63": "a transposition table takes at least 64 bytes, not 63",
    "analyse doushouqi --data nowhere": "there is no tablebase in nowhere",
    "prove hexapawn --time 0": "the limit of seconds must be positive, not 0",
    "prove hexapawn --data nowhere": "there is no tablebase in nowhere",
    "prove": "there is no game: name one, or a file with a proof by --check",
    "prove hexapawn --check proof": "leave out GAME",
    "prove --check proof": "name a file that 'prove --output' has written",
    f"prove --check {__file__}": "holds no proof, since a line of it is not JSON",
    "uci hexapawn --data nowhere": "there is no tablebase in nowhere",
}
OTHERS = {
    "batch /dev/zero": "/dev/zero has more than ",
    "probe hexapawn @/dev/zero": "of /dev/zero is too long",
    "mine hexapawn @/dev/zero": "/dev/zero has more than ",
    "probe hexapawn @nowhere": "nowhere cannot be used (No such file",
    "probe hexapawn 'ppp/3/PPP w' --output a.png": "is not the name of a picture of a board: use the suffix .svg",
    "probe hexapawn 'ppp/3/PPP w' 'ppp/3/PPP w' --output a.svg": "--output draws one position",
    "probe hexapawn @/dev/null --output a.svg": "--output draws one position",
    "probe kalah '3,3,3,0 3,3,3,0 s' --output a.svg": "no pieces on squares and no pictures of its own: leave out --output",
    "line kalah --boards": "kalah draws no boards of its positions: leave out --boards",
    "line kalah --to pictures": "no pieces on squares and no pictures of its own: leave out --to",
    "line hexapawn --player engine": "name its file with --replay, or leave out --player",
    f"{BUILD} {SCHEDULER}": "a scheduler belongs to the executor dask: add --executor dask",
    f"{BUILD} --executor dask {SCHEDULER} --workers 2": "a scheduler has workers and memory of its own",
    f"{BUILD} --executor dask --scheduler nowhere": "'nowhere' is not the address of a scheduler",
    "stats doushuqi": "there is no game 'doushuqi' (did you mean 'doushouqi'?)",
    "stats Fox": "there is no game 'fox'; installed: ",
    "sql 'SELECT 1' --timeout 0": "'0' is not a time limit",
    "sql 'SELECT 1' --timeout nan": "'nan' is not a time limit",
    f"estimate pig --variant target={10**19}": f"of at most 9 digits, not '{10**19}'",
    "estimate doushouqi --pieces=": "no number of pieces",
    "estimate doushouqi --pieces 4-2": "no number of pieces",
    "estimate doushouqi --pieces ٣": "no number of pieces",
    f"estimate doushouqi --pieces {'9' * 400}": "no number of pieces",
}
CHARTS = {
    "plot pie doushouqi --output a.svg": "is not one of 'distances', 'survival', 'squares', 'draws', 'parity', 'values',",
    "plot draws doushouqi --output a.gif": "use one of the suffixes .png, .svg, .pdf",
    "plot draws doushouqi --data nowhere --output a.svg": "there is no tablebase in",
    "plot draws doushouqi --pieces 3 --output a.svg": "no table of doushouqi with 3 pieces has been built: run",
    "plot distances doushouqi --pieces 17 --output a.svg": "doushouqi has slices of 2 to 16 pieces, not 17",
    "plot squares doushouqi --material RCvW --output a.svg": "the table RCvW of doushouqi has not been built",
    "plot draws doushouqi --material '??v?' --output a.svg": "no slice of doushouqi built in",
    "plot squares doushouqi --material RC --output a.svg": "'RC' is not a material",
    "plot squares doushouqi --material RvC --piece 3 --output a.svg": "RvC has pieces 1 to 2, but no piece 3",
    "plot squares doushouqi --material RvC --piece 1 --piece 2 --output a.svg": "squares shows one piece",
    "plot squares doushouqi --pieces 2 --output a.svg": "piece 1 is not the same in CvC and DvC: choose with --material",
    "plot parity doushouqi --material RvC --piece 1 --output a.svg": "a distance needs two different pieces",
    "plot draws doushouqi --side b --output a.svg": "none of these slices of doushouqi has 'b' to move: omit --side",
    "plot distances doushouqi --outcome draw --output a.svg": "a draw has no distance",
    "plot squares doushouqi --log --output a.svg": "--log is for distances, not for squares",
    "plot chances foxhounds-4x4 --pieces 3 --output a.svg": "draws and parity and values, not for chances: omit it",
    "plot draws doushouqi --player tables --output a.svg": "--player is for chances, not for draws",
    "plot chances foxhounds-4x4 --player random --output a.svg": "no player 'random' can be exploited in foxhounds-4x4: choose",
    "plot draws doushouqi --piece 1 --output a.svg": "--piece is for squares and parity, not for draws",
    "plot draws doushouqi --width 88 --output a.svg": "invalid --width '88': expected 40mm to 1000mm, such as 88mm, 8cm or 3.5in",
    "plot draws doushouqi --font-size 5 --output a.svg": "the font size is 6 to 24 points, not 5",
    "plot draws doushouqi --where 'p1 =' --output a.svg": "syntax error",
    "plot draws doushouqi --where 'p1_rank > 9' --output a.svg": "no position of 2 pieces fulfils the condition: choose another",
    "plot draws doushouqi --csv a.svg --output a.svg": "a.svg is named by both --output and --csv: name another file",
    "plot distances doushouqi --where distance=1 --outcome loss --output a.svg": "none of these positions is a loss: choose other",
    "plot distances doushouqi --height 4cm --font-size 24 --output a.svg": "the text leaves no room for the chart: choose a larger",
    "plot query doushouqi --output a.svg": "the chart 'query' needs a statement, as in",
    "plot draws doushouqi 'SELECT 1' --output a.svg": "the chart 'draws' takes no statement: choose the chart query",
    "plot query doushouqi 'SELECT 1' --where true --output a.svg": "not for query: omit it",
    "plot query doushouqi 'SELECT p1, outcome FROM positions' --output a.svg": "others of numbers, not p1, outcome: choose these",
    "plot values doushouqi --by first --material CvC --material TvT --material EvE --width 40mm --output a.svg": "3 panels need",
}
PATTERNS = {
    "patterns doushouqi --material RC": "is not a material",
    "patterns doushouqi --material RCvW": "has not been built: run",
    "patterns doushouqi --pieces 3": "no table of doushouqi with 3 pieces has been built: run",
    "patterns doushouqi --data nowhere": "there is no tablebase in nowhere",
    "patterns doushouqi --features nothing.py": "there is no file nothing.py",
    "patterns doushouqi --support nan": "the support of a rule is a share from 0 to 1, not nan",
    "patterns doushouqi --outcome win": "with one outcome there is none to predict",
}
REFUSED = CHANCE | PLAYING | SEARCHING | OTHERS | CHARTS | PATTERNS


@pytest.mark.parametrize("words", REFUSED)
def test_refusals(
    words: str, hexapawns: Path, two_pieces: Path, typed: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables of Hexapawn or Dou Shou Qi are there; what is typed for a game is not read."""
    if words in CHARTS:
        pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TABLEBASE_DATA", str(two_pieces if words in CHARTS | PATTERNS else hexapawns))
    assert_one_sentence(typed(["a1a2"], *shlex.split(words)), REFUSED[words])
    assert sys.stdin.read() == "a1a2\n"
    assert not list(tmp_path.iterdir())
