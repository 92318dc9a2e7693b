"""Iterators over the lines of a stream, which end the request when they are closed."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator
from types import TracebackType
from typing import Generic, TypeVar

from typing_extensions import Self

Item = TypeVar("Item", covariant=True)


class Stream(Iterator[Item], Generic[Item]):
    """Lines as they arrive. The request is sent with the first `next`.

    Closing the stream, or leaving its `with` block, ends the request: the server stops the search.
    """

    def __init__(
        self, lines: Generator[Item, None, None], leave: Callable[[], None] | None = None
    ) -> None:
        self._lines = lines
        # Closing a generator that was not started runs none of it.
        self._leave = leave

    def __next__(self) -> Item:
        return next(self._lines)

    def close(self) -> None:
        """Ends the request, if it has not ended."""
        self._lines.close()
        if self._leave is not None:
            self._leave()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class AsyncStream(AsyncIterator[Item], Generic[Item]):
    """Lines as they arrive. The request is sent with the first `anext`.

    Closing the stream, leaving its `async with` block, or cancelling the task that reads it, ends
    the request: the server stops the search.
    """

    def __init__(
        self,
        lines: AsyncGenerator[Item, None],
        leave: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._lines = lines
        self._leave = leave

    async def __anext__(self) -> Item:
        return await anext(self._lines)

    async def aclose(self) -> None:
        """Ends the request, if it has not ended."""
        await self._lines.aclose()
        if self._leave is not None:
            await self._leave()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()
