"""Lines and events, however they are cut and written."""

from __future__ import annotations

import pytest

from kibitzer_client.lines import EventDecoder, Line, NdjsonDecoder

EVENTS = """: a comment\r
retry: 2000\r
\r
event: move\r
id: 1\r
data: {"type": "move",\r
data:"san": "é"}\r
\r
id: end
data: {"type": "end"}

id: 9
data: {"type": "cut"
""".encode()

NDJSON = '{"type": "info"}\r\n\n{"san": "é"}\n{"type": "cut"'.encode()


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_events_are_read(size: int) -> None:
    decoder = EventDecoder()
    chunks = [EVENTS[start : start + size] for start in range(0, len(EVENTS), size)]
    lines = [line for chunk in chunks for line in decoder.feed(chunk)]
    assert lines == [Line({"type": "move", "san": "é"}, "1"), Line({"type": "end"}, "end")]
    assert lines[1].is_last


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_ndjson_is_read(size: int) -> None:
    decoder = NdjsonDecoder()
    chunks = [NDJSON[start : start + size] for start in range(0, len(NDJSON), size)]
    lines = [line.value for chunk in chunks for line in decoder.feed(chunk)]
    assert lines == [{"type": "info"}, {"san": "é"}]
