"""Prints the best move of a position, and what is wrong with another one."""

import sys

from kibitzer_client import Kibitzer, KibitzerError

URL = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8080"
FEN = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"

with Kibitzer(URL) as client:
    answer = client.best_move(fen=FEN, movetime_ms=200)
    score = answer["score"]
    assert score is not None
    print(f"{answer['best_move_san']}, {score['type']} {score['value']}:", *answer["pv_san"])

    try:
        client.best_move(fen="startpos", moves=["e5"])
    except KibitzerError as error:
        print(f"{error.code}: {error.detail}")
