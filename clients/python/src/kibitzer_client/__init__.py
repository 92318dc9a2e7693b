"""A client of the chess analysis server kibitzer.

`Kibitzer` is synchronous, and `AsyncKibitzer` has the same methods for asyncio. `models` has the
types of the contract.
"""

from . import models
from .async_client import AsyncGames, AsyncKibitzer
from .client import Games, Kibitzer
from .errors import KibitzerError, KibitzerNetworkError
from .retry import Retry
from .streams import AsyncStream, Stream
from .types import AnalysisLine, LiveLimits, LivePlace, PointOfView, ReviewEvent, ReviewLimits

__all__ = [
    "AnalysisLine",
    "AsyncGames",
    "AsyncKibitzer",
    "AsyncStream",
    "Games",
    "Kibitzer",
    "KibitzerError",
    "KibitzerNetworkError",
    "LiveLimits",
    "LivePlace",
    "PointOfView",
    "Retry",
    "ReviewEvent",
    "ReviewLimits",
    "Stream",
    "models",
]
