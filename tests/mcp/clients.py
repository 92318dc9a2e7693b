"""Test of `POST /mcp` and `kibitzer mcp` with an unchanged client: PyPI `mcp`.

    python3 tests/mcp/clients.py target/release/kibitzer

The program starts its own server. It needs the package `mcp`.
"""

import asyncio
import base64
import json
import os
import subprocess
import sys
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

TABLES = Path(__file__).parent.parent / "support/syzygy"
FOOLS_MATE = "1. f3 e5 2. g4 Qh4# 0-1"
WON_BY_TABLEBASE = "8/8/8/8/3k4/8/8/R3K3 w - - 0 1"
SETTINGS = {"LOG__FORMAT": "json", "SEARCH__HASH_MB": "16", "SYZYGY__PATHS": str(TABLES)}

# A call of each tool, and a member of its structured content.
CALLS = [
    ("legal_moves", {"fen": "startpos"}, ("count", 20)),
    ("check_move", {"pgn": FOOLS_MATE, "ply": 3, "move": "Qh4"}, ("san", "Qh4#")),
    ("analyse_position", {"fen": "startpos", "lines": 2, "movetime_ms": 100}, ("turn", "white")),
    ("play_moves", {"fen": "startpos", "moves": ["e4", "c5"]}, ("turn", "white")),
    ("review_game", {"pgn": FOOLS_MATE, "nodes": 1000}, ("status", "done")),
    ("tablebase", {"fen": WON_BY_TABLEBASE}, ("category", "win")),
    ("opening", {"pgn": "1. e4 c5"}, ("opening", {"eco": "B20", "name": "Sicilian Defense"})),
    ("board_image", {"fen": "startpos", "size": 64}, ("media_type", "image/png")),
]


def environment():
    own = {name: value for name, value in os.environ.items() if not name.startswith("KIBITZER")}
    return own | {f"KIBITZER__{key}": value for key, value in SETTINGS.items()}


def dumped(model):
    """The JSON of an object of the client, with the names of the protocol."""
    return model.model_dump(mode="json", by_alias=True)


async def call_every_tool(read, write):
    async with ClientSession(read, write) as session:
        started = dumped(await session.initialize())
        assert started["serverInfo"]["name"] == "kibitzer", started
        tools = dumped(await session.list_tools())["tools"]
        assert [tool["name"] for tool in tools] == [name for name, _, _ in CALLS], tools
        for name, arguments, (member, expected) in CALLS:
            result = dumped(await session.call_tool(name, arguments))
            assert not result["isError"], result
            content = result["structuredContent"]
            assert content[member] == expected, (name, content)
            assert content["fen"] in result["content"][-1]["text"], (name, result)
            if name == "board_image":
                picture = base64.b64decode(result["content"][0]["data"])
                assert picture.startswith(b"\x89PNG"), picture[:8]
        illegal = {"fen": "startpos", "moves": ["e5"]}
        refused = dumped(await session.call_tool("play_moves", illegal))
        assert refused["isError"], refused
        assert refused["structuredContent"]["code"] == "illegal_move", refused


async def check_http(program):
    command = [program, "serve", "--listen", "127.0.0.1:0"]
    server = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True)
    try:
        events = map(json.loads, server.stdout)
        url = next(event for event in events if event["message"] == "listening")["url"]
        async with streamable_http_client(f"{url.rstrip('/')}/mcp") as streams:
            await call_every_tool(streams[0], streams[1])
        remote = StdioServerParameters(
            command=program, args=["mcp", "--server", url], env=environment()
        )
        async with stdio_client(remote) as (read, write):
            await call_every_tool(read, write)
    finally:
        server.kill()
        server.wait()


async def check_stdio(program):
    local = StdioServerParameters(command=program, args=["mcp"], env=environment())
    async with stdio_client(local) as (read, write):
        await call_every_tool(read, write)


def main():
    program = sys.argv[1]
    asyncio.run(check_http(program))
    asyncio.run(check_stdio(program))
    print(f"{len(CALLS)} tools answer over streamable HTTP, standard input and a remote server")


if __name__ == "__main__":
    main()
