"""Test of the snippets in JavaScript and Python of README.md and docs/quick-start.md.

    python3 tests/readme/snippets.py target/release/kibitzer clients/typescript

The program starts its own server with the environment that docs/quick-start.md gives for pages of
another origin. It needs Node.js, the package `kibitzer-client`, and the built package `kibitzer`
in the folder of the second argument. tests/readme/main.rs tests the curl commands. As there,
`KIBITZER_ACCEPT=1` writes the new outputs into the pages.
"""

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
QUICK_START = "docs/quick-start.md"
ADDRESS = "localhost:8080"
# Page, language, and the number of its snippets. The JavaScript of the README is for browsers:
# Node.js 20 has no `EventSource`.
SNIPPETS = [("README.md", "python", 1), (QUICK_START, "js", 2), (QUICK_START, "python", 2)]
BLOCK = re.compile(
    r"^```(js|python)\n(.*?)^```\n(?:```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE
)
ORIGIN = re.compile(r"^KIBITZER__HTTP__CORS_ORIGINS=(\S+) kibitzer$", re.MULTILINE)


@contextlib.contextmanager
def new_server(program, origin):
    """The address of a server with an empty cache, so that each snippet gets the same answers."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("KIBITZER")
    }
    environment |= {"KIBITZER__LOG__FORMAT": "json", "KIBITZER__HTTP__CORS_ORIGINS": origin}
    command = [program, "serve", "--listen", "127.0.0.1:0"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        events = map(json.loads, process.stdout)
        yield next(event for event in events if event["message"] == "listening")["address"]
    finally:
        process.terminate()
        process.wait()


def run(language, code, folder):
    """The output of a snippet, which runs as a program of its own."""
    file = folder / ("snippet.mjs" if language == "js" else "snippet.py")
    file.write_text(code)
    command = ["node" if language == "js" else sys.executable, file]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert finished.returncode == 0, f"{code}\n{finished.stdout}{finished.stderr}"
    return finished.stdout


def snippets_of(page, language):
    """The code of each snippet, and its output if the page prints it."""
    blocks = BLOCK.findall((ROOT / page).read_text())
    return [(code, output) for found, code, output in blocks if found == language]


def check_output(page, code, expected, output):
    """Compares an output with that of the page, or writes it there."""
    if not expected or output == expected:
        return
    assert os.environ.get("KIBITZER_ACCEPT"), f"{page}:\n{code}\nprints\n{output}"
    before = f"{code}```\n```text\n"
    text = (ROOT / page).read_text()
    (ROOT / page).write_text(text.replace(before + expected, before + output))


def allowed_origin(address, origin):
    """The origin that the server allows in its answer to a browser's preflight."""
    headers = {
        "origin": origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
    }
    url = f"http://{address}/v1/best-move"
    request = urllib.request.Request(url, None, headers, method="OPTIONS")
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.headers.get("access-control-allow-origin")


def main(program, typescript):
    [origin] = ORIGIN.findall((ROOT / QUICK_START).read_text())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "node_modules").mkdir()
        (folder / "node_modules/kibitzer").symlink_to(Path(typescript).resolve())
        for page, language, count in SNIPPETS:
            snippets = snippets_of(page, language)
            assert len(snippets) == count, f"{page}: {len(snippets)} snippets in {language}"
            for code, expected in snippets:
                assert ADDRESS in code, code
                with new_server(program, origin) as address:
                    output = run(language, code.replace(ADDRESS, address), folder)
                assert output, f"no output of\n{code}"
                check_output(page, code, expected, output)
            print(f"   {page}: {count} snippets in {language}")
    with new_server(program, origin) as address:
        assert allowed_origin(address, origin) == origin
        assert allowed_origin(address, "https://other.example") is None
    print(f"   {QUICK_START}: pages of {origin} may call the server, others may not")


main(*sys.argv[1:])
