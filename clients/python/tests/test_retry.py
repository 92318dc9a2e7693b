"""Repetitions of requests, against a server that counts them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

import pytest

from kibitzer_client import AsyncKibitzer, Kibitzer, KibitzerError, Retry
from servers import answer, fake


@contextmanager
def refusing(
    count: int, status: int = 503, wait_ms: int = 30
) -> Iterator[tuple[str, list[str | None]]]:
    """A server that refuses its first requests, and the idempotency keys of all requests."""
    keys: list[str | None] = []

    def handle(request: BaseHTTPRequestHandler) -> None:
        keys.append(request.headers.get("idempotency-key"))
        if len(keys) > count:
            answer(request, 200, '{"name": "kibitzer"}')
            return
        code = "queue_full" if status == 503 else "rate_limited"
        problem = {"status": status, "code": code, "detail": "full", "retry_after_ms": wait_ms}
        answer(request, status, json.dumps(problem), {"retry-after": "1"})

    with fake(handle) as url:
        yield url, keys


@pytest.mark.parametrize("status", [429, 503])
def test_429_and_503_are_repeated_after_the_time_that_the_server_names(status: int) -> None:
    with refusing(2, status) as (url, keys):
        start = time.perf_counter()
        assert Kibitzer(url).engine()["name"] == "kibitzer"
        assert time.perf_counter() - start >= 0.06
        assert len(keys) == 3


def test_the_number_of_tries_is_bounded() -> None:
    with refusing(9) as (url, keys):
        with pytest.raises(KibitzerError) as caught:
            Kibitzer(url, retry=Retry(attempts=2)).engine()
        assert (caught.value.code, caught.value.retry_after_ms) == ("queue_full", 30)
        assert len(keys) == 3


def test_a_wait_beyond_the_bound_is_not_begun() -> None:
    with refusing(9, wait_ms=60_000) as (url, keys):
        with pytest.raises(KibitzerError):
            Kibitzer(url).engine()
        assert len(keys) == 1


def test_no_other_status_is_repeated() -> None:
    with refusing(9, status=500) as (url, keys):
        with pytest.raises(KibitzerError):
            Kibitzer(url).engine()
        assert len(keys) == 1


def test_a_repeated_submission_has_the_same_idempotency_key() -> None:
    with refusing(1) as (url, keys):
        Kibitzer(url).games.submit("1. e4 *")
        assert len(keys) == 2
        assert keys[0] and len(keys[0]) == 32
        assert keys[0] == keys[1]


@pytest.mark.anyio
async def test_the_asynchronous_client_repeats_too() -> None:
    with refusing(2) as (url, keys):
        async with AsyncKibitzer(url) as client:
            await client.games.submit("1. e4 *", idempotency_key="own")
        assert keys == ["own", "own", "own"]
    with refusing(9) as (url, keys):
        async with AsyncKibitzer(url, retry=Retry(attempts=1)) as client:
            with pytest.raises(KibitzerError):
                await client.engine()
        assert len(keys) == 2
