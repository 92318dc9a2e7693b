"""The pool of positions on the GPU, which grows while a run trains on it."""

import pathlib
import threading

import numpy as np
import torch

from records import RECORD_BYTES

# Records that are copied to the GPU at once.
CHUNK = 1 << 20


class Pool:
    """Positions on the GPU. New ones take the places of the oldest when it is full.

    A thread reads the files `*.records` of a folder as they appear, and deletes what it has read.
    """

    def __init__(self, folder: pathlib.Path, capacity: int, device: torch.device) -> None:
        """The pool holds at most `capacity` positions, at least `CHUNK`."""
        self.records = torch.empty(capacity, RECORD_BYTES, dtype=torch.uint8, device=device)
        self.filled = 0
        self.read = 0
        # The same as `filled`, for the steps on the GPU.
        self._filled = torch.zeros((), dtype=torch.float64, device=device)
        self._failure: Exception | None = None
        self._folder = folder
        self._next = 0
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def draw(self, count: int) -> torch.Tensor:
        """Draws random records, which may repeat. The pool must not be empty."""
        place = torch.rand(count, dtype=torch.float64, device=self.records.device)
        index = (place * self._filled).long()
        return torch.index_select(self.records, 0, index)

    def check(self) -> None:
        """Raises the error that has ended the reading, if there is one."""
        if self._failure:
            raise self._failure

    def close(self) -> None:
        """Ends the reading."""
        self._closed.set()
        self._thread.join()

    def _watch(self) -> None:
        try:
            while not self._closed.wait(0.2):
                for file in sorted(self._folder.glob("*.records")):
                    self._add(np.fromfile(file, dtype=np.uint8).reshape(-1, RECORD_BYTES))
                    file.unlink()
        except Exception as error:  # `check` raises it in the thread that trains.
            self._failure = error

    def _add(self, records: np.ndarray) -> None:
        capacity = len(self.records)
        for start in range(0, len(records), CHUNK):
            if self._closed.is_set():
                return
            part = torch.from_numpy(records[start : start + CHUNK])
            head = part[: capacity - self._next]
            self.records[self._next : self._next + len(head)] = head.to(self.records.device)
            self.records[: len(part) - len(head)] = part[len(head) :].to(self.records.device)
            self._next = (self._next + len(part)) % capacity
            filled = min(capacity, self.filled + len(part))
            self._filled.fill_(filled)
            self.filled = filled
            self.read += len(part)
