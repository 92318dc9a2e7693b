"""Live boards of the real program."""

from __future__ import annotations

import asyncio
import sys

import pytest

from kibitzer_client import (
    AnalysisLine,
    AsyncKibitzer,
    Kibitzer,
    KibitzerError,
    KibitzerNetworkError,
    Stream,
    live,
)
from servers import KEY, Server, answer, closed_url, fake


def reason_of(stream: Stream[AnalysisLine]) -> str:
    *_, end = stream
    assert end["type"] == "end"
    return end["reason"]


def test_a_board_with_a_key_follows_a_game(keyed_server: Server) -> None:
    with Kibitzer(keyed_server.url, key=KEY).live() as board:
        assert " w KQkq " in board.position(fen="startpos", moves=["e4", "c5"])["fen"]
        infos = [line for line in board.go(depth=6, multipv=2) if line["type"] == "info"]
        assert (infos[-1]["depth"], len(infos[-1]["lines"])) == (6, 2)
        assert reason_of(board.deeper(7)) == "depth"


def test_a_newer_analysis_replaces_the_running_one(keyed_server: Server) -> None:
    with Kibitzer(keyed_server.url, key=KEY).live() as board:
        older, newer = board.go(infinite=True), board.go(depth=5)
        assert reason_of(newer) == "depth"
        assert reason_of(older) == "replaced"


def test_the_number_of_lines_changes_within_one_stream(keyed_server: Server) -> None:
    with Kibitzer(keyed_server.url, key=KEY).live() as board:
        board.multipv(1)
        reason = None
        for line in board.go(infinite=True):
            if line["type"] == "info" and len(line["lines"]) == 1:
                board.multipv(3)
            elif line["type"] == "info":
                board.stop()
            elif line["type"] == "end":
                reason = line["reason"]
        assert reason == "stopped"


@pytest.mark.anyio
async def test_a_refused_message_is_an_error_of_its_call_alone(keyed_server: Server) -> None:
    async with AsyncKibitzer(keyed_server.url, key=KEY) as client:
        async with await client.live() as board:
            stream = await board.go(infinite=True)

            async def read() -> list[str]:
                return [line["type"] async for line in stream]

            reading = asyncio.create_task(read())
            with pytest.raises(KibitzerError) as caught:
                await board.position(fen="startpos", moves=["e5"])
            assert (caught.value.status, caught.value.code) == (422, "illegal_move")
            await board.multipv(2)
            await board.stop()
            assert (await reading)[-1] == "end"
            assert [line async for line in await board.deeper(3)][-1]["type"] == "end"


def test_the_end_of_the_connection_ends_what_waits_for_it(keyed_server: Server) -> None:
    board = Kibitzer(keyed_server.url, key=KEY).live()
    stream = board.go(infinite=True)
    next(stream)
    board.close()
    with pytest.raises(KibitzerNetworkError):
        list(stream)
    with pytest.raises(KibitzerNetworkError):
        board.position(fen="startpos")


def test_the_server_closes_an_idle_board_with_its_code(keyed_server: Server) -> None:
    board = Kibitzer(keyed_server.url, key=KEY).live()
    with pytest.raises(KibitzerNetworkError, match="4000"):
        # Nothing is asked; the next message is the close.
        board._next(board._conversation.open_channel())


def test_a_refused_board_says_why(keyed_server: Server) -> None:
    for key in (None, "other"):
        with pytest.raises(KibitzerError) as caught:
            Kibitzer(keyed_server.url, key=key).live()
        assert (caught.value.status, caught.value.code) == (401, "unauthorized")
    with pytest.raises(KibitzerNetworkError, match="refused"):
        Kibitzer(closed_url()).live()
    refusal = '{"status": 403, "code": "origin_refused", "detail": "not listed"}'
    with fake(lambda request: answer(request, 403, refusal)) as url:
        with pytest.raises(KibitzerError) as caught:
            Kibitzer(url).live()
    assert (caught.value.status, caught.value.code) == (403, "origin_refused")


@pytest.mark.anyio
async def test_a_refused_asynchronous_board_says_why(keyed_server: Server) -> None:
    with pytest.raises(KibitzerError) as caught:
        await AsyncKibitzer(keyed_server.url).live()
    assert (caught.value.status, caught.value.code) == (401, "unauthorized")
    with pytest.raises(KibitzerNetworkError):
        await AsyncKibitzer(closed_url()).live()


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "kibitzer_client.live", raising=False)
    monkeypatch.setitem(sys.modules, "websockets.sync.client", None)
    with pytest.raises(ImportError, match=r"pip install 'kibitzer-client\[live\]'"):
        Kibitzer("http://localhost").live()


@pytest.mark.anyio
async def test_a_silent_connection_is_a_network_error(
    keyed_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "STREAM_SILENCE", 0.1)
    with Kibitzer(keyed_server.url, key=KEY).live() as board:
        with pytest.raises(KibitzerNetworkError, match="no message within"):
            board._next(board._conversation.open_channel())
    async with await AsyncKibitzer(keyed_server.url, key=KEY).live() as other:
        with pytest.raises(KibitzerNetworkError, match="no message within"):
            await other._next(other._conversation.open_channel())
