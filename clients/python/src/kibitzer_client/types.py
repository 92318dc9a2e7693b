"""Types that the contract does not name, because they are parts of its types."""

from __future__ import annotations

from typing import Literal, TypeAlias

from typing_extensions import TypedDict

from .models import (
    EndLine,
    HeartbeatLine,
    InfoLine,
    JobEndLine,
    JobGameLine,
    JobHeartbeatLine,
    JobMoveLine,
    QueuedLine,
)

AnalysisLine: TypeAlias = InfoLine | QueuedLine | HeartbeatLine | EndLine
"""A line of an analysis. A line of the type `problem` becomes a `KibitzerError`."""

ReviewEvent: TypeAlias = JobMoveLine | JobGameLine | JobHeartbeatLine | JobEndLine
"""An event of a review. An event of the type `problem` becomes a `KibitzerError`."""

PointOfView: TypeAlias = Literal["side", "white"]
"""The point of view of scores."""


class ReviewLimits(TypedDict, total=False):
    """The limits of a review, for each position: `GamesRequest` without `pgn`."""

    depth: int
    nodes: int
    movetime_ms: int
    multipv: int


class LiveLimits(TypedDict, total=False):
    """The limits and options of an analysis on a live board: `LiveGo` without `type` and `id`."""

    depth: int
    nodes: int
    movetime_ms: int
    mate: int
    threads: int
    fresh: bool
    pov: PointOfView
    infinite: bool
    multipv: int
    searchmoves: list[str]
    castling: Literal["standard", "960"]
    pv_length: int


class LivePlace(TypedDict, total=False):
    """A position for a live board: `LivePosition` without `type` and `id`."""

    fen: str
    packed: str
    moves: list[str]
