"""Writes views.jsonl: the views `magics` and `zobrist` by a second implementation.

    python3 tests/formats/views.py > tests/formats/views.jsonl

It needs the package `chess` (python-chess). The magic factors are those of src/chess/magics.rs;
python-chess supplies the rules, the relevant squares and the attacks.
"""

import json
import pathlib
import re

import chess

MAGICS_RS = pathlib.Path(__file__).parents[2] / "src/chess/magics.rs"

FENS = [
    # The start, and a position with Black to move.
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
    # En passant by White and by Black, and a capture that a pin forbids.
    "rnbqkb1r/ppp1pppp/5n2/3pP3/8/8/PPPP1PPP/RNBQKBNR w Qk d6 0 3",
    "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1",
    "8/8/8/8/k2pP2R/8/8/4K3 b - - 0 1",
    # Chess960: rights with rooks on any file, also only some of them.
    "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1",
    "1rk2r2/8/8/8/8/8/8/1RK2R2 b Fb - 0 1",
    # Queens on edges, in corners and beside each other; a bishop and a rook in the corners.
    "6QQ/8/3b4/8/k7/8/7Q/K1q4r w - - 12 60",
    "B6R/8/8/2k5/5K2/8/8/r6b b - - 0 1",
    # No slider.
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
]


def outputs(state):
    """The outputs of SplitMix64."""
    mask = 2**64 - 1
    while True:
        state = state + 0x9E3779B97F4A7C15 & mask
        z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        yield z ^ z >> 31


VALUES = [value for value, _ in zip(outputs(0x6B696269747A6572), range(793))]


def factors(name):
    text = MAGICS_RS.read_text().split(f"const {name}: [u64; 64] = [")[1].split("]")[0]
    return [int(number.replace("_", ""), 16) for number in re.findall(r"0x([0-9a-f_]+)", text)]


def zobrist(board):
    parts = []
    for square, piece in board.piece_map().items():
        state = piece.piece_type + (0 if piece.color else 6)
        color, role = chess.COLOR_NAMES[piece.color], chess.piece_name(piece.piece_type)
        meaning = f"{color} {role} on {chess.square_name(square)}"
        parts.append((64 * (state - 1) + square, meaning))
    for rook in chess.SquareSet(board.clean_castling_rights()):
        file = chess.square_file(rook)
        number, color = (768, "white") if chess.square_rank(rook) == 0 else (776, "black")
        letter = chess.FILE_NAMES[file]
        parts.append((number + file, f"{color} castling with the rook on the {letter}-file"))
    if board.has_legal_en_passant():
        file = chess.square_file(board.ep_square)
        parts.append((784 + file, f"en passant on the {chess.FILE_NAMES[file]}-file"))
    if board.turn == chess.BLACK:
        parts.append((792, "black to move"))
    return [
        {"number": number, "value": f"{VALUES[number]:016x}", "meaning": meaning}
        for number, meaning in sorted(parts)
    ]


def diagonals(square, occupied):
    relevant = chess.BB_DIAG_MASKS[square]
    return relevant, chess.BB_DIAG_ATTACKS[square][relevant & occupied]


def rank_and_file(square, occupied):
    rank, file = chess.BB_RANK_MASKS[square], chess.BB_FILE_MASKS[square]
    attacks = chess.BB_RANK_ATTACKS[square][rank & occupied]
    return rank | file, attacks | chess.BB_FILE_ATTACKS[square][file & occupied]


LINES = [
    ("bishop", chess.BISHOP, diagonals, factors("BISHOP_FACTORS")),
    ("rook", chess.ROOK, rank_and_file, factors("ROOK_FACTORS")),
]


def magics(board):
    lookups = []
    for square, piece in sorted(board.piece_map().items()):
        for name, role, lines, factors in LINES:
            if piece.piece_type not in (role, chess.QUEEN):
                continue
            relevant, attacks = lines(square, board.occupied)
            shift = 64 - relevant.bit_count()
            product = (board.occupied & relevant) * factors[square] % 2**64
            lookups.append(
                {
                    "square": chess.square_name(square),
                    "role": name,
                    "relevant": f"{relevant:016x}",
                    "magic": f"{factors[square]:016x}",
                    "shift": shift,
                    "index": product >> shift,
                    "attacks": f"{attacks:016x}",
                }
            )
    return lookups


for fen in FENS:
    board = chess.Board(fen, chess960=True)
    assert board.is_valid(), fen
    parts = zobrist(board)
    key = 0
    for part in parts:
        key ^= int(part["value"], 16)
    line = {"fen": fen, "key": f"{key:016x}", "magics": magics(board), "zobrist": parts}
    print(json.dumps(line, separators=(",", ":")))
