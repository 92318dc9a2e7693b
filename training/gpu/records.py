"""Records of `trainer samples` as inputs and targets of the network.

A record has 32 bytes; `Sample::to_record` in training/src/sample.rs specifies them.
"""

import torch

from checkpoint import INPUTS, OUTPUT_BUCKETS

RECORD_BYTES = 32
# Columns of the input matrix: a feature each, the bias, and one for the empty squares, which has no
# weights. The number is a multiple of 64 for the matrix units.
BIAS_COLUMN = 8 * INPUTS
EMPTY_COLUMN = BIAS_COLUMN + 1
COLUMNS = BIAS_COLUMN + 64
# The king bucket of each square of the files a to d, rank by rank: the table "8".
KING_BUCKETS = [0, 1, 2, 3, 4, 4, 5, 5] + 8 * [6] + 16 * [7]
UNKNOWN_RESULT = 3


class Decoder:
    """Turns records on a device into the network's inputs and targets."""

    def __init__(self, device: torch.device, batch: int, dtype: torch.dtype) -> None:
        self._inputs = torch.zeros(2 * batch, COLUMNS, dtype=dtype, device=device)
        self._bits = torch.arange(8, dtype=torch.uint8, device=device)
        self._squares = torch.arange(64, device=device)
        self._king_buckets = torch.tensor(KING_BUCKETS, device=device)

    def inputs(self, records: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The active inputs as rows of zeros and ones, the side to move's perspectives before the
        opponents', and the output bucket of each record. The next call overwrites them."""
        occupied = ((records[:, :8, None] >> self._bits) & 1).flatten(1).long()
        place = (occupied.cumsum(1) - 1).clamp(min=0)
        codes = (records[:, 8:24].gather(1, place >> 1).long() >> (4 * (place & 1))) & 15
        theirs = codes >> 3
        role = 64 * (codes & 7)
        own_flip, own_base = self._perspective(records[:, 27].long())
        their_flip, their_base = self._perspective(records[:, 28].long() ^ 56)
        own = own_base + 384 * theirs + role + (self._squares ^ own_flip)
        their = their_base + 384 * (1 - theirs) + role + (self._squares ^ 56 ^ their_flip)
        active = torch.cat([own, their])
        empty = (occupied == 0).repeat(2, 1)
        active.masked_fill_(empty, EMPTY_COLUMN)

        inputs = self._inputs.zero_()
        inputs.scatter_(1, active, 1.0)
        inputs[:, BIAS_COLUMN] = 1.0
        buckets = (occupied.sum(1) - 2).clamp(min=0) * OUTPUT_BUCKETS // 32
        return inputs, buckets

    def _perspective(self, king: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The mask that mirrors squares, and the first input of the king bucket."""
        flip = 7 * ((king >> 2) & 1)
        king = king ^ flip
        bucket = self._king_buckets[4 * (king >> 3) + (king & 3)]
        return flip[:, None], (INPUTS * bucket)[:, None]


def targets(
    records: torch.Tensor, scale: float, result_weight: torch.Tensor | float
) -> torch.Tensor:
    """The desired predictions, 0 to 1: the mix of score and known result."""
    score = records[:, 24:26].contiguous().view(torch.int16).flatten()
    wanted = torch.sigmoid(score.float() / scale)
    result = records[:, 26]
    mixed = wanted + result_weight * (result.float() / 2 - wanted)
    return torch.where(result == UNKNOWN_RESULT, wanted, mixed)
