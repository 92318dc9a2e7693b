"""The servers of the tests: the real program, one that answers as a test says, and a proxy."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SETTINGS = """
[search]
workers = 1
hash_mb = 16
[idle]
positions = 0
[metrics]
listen = "127.0.0.1:0"
[log]
format = "json"
level = "kibitzer::http=warn,info"
"""

KEY = "key"
KEYS = """
[[access.keys]]
name = "tests"
sha256 = "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683"
requests = {requests}
window_ms = 600000
[access]
required = true
"""


@dataclass(frozen=True)
class Server:
    """A running program."""

    url: str
    metrics: str

    def searches_running(self) -> int:
        """The number of searches that run now."""
        with urllib.request.urlopen(self.metrics, timeout=10) as response:
            text = response.read().decode()
        found = re.search(r"^kibitzer_searches_running (\d+)", text, re.MULTILINE)
        assert found
        return int(found[1])

    def wait_until_running(self) -> None:
        """Waits until a search runs."""
        self._wait(1)

    def wait_until_free(self) -> float:
        """Waits until no search runs, and returns the milliseconds that it took."""
        return self._wait(0)

    def _wait(self, count: int) -> float:
        start = time.perf_counter()
        while self.searches_running() != count:
            assert time.perf_counter() - start < 10, f"not {count} searches"
            time.sleep(0.002)
        return (time.perf_counter() - start) * 1000


@contextmanager
def kibitzer(settings: str = "") -> Iterator[Server]:
    """Runs the program with more settings."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "server.toml")
        config.write_text(SETTINGS + settings)
        program = os.environ["KIBITZER"]
        command = [program, "serve", "--listen", "127.0.0.1:0", "--config", str(config)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            try:
                yield wait_until_listening(process)
            finally:
                process.kill()


def wait_until_listening(process: subprocess.Popen[bytes]) -> Server:
    """Reads the addresses of a program from its log."""
    assert process.stdout
    metrics = ""
    for text in process.stdout:
        line = json.loads(text)
        if line["message"].startswith("serving metrics"):
            metrics = f"http://{line['address']}/metrics"
        if line["message"] == "listening":
            threading.Thread(target=process.stdout.read, daemon=True).start()
            return Server(f"http://{line['address']}", metrics)
    raise AssertionError("the server did not start")


@contextmanager
def fake(handler: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[str]:
    """Runs a server that answers as the test says, and closes each connection."""

    class Handler(BaseHTTPRequestHandler):
        # A WebSocket needs it.
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            handler(self)

        do_POST = do_GET

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def answer(
    request: BaseHTTPRequestHandler,
    status: int,
    text: str,
    headers: dict[str, str] | None = None,
) -> None:
    """Answers a request to a fake server."""
    request.send_response(status)
    for name, value in (headers or {}).items():
        request.send_header(name, value)
    request.send_header("connection", "close")
    request.end_headers()
    request.wfile.write(text.encode())


@contextmanager
def breaking_proxy(url: str, limits: list[int]) -> Iterator[str]:
    """A proxy that breaks its first connections after so many bytes of the answer."""
    host, port = url.removeprefix("http://").split(":")
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(client: socket.socket, left: float) -> None:
        with client, socket.create_connection((host, int(port))) as server:
            threading.Thread(target=copy, args=(client, server), daemon=True).start()
            while left > 0 and (data := server.recv(65536)):
                client.sendall(data[: int(min(left, len(data)))])
                left -= len(data)
            client.shutdown(socket.SHUT_RDWR)

    def copy(client: socket.socket, server: socket.socket) -> None:
        try:
            while data := client.recv(65536):
                server.sendall(data)
            server.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def accept() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            left = limits.pop(0) if limits else float("inf")
            threading.Thread(target=serve, args=(client, left), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.close()


def closed_url() -> str:
    """An address that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"
