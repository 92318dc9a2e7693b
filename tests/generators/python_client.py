"""A program on a client by openapi-python-client, run against a server."""

import json
import os
import unittest
from collections.abc import Iterator
from typing import Any

from kibitzer_client import Client
from kibitzer_client.api.analysis import analyse, best_move, follow_analysis
from kibitzer_client.api.positions import legal_moves, show_legal_moves
from kibitzer_client.models import (
    AnalysisAnswer,
    AnalysisRequest,
    BatchAnalysis,
    BatchAnswer,
    BatchEnd,
    BatchError,
    BatchRequest,
    BestMoveAnswer,
    BestMoveRequest,
    EndLine,
    InfoLine,
    LegalMoves,
    LegalMovesRequest,
    Problem,
    ProblemCode,
)

client = Client(base_url=os.environ["KIBITZER_URL"])


def stream(**request: Any) -> Iterator[dict[str, Any]]:
    """The lines of a response that is NDJSON."""
    with client.get_httpx_client().stream(**request) as response:
        response.raise_for_status()
        for line in response.iter_lines():
            yield json.loads(line)


class GeneratedClient(unittest.TestCase):
    def test_a_best_move_needs_no_member_that_has_a_default(self) -> None:
        request = BestMoveRequest(fen="startpos", moves=["e4", "e5"], depth=3)
        self.assertNotIn("threads", request.to_dict())
        answer = best_move.sync(client=client, body=request)
        assert isinstance(answer, BestMoveAnswer)
        self.assertIsInstance(answer.best_move_san, str)
        self.assertIsNone(answer.winner)

    def test_legal_moves_come_by_get_and_by_post(self) -> None:
        by_post = legal_moves.sync(client=client, body=LegalMovesRequest(fen="startpos"))
        assert isinstance(by_post, LegalMoves)
        self.assertEqual(by_post.moves[0].uci, "b1a3")
        by_get = show_legal_moves.sync(client=client, fen="startpos", moves=["e4", "c5"])
        assert isinstance(by_get, LegalMoves)
        self.assertEqual(by_get.dests["g1"], ["e2", "f3", "h3"])

    def test_an_error_is_a_problem_document(self) -> None:
        request = LegalMovesRequest(fen="startpos", moves=["e5"])
        problem = legal_moves.sync(client=client, body=request)
        assert isinstance(problem, Problem)
        self.assertEqual(problem.code, ProblemCode.ILLEGAL_MOVE)

    def test_a_batch_is_ndjson_in_both_directions(self) -> None:
        requests = [
            BatchRequest(id="a", fen="startpos", depth=2),
            BatchRequest(id="b", fen="no position", depth=2),
            BatchRequest(id="c", fen="startpos", depth=2, multipv=2),
        ]
        lines = list(
            stream(
                method="post",
                url="/v1/batch",
                content="\n".join(json.dumps(request.to_dict()) for request in requests),
                headers={"Content-Type": "application/x-ndjson"},
            )
        )
        by_id = {line["id"]: line for line in lines if "id" in line}
        self.assertIsInstance(BatchAnswer.from_dict(by_id["a"]).best_move, str)
        self.assertEqual(BatchError.from_dict(by_id["b"]).error.code, ProblemCode.INVALID_FEN)
        self.assertEqual(len(BatchAnalysis.from_dict(by_id["c"]).lines), 2)
        end = BatchEnd.from_dict(lines[-1])
        self.assertEqual((end.answered, end.failed), (2, 1))

    def test_an_analysis_is_one_document_or_a_stream(self) -> None:
        answer = analyse.sync(
            client=client, body=AnalysisRequest(fen="startpos", depth=3, multipv=2)
        )
        assert isinstance(answer, AnalysisAnswer)
        self.assertEqual(len(answer.lines), 2)

        # The arguments of the request come from the generated client, and httpx reads the stream.
        request = follow_analysis._get_kwargs(fen="startpos", depth=3, multipv=2, fresh=True)
        lines = list(stream(**request | {"headers": {"Accept": "application/x-ndjson"}}))
        infos = [InfoLine.from_dict(line) for line in lines if line["type"] == "info"]
        self.assertEqual(len(infos[-1].lines), 2)
        self.assertEqual(EndLine.from_dict(lines[-1]).reason.value, "depth")


if __name__ == "__main__":
    unittest.main()
