"""Prints the legal moves after 1. e4 c5."""

import sys

from kibitzer_client import Kibitzer

URL = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8080"

with Kibitzer(URL) as client:
    legal = client.legal_moves(fen="startpos", moves=["e4", "c5"])
print(f"{legal['count']} moves:", *(move["san"] for move in legal["moves"]))
