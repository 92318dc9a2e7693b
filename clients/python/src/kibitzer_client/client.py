"""The synchronous client: one method for each operation of the server."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

import httpx
from typing_extensions import Self, Unpack

from . import models, requests
from .errors import KibitzerNetworkError
from .retry import Retry
from .streams import Stream
from .transport import Settings, SyncTransport
from .types import AnalysisLine, PointOfView, ReviewEvent, ReviewLimits

if TYPE_CHECKING:
    from .live import LiveBoard


class Kibitzer:
    """A client of a kibitzer server.

    `url` is its address, such as `http://localhost:8080`, and `key` an API key. `timeout` is the
    longest wait for a single answer, in seconds. `http` replaces the client of httpx.
    """

    games: Games
    """Reviews of games."""

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        retry: Retry = Retry(),
        timeout: float = 120.0,
        http: httpx.Client | None = None,
    ) -> None:
        self._transport = SyncTransport(Settings(url, key, retry, timeout), http)
        self.games = Games(self._transport)

    def legal_moves(self, **request: Unpack[models.LegalMovesRequest]) -> models.LegalMoves:
        """The legal moves of a position."""
        return cast(models.LegalMoves, self._post("/v1/legal-moves", request))

    def position(self, **request: Unpack[models.PositionRequest]) -> models.Position:
        """A position in every form: bitboards, packed, hash key and more."""
        return cast(models.Position, self._post("/v1/position", request))

    def play(self, **request: Unpack[models.PlayRequest]) -> models.PlayedGame:
        """Plays moves, and describes each of them."""
        return cast(models.PlayedGame, self._post("/v1/play", request))

    def perft(self, **request: Unpack[models.PerftRequest]) -> models.PerftCount:
        """The number of leaf nodes at a depth."""
        return cast(models.PerftCount, self._post("/v1/perft", request))

    def evaluate(self, **request: Unpack[models.EvaluateRequest]) -> models.Evaluation:
        """The static evaluation of a position, without a search."""
        return cast(models.Evaluation, self._post("/v1/evaluate", request))

    def best_move(self, **request: Unpack[models.BestMoveRequest]) -> models.BestMoveAnswer:
        """The best move of a position."""
        return cast(models.BestMoveAnswer, self._post("/v1/best-move", request))

    def analysis(self, **request: Unpack[models.AnalysisRequest]) -> Stream[AnalysisLine]:
        """The lines of an analysis, up to its `end`. Closing the stream stops the search."""
        return Stream(self._lines(requests.analysis(request)))

    def batch(self, items: Iterable[models.BatchRequest]) -> Stream[models.BatchResponseLine]:
        """The answers to many requests, as they finish. `index` and `id` name the request."""
        return Stream(self._lines(requests.batch(items)))

    def explore(self, **request: Unpack[models.ExploreRequest]) -> models.ExploredPosition:
        """The legal moves with what the evaluation cache knows about them."""
        answer = self._transport.json(requests.get("/v1/explore", request))
        return cast(models.ExploredPosition, answer)

    def tablebase(self, **request: Unpack[models.TablebaseRequest]) -> models.TablebaseAnswer:
        """The outcome of an endgame, and of each move."""
        return cast(models.TablebaseAnswer, self._post("/v1/tablebase", request))

    def judgement(self, **request: Unpack[models.JudgementRequest]) -> models.MoveJudgement:
        """The judgement of a move by the scores before and after it."""
        return cast(models.MoveJudgement, self._post("/v1/judgement", request))

    def engine(self) -> models.Engine:
        """The name, version and evaluation network of the server's engine."""
        return cast(models.Engine, self._transport.json(requests.get("/v1/engine")))

    def limits(self) -> models.ServerLimits:
        """The limits of the server, and how full it is."""
        return cast(models.ServerLimits, self._transport.json(requests.get("/v1/limits")))

    def live(self) -> LiveBoard:
        """Opens a live board: a WebSocket for one position at a time. Needs the extra `live`."""
        from .live import open_board

        return open_board(self._transport.settings)

    def close(self) -> None:
        """Closes the connections."""
        self._transport.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _post(self, path: str, request: Any) -> Any:
        return self._transport.json(requests.post(path, request))

    def _lines(self, stream: requests.StreamRequest) -> Generator[Any, None, None]:
        with closing(self._transport.lines(stream)) as lines:
            for line in lines:
                yield line.value


class Games:
    """Reviews of games: jobs that outlive the connection. Use `client.games`."""

    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport

    def submit(
        self,
        pgn: str | bytes,
        *,
        idempotency_key: str | None = None,
        **limits: Unpack[ReviewLimits],
    ) -> models.SubmittedJob:
        """Submits one or more games.

        A repeated call with the same `idempotency_key` returns the same job. Without one, the
        client makes up a key, so that its own repetitions submit the games once.
        """
        request = requests.submit_games(pgn, limits, idempotency_key)
        return cast(models.SubmittedJob, self._transport.json(request))

    def status(self, id: str, *, pov: PointOfView | None = None) -> models.JobReview:
        """The state of a review, and the moves reviewed so far."""
        return cast(models.JobReview, self._transport.json(requests.job(id, pov)))

    def events(
        self,
        id: str,
        *,
        pov: PointOfView | None = None,
        last_event_id: str | None = None,
        on_event_id: Callable[[str], None] | None = None,
    ) -> Stream[ReviewEvent]:
        """The events of a review up to its `end`.

        A connection that breaks is opened again, and the events go on after the last one that came.
        `last_event_id` goes on after an earlier call; `on_event_id` gets the ids to store for that.
        """
        return Stream(self._events(id, pov, last_event_id, on_event_id))

    def pgn(self, id: str) -> str:
        """The games with evaluations, glyphs and best lines."""
        return self._transport.text(requests.job_pgn(id))

    def stop(self, id: str) -> None:
        """Stops a review and deletes it. Its URLs then answer 410 `gone`."""
        self._transport.text(requests.stop_job(id))

    def _events(
        self,
        id: str,
        pov: PointOfView | None,
        last_event_id: str | None,
        on_event_id: Callable[[str], None] | None,
    ) -> Generator[Any, None, None]:
        failed = 0
        while True:
            try:
                stream = requests.job_events(id, pov, last_event_id)
                with closing(self._transport.lines(stream)) as lines:
                    for line in lines:
                        if line.event_id is not None:
                            last_event_id, failed = line.event_id, 0
                            if on_event_id is not None:
                                on_event_id(last_event_id)
                        yield line.value
                return
            except KibitzerNetworkError as error:
                failed += 1
                wait = self._transport.settings.wait_to_reconnect(error, failed)
            time.sleep(wait)
