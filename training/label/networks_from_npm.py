"""Networks of Stockfish 18 from the npm package of its WebAssembly build.

An alternative to `make net` where tests.stockfishchess.org cannot be reached:

    npm pack stockfish@18.0.8
    tar xzf stockfish-18.0.8.tgz package/bin/stockfish-18-single.wasm
    python3 training/label/networks_from_npm.py package/bin/stockfish-18-single.wasm Stockfish/src

The program restores the initial memory of the module and writes the networks in it to the folder.
A network's name has the first 12 digits of its SHA-256 digest, which the program checks.

The binary format: WebAssembly Core Specification, "Data Section".
"""

import hashlib
import pathlib
import sys

# Name and size in bytes.
NETWORKS = {"c288c895ea92": 108_919_594, "37f18f62d772": 3_519_630}
# The first bytes of a network file of Stockfish 18: its version, 0x7AF32F20.
NETWORK_START = bytes.fromhex("202ff37a")

DATA_SECTION = 11
I32_CONST, END = 0x41, 0x0B


class Reader:
    """A decoder of a module's bytes."""

    def __init__(self, data, position):
        self.data, self.position = data, position

    def byte(self):
        """The next byte."""
        self.position += 1
        return self.data[self.position - 1]

    def number(self):
        """The next number, in LEB128. Addresses are signed, but none of them is negative."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def vector(self):
        """The next vector of bytes."""
        size = self.number()
        if self.position + size > len(self.data):
            raise SystemExit(f"the module ends within the {size} bytes at {self.position}")
        self.position += size
        return self.data[self.position - size : self.position]


def sections(module):
    """The sections of a module: id and content."""
    if module[:4] != b"\0asm":
        raise SystemExit(f"a WebAssembly module begins with '\\0asm', not with {module[:4]}")
    reader = Reader(module, 8)
    while reader.position < len(module):
        yield reader.byte(), reader.vector()


def data_segments(section):
    """The segments of a data section: address and content."""
    reader = Reader(section, 0)
    for _ in range(reader.number()):
        kind = reader.number()
        if kind != 0 or reader.byte() != I32_CONST:
            raise SystemExit("the module has a data segment without a constant address")
        address = reader.number()
        if reader.byte() != END:
            raise SystemExit("the module has a data segment with a computed address")
        yield address, reader.vector()


def initial_memory(module):
    """The memory of the module at its start. Bytes outside the data segments are zero."""
    memory = bytearray()
    for kind, section in sections(module):
        if kind != DATA_SECTION:
            continue
        for address, content in data_segments(section):
            end = address + len(content)
            memory.extend(bytes(max(0, end - len(memory))))
            memory[address:end] = content
    return memory


def networks(memory):
    """The networks in the memory: name and content."""
    start = memory.find(NETWORK_START)
    while start >= 0:
        for name, size in NETWORKS.items():
            content = memory[start : start + size]
            if hashlib.sha256(content).hexdigest().startswith(name):
                yield name, content
        start = memory.find(NETWORK_START, start + 1)


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    module, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    found = dict(networks(initial_memory(module.read_bytes())))
    for name, content in found.items():
        path = folder / f"nn-{name}.nnue"
        path.write_bytes(content)
        print(f"{path}: {len(content)} bytes")
    missing = NETWORKS.keys() - found.keys()
    if missing:
        raise SystemExit(f"{module} does not have {', '.join(sorted(missing))}")


if __name__ == "__main__":
    main()
