"""Reviews a game, prints its mistakes as they are found, and then the annotated game."""

import sys

from kibitzer_client import Kibitzer

URL = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8080"
PGN = """[White "Anderssen"]
[Black "Kieseritzky"]

1. e4 e5 2. f4 exf4 3. Bc4 Qh4+ 4. Kf1 b5 5. Bxb5 Nf6 6. Nf3 Qh6 7. d3 Nh5 8. Nh4 Qg5 *
"""

with Kibitzer(URL) as client:
    job = client.games.submit(PGN, nodes=20_000)
    print(job["moves"], "moves")
    for event in client.games.events(job["id"]):
        if event["type"] == "move" and event["judgement"]:
            better = event["best_san"]
            print(f"{event['ply']}. {event['san']}: {event['judgement']}, better is {better}")
    print(client.games.pgn(job["id"]))
    client.games.stop(job["id"])
