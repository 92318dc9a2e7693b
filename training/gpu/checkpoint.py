"""Checkpoints of a run (`checkpoint.run`) with a layered network, read and written as arrays.

training/src/checkpoint.rs specifies the file. A tile of the file has 16 pairs of neurons; the
arrays here have all neurons in the order of the network file.
"""

import dataclasses
import hashlib
import json
import pathlib

import numpy as np

MAGIC = b"KIBITRUN"
LANES = 32
BUCKETS = 8
INPUTS = 768
HIDDEN = 1024
TILES = HIDDEN // LANES
SECOND = 16
OUTPUT_BUCKETS = 8

# Rows of 32 numbers that a group of a tile has, and those of the groups after the tiles.
TILE_ROWS = {
    "features": BUCKETS * INPUTS,
    "shared": INPUTS,
    "bias": 1,
    "second": OUTPUT_BUCKETS * SECOND,
}
LATER_ROWS = {
    "second_bias": OUTPUT_BUCKETS,
    "third": OUTPUT_BUCKETS * LANES,
    "third_bias": OUTPUT_BUCKETS,
    "output": OUTPUT_BUCKETS,
    "output_bias": 1,
}
# The neuron of the first layer that a lane of a tile is: each half of the lanes belongs to a half
# of the layer. The pairs of both perspectives, inputs of the second layer, have the same order.
NEURONS = np.array(
    [
        LANES // 2 * tile + lane % (LANES // 2) + HIDDEN // 2 * (lane // (LANES // 2))
        for tile in range(TILES)
        for lane in range(LANES)
    ]
)


@dataclasses.dataclass
class Checkpoint:
    """The JSON state of a run and its weights by name, without the optimiser's running means."""

    state: dict
    weights: dict[str, np.ndarray]


def load(path: pathlib.Path) -> Checkpoint:
    """Reads a checkpoint. Raises ValueError if it is damaged or has other sizes."""
    content = path.read_bytes()
    if content[:8] != MAGIC or hashlib.sha256(content[:-32]).digest() != content[-32:]:
        raise ValueError(f"{path} is not a checkpoint, or is damaged")
    length = int.from_bytes(content[8:12], "little")
    state = json.loads(content[12 : 12 + length])
    names = ["architecture", "hidden", "king_buckets", "output_buckets"]
    sizes = [state["config"].get(name) for name in names]
    if sizes != ["layered", HIDDEN, str(BUCKETS), OUTPUT_BUCKETS]:
        raise ValueError(f"{path} has a network of other sizes: {sizes}")
    rows = np.frombuffer(content[12 + length : -32], dtype="<f4").reshape(-1, LANES)
    return Checkpoint(state, _from_rows(rows))


def encode(checkpoint: Checkpoint) -> bytes:
    """The bytes of a checkpoint whose running means are zero. A run can start from it, but cannot
    be resumed."""
    text = json.dumps(checkpoint.state).encode()
    content = MAGIC + len(text).to_bytes(4, "little") + text
    content += _to_rows(checkpoint.weights).tobytes()
    return content + hashlib.sha256(content).digest()


def _groups():
    """Name, tile (None after the first layer) and rows of each group, in the file's order."""
    for tile in range(TILES):
        for name, rows in TILE_ROWS.items():
            yield name, tile, rows
    for name, rows in LATER_ROWS.items():
        yield name, None, rows


def _from_rows(rows: np.ndarray) -> dict[str, np.ndarray]:
    tiles: dict[str, list] = {name: [] for name in TILE_ROWS}
    weights = {}
    start = 0
    for name, tile, count in _groups():
        values = rows[start : start + count]
        start += 3 * count
        if tile is None:
            weights[name] = values.copy()
        else:
            tiles[name].append(values)
    if start != len(rows):
        raise ValueError(f"the checkpoint has {len(rows)} rows; it must have {start}")
    for name, parts in tiles.items():
        all_lanes = np.concatenate(parts, axis=1)
        weights[name] = np.empty_like(all_lanes)
        weights[name][:, NEURONS] = all_lanes
    return weights


def _to_rows(weights: dict[str, np.ndarray]) -> np.ndarray:
    parts = []
    for name, tile, count in _groups():
        values = weights[name]
        if tile is not None:
            values = values[:, NEURONS[LANES * tile : LANES * (tile + 1)]]
        parts += [values, np.zeros((2 * count, LANES))]
    return np.concatenate(parts).astype("<f4")
