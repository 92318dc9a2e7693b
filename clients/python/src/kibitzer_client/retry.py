"""Repetition of requests that the server refuses for a while."""

from __future__ import annotations

import random
from dataclasses import dataclass

from .errors import KibitzerError

BASE_WAIT = 0.25

JITTER = 0.25
"""The share of a wait that is added at random, so that clients do not come back together."""


@dataclass(frozen=True)
class Retry:
    """How often, and after which waits, a request is repeated."""

    attempts: int = 3
    """The number of repetitions after the first try; 0: none."""
    max_wait: float = 10.0
    """The longest wait, in seconds. A longer `Retry-After` is an error at once."""

    def wait_after(self, error: KibitzerError, failed: int) -> float | None:
        """The seconds to wait after so many failed tries, or None if the error is final.

        Only 429 and 503 are repeated: with them the server has done nothing. Every request of this
        client may be repeated, because games carry an `Idempotency-Key`.
        """
        if error.status not in (429, 503) or failed > self.attempts:
            return None
        known = error.retry_after_ms
        wait = self._back_off(failed) if known is None else known / 1000
        return None if wait > self.max_wait else jittered(wait)

    def wait_to_reconnect(self, failed: int) -> float | None:
        """The seconds before a broken connection is opened again, or None after too many tries."""
        return None if failed > self.attempts else jittered(self._back_off(failed))

    def _back_off(self, failed: int) -> float:
        return min(BASE_WAIT * 2.0 ** (failed - 1), self.max_wait)


def jittered(wait: float) -> float:
    """The wait with a random share more."""
    return wait * (1 + JITTER * random.random())
