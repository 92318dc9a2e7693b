"""The servers that several tests share."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import pytest

from servers import KEYS, Server, kibitzer


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server with one worker, without keys."""
    syzygy = f"[syzygy]\npaths = [{json.dumps(os.environ['SYZYGY'])}]\n"
    with kibitzer(syzygy) as running:
        yield running


@pytest.fixture(scope="session")
def keyed_server() -> Iterator[Server]:
    """A server that requires a key, and closes idle boards soon."""
    with kibitzer(KEYS.format(requests=1000) + "[live]\nidle_ms = 1500\n") as running:
        yield running


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The asynchronous client is for asyncio."""
    return "asyncio"
