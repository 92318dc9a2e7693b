//! The closed list of problem codes.

use axum::http::StatusCode;

/// What kind of problem. Each has a page at `/problems/<code>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "`explanation` says it, to clients too")]
pub enum Code {
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

impl Code {
    /// All of them.
    pub const ALL: [Code; 24] = [
        Code::MalformedJson,
        Code::MalformedQuery,
        Code::Unauthorized,
        Code::OriginRefused,
        Code::NotFound,
        Code::MethodNotAllowed,
        Code::NotAcceptable,
        Code::RequestTimeout,
        Code::BodyTooLarge,
        Code::UnsupportedMediaType,
        Code::UpgradeRequired,
        Code::InvalidRequest,
        Code::InvalidFen,
        Code::IllegalMove,
        Code::InvalidPgn,
        Code::IdempotencyConflict,
        Code::Gone,
        Code::PerftTooLarge,
        Code::RateLimited,
        Code::Internal,
        Code::QueueFull,
        Code::Deadline,
        Code::ShuttingDown,
        Code::NotReady,
    ];

    /// As clients see it.
    pub const fn name(self) -> &'static str {
        match self {
            Code::MalformedJson => "malformed_json",
            Code::MalformedQuery => "malformed_query",
            Code::Unauthorized => "unauthorized",
            Code::OriginRefused => "origin_refused",
            Code::UpgradeRequired => "upgrade_required",
            Code::RateLimited => "rate_limited",
            Code::NotAcceptable => "not_acceptable",
            Code::NotFound => "not_found",
            Code::MethodNotAllowed => "method_not_allowed",
            Code::RequestTimeout => "request_timeout",
            Code::BodyTooLarge => "body_too_large",
            Code::UnsupportedMediaType => "unsupported_media_type",
            Code::InvalidRequest => "invalid_request",
            Code::InvalidFen => "invalid_fen",
            Code::IllegalMove => "illegal_move",
            Code::InvalidPgn => "invalid_pgn",
            Code::IdempotencyConflict => "idempotency_conflict",
            Code::Gone => "gone",
            Code::PerftTooLarge => "perft_too_large",
            Code::Internal => "internal",
            Code::QueueFull => "queue_full",
            Code::Deadline => "deadline",
            Code::ShuttingDown => "shutting_down",
            Code::NotReady => "not_ready",
        }
    }

    /// The HTTP status that it comes with.
    pub const fn status(self) -> StatusCode {
        match self {
            Code::MalformedJson | Code::MalformedQuery => StatusCode::BAD_REQUEST,
            Code::Unauthorized => StatusCode::UNAUTHORIZED,
            Code::OriginRefused => StatusCode::FORBIDDEN,
            Code::UpgradeRequired => StatusCode::UPGRADE_REQUIRED,
            Code::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            Code::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
            Code::NotFound => StatusCode::NOT_FOUND,
            Code::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Code::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            Code::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Code::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Code::InvalidRequest
            | Code::InvalidFen
            | Code::IllegalMove
            | Code::InvalidPgn
            | Code::PerftTooLarge => StatusCode::UNPROCESSABLE_ENTITY,
            Code::IdempotencyConflict => StatusCode::CONFLICT,
            Code::Gone => StatusCode::GONE,
            Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Code::QueueFull | Code::Deadline | Code::ShuttingDown | Code::NotReady => {
                StatusCode::SERVICE_UNAVAILABLE
            }
        }
    }

    /// A short summary, the same at each occurrence.
    pub const fn title(self) -> &'static str {
        match self {
            Code::MalformedJson => "The body is not JSON",
            Code::MalformedQuery => "The query can't be read",
            Code::Unauthorized => "The API key or ticket is not known",
            Code::OriginRefused => "Pages of this origin may not ask",
            Code::UpgradeRequired => "The path is for WebSockets",
            Code::RateLimited => "Too many requests",
            Code::NotAcceptable => "No form of the answer is accepted",
            Code::NotFound => "There is nothing at this path",
            Code::MethodNotAllowed => "The path does not know this method",
            Code::RequestTimeout => "The body did not come in time",
            Code::BodyTooLarge => "The body is too large",
            Code::UnsupportedMediaType => "The body is not declared as what it must be",
            Code::InvalidRequest => "The request has wrong members",
            Code::InvalidFen => "The position is not legal",
            Code::IllegalMove => "A move can't be played",
            Code::InvalidPgn => "The text has no game",
            Code::IdempotencyConflict => "Another job has this key",
            Code::Gone => "The job is gone",
            Code::PerftTooLarge => "The count takes too long",
            Code::Internal => "Internal error",
            Code::QueueFull => "The queue is full",
            Code::Deadline => "No worker was free in time",
            Code::ShuttingDown => "The server is shutting down",
            Code::NotReady => "The server is not ready",
        }
    }

    /// What it means and what a client can do about it: the text of its page.
    pub const fn explanation(self) -> &'static str {
        match self {
            Code::MalformedJson => {
                "The body can't be read as JSON. The members `line` and `column`, both from 1, say where reading ended."
            }
            Code::MalformedQuery => "A parameter of the query is not percent-encoded UTF-8.",
            Code::Unauthorized => {
                "The key of `Authorization: Bearer` or `x-api-key` was not given out here, or the ticket was none, was used already or is too old. Without any key or ticket a request counts for its address."
            }
            Code::OriginRefused => {
                "A page of another origin wants to open a board. The operator allows origins by `http.cors_origins`."
            }
            Code::UpgradeRequired => {
                "A board is opened by a WebSocket handshake (RFC 6455): a GET with `Connection: upgrade`, `Upgrade: websocket` and the headers that belong to it."
            }
            Code::RateLimited => {
                "The client, which is its API key or else its address, asks more often than it may. `RateLimit-Policy` tells the rate, `RateLimit` what is left; ask again after the seconds that `Retry-After` says."
            }
            Code::NotAcceptable => {
                "The header `Accept` allows none of the forms that the answer can have; `detail` names them."
            }
            Code::NotFound => {
                "No route has this path, or there is no job of this id. `/docs` shows the routes that there are."
            }
            Code::MethodNotAllowed => {
                "The path exists, but not with this method; the header `Allow` names those that it has."
            }
            Code::RequestTimeout => {
                "The body did not arrive within the server's time. Send it whole and at once, and open the connection only when it is there."
            }
            Code::BodyTooLarge => {
                "The body is larger than `body_bytes` of `GET /v1/limits`; of games, than `jobs.bytes`, or its games would take more room than all jobs together may."
            }
            Code::UnsupportedMediaType => {
                "A body needs the header `Content-Type: application/json`, and no `Content-Encoding`. Batches and games have types of their own, which `detail` names."
            }
            Code::InvalidRequest => {
                "The request can be read, but its body, query or headers have members that are missing, unknown, in conflict, of the wrong type or out of range. The member `errors` lists them, a hundred at most, each with a JSON Pointer."
            }
            Code::InvalidFen => {
                "The FEN or the packed form is no legal chess position. The member `errors` lists every fault that can be seen, with the field and the text that it lies in."
            }
            Code::IllegalMove => {
                "A text of `moves` or `searchmoves` can't be played where it stands. The members `index`, from 0, and `text` name it, `detail` says of which list; `why` is `not_a_move`, `ambiguous`, `not_legal` or `game_over`."
            }
            Code::InvalidPgn => {
                "No game of the text can be read as PGN. The member `errors` says of the first ones why, with line, column and half-move."
            }
            Code::IdempotencyConflict => {
                "The client has given another text, or other limits, under the same `Idempotency-Key`. Use a new key for a new job."
            }
            Code::Gone => {
                "The job was deleted, or it has been over for longer than jobs are kept (`jobs.keep_hours` of `GET /v1/limits`)."
            }
            Code::PerftTooLarge => {
                "The perft did not end within `perft_ms` of `GET /v1/limits`. Ask for a smaller depth."
            }
            Code::Internal => {
                "A fault of the server. It has been logged with the request's id: who runs the server finds it by that."
            }
            Code::QueueFull => {
                "All workers are busy and all places of the queue are taken, or all those for streams and boards, batches, walks, texts or jobs: `detail` says which, `queue_length` how many wait or are taken. Ask again after the seconds that `Retry-After` says."
            }
            Code::Deadline => {
                "The request has waited for a worker for as long as the server lets requests wait. Ask again after the seconds that `Retry-After` says."
            }
            Code::ShuttingDown => {
                "The server is about to end and takes no new searches. Ask again after the seconds that `Retry-After` says; another process may then answer."
            }
            Code::NotReady => {
                "The server takes no traffic now; the member `reasons` says why: `starting`, `shutting_down`, or `store` while what is found cannot be written to disk (answers go on)."
            }
        }
    }

    /// The code of this name.
    pub fn from_name(name: &str) -> Option<Code> {
        Code::ALL.into_iter().find(|code| code.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_found_by_its_name() {
        for code in Code::ALL {
            assert_eq!(Code::from_name(code.name()), Some(code));
        }
        assert_eq!(Code::from_name("teapot"), None);
    }
}
