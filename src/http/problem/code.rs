//! The closed list of problem codes.

use axum::http::StatusCode;

/// What kind of problem. Each has a page at `/problems/<code>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "`explanation` says it, to clients too")]
pub enum ProblemCode {
    MalformedJson,
    MalformedQuery,
    Unauthorized,
    OriginRefused,
    NotFound,
    MethodNotAllowed,
    NotAcceptable,
    RequestTimeout,
    BodyTooLarge,
    UnsupportedMediaType,
    UpgradeRequired,
    InvalidRequest,
    InvalidFen,
    IllegalMove,
    InvalidPgn,
    IdempotencyConflict,
    Gone,
    PerftTooLarge,
    RateLimited,
    Internal,
    QueueFull,
    Deadline,
    ShuttingDown,
    NotReady,
}

impl ProblemCode {
    /// All of them.
    pub const ALL: [ProblemCode; 24] = [
        ProblemCode::MalformedJson,
        ProblemCode::MalformedQuery,
        ProblemCode::Unauthorized,
        ProblemCode::OriginRefused,
        ProblemCode::NotFound,
        ProblemCode::MethodNotAllowed,
        ProblemCode::NotAcceptable,
        ProblemCode::RequestTimeout,
        ProblemCode::BodyTooLarge,
        ProblemCode::UnsupportedMediaType,
        ProblemCode::UpgradeRequired,
        ProblemCode::InvalidRequest,
        ProblemCode::InvalidFen,
        ProblemCode::IllegalMove,
        ProblemCode::InvalidPgn,
        ProblemCode::IdempotencyConflict,
        ProblemCode::Gone,
        ProblemCode::PerftTooLarge,
        ProblemCode::RateLimited,
        ProblemCode::Internal,
        ProblemCode::QueueFull,
        ProblemCode::Deadline,
        ProblemCode::ShuttingDown,
        ProblemCode::NotReady,
    ];

    /// As clients see it.
    pub const fn name(self) -> &'static str {
        match self {
            ProblemCode::MalformedJson => "malformed_json",
            ProblemCode::MalformedQuery => "malformed_query",
            ProblemCode::Unauthorized => "unauthorized",
            ProblemCode::OriginRefused => "origin_refused",
            ProblemCode::UpgradeRequired => "upgrade_required",
            ProblemCode::RateLimited => "rate_limited",
            ProblemCode::NotAcceptable => "not_acceptable",
            ProblemCode::NotFound => "not_found",
            ProblemCode::MethodNotAllowed => "method_not_allowed",
            ProblemCode::RequestTimeout => "request_timeout",
            ProblemCode::BodyTooLarge => "body_too_large",
            ProblemCode::UnsupportedMediaType => "unsupported_media_type",
            ProblemCode::InvalidRequest => "invalid_request",
            ProblemCode::InvalidFen => "invalid_fen",
            ProblemCode::IllegalMove => "illegal_move",
            ProblemCode::InvalidPgn => "invalid_pgn",
            ProblemCode::IdempotencyConflict => "idempotency_conflict",
            ProblemCode::Gone => "gone",
            ProblemCode::PerftTooLarge => "perft_too_large",
            ProblemCode::Internal => "internal",
            ProblemCode::QueueFull => "queue_full",
            ProblemCode::Deadline => "deadline",
            ProblemCode::ShuttingDown => "shutting_down",
            ProblemCode::NotReady => "not_ready",
        }
    }

    /// The HTTP status that it comes with.
    pub const fn status(self) -> StatusCode {
        match self {
            ProblemCode::MalformedJson | ProblemCode::MalformedQuery => StatusCode::BAD_REQUEST,
            ProblemCode::Unauthorized => StatusCode::UNAUTHORIZED,
            ProblemCode::OriginRefused => StatusCode::FORBIDDEN,
            ProblemCode::UpgradeRequired => StatusCode::UPGRADE_REQUIRED,
            ProblemCode::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            ProblemCode::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
            ProblemCode::NotFound => StatusCode::NOT_FOUND,
            ProblemCode::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            ProblemCode::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            ProblemCode::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            ProblemCode::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            ProblemCode::InvalidRequest
            | ProblemCode::InvalidFen
            | ProblemCode::IllegalMove
            | ProblemCode::InvalidPgn
            | ProblemCode::PerftTooLarge => StatusCode::UNPROCESSABLE_ENTITY,
            ProblemCode::IdempotencyConflict => StatusCode::CONFLICT,
            ProblemCode::Gone => StatusCode::GONE,
            ProblemCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            ProblemCode::QueueFull
            | ProblemCode::Deadline
            | ProblemCode::ShuttingDown
            | ProblemCode::NotReady => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// A short summary, the same at each occurrence.
    pub const fn title(self) -> &'static str {
        match self {
            ProblemCode::MalformedJson => "The body is not JSON",
            ProblemCode::MalformedQuery => "The query can't be read",
            ProblemCode::Unauthorized => "The API key or ticket is not known",
            ProblemCode::OriginRefused => "Pages of this origin may not ask",
            ProblemCode::UpgradeRequired => "The path is for WebSockets",
            ProblemCode::RateLimited => "Too many requests",
            ProblemCode::NotAcceptable => "No form of the answer is accepted",
            ProblemCode::NotFound => "There is nothing at this path",
            ProblemCode::MethodNotAllowed => "The path does not know this method",
            ProblemCode::RequestTimeout => "The body did not come in time",
            ProblemCode::BodyTooLarge => "The body is too large",
            ProblemCode::UnsupportedMediaType => "The body is not declared as what it must be",
            ProblemCode::InvalidRequest => "The request has wrong members",
            ProblemCode::InvalidFen => "The position is not legal",
            ProblemCode::IllegalMove => "A move can't be played",
            ProblemCode::InvalidPgn => "The text has no game",
            ProblemCode::IdempotencyConflict => "Another job has this key",
            ProblemCode::Gone => "The job is gone",
            ProblemCode::PerftTooLarge => "The count takes too long",
            ProblemCode::Internal => "Internal error",
            ProblemCode::QueueFull => "The queue is full",
            ProblemCode::Deadline => "No worker was free in time",
            ProblemCode::ShuttingDown => "The server is shutting down",
            ProblemCode::NotReady => "The server is not ready",
        }
    }

    /// What it means and what a client can do about it: the text of its page.
    pub const fn explanation(self) -> &'static str {
        match self {
            ProblemCode::MalformedJson => {
                "The body can't be read as JSON. The members `line` and `column`, both from 1, say where reading ended."
            }
            ProblemCode::MalformedQuery => "A parameter of the query is not percent-encoded UTF-8.",
            ProblemCode::Unauthorized => {
                "The key of `Authorization: Bearer` or `x-api-key` was not given out here, or the ticket was none, was used already or is too old. Without any key or ticket a request counts for its address."
            }
            ProblemCode::OriginRefused => {
                "A page of another origin wants to open a board. The operator allows origins by `http.cors_origins`."
            }
            ProblemCode::UpgradeRequired => {
                "A board is opened by a WebSocket handshake (RFC 6455): a GET with `Connection: upgrade`, `Upgrade: websocket` and the headers that belong to it."
            }
            ProblemCode::RateLimited => {
                "The client, which is its API key or else its address, asks more often than it may. `RateLimit-Policy` tells the rate, `RateLimit` what is left; ask again after the seconds that `Retry-After` says."
            }
            ProblemCode::NotAcceptable => {
                "The header `Accept` allows none of the forms that the answer can have; `detail` names them."
            }
            ProblemCode::NotFound => {
                "No route has this path, or there is no job of this id. `/docs` shows the routes that there are."
            }
            ProblemCode::MethodNotAllowed => {
                "The path exists, but not with this method; the header `Allow` names those that it has."
            }
            ProblemCode::RequestTimeout => {
                "The body did not arrive within the server's time. Send it whole and at once, and open the connection only when it is there."
            }
            ProblemCode::BodyTooLarge => {
                "The body is larger than `body_bytes` of `GET /v1/limits`; of games, than `jobs.bytes`, or its games would take more room than all jobs together may."
            }
            ProblemCode::UnsupportedMediaType => {
                "A body needs the header `Content-Type: application/json`, and no `Content-Encoding`. Batches and games have types of their own, which `detail` names."
            }
            ProblemCode::InvalidRequest => {
                "The request can be read, but its body, query or headers have members that are missing, unknown, in conflict, of the wrong type or out of range. The member `errors` lists them, a hundred at most, each with a JSON Pointer."
            }
            ProblemCode::InvalidFen => {
                "The FEN or the packed form is no legal chess position. The member `errors` lists every fault that can be seen, with the field and the text that it lies in."
            }
            ProblemCode::IllegalMove => {
                "A text of `moves` or `searchmoves` can't be played where it stands. The members `index`, from 0, and `text` name it, `detail` says of which list; `why` is `not_a_move`, `ambiguous`, `not_legal` or `game_over`."
            }
            ProblemCode::InvalidPgn => {
                "No game of the text can be read as PGN. The member `errors` says of the first ones why, with line, column and half-move."
            }
            ProblemCode::IdempotencyConflict => {
                "The client has given another text, or other limits, under the same `Idempotency-Key`. Use a new key for a new job."
            }
            ProblemCode::Gone => {
                "The job was deleted, or it has been over for longer than jobs are kept (`jobs.keep_hours` of `GET /v1/limits`)."
            }
            ProblemCode::PerftTooLarge => {
                "The perft did not end within `perft_ms` of `GET /v1/limits`. Ask for a smaller depth."
            }
            ProblemCode::Internal => {
                "A fault of the server. It has been logged with the request's id: who runs the server finds it by that."
            }
            ProblemCode::QueueFull => {
                "All workers are busy and all places of the queue are taken, or all those for streams and boards, batches, walks, texts or jobs: `detail` says which, `queue_length` how many wait or are taken. Ask again after the seconds that `Retry-After` says."
            }
            ProblemCode::Deadline => {
                "The request has waited for a worker for as long as the server lets requests wait. Ask again after the seconds that `Retry-After` says."
            }
            ProblemCode::ShuttingDown => {
                "The server is about to end and takes no new searches. Ask again after the seconds that `Retry-After` says; another process may then answer."
            }
            ProblemCode::NotReady => {
                "The server takes no traffic now; the member `reasons` says why: `starting`, `shutting_down`, or `store` while what is found cannot be written to disk (answers go on)."
            }
        }
    }

    /// The code of this name.
    pub fn from_name(name: &str) -> Option<ProblemCode> {
        ProblemCode::ALL.into_iter().find(|code| code.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_found_by_its_name() {
        for code in ProblemCode::ALL {
            assert_eq!(ProblemCode::from_name(code.name()), Some(code));
        }
        assert_eq!(ProblemCode::from_name("teapot"), None);
    }
}
