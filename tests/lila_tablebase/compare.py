"""Compares `/standard` and `/standard/mainline` with lila-tablebase on random positions.

    python3 tests/lila_tablebase/compare.py OUR_URL ITS_URL SEED COUNT

Both servers need the same tables, of three and four men. CONTRIBUTING.md says how to start them.

Every member, its place and the order of moves must agree. lila-tablebase sorts moves by an unstable
sort, so moves with equal keys may be in any order. In a main line such a tie leads to another line;
then lila-tablebase's line from the position after our move must agree with the rest of ours.
"""

import http.client
import json
import random
import sys
import urllib.parse
from collections import Counter

FILES = "abcdefgh"
# The order of outcomes after a move, from the best for the side that moves.
CATEGORIES = [
    "loss",
    "unknown",
    "syzygy-loss",
    "maybe-loss",
    "blessed-loss",
    "draw",
    "cursed-win",
    "maybe-win",
    "syzygy-win",
    "win",
]
WINS = {"cursed-win", "maybe-win", "syzygy-win", "win"}
ROLES = "pnbrqk"


class Server:
    """A connection to a server that is kept alive."""

    def __init__(self, url):
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=60)

    def get(self, path, **query):
        """The status, and the document with its members in order, or None."""
        self.connection.request("GET", f"{path}?{urllib.parse.urlencode(query)}")
        answer = self.connection.getresponse()
        body = answer.read()
        return answer.status, json.loads(body) if answer.status == 200 else None


def random_board(rng):
    """A board of three or four men, by square index from a1."""
    board = {}
    others = [rng.choice("PNBRQpnbrq") for _ in range(rng.choice([1, 2, 2, 2]))]
    for man in ["K", "k", *others]:
        squares = range(8, 56) if man in "Pp" else range(64)
        board[rng.choice([square for square in squares if square not in board])] = man
    return board


def castling_board(rng):
    """A board where castling may be possible."""
    board = {4: "K", rng.choice([0, 7]): "R"}
    if rng.random() < 0.5:
        board[60] = "k"
        if rng.random() < 0.5:
            board[rng.choice([56, 63])] = "r"
    else:
        board[rng.choice(range(24, 64))] = "k"
    return board


def en_passant_board(rng):
    """A board where a pawn may have just passed a square, the side to move and the square."""
    white_moves = rng.random() < 0.5
    file = rng.randrange(8)
    beside = rng.choice([other for other in (file - 1, file + 1) if 0 <= other < 8])
    rank, target = (4, 5) if white_moves else (3, 2)
    passed, capturer = ("p", "P") if white_moves else ("P", "p")
    board = {8 * rank + file: passed, 8 * rank + beside: capturer}
    kept = {8 * target + file, 8 * (target + (1 if white_moves else -1)) + file}
    for king in "Kk":
        free = [square for square in range(64) if square not in board and square not in kept]
        board[rng.choice(free)] = king
    return board, "w" if white_moves else "b", f"{FILES[file]}{target + 1}"


def random_fen(rng):
    """A FEN, mostly of a legal position."""
    turn, castling, en_passant = rng.choice("wb"), "-", "-"
    kind = rng.random()
    if kind < 0.1:
        board = castling_board(rng)
        castling = rng.choice(["K", "Q", "KQ", "KQkq", "k", "q", "-"])
    elif kind < 0.25:
        board, turn, en_passant = en_passant_board(rng)
    else:
        board = random_board(rng)
        # Rights and squares that the position does not have.
        if rng.random() < 0.05:
            castling = rng.choice(["KQkq", "Kq"])
        if rng.random() < 0.05:
            en_passant = rng.choice(FILES) + ("6" if turn == "w" else "3")
    clock = 0 if en_passant != "-" else rng.randrange(100)
    return f"{board_text(board)} {turn} {castling} {en_passant} {clock} {rng.randrange(1, 200)}"


def board_text(board):
    ranks = []
    for rank in reversed(range(8)):
        text, empty = "", 0
        for file in range(8):
            man = board.get(8 * rank + file)
            if man is None:
                empty += 1
                continue
            text += (str(empty) if empty else "") + man
            empty = 0
        ranks.append(text + (str(empty) if empty else ""))
    return "/".join(ranks)


def men_of(fen):
    """The men of a FEN by the name of their square."""
    men = {}
    for rank, text in zip("87654321", fen.split()[0].split("/"), strict=True):
        file = 0
        for letter in text:
            if letter.isdigit():
                file += int(letter)
            else:
                men[FILES[file] + rank] = letter
                file += 1
    return men


def sort_key(fen, move):
    """The key by which lila-tablebase sorts moves."""
    men, origin, target = men_of(fen), move["uci"][:2], move["uci"][2:4]
    captured = men.get(target, "").lower()
    if men[origin] in "Pp" and origin[0] != target[0] and not captured:
        captured = "p"
    wins = move["category"] in WINS
    return (
        CATEGORIES.index(move["category"]),
        not move["checkmate"],
        not move["stalemate"],
        not move["insufficient_material"],
        move["conversion"] == wins,
        move["zeroing"] == wins,
        (move["dtz"] is not None, -(move["dtz"] or 0)),
        -ROLES.find(captured) if captured else 1,
        -ROLES.find(move["uci"][4:]) if move["uci"][4:] else 1,
    )


def assert_same_position(fen, ours, its):
    """Asserts that both describe a position alike. Returns the number of moves in other places."""
    assert list(ours) == list(its), (fen, list(ours), list(its))
    for name in its:
        if name != "moves":
            assert ours[name] == its[name], (fen, name, ours[name], its[name])
    assert len(ours["moves"]) == len(its["moves"]), fen
    by_key = {}
    for own, other in zip(ours["moves"], its["moves"], strict=True):
        assert list(own) == list(other), (fen, list(own), list(other))
        key = sort_key(fen, other)
        assert sort_key(fen, own) == key, (fen, own, other)
        group = by_key.setdefault(key, ([], []))
        group[0].append(own)
        group[1].append(other)
    for own, other in by_key.values():
        by_uci = [sorted(moves, key=lambda move: move["uci"]) for moves in (own, other)]
        assert by_uci[0] == by_uci[1], (fen, own, other)
    pairs = zip(ours["moves"], its["moves"], strict=True)
    return sum(own["uci"] != other["uci"] for own, other in pairs)


def mainline_key(move):
    """The key by which lila-tablebase chooses the move of a main line, for moves of one outcome."""
    return move["checkmate"], move["zeroing"], move["dtz"]


def assert_same_line(ours, its, fen, own_line, counts):
    """Asserts that our main line is the other one, but for moves that are equally good."""
    other_line = its.get("/standard/mainline", fen=fen)[1]
    assert list(own_line) == list(other_line), (fen, list(own_line), list(other_line))
    for name in ["dtz", "precise_dtz", "winner"]:
        assert own_line[name] == other_line[name], (fen, name, own_line, other_line)
    own, other = own_line["mainline"], other_line["mainline"]
    for index, (step, other_step) in enumerate(zip(own, other)):
        if step == other_step:
            assert list(step) == list(other_step)
            counts["moves of main lines"] += 1
            continue
        before = position_after(ours, fen, own[:index])
        moves = {move["uci"]: move for move in its.get("/standard", fen=before)[1]["moves"]}
        keys = [mainline_key(moves[line[index]["uci"]]) for line in (own, other)]
        assert keys[0] == keys[1], (fen, before, step, other_step)
        assert step["dtz"] == moves[step["uci"]]["dtz"], (fen, before, step)
        counts["ties of main lines"] += 1
        rest = {**own_line, "mainline": own[index + 1 :]}
        rest |= {name: step[name] for name in ["dtz", "precise_dtz"]}
        after = position_after(ours, fen, own[: index + 1])
        return assert_same_line(ours, its, after, rest, counts)
    assert len(own) == len(other), (fen, len(own), len(other))


def position_after(ours, fen, steps):
    """The FEN after these moves. `/v1/position` does not forgive an invalid en passant square."""
    moves = ",".join(step["uci"] for step in steps)
    board, turn, castling, _, *clocks = fen.split()
    for text in [fen, " ".join([board, turn, castling, "-", *clocks])]:
        status, answer = ours.get("/v1/position", fen=text, moves=moves)
        if status == 200:
            return answer["fen"]
    raise AssertionError((fen, moves))


def main():
    our_url, its_url, seed, count = sys.argv[1:]
    ours, its, rng = Server(our_url), Server(its_url), random.Random(int(seed))
    counts = Counter()
    while counts["positions"] < int(count):
        fen = random_fen(rng)
        underscored = fen.replace(" ", "_")
        own_status, own = ours.get("/standard", fen=underscored)
        status, other = its.get("/standard", fen=fen)
        assert own_status == status, (fen, own_status, status)
        own_line_status, own_line = ours.get("/standard/mainline", fen=underscored)
        line_status, _ = its.get("/standard/mainline", fen=fen)
        assert own_line_status == line_status, (fen, own_line_status, line_status)
        if status != 200:
            assert status == 400, (fen, status)
            counts["refused by both"] += 1
            continue
        counts["positions"] += 1
        counts["moves"] += len(other["moves"])
        counts["moves in another place of a tie"] += assert_same_position(fen, own, other)
        counts[f"category {other['category']}"] += 1
        if line_status == 200:
            assert_same_line(ours, its, fen, own_line, counts)
            counts["main lines"] += 1
        else:
            assert line_status == 404, (fen, line_status)
            counts["without a main line"] += 1
    for name, number in sorted(counts.items()):
        print(f"{number:7} {name}")


main()
