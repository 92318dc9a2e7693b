"""Refusals, servers that are gone and answers that are not kibitzer's."""

from __future__ import annotations

import pickle
from http.server import BaseHTTPRequestHandler

import pytest

from kibitzer_client import AsyncKibitzer, Kibitzer, KibitzerError, KibitzerNetworkError, Retry
from servers import KEY, KEYS, Server, answer, breaking_proxy, closed_url, fake, kibitzer


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8080",
        "//localhost",
        "ftp://localhost",
        "http://",
        "",
        "http://x?a",
        "http://x:y",
        "http://u@x",
        "http://x\n",
    ],
)
def test_a_url_without_a_scheme_is_refused_at_once(url: str) -> None:
    for client in (Kibitzer, AsyncKibitzer):
        with pytest.raises(ValueError, match="it must ") as error:
            client(url)
        assert str(error.value).startswith(f'url is "{url}"; ')


@pytest.mark.parametrize("key", ["", "two words", "Schlüssel", "line\n"])
def test_a_key_that_no_header_can_carry_is_refused_at_once(key: str) -> None:
    with pytest.raises(ValueError, match="^key must be visible ASCII"):
        Kibitzer("http://localhost", key=key)
    with pytest.raises(ValueError, match="^idempotency_key must be visible ASCII"):
        Kibitzer("http://localhost").games.submit("", idempotency_key=key)


def test_a_refusal_has_the_members_of_the_problem(server: Server) -> None:
    client = Kibitzer(server.url)
    with pytest.raises(KibitzerError) as caught:
        client.legal_moves(fen="8/8/8/8/8/8/8/8 w - - 0 1")
    error = caught.value
    assert (error.status, error.code) == (422, "invalid_fen")
    assert [item["code"] for item in error.errors] == ["no_king", "no_king"]
    assert error.detail in str(error)
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.errors) == (str(error), error.errors)
    assert error.problem and error.problem["instance"] == "/v1/legal-moves"
    with pytest.raises(KibitzerError) as caught:
        next(client.analysis(fen="startpos", depth=0))
    assert (caught.value.status, caught.value.code) == (422, "invalid_request")
    with pytest.raises(KibitzerError) as caught:
        client.legal_moves(fen="x" * 100_000)
    assert (caught.value.status, caught.value.code) == (413, "body_too_large")


def test_keys_and_rates_are_refused_by_their_codes() -> None:
    with kibitzer(KEYS.format(requests=1)) as limited:
        with pytest.raises(KibitzerError) as caught:
            Kibitzer(limited.url).engine()
        assert (caught.value.status, caught.value.code) == (401, "unauthorized")
        Kibitzer(limited.url, key=KEY).engine()
        # The wait is longer than a repetition may take, so that the error comes at once.
        with pytest.raises(KibitzerError) as caught:
            Kibitzer(limited.url, key=KEY).engine()
        assert (caught.value.status, caught.value.code) == (429, "rate_limited")
        assert caught.value.retry_after_ms and caught.value.retry_after_ms > 10_000


def test_a_server_that_is_gone_is_a_network_error_with_its_reason() -> None:
    client = Kibitzer(closed_url())
    with pytest.raises(KibitzerNetworkError, match="GET /v1/engine: .*refused"):
        client.engine()
    with pytest.raises(KibitzerNetworkError, match="POST /v1/analysis: .*refused"):
        next(client.analysis(fen="startpos"))


def test_a_silent_server_is_a_network_error() -> None:
    def silent(request: BaseHTTPRequestHandler) -> None:
        request.connection.recv(1)

    with fake(silent) as url:
        with Kibitzer(url, timeout=0.05) as client:
            with pytest.raises(KibitzerNetworkError, match="no answer in time"):
                client.engine()


@pytest.mark.parametrize("status", [502, 403, 200])
def test_the_page_of_a_proxy_is_an_unexpected_answer(status: int) -> None:
    def page(request: BaseHTTPRequestHandler) -> None:
        answer(request, status, "<html>Bad gateway</html>", {"content-type": "text/html"})

    with fake(page) as url:
        with pytest.raises(KibitzerError, match="Bad gateway") as caught:
            Kibitzer(url).engine()
        assert (caught.value.status, caught.value.code) == (status, "unexpected_answer")


def test_a_redirection_is_not_followed() -> None:
    def redirect(request: BaseHTTPRequestHandler) -> None:
        answer(request, 301, "", {"location": "https://other.example/"})

    with fake(redirect) as url:
        with pytest.raises(KibitzerError, match="redirects to https://other.example/"):
            Kibitzer(url, key="secret").engine()


def test_a_stream_that_breaks_off_is_a_network_error_after_its_lines(server: Server) -> None:
    lines = []
    with breaking_proxy(server.url, [2000]) as url:
        with pytest.raises(KibitzerNetworkError):
            for line in Kibitzer(url).analysis(fen="startpos", infinite=True):
                lines.append(line)
    assert lines


def test_a_stream_that_ends_between_two_lines_broke_off_too() -> None:
    def cut(request: BaseHTTPRequestHandler) -> None:
        answer(request, 200, '{"type":"queued","position":1}\n')

    with fake(cut) as url:
        with pytest.raises(KibitzerNetworkError, match="broke off before its end"):
            list(Kibitzer(url).analysis(fen="startpos"))
        with pytest.raises(KibitzerNetworkError, match="broke off before its end"):
            list(Kibitzer(url).batch([]))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<html>\n", "unexpected_answer"),
        ("1\n", "unexpected_answer"),
        ('{"type":"problem","status":500,"code":"internal"}\n', "internal"),
    ],
)
def test_a_line_that_is_no_line_is_an_error(text: str, code: str) -> None:
    with fake(lambda request: answer(request, 200, text)) as url:
        with pytest.raises(KibitzerError) as caught:
            next(Kibitzer(url).analysis(fen="startpos"))
        assert caught.value.code == code


def test_no_retry_is_possible() -> None:
    with fake(lambda request: answer(request, 503, "")) as url:
        with pytest.raises(KibitzerError) as caught:
            Kibitzer(url, retry=Retry(attempts=0)).engine()
        assert caught.value.status == 503
