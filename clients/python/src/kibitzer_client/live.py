"""Live boards: one position at a time over a WebSocket. Needs the package websockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from types import TracebackType
from typing import Any, cast

from typing_extensions import Self, Unpack

try:
    from websockets.asyncio.client import ClientConnection as AsyncConnection
    from websockets.asyncio.client import connect as async_connect
    from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
    from websockets.sync.client import ClientConnection as SyncConnection
    from websockets.sync.client import connect as sync_connect
    from websockets.typing import Subprotocol
except ImportError as error:
    message = "live boards need websockets: pip install 'kibitzer-client[live]'"
    raise ImportError(message) from error

from .errors import KibitzerError, KibitzerNetworkError, refusal
from .live_messages import PATH, Channel, Conversation
from .models import LiveReady
from .requests import STREAM_SILENCE
from .streams import AsyncStream, Stream
from .transport import CONNECT_TIMEOUT, Settings
from .types import AnalysisLine, LiveLimits, LivePlace

SILENT = f"no message within {STREAM_SILENCE:.0f} s"

OPENING_ERRORS = (OSError, TimeoutError, WebSocketException)


class LiveBoard:
    """A live board. A newer position or analysis replaces the running one."""

    def __init__(self, socket: SyncConnection) -> None:
        self._socket = socket
        self._conversation = Conversation()

    def position(self, **place: Unpack[LivePlace]) -> LiveReady:
        """Sets the position, and returns its state. A running analysis ends with `replaced`."""
        self._send("position", place)
        return cast(LiveReady, self._next(self._conversation.open_channel()))

    def go(self, **limits: Unpack[LiveLimits]) -> Stream[AnalysisLine]:
        """Analyses the position: the lines up to `end`. Closing the stream stops the search."""
        return self._search("go", limits)

    def deeper(self, depth: int) -> Stream[AnalysisLine]:
        """Continues the last analysis to this depth."""
        return self._search("deeper", {"depth": depth})

    def multipv(self, value: int) -> None:
        """Sets the number of lines. A running analysis goes on with it in the same stream."""
        self._send("multipv", {"value": value})
        self._conversation.move_running()

    def stop(self) -> None:
        """Stops the running analysis. Its last line has the reason `stopped`."""
        self._send("stop")

    def close(self) -> None:
        """Closes the connection. A running analysis ends."""
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _search(self, type: str, members: Any) -> Stream[AnalysisLine]:
        self._send(type, members)
        channel = self._conversation.running = self._conversation.open_channel()
        return Stream(self._lines(channel), lambda: self._leave(channel))

    def _lines(self, channel: Channel) -> Generator[Any, None, None]:
        try:
            while True:
                line = self._next(channel)
                yield line
                if line["type"] == "end":
                    return
        finally:
            self._leave(channel)

    def _leave(self, channel: Channel) -> None:
        if self._conversation.leave(channel):
            self.stop()

    def _send(self, type: str, members: Any = None) -> None:
        try:
            self._socket.send(self._conversation.message(type, members))
        except ConnectionClosed as error:
            raise closed_error(error) from error

    def _next(self, channel: Channel) -> dict[str, Any]:
        while (message := channel.take()) is None:
            try:
                self._conversation.receive(self._socket.recv(timeout=STREAM_SILENCE))
            except ConnectionClosed as error:
                self._conversation.fail(str(error))
            except TimeoutError:
                self._conversation.fail(SILENT)
        return message


class AsyncLiveBoard:
    """A live board. A newer position or analysis replaces the running one."""

    def __init__(self, socket: AsyncConnection) -> None:
        self._socket = socket
        self._conversation = Conversation()
        # Several tasks may wait for messages; one of them reads.
        self._reading = asyncio.Lock()

    async def position(self, **place: Unpack[LivePlace]) -> LiveReady:
        """Sets the position, and returns its state. A running analysis ends with `replaced`."""
        text = self._conversation.message("position", place)
        channel = self._conversation.open_channel()
        await self._send(text)
        return cast(LiveReady, await self._next(channel))

    async def go(self, **limits: Unpack[LiveLimits]) -> AsyncStream[AnalysisLine]:
        """Analyses the position: the lines up to `end`. Closing the stream stops the search."""
        return await self._search("go", limits)

    async def deeper(self, depth: int) -> AsyncStream[AnalysisLine]:
        """Continues the last analysis to this depth."""
        return await self._search("deeper", {"depth": depth})

    async def multipv(self, value: int) -> None:
        """Sets the number of lines. A running analysis goes on with it in the same stream."""
        text = self._conversation.message("multipv", {"value": value})
        self._conversation.move_running()
        await self._send(text)

    async def stop(self) -> None:
        """Stops the running analysis. Its last line has the reason `stopped`."""
        await self._send(self._conversation.message("stop"))

    async def aclose(self) -> None:
        """Closes the connection. A running analysis ends."""
        await self._socket.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def _search(self, type: str, members: Any) -> AsyncStream[AnalysisLine]:
        text = self._conversation.message(type, members)
        channel = self._conversation.running = self._conversation.open_channel()
        await self._send(text)
        return AsyncStream(self._lines(channel), lambda: self._leave(channel))

    async def _lines(self, channel: Channel) -> AsyncGenerator[Any, None]:
        try:
            while True:
                line = await self._next(channel)
                yield line
                if line["type"] == "end":
                    return
        finally:
            await self._leave(channel)

    async def _leave(self, channel: Channel) -> None:
        if self._conversation.leave(channel):
            await self.stop()

    async def _send(self, text: str) -> None:
        try:
            await self._socket.send(text)
        except ConnectionClosed as error:
            raise closed_error(error) from error

    async def _next(self, channel: Channel) -> dict[str, Any]:
        while (message := channel.take()) is None:
            async with self._reading:
                # Another task may have read it meanwhile.
                if (message := channel.take()) is not None:
                    return message
                await self._read()
        return message

    async def _read(self) -> None:
        # Before Python 3.12, asyncio.wait_for can swallow the cancellation of its task.
        timer = asyncio.get_running_loop().call_later(STREAM_SILENCE, self._give_up)
        try:
            self._conversation.receive(await self._socket.recv())
        except ConnectionClosed as error:
            self._conversation.fail(str(error))
        finally:
            timer.cancel()

    def _give_up(self) -> None:
        self._conversation.fail(SILENT)
        self._socket.transport.abort()


def open_board(settings: Settings) -> LiveBoard:
    """Opens the WebSocket of a live board."""
    try:
        return LiveBoard(sync_connect(address(settings), **options(settings)))
    except OPENING_ERRORS as error:
        raise opening_error(error) from error


async def open_async_board(settings: Settings) -> AsyncLiveBoard:
    """Opens the WebSocket of a live board."""
    try:
        return AsyncLiveBoard(await async_connect(address(settings), **options(settings)))
    except OPENING_ERRORS as error:
        raise opening_error(error) from error


def address(settings: Settings) -> str:
    """The address of the WebSocket."""
    return settings.url.replace("http", "ws", 1) + PATH


def options(settings: Settings) -> Any:
    """The options of the handshake. It takes the key: no ticket is needed."""
    return {
        "subprotocols": [Subprotocol("kibitzer.v1")],
        "additional_headers": settings.key_headers,
        "open_timeout": CONNECT_TIMEOUT,
        "max_size": None,
    }


def opening_error(error: Exception) -> KibitzerError | KibitzerNetworkError:
    """Why the WebSocket was not opened."""
    if isinstance(error, InvalidStatus):
        response = error.response
        text = (response.body or b"").decode(errors="replace")
        return refusal(response.status_code, response.headers, text)
    return KibitzerNetworkError(f"{PATH}: {error or type(error).__name__}")


def closed_error(error: ConnectionClosed) -> KibitzerNetworkError:
    """The error of a message to a closed connection."""
    return KibitzerNetworkError(f"{PATH}: {error}")
