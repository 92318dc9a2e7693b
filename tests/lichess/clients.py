"""Test of `GET /api/cloud-eval` and `GET /standard` with unchanged Lichess clients: berserk and
python-lichess.

    python3 tests/lichess/clients.py target/release/kibitzer

The program starts its own server. It needs the packages `berserk` and `python-lichess`.
"""

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import berserk
import lichess.api

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
# Black to move is a rook ahead.
WHITE_BEHIND = "4k2r/pppppppp/8/8/8/8/PPPPPPPP/4K3 b k - 0 1"
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
MATED_IN_ONE = "r5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1"
WON_BY_TABLEBASE = "8/8/8/8/3k4/8/8/R3K3 w - - 0 1"
LOST_BY_TABLEBASE = "8/8/8/8/3k4/8/8/R3K3 b - - 0 1"
UNKNOWN_TO_TABLEBASE = "8/8/8/8/3k4/8/P7/4K3 w - - 0 1"
TABLES = Path(__file__).parent.parent / "support/syzygy"
UNKNOWN = "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1"


class Server:
    """A server without speculative searches. It answers Lichess clients from its cache only."""

    def __init__(self, program):
        settings = {"LOG__FORMAT": "json", "IDLE__POSITIONS": "0", "SYZYGY__PATHS": str(TABLES)}
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("KIBITZER")
        }
        environment |= {f"KIBITZER__{key}": value for key, value in settings.items()}
        command = [program, "serve", "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        events = map(json.loads, self.process.stdout)
        listening = next(event for event in events if event["message"] == "listening")
        self.url = listening["url"]

    def analyse(self, fen, lines):
        """kibitzer's own analysis of a position. Afterwards the position is in the cache."""
        body = json.dumps(
            {"fen": fen, "depth": 8, "multipv": lines, "pov": "white", "castling": "960"}
        ).encode()
        headers = {"content-type": "application/json", "accept": "application/json"}
        request = urllib.request.Request(f"{self.url}/v1/analysis", body, headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)


def assert_same_evaluation(received, own, fen, lines):
    """Asserts that a client's answer is kibitzer's own analysis in Lichess's format."""
    assert set(received) == {"fen", "knodes", "depth", "pvs"}, received
    assert (received["fen"], received["depth"]) == (fen, own["depth"]), (received, own)
    assert received["knodes"] == own["nodes"] // 1_000, (received, own)
    assert len(received["pvs"]) == lines, received
    for line, own_line in zip(received["pvs"], own["lines"], strict=True):
        assert line["moves"].split() == own_line["pv"], (line, own_line)
        score = own_line["score"]
        expected = {score["type"]: score["value"]}
        found = {name: value for name, value in line.items() if name != "moves"}
        assert found == expected, (line, score)


def berserk_client(url):
    client = berserk.Client(base_url=url)

    def evaluate(fen, lines):
        try:
            return client.analysis.get_cloud_evaluation(fen, num_variations=lines)
        except berserk.exceptions.ResponseError as error:
            assert error.status_code == 404, error
            return None

    return evaluate


def python_lichess_client(url):
    client = lichess.api.DefaultApiClient(base_url=f"{url}/")

    def evaluate(fen, lines):
        try:
            return lichess.api.cloud_eval(fen, multiPv=lines, client=client)
        except lichess.api.ApiHttpError as error:
            assert error.http_status == 404, error
            return None

    return evaluate


def assert_tablebase(url):
    """Asserts that berserk gets the outcomes of the tables."""
    client = berserk.Client(base_url=url, tablebase_url=url)
    for fen, category in [
        (WON_BY_TABLEBASE, "win"),
        (LOST_BY_TABLEBASE, "loss"),
        (UNKNOWN_TO_TABLEBASE, "unknown"),
    ]:
        found = client.tablebase.look_up(fen)
        assert found["category"] == category, found
        assert (found["dtz"] is None) == (category == "unknown"), found
        assert found["moves"], found


def main():
    server = Server(sys.argv[1])
    try:
        requests = [(START, 3), (WHITE_BEHIND, 2), (MATE_IN_ONE, 1), (MATED_IN_ONE, 1)]
        own = {fen: server.analyse(fen, lines) for fen, lines in requests}
        best = {fen: analysis["lines"][0]["score"] for fen, analysis in own.items()}
        behind = best[WHITE_BEHIND]
        assert behind["type"] == "cp" and behind["value"] < 0, behind
        assert best[MATE_IN_ONE] == {"type": "mate", "value": 1}
        assert best[MATED_IN_ONE] == {"type": "mate", "value": -1}
        for name, evaluate in [
            ("berserk", berserk_client(server.url)),
            ("python-lichess", python_lichess_client(server.url)),
        ]:
            for fen, lines in requests:
                assert_same_evaluation(evaluate(fen, lines), own[fen], fen, lines)
            assert evaluate(UNKNOWN, 1) is None, "the position is not in the cache"
            print(
                "ok:",
                name,
                "gets kibitzer's analysis of",
                len(requests),
                "positions, and none of an unknown position",
            )
        assert_tablebase(server.url)
        print("ok: berserk looks positions up in the tablebases")
    finally:
        server.process.terminate()
        server.process.wait(20)


main()
