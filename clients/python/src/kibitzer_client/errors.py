"""The errors of this client."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from .models import InvalidFen, InvalidMember, InvalidPgn, Problem, ProblemLine

    ErrorItem: TypeAlias = InvalidMember | InvalidFen | InvalidPgn

UNEXPECTED_ANSWER: Literal["unexpected_answer"] = "unexpected_answer"

MAX_QUOTE = 200
"""The most text of a foreign answer that an error quotes."""


class KibitzerError(Exception):
    """The server refused the request. `code` says why, and `detail` describes it.

    The code `unexpected_answer` is this client's own: the answer is none of kibitzer's, such as the
    HTML page of a proxy.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        retry_after_ms: int | None = None,
        problem: Problem | ProblemLine | None = None,
    ) -> None:
        # These arguments let pickle make the error again in another process.
        super().__init__(status, code, detail, retry_after_ms, problem)
        self.status = status
        """The HTTP status, also of an error within a stream."""
        self.code = code
        self.detail = detail
        self.retry_after_ms = retry_after_ms
        """The time to wait before another try, in milliseconds, if the server gave one."""
        self.problem = problem
        """The whole problem document, with the members that belong to its code."""

    def __str__(self) -> str:
        return f"{self.status} {self.code}: {self.detail}"

    @property
    def errors(self) -> list[ErrorItem]:
        """The single errors, where several are possible; else empty."""
        return [] if self.problem is None else self.problem.get("errors", [])


class KibitzerNetworkError(Exception):
    """No complete answer came: the server is gone or silent, or the connection broke."""


def problem_error(problem: Problem | ProblemLine) -> KibitzerError:
    """The error for a line of a stream with the members of a problem."""
    return KibitzerError(
        problem["status"],
        problem["code"],
        problem.get("detail", ""),
        problem.get("retry_after_ms"),
        problem,
    )


def unexpected_answer(
    status: int, media_type: str, text: str, retry_after_ms: int | None = None
) -> KibitzerError:
    """The error for an answer that does not come from kibitzer."""
    quote = text if len(text) <= MAX_QUOTE else text[:MAX_QUOTE] + "…"
    detail = f"the answer is not from kibitzer: {media_type}: {quote}"
    return KibitzerError(status, UNEXPECTED_ANSWER, detail, retry_after_ms)


def refusal(status: int, headers: Any, text: str) -> KibitzerError:
    """The error for a response with another status than 2xx. `headers` is a mapping."""
    if 300 <= status < 400:
        target = headers.get("location", "another address")
        detail = f"the server redirects to {target}; use that as url"
        return KibitzerError(status, UNEXPECTED_ANSWER, detail)
    seconds = headers.get("retry-after", "")
    retry_after_ms = int(seconds) * 1000 if seconds.isascii() and seconds.isdigit() else None
    try:
        problem = json.loads(text)
        code, detail = str(problem["code"]), str(problem["detail"])
    except (ValueError, TypeError, KeyError):
        media_type = headers.get("content-type", "no media type")
        return unexpected_answer(status, media_type, text, retry_after_ms)
    wait = problem.get("retry_after_ms", retry_after_ms)
    return KibitzerError(status, code, detail, wait, problem)
