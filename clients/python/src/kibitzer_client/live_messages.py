"""The conversation on a live board, without any input or output."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from typing import Any

from .errors import KibitzerNetworkError, problem_error

PATH = "/v1/live"


class Channel:
    """The messages to one id, in order, until their reader takes them."""

    def __init__(self, id: int) -> None:
        self.id = id
        """The id that the newest messages have; it changes with the number of lines."""
        self.failure: Exception | None = None
        self._messages: deque[dict[str, Any]] = deque()

    def push(self, message: dict[str, Any]) -> None:
        """Adds a message. A slow reader gets the newest result, not every one."""
        messages = self._messages
        if messages and messages[-1]["type"] == message["type"] == "info":
            messages.pop()
        messages.append(message)

    def take(self) -> dict[str, Any] | None:
        """Takes the next message; None if the connection has to be read first."""
        if self._messages:
            return self._messages.popleft()
        if self.failure is not None:
            raise self.failure
        return None


class Conversation:
    """Gives ids to messages, and takes the answers to their channels."""

    def __init__(self) -> None:
        self.running: Channel | None = None
        self._channels: dict[int, Channel] = {}
        self._last_id = 0

    def message(self, type: str, members: Mapping[str, Any] | None = None) -> str:
        """A message with a new id."""
        self._last_id += 1
        return json.dumps({"type": type, "id": self._last_id, **(members or {})})

    def open_channel(self) -> Channel:
        """The channel for the answers to the last message."""
        channel = Channel(self._last_id)
        self._channels[channel.id] = channel
        return channel

    def move_running(self) -> None:
        """The running analysis goes on under the id of the last message."""
        if self.running is not None:
            self.running.id = self._last_id
            self._channels[self._last_id] = self.running

    def leave(self, channel: Channel) -> bool:
        """Whether the analysis of this channel has to be stopped. A newer one must not be."""
        is_running = self.running is channel
        if is_running:
            self.running = None
        return is_running

    def receive(self, text: str | bytes) -> None:
        """Takes a message of the server."""
        message = json.loads(text)
        id = message.get("id")
        channel = self._channels.get(id)
        if channel is None:
            return
        if message["type"] == "problem":
            del self._channels[id]
            # A refused number of lines leaves the analysis running, under the older id.
            if channel not in self._channels.values():
                self._end(channel)
            channel.failure = problem_error(message)
            return
        if message["type"] in ("end", "ready"):
            del self._channels[id]
            if message.get("reason") == "replaced" and channel.id != id:
                return  # It goes on under the id of the message with the number of lines.
            self._end(channel)
        channel.push(message)

    def fail(self, reason: str) -> None:
        """The connection has ended."""
        for channel in self._channels.values():
            channel.failure = KibitzerNetworkError(f"{PATH}: {reason}")
        self._channels.clear()
        self.running = None

    def _end(self, channel: Channel) -> None:
        self._channels.pop(channel.id, None)
        if self.running is channel:
            self.running = None
