"""Test of `GET /api/cloud-eval` with unchanged Lichess clients: berserk and python-lichess.

    python3 tests/lichess/clients.py target/release/kibitzer

It starts its own server. It needs the packages `berserk` and `python-lichess`.
"""

import json
import os
import subprocess
import sys
import urllib.request

import berserk
import lichess.api

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
# Black to move is a rook ahead.
WHITE_BEHIND = "4k2r/pppppppp/8/8/8/8/PPPPPPPP/4K3 b k - 0 1"
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
MATED_IN_ONE = "r5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1"
UNKNOWN = "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1"


class Server:
    """A server with an evaluation cache that searches nothing for Lichess's clients."""

    def __init__(self, program):
        settings = {"LOG__FORMAT": "json", "IDLE__POSITIONS": "0"}
        environment = {name: value for name, value in os.environ.items() if not name.startswith("KIBITZER")}
        environment |= {f"KIBITZER__{key}": value for key, value in settings.items()}
        command = [program, "serve", "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        listening = json.loads(self.process.stdout.readline())
        self.url = f"http://{listening['address']}"

    def analyse(self, fen, lines):
        """kibitzer's own analysis of a position, which is in the cache from then on."""
        body = json.dumps({"fen": fen, "depth": 8, "multipv": lines, "pov": "white", "castling": "960"}).encode()
        headers = {"content-type": "application/json", "accept": "application/json"}
        request = urllib.request.Request(f"{self.url}/v1/analysis", body, headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)


def assert_same_evaluation(told, own, fen, lines):
    """Asserts that a client's answer is kibitzer's own analysis in Lichess's format."""
    assert set(told) == {"fen", "knodes", "depth", "pvs"}, told
    assert (told["fen"], told["depth"]) == (fen, own["depth"]), (told, own)
    assert told["knodes"] == own["nodes"] // 1_000, (told, own)
    assert len(told["pvs"]) == lines, told
    for line, ours in zip(told["pvs"], own["lines"], strict=True):
        assert line["moves"].split() == ours["pv"], (line, ours)
        score = ours["score"]
        expected = {score["type"]: score["value"]}
        assert {name: value for name, value in line.items() if name != "moves"} == expected, (line, score)


def by_berserk(url):
    client = berserk.Client(base_url=url)

    def ask(fen, lines):
        try:
            return client.analysis.get_cloud_evaluation(fen, num_variations=lines)
        except berserk.exceptions.ResponseError as error:
            assert error.status_code == 404, error
            return None

    return ask


def by_python_lichess(url):
    client = lichess.api.DefaultApiClient(base_url=f"{url}/")

    def ask(fen, lines):
        try:
            return lichess.api.cloud_eval(fen, multiPv=lines, client=client)
        except lichess.api.ApiHttpError as error:
            assert error.http_status == 404, error
            return None

    return ask


def main():
    server = Server(sys.argv[1])
    try:
        asked = [(START, 3), (WHITE_BEHIND, 2), (MATE_IN_ONE, 1), (MATED_IN_ONE, 1)]
        own = {fen: server.analyse(fen, lines) for fen, lines in asked}
        best = {fen: analysis["lines"][0]["score"] for fen, analysis in own.items()}
        assert best[WHITE_BEHIND]["type"] == "cp" and best[WHITE_BEHIND]["value"] < 0, "White is behind"
        assert best[MATE_IN_ONE] == {"type": "mate", "value": 1}
        assert best[MATED_IN_ONE] == {"type": "mate", "value": -1}
        for name, ask in [("berserk", by_berserk(server.url)), ("python-lichess", by_python_lichess(server.url))]:
            for fen, lines in asked:
                assert_same_evaluation(ask(fen, lines), own[fen], fen, lines)
            assert ask(UNKNOWN, 1) is None, "the position is not in the cache"
            print("ok:", name, "gets kibitzer's analysis of", len(asked), "positions, and none of an unknown one")
    finally:
        server.process.terminate()
        server.process.wait(20)


main()
