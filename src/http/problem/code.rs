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

    /// The code as clients see it.
    pub const fn name(self) -> &'static str {
        self.entry().name
    }

    /// The HTTP status of the response.
    pub const fn status(self) -> StatusCode {
        self.entry().status
    }

    /// A short summary, the same at each occurrence.
    pub const fn title(self) -> &'static str {
        self.entry().title
    }

    /// The meaning of the code and what a client can do about it: the text of its page.
    pub const fn explanation(self) -> &'static str {
        self.entry().explanation
    }

    const fn entry(self) -> &'static Entry {
        &ENTRIES[self as usize]
    }

    /// The code of this name.
    pub fn from_name(name: &str) -> Option<ProblemCode> {
        ProblemCode::ALL.into_iter().find(|code| code.name() == name)
    }
}

/// What a code stands for.
struct Entry {
    #[cfg_attr(not(test), expect(dead_code, reason = "only a test reads it, to check the order"))]
    code: ProblemCode,
    name: &'static str,
    status: StatusCode,
    title: &'static str,
    explanation: &'static str,
}

/// The entries of all codes, in the order of the enum.
const ENTRIES: [Entry; ProblemCode::ALL.len()] = [
    Entry {
        code: ProblemCode::MalformedJson,
        name: "malformed_json",
        status: StatusCode::BAD_REQUEST,
        title: "The body is not JSON",
        explanation: "The body can't be read as JSON. The members `line` and `column`, both from \
            1, say where reading ended.",
    },
    Entry {
        code: ProblemCode::MalformedQuery,
        name: "malformed_query",
        status: StatusCode::BAD_REQUEST,
        title: "The query can't be read",
        explanation: "A parameter of the query is not percent-encoded UTF-8.",
    },
    Entry {
        code: ProblemCode::Unauthorized,
        name: "unauthorized",
        status: StatusCode::UNAUTHORIZED,
        title: "The API key or ticket is not known",
        explanation: "The key of `Authorization: Bearer` or `x-api-key` was not given out here, \
            or the ticket was none, was used already or is too old. Without any key or ticket a \
            request counts for its address.",
    },
    Entry {
        code: ProblemCode::OriginRefused,
        name: "origin_refused",
        status: StatusCode::FORBIDDEN,
        title: "Pages of this origin may not ask",
        explanation: "A page of another origin wants to open a board. The operator allows \
            origins by `http.cors_origins`.",
    },
    Entry {
        code: ProblemCode::NotFound,
        name: "not_found",
        status: StatusCode::NOT_FOUND,
        title: "There is nothing at this path",
        explanation: "No route has this path, or there is no job of this id. `/docs` shows the \
            routes that there are.",
    },
    Entry {
        code: ProblemCode::MethodNotAllowed,
        name: "method_not_allowed",
        status: StatusCode::METHOD_NOT_ALLOWED,
        title: "The path does not know this method",
        explanation: "The path exists, but not with this method; the header `Allow` names those \
            that it has.",
    },
    Entry {
        code: ProblemCode::NotAcceptable,
        name: "not_acceptable",
        status: StatusCode::NOT_ACCEPTABLE,
        title: "No form of the answer is accepted",
        explanation: "The header `Accept` allows none of the forms that the answer can have; \
            `detail` names them.",
    },
    Entry {
        code: ProblemCode::RequestTimeout,
        name: "request_timeout",
        status: StatusCode::REQUEST_TIMEOUT,
        title: "The body did not come in time",
        explanation: "The body did not arrive within the server's time. Send it whole and at \
            once, and open the connection only when it is there.",
    },
    Entry {
        code: ProblemCode::BodyTooLarge,
        name: "body_too_large",
        status: StatusCode::PAYLOAD_TOO_LARGE,
        title: "The body is too large",
        explanation: "The body is larger than `body_bytes` of `GET /v1/limits`; of games, than \
            `jobs.bytes`, or its games would take more room than all jobs together may.",
    },
    Entry {
        code: ProblemCode::UnsupportedMediaType,
        name: "unsupported_media_type",
        status: StatusCode::UNSUPPORTED_MEDIA_TYPE,
        title: "The body is not declared as what it must be",
        explanation: "A body needs the header `Content-Type: application/json`, and no \
            `Content-Encoding`. Batches and games have types of their own, which `detail` names.",
    },
    Entry {
        code: ProblemCode::UpgradeRequired,
        name: "upgrade_required",
        status: StatusCode::UPGRADE_REQUIRED,
        title: "The path is for WebSockets",
        explanation: "A board is opened by a WebSocket handshake (RFC 6455): a GET with \
            `Connection: upgrade`, `Upgrade: websocket` and the headers that belong to it.",
    },
    Entry {
        code: ProblemCode::InvalidRequest,
        name: "invalid_request",
        status: StatusCode::UNPROCESSABLE_ENTITY,
        title: "The request has wrong members",
        explanation: "The request can be read, but its body, query or headers have members that \
            are missing, unknown, in conflict, of the wrong type or out of range. The member \
            `errors` lists them, a hundred at most, each with a JSON Pointer.",
    },
    Entry {
        code: ProblemCode::InvalidFen,
        name: "invalid_fen",
        status: StatusCode::UNPROCESSABLE_ENTITY,
        title: "The position is not legal",
        explanation: "The FEN or the packed form is no legal chess position. The member `errors` \
            lists every fault that can be seen, with the field and the text that it lies in.",
    },
    Entry {
        code: ProblemCode::IllegalMove,
        name: "illegal_move",
        status: StatusCode::UNPROCESSABLE_ENTITY,
        title: "A move can't be played",
        explanation: "A text of `moves` or `searchmoves` can't be played where it stands. The \
            members `index`, from 0, and `text` name it, `detail` says of which list; `why` is \
            `not_a_move`, `ambiguous`, `not_legal` or `game_over`.",
    },
    Entry {
        code: ProblemCode::InvalidPgn,
        name: "invalid_pgn",
        status: StatusCode::UNPROCESSABLE_ENTITY,
        title: "The text has no game",
        explanation: "No game of the text can be read as PGN. The member `errors` says of the \
            first ones why, with line, column and half-move.",
    },
    Entry {
        code: ProblemCode::IdempotencyConflict,
        name: "idempotency_conflict",
        status: StatusCode::CONFLICT,
        title: "Another job has this key",
        explanation: "The client has given another text, or other limits, under the same \
            `Idempotency-Key`. Use a new key for a new job.",
    },
    Entry {
        code: ProblemCode::Gone,
        name: "gone",
        status: StatusCode::GONE,
        title: "The job is gone",
        explanation: "The job was deleted, or it has been over for longer than jobs are kept \
            (`jobs.keep_hours` of `GET /v1/limits`).",
    },
    Entry {
        code: ProblemCode::PerftTooLarge,
        name: "perft_too_large",
        status: StatusCode::UNPROCESSABLE_ENTITY,
        title: "The count takes too long",
        explanation: "The perft did not end within `perft_ms` of `GET /v1/limits`. Ask for a \
            smaller depth.",
    },
    Entry {
        code: ProblemCode::RateLimited,
        name: "rate_limited",
        status: StatusCode::TOO_MANY_REQUESTS,
        title: "Too many requests",
        explanation: "The client, which is its API key or else its address, asks more often than \
            it may. `RateLimit-Policy` tells the rate, `RateLimit` what is left; ask again after \
            the seconds that `Retry-After` says.",
    },
    Entry {
        code: ProblemCode::Internal,
        name: "internal",
        status: StatusCode::INTERNAL_SERVER_ERROR,
        title: "Internal error",
        explanation: "A fault of the server. It has been logged with the request's id: who runs \
            the server finds it by that.",
    },
    Entry {
        code: ProblemCode::QueueFull,
        name: "queue_full",
        status: StatusCode::SERVICE_UNAVAILABLE,
        title: "The queue is full",
        explanation: "All workers are busy and all places of the queue are taken, or all those \
            for streams and boards, batches, walks, texts or jobs: `detail` says which, \
            `queue_length` how many wait or are taken. Ask again after the seconds that \
            `Retry-After` says.",
    },
    Entry {
        code: ProblemCode::Deadline,
        name: "deadline",
        status: StatusCode::SERVICE_UNAVAILABLE,
        title: "No worker was free in time",
        explanation: "The request has waited for a worker for as long as the server lets \
            requests wait. Ask again after the seconds that `Retry-After` says.",
    },
    Entry {
        code: ProblemCode::ShuttingDown,
        name: "shutting_down",
        status: StatusCode::SERVICE_UNAVAILABLE,
        title: "The server is shutting down",
        explanation: "The server is about to end and takes no new searches. Ask again after the \
            seconds that `Retry-After` says; another process may then answer.",
    },
    Entry {
        code: ProblemCode::NotReady,
        name: "not_ready",
        status: StatusCode::SERVICE_UNAVAILABLE,
        title: "The server is not ready",
        explanation: "The server takes no traffic now; the member `reasons` says why: \
            `starting`, `shutting_down`, or `store` while what is found cannot be written to \
            disk (answers go on).",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_own_entry() {
        assert_eq!(ENTRIES.map(|entry| entry.code), ProblemCode::ALL);
        for code in ProblemCode::ALL {
            assert_eq!(code.entry().code, code);
        }
    }

    #[test]
    fn every_code_is_found_by_its_name() {
        for code in ProblemCode::ALL {
            assert_eq!(ProblemCode::from_name(code.name()), Some(code));
        }
        assert_eq!(ProblemCode::from_name("teapot"), None);
    }
}
