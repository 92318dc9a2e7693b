"""The events of a review over connections that break."""

from __future__ import annotations

import pytest

from kibitzer_client import AsyncKibitzer, Kibitzer, KibitzerError, KibitzerNetworkError, Retry
from servers import Server, breaking_proxy

PGN = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 *"
IDS = [str(number) for number in range(1, 12)] + ["end"]


def test_each_event_comes_once_although_the_connection_breaks(server: Server) -> None:
    job = Kibitzer(server.url).games.submit(PGN, nodes=2_000)
    ids: list[str] = []
    with breaking_proxy(server.url, [300, 3_000, 0, 3_000]) as url:
        events = Kibitzer(url).games.events(job["id"], on_event_id=ids.append)
        plies = [event["ply"] for event in events if event["type"] == "move"]
    assert plies == [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    assert ids == IDS


@pytest.mark.anyio
async def test_each_event_comes_once_to_the_asynchronous_client(server: Server) -> None:
    ids: list[str] = []
    with breaking_proxy(server.url, [300, 3_000, 0, 3_000]) as url:
        async with AsyncKibitzer(server.url) as client, AsyncKibitzer(url) as cut:
            job = await client.games.submit(PGN, nodes=2_002)
            async for _ in cut.games.events(job["id"], on_event_id=ids.append):
                pass
    assert ids == IDS


def test_a_later_call_goes_on_after_an_event(server: Server) -> None:
    client = Kibitzer(server.url)
    job = client.games.submit(PGN, nodes=2_001)
    events = client.games.events(job["id"], last_event_id="7")
    assert [event["ply"] for event in events if event["type"] == "move"] == [3, 2, 1]
    # The server has no more events after the end.
    assert list(client.games.events(job["id"], last_event_id="end")) == []


def test_a_connection_that_always_breaks_is_an_error_in_the_end(server: Server) -> None:
    with breaking_proxy(server.url, [0] * 20) as url:
        client = Kibitzer(url, retry=Retry(attempts=2, max_wait=0.01))
        with pytest.raises(KibitzerNetworkError):
            next(client.games.events("0" * 32))


def test_an_unknown_review_is_refused(server: Server) -> None:
    with pytest.raises(KibitzerError) as caught:
        next(Kibitzer(server.url).games.events("0" * 32))
    assert (caught.value.status, caught.value.code) == (404, "not_found")
