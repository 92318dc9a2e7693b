"""Each method of the asynchronous client against the real program."""

from __future__ import annotations

import pytest

from kibitzer_client import AsyncKibitzer, KibitzerError, KibitzerNetworkError
from servers import Server, breaking_proxy, closed_url

pytestmark = pytest.mark.anyio

FEN = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"


async def test_each_method_answers(server: Server) -> None:
    async with AsyncKibitzer(server.url) as client:
        assert (await client.legal_moves(fen="startpos"))["count"] == 20
        assert (await client.position(fen="startpos", views=["special"]))["views"]
        assert (await client.play(fen="startpos", moves=["e4"]))["plies"][0]["san"] == "e4"
        assert (await client.perft(fen="startpos", depth=2))["nodes"] == 400
        assert (await client.evaluate(fen="startpos"))["score"]
        assert (await client.best_move(fen=FEN, depth=4))["best_move_san"] == "Ra8#"
        assert (await client.explore(fen=FEN, depth=1))["moves"]
        assert (await client.tablebase(fen="8/8/8/8/8/8/2Q5/k1K5 b - - 0 1"))["moves"] == []
        judgement = await client.judgement(
            before={"type": "cp", "value": 0}, after={"type": "cp", "value": 0}, best=True
        )
        assert judgement["judgement"] is None
        assert (await client.engine())["name"] == "kibitzer"
        assert (await client.limits())["workers"] == 1
        types = [line["type"] async for line in client.analysis(fen="startpos", depth=5)]
        assert types[-1] == "end"
        lines = [line async for line in client.batch([{"fen": "startpos", "depth": 2}])]
        assert [line["type"] for line in lines] == ["answer", "end"]


async def test_a_game_is_submitted_followed_read_and_stopped(server: Server) -> None:
    async with AsyncKibitzer(server.url) as client:
        job = await client.games.submit(b"1. f3 e5 2. g4 Qh4# 0-1\n", nodes=501)
        events = [event["type"] async for event in client.games.events(job["id"])]
        assert events[-1] == "end"
        assert (await client.games.status(job["id"]))["status"] == "done"
        assert "%eval" in await client.games.pgn(job["id"])
        await client.games.stop(job["id"])
        with pytest.raises(KibitzerError) as gone:
            await client.games.pgn(job["id"])
        assert gone.value.code == "gone"


async def test_errors_are_those_of_the_synchronous_client(server: Server) -> None:
    async with AsyncKibitzer(server.url) as client:
        with pytest.raises(KibitzerError) as caught:
            await anext(client.analysis(fen="startpos", depth=0))
        assert (caught.value.status, caught.value.code) == (422, "invalid_request")
    async with AsyncKibitzer(closed_url()) as client:
        with pytest.raises(KibitzerNetworkError, match="GET /v1/engine"):
            await client.engine()
    with breaking_proxy(server.url, [2000]) as url:
        async with AsyncKibitzer(url) as client:
            with pytest.raises(KibitzerNetworkError):
                async for _ in client.analysis(fen="startpos", infinite=True):
                    pass
