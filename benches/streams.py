#!/usr/bin/env python3
"""Check of the stream guarantees from the view of a client.

The program starts its own server. It prints whether each guarantee holds, with a measurement.

    benches/streams.py target/release/kibitzer [--browser /usr/bin/chromium]

It needs only Python 3.9, and an idle machine: on a busy one the limits of the times are exceeded.
With --browser it needs a Chromium, and checks that its EventSource stops after the end of the
stream.
"""

import argparse
import contextlib
import http.client
import json
import os
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

CACHED_FEN = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"
SLOW_FEN = "r3k2r/pppq1ppp/2n2n2/3p4/3P4/2N2N2/PPPQ1PPP/R3K3 w Qkq - 0 1"
BATCH_LINES = 2_000
GAME = """[Event "?"]
[White "Morphy"]
[Black "Duke and Count"]
[Result "1-0"]

1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5
10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8
17. Rd8# 1-0
"""


class Server:
    """A server on a free port."""

    def __init__(self, program, folder, **settings):
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("KIBITZER")
        }
        environment |= {
            "KIBITZER__STORE__PATH": folder,
            "KIBITZER__HTTP__CORS_ORIGINS": "*",
            "KIBITZER__LOG__FORMAT": "json",
        }
        environment |= {f"KIBITZER__{key.upper()}": str(value) for key, value in settings.items()}
        self.process = subprocess.Popen(
            [program, "serve", "--listen", "127.0.0.1:0"],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.log = []
        self.port = None
        for line in self.process.stdout:
            self.log.append(line)
            if self.port is None and (found := re.search(r"127\.0\.0\.1:(\d+)", line)):
                self.port = int(found[1])
            if '"ready"' in line:
                break
        threading.Thread(target=lambda: self.log.extend(self.process.stdout), daemon=True).start()

    def request(self, method, path, body=None, headers=None):
        """Sends a request. Returns the response, with its body still unread."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        if isinstance(body, (dict, list)):
            body, headers = json.dumps(body), {"Content-Type": "application/json"} | (headers or {})
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        response.connection = connection
        return response

    def stream(self, body):
        """Starts an analysis as a stream of lines."""
        return self.request("POST", "/v1/analysis", body, {"Accept": "application/x-ndjson"})

    def metric(self, name):
        """The value of a metric without labels."""
        text = self.request("GET", "/metrics").read().decode()
        return float(re.search(rf"^{name} (\S+)$", text, re.MULTILINE)[1])

    def wait_until_idle(self):
        """Waits for the end of the searches that a disconnect has cancelled."""
        deadline = time.monotonic() + 5
        while running := self.metric("kibitzer_searches_running"):
            assert time.monotonic() < deadline, f"{running:.0f} searches still run after 5 s"

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


def lines(response):
    """The JSON lines of a stream."""
    for line in response:
        yield json.loads(line)


def disconnect(response):
    """Closes the connection without notice."""
    response.connection.sock.shutdown(socket.SHUT_RDWR)
    response.close()
    response.connection.close()


def the_first_line_comes_from_the_cache(server):
    server.request("POST", "/v1/best-move", {"fen": CACHED_FEN, "depth": 14}).read()
    times = []
    for _ in range(300):
        started = time.perf_counter()
        response = server.stream({"fen": CACHED_FEN, "infinite": True})
        line = json.loads(response.readline())
        times.append(1_000 * (time.perf_counter() - started))
        assert (line["type"], line["source"]) == ("info", "memory"), line
        assert line["depth"] >= 14 and line["age_ms"] >= 0, line
        disconnect(response)
    times.sort()
    return (
        times[-1] < 5,
        f"median {statistics.median(times):.2f} ms, p99 {times[296]:.2f} ms, "
        f"maximum {times[-1]:.2f} ms of 300",
    )


def a_quiet_analysis_has_heartbeats(server):
    types, longest = [], 0.0
    response = server.stream({"fen": SLOW_FEN, "infinite": True})
    before = time.perf_counter()
    end = before + 60
    for line in lines(response):
        now = time.perf_counter()
        longest, before = max(longest, now - before), now
        types.append(line["type"])
        if now > end:
            break
    disconnect(response)
    count = types.count("heartbeat")
    return count > 0 and longest <= 8, f"{count} heartbeats, longest silence {longest:.1f} s"


def a_disconnect_frees_the_worker(server):
    server.wait_until_idle()
    times = []
    for number in range(50):
        response = server.stream({"fen": SLOW_FEN, "infinite": True, "fresh": True})
        response.readline()
        running = server.metric("kibitzer_searches_running")
        assert running == 1, f"round {number}: {running:.0f} searches run; it must be 1"
        started = time.perf_counter()
        disconnect(response)
        while server.metric("kibitzer_searches_running"):
            elapsed = time.perf_counter() - started
            assert elapsed < 5, f"round {number}: the worker is still busy after 5 s"
        times.append(1_000 * (time.perf_counter() - started))
    times.sort()
    return (
        times[-1] < 20,
        f"median {statistics.median(times):.1f} ms, maximum {times[-1]:.1f} ms of 50, "
        "including the requests for the metric",
    )


def a_newer_request_replaces_the_older_one(server):
    older = server.stream({"fen": SLOW_FEN, "infinite": True, "session": "board"})
    older.readline()
    newer = server.stream({"fen": "startpos", "depth": 3, "session": "board"})
    last_of_older, last_of_newer = list(lines(older))[-1], list(lines(newer))[-1]
    reasons = last_of_older["reason"], last_of_newer["reason"]
    return reasons == ("replaced", "depth"), ", ".join(reasons)


def events(response):
    """Name and id of each event."""
    name = number = None
    for line in response:
        field, _, value = line.decode().rstrip("\n").partition(": ")
        if field == "event":
            name = value
        elif field == "id":
            number = value
        elif field == "" and name:
            yield name, number
            name = None


def a_job_is_resumed_by_its_last_event_id(server):
    headers = {"Content-Type": "application/x-chess-pgn"}
    job = json.loads(server.request("POST", "/v1/games?depth=8", GAME, headers).read())
    path = f"{job['url']}/events"
    received = []
    with contextlib.closing(server.request("GET", path)) as response:
        for name, number in events(response):
            if name in ("move", "game", "end"):
                received.append((name, number))
            if len(received) == 10:
                break
    last = received[-1][1]
    remaining = list(events(server.request("GET", path, headers={"Last-Event-ID": last})))
    received += [(name, number) for name, number in remaining if name in ("move", "game", "end")]
    numbers = [int(number) for name, number in received if name != "end"]
    status = server.request("GET", path, headers={"Last-Event-ID": "end"}).status
    holds = (
        numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        and received[-1] == ("end", "end")
        and status == 204
    )
    return (
        holds,
        f"disconnected after event {last}, {len(numbers)} events in sequence, then end; "
        f"status of a request after the end: {status}",
    )


def a_batch_may_be_sent_whole_before_its_answers_are_read(server):
    body = "".join(
        json.dumps({"id": number, "fen": "startpos", "nodes": 500 + number, "fresh": True}) + "\n"
        for number in range(BATCH_LINES)
    )
    sock = socket.create_connection(("127.0.0.1", server.port), timeout=120)
    head = (
        "POST /v1/batch HTTP/1.1\r\nHost: localhost\r\n"
        f"Content-Type: application/x-ndjson\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    sock.sendall(head.encode() + body.encode())
    response = http.client.HTTPResponse(sock)
    response.begin()
    answers = list(lines(response))
    ids = {line["id"] for line in answers if "best_move" in line}
    return (
        len(ids) == BATCH_LINES and answers[-1]["type"] == "end",
        f"{len(ids)} answers to {BATCH_LINES} lines",
    )


PAGE = """<!doctype html><title>waiting</title><script>
let opened = 0, failed = 0, ended = 0;
const source = new EventSource("http://127.0.0.1:%d/v1/analysis?fen=startpos&depth=6");
source.onopen = () => opened++;
source.onerror = () => failed++;
source.addEventListener("end", () => ended++);
setTimeout(() => {
  document.title = "done";
  document.body.textContent = JSON.stringify({ opened, failed, ended, state: source.readyState });
}, 8000);
</script><body></body>"""


def the_event_source_of_a_browser_stops_after_the_end(server, browser):
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder, "page.html")
        page.write_text(PAGE % server.port)
        command = [
            browser,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={folder}/profile",
        ]
        command += ["--virtual-time-budget=20000", "--dump-dom", page.as_uri()]
        before = len(server.log)
        text = subprocess.run(
            command, capture_output=True, text=True, timeout=120, check=True
        ).stdout
    found = json.loads(re.search(r"\{[^{}]*\}\s*</body>", text)[0].removesuffix("</body>"))
    statuses = [
        json.loads(line).get("status") for line in server.log[before:] if "/v1/analysis" in line
    ]
    holds = (
        found == {"opened": 1, "failed": found["failed"], "ended": 1, "state": 2}
        and statuses.count(204) <= 1
    )
    return holds, f"{found}, statuses of the requests: {statuses}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kibitzer")
    parser.add_argument("--browser")
    options = parser.parse_args()
    checks = [
        the_first_line_comes_from_the_cache,
        a_quiet_analysis_has_heartbeats,
        a_disconnect_frees_the_worker,
        a_newer_request_replaces_the_older_one,
        a_job_is_resumed_by_its_last_event_id,
        a_batch_may_be_sent_whole_before_its_answers_are_read,
    ]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options.kibitzer, folder, search__workers=2, idle__positions=0)
        if options.browser:
            checks.append(
                lambda server: the_event_source_of_a_browser_stops_after_the_end(
                    server, options.browser
                )
            )
            checks[-1].__name__ = the_event_source_of_a_browser_stops_after_the_end.__name__
        try:
            for check in checks:
                holds, measurement = check(server)
                failed += not holds
                name = check.__name__.replace("_", " ")
                print(f"{'ok  ' if holds else 'MISS'} {name}: {measurement}", flush=True)
        finally:
            server.stop()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
