"""The network file of a layered network (docs/network.md, format 2)."""

import hashlib
import struct

import numpy as np

from checkpoint import BUCKETS, HIDDEN, INPUTS, LANES, OUTPUT_BUCKETS, SECOND
from network import OUTPUT_UNIT, PAIR_UNIT, QA, QB, SUM_UNIT
from records import KING_BUCKETS


def write(weights: dict[str, np.ndarray], scale: int) -> bytes:
    """The bytes of the network file of these weights."""

    def integers(values: np.ndarray, unit: float, dtype: str) -> bytes:
        return np.round(values.astype(np.float32) * np.float32(unit)).astype(dtype).tobytes()

    merged = weights["features"].reshape(BUCKETS, INPUTS, HIDDEN) + weights["shared"]
    third = weights["third"].reshape(OUTPUT_BUCKETS, LANES, LANES).transpose(0, 2, 1)
    payload = b"".join(
        [
            bytes(KING_BUCKETS),
            integers(merged, QA, "<i2"),
            integers(weights["bias"], QA, "<i2"),
            integers(weights["second"], QB, "i1"),
            integers(weights["second_bias"][:, :SECOND], SUM_UNIT, "<i4"),
            integers(third, QB, "i1"),
            integers(weights["third_bias"], SUM_UNIT, "<i4"),
            integers(weights["output"], OUTPUT_UNIT, "<i2"),
            integers(weights["output_bias"][0, :OUTPUT_BUCKETS], PAIR_UNIT * OUTPUT_UNIT, "<i4"),
        ]
    )
    sizes = (HIDDEN, BUCKETS, OUTPUT_BUCKETS, 2, 0, int(QA), int(QB), scale, SECOND, LANES, 0)
    header = b"KIBITZER" + struct.pack("<HHBBBBHHHBBI", 2, *sizes) + struct.pack("<I", len(payload))
    return header + hashlib.sha256(header + payload).digest() + payload
