"""Decoders of NDJSON and of server-sent events, without any input or output."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .errors import problem_error, unexpected_answer


@dataclass(frozen=True)
class Line:
    """A line of a stream."""

    value: dict[str, Any]
    event_id: str | None = None

    @property
    def is_last(self) -> bool:
        """Whether no line follows. A stream that stops before was interrupted."""
        return bool(self.value.get("type") == "end")


class TextLines:
    """Cuts the chunks of a body into lines. A line without its line break never came."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> Iterator[str]:
        """The lines that this chunk completes."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            yield line.removesuffix(b"\r").decode(errors="replace")


class NdjsonDecoder:
    """Each line of text is a JSON object."""

    def __init__(self) -> None:
        self._lines = TextLines()

    def feed(self, chunk: bytes) -> Iterator[Line]:
        """The lines that this chunk completes."""
        for text in self._lines.feed(chunk):
            if text:
                yield Line(parse_line(text))


class EventDecoder:
    """Server-sent events whose data is JSON. Comments and `retry` are skipped."""

    def __init__(self) -> None:
        self._lines = TextLines()
        self._id: str | None = None
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> Iterator[Line]:
        """The events that this chunk completes."""
        for text in self._lines.feed(chunk):
            name, _, value = text.partition(":")
            value = value.removeprefix(" ")
            if name == "id":
                self._id = value
            elif name == "data":
                self._data.append(value)
            elif text == "":
                event_id, data = self._id, self._data
                self._id, self._data = None, []
                if data:
                    yield Line(parse_line("\n".join(data)), event_id)


def parse_line(text: str) -> dict[str, Any]:
    """The JSON object in a line. A line of the type `problem` is an error."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise unexpected_answer(200, "no JSON object", text)
    if value.get("type") == "problem":
        raise problem_error(value)  # type: ignore[arg-type]
    return value
