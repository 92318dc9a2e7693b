"""Cancellation: the server's worker is free again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing

import pytest

from kibitzer_client import AsyncKibitzer, Kibitzer, models
from servers import Server

MAX_MS = 1000
"""For a loaded machine. An idle one needs a few milliseconds."""


@pytest.fixture
def expect_free(server: Server, capsys: pytest.CaptureFixture[str]) -> Callable[[], None]:
    """Checks that the worker is free soon, and reports when."""

    def check() -> None:
        taken = server.wait_until_free()
        with capsys.disabled():
            print(f"the worker was free after {taken:.1f} ms")
        assert taken < MAX_MS

    return check


def test_closing_a_stream_frees_the_worker(
    server: Server, expect_free: Callable[[], None]
) -> None:
    with Kibitzer(server.url) as client:
        with client.analysis(fen="startpos", infinite=True, fresh=True) as stream:
            assert next(stream)["type"] == "info"
            server.wait_until_running()
        expect_free()


def test_leaving_a_loop_frees_the_worker(server: Server, expect_free: Callable[[], None]) -> None:
    with Kibitzer(server.url) as client:
        for _ in client.analysis(fen="startpos", infinite=True, fresh=True):
            server.wait_until_running()
            break
        expect_free()


def test_closing_a_batch_frees_the_worker(
    server: Server, expect_free: Callable[[], None]
) -> None:
    quick: models.BatchRequest = {"fen": "startpos", "depth": 1}
    slow: models.BatchRequest = {"fen": "startpos", "movetime_ms": 60_000, "fresh": True}
    with Kibitzer(server.url) as client:
        with client.batch([quick, slow]) as stream:
            assert next(stream)["type"] == "answer"
            server.wait_until_running()
        expect_free()


def test_closing_a_live_stream_frees_the_worker(
    server: Server, expect_free: Callable[[], None]
) -> None:
    with Kibitzer(server.url).live() as board:
        with board.go(infinite=True) as stream:
            next(stream)
            server.wait_until_running()
        expect_free()
        with board.go(infinite=True):
            server.wait_until_running()
        expect_free()
        next(board.go(infinite=True))
    expect_free()


@pytest.mark.anyio
async def test_cancelling_a_task_frees_the_worker(
    server: Server, expect_free: Callable[[], None]
) -> None:
    async with AsyncKibitzer(server.url) as client:

        async def read() -> None:
            async for _ in client.analysis(fen="startpos", infinite=True, fresh=True):
                pass

        async def ask() -> None:
            await client.best_move(fen="startpos", movetime_ms=60_000, fresh=True)

        async def follow() -> None:
            async with await client.live() as board:
                async for _ in await board.go(infinite=True):
                    pass

        for work in (read, ask, follow):
            task = asyncio.create_task(work())
            await asyncio.to_thread(server.wait_until_running)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            expect_free()


@pytest.mark.anyio
async def test_closing_or_leaving_an_asynchronous_stream_frees_the_worker(
    server: Server, expect_free: Callable[[], None]
) -> None:
    async with AsyncKibitzer(server.url) as client:
        async with client.analysis(fen="startpos", infinite=True, fresh=True) as stream:
            assert (await anext(stream))["type"] == "info"
            server.wait_until_running()
        expect_free()
        async for _ in client.analysis(fen="startpos", infinite=True, fresh=True):
            server.wait_until_running()
            break
        await asyncio.to_thread(expect_free)
        async with await client.live() as board, aclosing(await board.go(infinite=True)) as lines:
            await anext(lines)
            server.wait_until_running()
            await lines.aclose()
            expect_free()
            async with await board.go(infinite=True):
                server.wait_until_running()
            expect_free()
