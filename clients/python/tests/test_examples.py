"""The example programs run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from servers import Server

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.mark.parametrize(
    ("example", "expected"),
    [
        ("legal_moves", r"^30 moves: .*Nf3"),
        ("best_move", r"^Ra8#, mate 1: Ra8#\nillegal_move: "),
        ("stream", r"depth \d+: .*\ncancelled\n$"),
        ("review", r"^16 moves\n[\s\S]*\[%eval"),
    ],
)
def test_an_example_prints_what_it_says(server: Server, example: str, expected: str) -> None:
    command = [sys.executable, str(EXAMPLES / f"{example}.py"), server.url]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    assert re.search(expected, result.stdout)
    assert server.wait_until_free() < 1000
