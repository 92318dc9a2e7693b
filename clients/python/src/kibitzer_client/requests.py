"""The requests of the client, without any input or output: what each method sends."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx

from .lines import EventDecoder, NdjsonDecoder

STREAM_SILENCE = 30.0
"""The longest silence of a stream, in seconds. Heartbeats come every 8 s or more often."""


@dataclass(frozen=True)
class Request:
    """A request to the server."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None
    accept: str = "application/json"

    @property
    def route(self) -> str:
        """The name of the request in errors."""
        return f"{self.method} {self.path}"

    @property
    def parameters(self) -> list[tuple[str, str | int | float | bool | None]]:
        """The query. A list repeats its name."""
        pairs: list[tuple[str, str | int | float | bool | None]] = []
        for name, value in self.query.items():
            for item in value if isinstance(value, list) else [value]:
                if item is not None:
                    pairs.append((name, item))
        return pairs


@dataclass(frozen=True)
class StreamRequest:
    """A request that a stream answers."""

    request: Request
    decoder: Callable[[], NdjsonDecoder | EventDecoder] = NdjsonDecoder
    silence: float | None = STREAM_SILENCE
    """The longest silence in seconds; None: that of a single answer."""


def base_url(url: str) -> str:
    """Checks the address of a server."""
    try:
        parts = httpx.URL(url)
    except httpx.InvalidURL:
        parts = httpx.URL()
    if parts.scheme not in ("http", "https") or not parts.host:
        raise ValueError(f'url is "{url}"; it must begin with http:// or https:// and a host')
    if parts.userinfo or parts.query or parts.fragment:
        raise ValueError(f'url is "{url}"; it must have no user name, query or fragment')
    return url.rstrip("/")


def check_header(name: str, value: str) -> str:
    """Checks a text for a header."""
    if re.fullmatch("[!-~]+", value) is None:
        raise ValueError(f"{name} must be visible ASCII characters without spaces")
    return value


def get(path: str, query: Mapping[str, Any] | None = None) -> Request:
    """A request for a JSON document."""
    return Request("GET", path, query or {})


def post(path: str, members: Mapping[str, Any], accept: str = "application/json") -> Request:
    """A request whose members are a JSON document."""
    content = json.dumps(members).encode()
    return Request("POST", path, {}, {"content-type": "application/json"}, content, accept)


def analysis(members: Mapping[str, Any]) -> StreamRequest:
    """An analysis as a stream."""
    return StreamRequest(post("/v1/analysis", members, "application/x-ndjson"))


def batch(requests: Iterable[Mapping[str, Any]]) -> StreamRequest:
    """Many requests, one a line. Nothing comes while the server searches."""
    content = b"".join(json.dumps(request).encode() + b"\n" for request in requests)
    media_type = "application/x-ndjson"
    request = Request(
        "POST", "/v1/batch", {}, {"content-type": media_type}, content, media_type
    )
    return StreamRequest(request, silence=None)


def submit_games(
    pgn: str | bytes, limits: Mapping[str, Any], idempotency_key: str | None
) -> Request:
    """Games to review. A key is made up, so that repetitions submit the games once."""
    key = secrets.token_hex(16) if idempotency_key is None else idempotency_key
    headers = {
        "content-type": "application/x-chess-pgn",
        "idempotency-key": check_header("idempotency_key", key),
    }
    content = pgn.encode() if isinstance(pgn, str) else pgn
    return Request("POST", "/v1/games", limits, headers, content)


def job(job_id: str, pov: str | None = None) -> Request:
    """The state of a review."""
    return get(job_path(job_id), {"pov": pov})


def job_events(job_id: str, pov: str | None, last_event_id: str | None) -> StreamRequest:
    """The events of a review after an event."""
    headers = {} if last_event_id is None else {"last-event-id": last_event_id}
    path = f"{job_path(job_id)}/events"
    request = Request("GET", path, {"pov": pov}, headers, None, "text/event-stream")
    return StreamRequest(request, EventDecoder)


def job_pgn(job_id: str) -> Request:
    """The annotated games."""
    return Request("GET", f"{job_path(job_id)}/pgn", accept="application/x-chess-pgn")


def stop_job(job_id: str) -> Request:
    """The deletion of a review."""
    return Request("DELETE", job_path(job_id))


def job_path(job_id: str) -> str:
    """The path of a review."""
    return "/v1/games/" + quote(job_id, safe="")
