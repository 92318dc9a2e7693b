"""Each method of the synchronous client against the real program."""

from __future__ import annotations

import inspect
from typing import cast

import pytest

from kibitzer_client import (
    AsyncGames,
    AsyncKibitzer,
    Games,
    Kibitzer,
    KibitzerError,
    LiveLimits,
    LivePlace,
    ReviewLimits,
    models,
)
from servers import Server

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"


@pytest.fixture
def client(server: Server) -> Kibitzer:
    return Kibitzer(server.url)


def test_positions_are_described(client: Kibitzer) -> None:
    legal = client.legal_moves(fen="startpos", moves=["e4", "c5"])
    assert legal["count"] == 30
    assert legal["dests"]["g1"] == ["e2", "f3", "h3"]
    position = client.position(fen="startpos", views=["special"])
    assert position["views"].get("special") == 15
    played = client.play(fen="startpos", moves=["e4", "e5"], undo=1)
    assert [ply["san"] for ply in played["plies"]] == ["e4"]
    assert client.perft(fen="startpos", depth=3)["nodes"] == 8902


def test_positions_are_judged(client: Kibitzer) -> None:
    evaluation = client.evaluate(fen="startpos")
    assert evaluation["score"] and evaluation["score"]["type"] == "cp"
    assert client.best_move(fen=MATE_IN_ONE, depth=4)["best_move_san"] == "Ra8#"
    assert client.explore(fen=MATE_IN_ONE, moves=["Kf1", "Kf8"], depth=1)["moves"]
    judgement = client.judgement(
        before={"type": "cp", "value": 50}, after={"type": "cp", "value": -400}
    )
    assert judgement["judgement"] == "blunder"


def test_endgames_are_looked_up(client: Kibitzer) -> None:
    assert client.tablebase(fen="8/8/8/8/8/8/2Q5/k1K5 b - - 0 1")["category"] == "draw"


def test_the_server_describes_itself(client: Kibitzer) -> None:
    assert client.engine()["name"] == "kibitzer"
    assert client.limits()["workers"] == 1


def test_an_analysis_is_a_loop_over_lines(client: Kibitzer) -> None:
    types = []
    for line in client.analysis(fen="startpos", depth=6, multipv=2):
        types.append(line["type"])
        if line["type"] == "info":
            assert len(line["lines"]) == 2
        elif line["type"] == "end":
            assert line["reason"] == "depth"
    assert "info" in types
    assert types[-1] == "end"


def test_a_batch_answers_each_request(client: Kibitzer) -> None:
    *lines, end = client.batch(
        [
            {"id": "a", "fen": "startpos", "depth": 2},
            {"id": "b", "fen": "no position", "depth": 2},
            {"id": "c", "fen": "startpos", "depth": 2, "multipv": 2},
        ]
    )
    assert end["type"] == "end" and (end["answered"], end["failed"]) == (2, 1)
    by_id = {line["id"]: line for line in lines if line["type"] != "end"}
    bad = by_id["b"]
    assert bad["type"] == "error" and bad["error"]["code"] == "invalid_fen"
    # The type checker cannot tell the two kinds of answers apart.
    wide = cast(models.BatchAnalysis, by_id["c"])
    assert wide["type"] == "answer" and len(wide["lines"]) == 2


def test_a_game_is_submitted_followed_read_and_stopped(client: Kibitzer) -> None:
    pgn = '[White "Ærø"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'
    job = client.games.submit(pgn, nodes=500)
    assert job["moves"] == 4
    types = [event["type"] for event in client.games.events(job["id"])]
    types = [type for type in types if type != "heartbeat"]
    assert types == ["move", "move", "move", "move", "game", "end"]
    review = client.games.status(job["id"], pov="white")
    assert review["status"] == "done"
    assert len(review["games"][0]["moves"]) == 4
    assert "Ærø" in client.games.pgn(job["id"])
    client.games.stop(job["id"])
    client.games.stop(job["id"])
    with pytest.raises(KibitzerError) as gone:
        client.games.status(job["id"])
    assert (gone.value.status, gone.value.code) == (410, "gone")


def test_both_clients_have_the_same_methods() -> None:
    for sync, other in ((Kibitzer, AsyncKibitzer), (Games, AsyncGames)):
        names = {name for name in vars(sync) if not name.startswith("_")} - {"close"}
        assert names <= set(vars(other))
        for name in names:
            parameters = inspect.signature(getattr(sync, name)).parameters
            assert parameters == inspect.signature(getattr(other, name)).parameters


def test_the_types_that_the_contract_does_not_name_follow_it() -> None:
    def members(whole: type, *left_out: str) -> set[str]:
        return set(whole.__annotations__) - set(left_out)

    assert members(LiveLimits) == members(models.LiveGo, "type", "id", "session")
    assert members(LivePlace) == members(models.LivePosition, "type", "id")
    assert members(ReviewLimits) == members(models.GamesRequest, "pgn")
