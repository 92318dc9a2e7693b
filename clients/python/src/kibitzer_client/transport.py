"""Requests over httpx: keys, repetitions and errors; synchronous and asynchronous."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Generator
from typing import Any

import httpx

from .errors import KibitzerError, KibitzerNetworkError, refusal, unexpected_answer
from .lines import Line
from .requests import Request, StreamRequest, base_url, check_header
from .retry import Retry

CONNECT_TIMEOUT = 10.0


class Settings:
    """What both transports need: where the server is, and how to ask it."""

    def __init__(self, url: str, key: str | None, retry: Retry, timeout: float) -> None:
        self.url = base_url(url)
        self.retry = retry
        self.timeout = timeout
        self.key_headers: dict[str, str] = {}
        if key is not None:
            self.key_headers["authorization"] = f"Bearer {check_header('key', key)}"

    def build(
        self, http: httpx.Client | httpx.AsyncClient, request: Request, silence: float | None
    ) -> httpx.Request:
        """The request of httpx."""
        return http.build_request(
            request.method,
            self.url + request.path,
            params=request.parameters or None,
            headers={"accept": request.accept, **self.key_headers, **request.headers},
            content=request.content,
            timeout=httpx.Timeout(silence or self.timeout, connect=CONNECT_TIMEOUT),
        )

    def wait_after(self, error: KibitzerError, failed: int) -> float:
        """The seconds before the next try, or the error if it is final."""
        wait = self.retry.wait_after(error, failed)
        if wait is None:
            raise error
        return wait

    def wait_to_reconnect(self, error: KibitzerNetworkError, failed: int) -> float:
        """The seconds before a stream is opened again, or the error after too many tries."""
        wait = self.retry.wait_to_reconnect(failed)
        if wait is None:
            raise error
        return wait


class SyncTransport:
    """Requests of the synchronous client."""

    def __init__(self, settings: Settings, http: httpx.Client | None) -> None:
        self.settings = settings
        self.http = http or httpx.Client()

    def json(self, request: Request) -> Any:
        """The JSON document that answers a request."""
        return parse(self.text(request))

    def text(self, request: Request) -> str:
        """The text that answers a request."""
        response = self._open(request, None)
        try:
            return response.read().decode(errors="replace")
        except httpx.RequestError as error:
            raise network_error(request, error) from error
        finally:
            response.close()

    def lines(self, stream: StreamRequest) -> Generator[Line, None, None]:
        """The lines of a response, up to the last one. Closing the generator ends the request."""
        response = self._open(stream.request, stream.silence)
        decoder = stream.decoder()
        try:
            if response.status_code == httpx.codes.NO_CONTENT:
                return
            for chunk in response.iter_bytes():
                for line in decoder.feed(chunk):
                    yield line
                    if line.is_last:
                        return
        except httpx.RequestError as error:
            raise network_error(stream.request, error) from error
        finally:
            response.close()
        raise broken_off(stream.request)

    def _open(self, request: Request, silence: float | None) -> httpx.Response:
        failed = 0
        while True:
            try:
                return self._try_open(request, silence)
            except KibitzerError as error:
                failed += 1
                wait = self.settings.wait_after(error, failed)
            time.sleep(wait)

    def _try_open(self, request: Request, silence: float | None) -> httpx.Response:
        try:
            built = self.settings.build(self.http, request, silence)
            # A redirection could take the key along.
            response = self.http.send(built, stream=True, follow_redirects=False)
            if response.is_success:
                return response
            try:
                text = response.read().decode(errors="replace")
            finally:
                response.close()
        except httpx.RequestError as error:
            raise network_error(request, error) from error
        raise refusal(response.status_code, response.headers, text)


class AsyncTransport:
    """Requests of the asynchronous client."""

    def __init__(self, settings: Settings, http: httpx.AsyncClient | None) -> None:
        self.settings = settings
        self.http = http or httpx.AsyncClient()

    async def json(self, request: Request) -> Any:
        """The JSON document that answers a request."""
        return parse(await self.text(request))

    async def text(self, request: Request) -> str:
        """The text that answers a request."""
        response = await self._open(request, None)
        try:
            return (await response.aread()).decode(errors="replace")
        except httpx.RequestError as error:
            raise network_error(request, error) from error
        finally:
            await response.aclose()

    async def lines(self, stream: StreamRequest) -> AsyncGenerator[Line, None]:
        """The lines of a response, up to the last one. Closing the generator ends the request."""
        response = await self._open(stream.request, stream.silence)
        decoder = stream.decoder()
        try:
            if response.status_code == httpx.codes.NO_CONTENT:
                return
            async for chunk in response.aiter_bytes():
                for line in decoder.feed(chunk):
                    yield line
                    if line.is_last:
                        return
        except httpx.RequestError as error:
            raise network_error(stream.request, error) from error
        finally:
            await response.aclose()
        raise broken_off(stream.request)

    async def _open(self, request: Request, silence: float | None) -> httpx.Response:
        failed = 0
        while True:
            try:
                return await self._try_open(request, silence)
            except KibitzerError as error:
                failed += 1
                wait = self.settings.wait_after(error, failed)
            await asyncio.sleep(wait)

    async def _try_open(self, request: Request, silence: float | None) -> httpx.Response:
        try:
            built = self.settings.build(self.http, request, silence)
            # A redirection could take the key along.
            response = await self.http.send(built, stream=True, follow_redirects=False)
            if response.is_success:
                return response
            try:
                text = (await response.aread()).decode(errors="replace")
            finally:
                await response.aclose()
        except httpx.RequestError as error:
            raise network_error(request, error) from error
        raise refusal(response.status_code, response.headers, text)


def parse(text: str) -> Any:
    """The JSON object in a text."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise unexpected_answer(200, "no JSON object", text)
    return value


def network_error(request: Request, error: httpx.RequestError) -> KibitzerNetworkError:
    """The error for one of httpx."""
    reason = "no answer in time" if isinstance(error, httpx.TimeoutException) else str(error)
    return KibitzerNetworkError(f"{request.route}: {reason or type(error).__name__}")


def broken_off(request: Request) -> KibitzerNetworkError:
    """The error for a stream without its last line."""
    return KibitzerNetworkError(f"{request.route}: the stream broke off before its end")
