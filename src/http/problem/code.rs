//! The closed list of problem codes.

use axum::http::StatusCode;

/// The kind of a problem. Each kind has a page at `/problems/<code>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "`explanation` documents each code, also for clients")]
pub enum ProblemCode {
    MalformedJson,
    MalformedQuery,
    MalformedHead,
    Unauthorized,
    OriginRefused,
    NotFound,
    NoTablebase,
    MethodNotAllowed,
    NotAcceptable,
    RequestTimeout,
    BodyTooLarge,
    JobTooLarge,
    UnsupportedMediaType,
    UpgradeRequired,
    InvalidRequest,
    InvalidFen,
    IllegalMove,
    InvalidPgn,
    TablebaseUnavailable,
    IdempotencyConflict,
    Gone,
    PerftTooLarge,
    RateLimited,
    HeadTooLarge,
    Internal,
    QueueFull,
    Deadline,
    ShuttingDown,
    NotReady,
}

impl ProblemCode {
    /// All codes.
    pub const ALL: [ProblemCode; 29] = [
        ProblemCode::MalformedJson,
        ProblemCode::MalformedQuery,
        ProblemCode::MalformedHead,
        ProblemCode::Unauthorized,
        ProblemCode::OriginRefused,
        ProblemCode::NotFound,
        ProblemCode::NoTablebase,
        ProblemCode::MethodNotAllowed,
        ProblemCode::NotAcceptable,
        ProblemCode::RequestTimeout,
        ProblemCode::BodyTooLarge,
        ProblemCode::JobTooLarge,
        ProblemCode::UnsupportedMediaType,
        ProblemCode::UpgradeRequired,
        ProblemCode::InvalidRequest,
        ProblemCode::InvalidFen,
        ProblemCode::IllegalMove,
        ProblemCode::InvalidPgn,
        ProblemCode::TablebaseUnavailable,
        ProblemCode::IdempotencyConflict,
        ProblemCode::Gone,
        ProblemCode::PerftTooLarge,
        ProblemCode::RateLimited,
        ProblemCode::HeadTooLarge,
        ProblemCode::Internal,
        ProblemCode::QueueFull,
        ProblemCode::Deadline,
        ProblemCode::ShuttingDown,
        ProblemCode::NotReady,
    ];

    /// The code as it is sent to clients.
    pub const fn name(self) -> &'static str {
        self.entry().name
    }

    /// The HTTP status of the response.
    pub const fn status(self) -> StatusCode {
        self.entry().status
    }

    /// A short summary that never varies.
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

    /// The code with this name.
    pub fn from_name(name: &str) -> Option<ProblemCode> {
        ProblemCode::ALL.into_iter().find(|code| code.name() == name)
    }
}

/// The properties of a code.
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
        title: "Malformed JSON",
        explanation: "The body is not valid JSON. The members `line` and `column`, both from 1, \
            give the position of the error, if it is known. For a line of a batch, `line` is its \
            number in the body. For an element of an array, both count from the beginning of the \
            element.",
    },
    Entry {
        code: ProblemCode::MalformedQuery,
        name: "malformed_query",
        status: StatusCode::BAD_REQUEST,
        title: "Malformed query",
        explanation: "A query parameter is not percent-encoded UTF-8.",
    },
    Entry {
        code: ProblemCode::MalformedHead,
        name: "malformed_head",
        status: StatusCode::BAD_REQUEST,
        title: "Malformed request head",
        explanation: "The head of a request over HTTP/1.1 is not valid (RFC 9112): it can't be \
            parsed, the header `Host` is missing, repeated or not `host` or `host:port`, or \
            `Transfer-Encoding` is not `chunked`. The server closes the connection. HTTP clients \
            write these headers by themselves.",
    },
    Entry {
        code: ProblemCode::Unauthorized,
        name: "unauthorized",
        status: StatusCode::UNAUTHORIZED,
        title: "No valid API key or ticket",
        explanation: "The key in `Authorization: Bearer` or `x-api-key` is unknown, empty or not \
            the only one, or the ticket is unknown, used or expired. If the server has keys, \
            `Authorization` with another scheme than `Bearer` also gets this problem. A request \
            without a key or ticket gets it only if the server requires one (`access.required`); \
            otherwise it is identified by its address.",
    },
    Entry {
        code: ProblemCode::OriginRefused,
        name: "origin_refused",
        status: StatusCode::FORBIDDEN,
        title: "Origin not allowed",
        explanation: "A web page of this origin may not open a WebSocket or call tools. The \
            operator allows origins with `http.cors_origins`. `POST /mcp` also refuses a host \
            that `mcp.allowed_hosts` does not list, against DNS rebinding.",
    },
    Entry {
        code: ProblemCode::NotFound,
        name: "not_found",
        status: StatusCode::NOT_FOUND,
        title: "Not found",
        explanation: "No route has this path, or no job has this id. `/docs` lists all routes.",
    },
    Entry {
        code: ProblemCode::NoTablebase,
        name: "no_tablebase",
        status: StatusCode::NOT_FOUND,
        title: "No tablebases",
        explanation: "The server has no endgame tablebases. The operator names their folders with \
            `syzygy.paths`; `docs/tablebases.md` says where the files come from.",
    },
    Entry {
        code: ProblemCode::MethodNotAllowed,
        name: "method_not_allowed",
        status: StatusCode::METHOD_NOT_ALLOWED,
        title: "Method not allowed",
        explanation: "The path does not support this method. The header `Allow` lists the \
            supported methods.",
    },
    Entry {
        code: ProblemCode::NotAcceptable,
        name: "not_acceptable",
        status: StatusCode::NOT_ACCEPTABLE,
        title: "Not acceptable",
        explanation: "The header `Accept` allows none of the response formats; `detail` lists \
            them.",
    },
    Entry {
        code: ProblemCode::RequestTimeout,
        name: "request_timeout",
        status: StatusCode::REQUEST_TIMEOUT,
        title: "Request timeout",
        explanation: "The body did not arrive within the server's time limit. Send the whole body \
            at once.",
    },
    Entry {
        code: ProblemCode::BodyTooLarge,
        name: "body_too_large",
        status: StatusCode::PAYLOAD_TOO_LARGE,
        title: "Body too large",
        explanation: "The body exceeds `body_bytes` of `GET /v1/limits`, or for games \
            `jobs.bytes`.",
    },
    Entry {
        code: ProblemCode::JobTooLarge,
        name: "job_too_large",
        status: StatusCode::PAYLOAD_TOO_LARGE,
        title: "Job too large",
        explanation: "The review job is larger than a single one may be: `nodes` times its \
            positions exceeds `jobs.max_nodes` of `GET /v1/limits`, it has too many games, or its \
            games and reviews need more bytes than the client's share of `jobs.max_mb`. That share \
            is larger with an API key. `detail` names the limit. Lower `nodes`, or send the games \
            in several jobs.",
    },
    Entry {
        code: ProblemCode::UnsupportedMediaType,
        name: "unsupported_media_type",
        status: StatusCode::UNSUPPORTED_MEDIA_TYPE,
        title: "Unsupported media type",
        explanation: "The header `Content-Type` names a type that the route does not read, or it \
            is missing and the body is not a JSON object. A JSON object needs no `Content-Type`; \
            `application/json` declares it. A body with a `Content-Encoding` is refused. Batches \
            and games have other media types; `detail` lists them.",
    },
    Entry {
        code: ProblemCode::UpgradeRequired,
        name: "upgrade_required",
        status: StatusCode::UPGRADE_REQUIRED,
        title: "WebSocket handshake required",
        explanation: "A WebSocket is opened with a handshake (RFC 6455): a GET with \
            `Connection: upgrade`, `Upgrade: websocket` and the headers that belong to it.",
    },
    Entry {
        code: ProblemCode::InvalidRequest,
        name: "invalid_request",
        status: StatusCode::UNPROCESSABLE_ENTITY,
        title: "Invalid request",
        explanation: "Members of the body, the query or the headers are missing, unknown, in \
            conflict, of the wrong type or out of range. The member `errors` lists at most 100 of \
            them, each with a JSON Pointer.",
    },
    Entry {
        code: ProblemCode::InvalidFen,
        name: "invalid_fen",
        status: StatusCode::UNPROCESSABLE_ENTITY,
        title: "Invalid position",
        explanation: "The FEN or the packed form is not a legal chess position. The member \
            `errors` lists every detectable error with its field and text.",
    },
    Entry {
        code: ProblemCode::IllegalMove,
        name: "illegal_move",
        status: StatusCode::UNPROCESSABLE_ENTITY,
        title: "Illegal move",
        explanation: "An entry of `moves` or `searchmoves` is not a legal move in its position. \
            `index`, from 0, and `text` identify the entry; `detail` names the list. `why` is \
            `not_a_move`, `ambiguous`, `not_legal` or `game_over`.",
    },
    Entry {
        code: ProblemCode::InvalidPgn,
        name: "invalid_pgn",
        status: StatusCode::UNPROCESSABLE_ENTITY,
        title: "Invalid PGN",
        explanation: "The PGN text contains no valid game. The member `errors` describes the first \
            errors, with line, column and half-move.",
    },
    Entry {
        code: ProblemCode::TablebaseUnavailable,
        name: "tablebase_unavailable",
        status: StatusCode::UNPROCESSABLE_ENTITY,
        title: "No table for the position",
        explanation: "The tablebases do not know the position. `reason` is `too_many_men`: no \
            table has as many men (`tablebase.men` of `GET /v1/limits` is the maximum); \
            `castling_rights`: tables know none; or `missing_table`: the server lacks the file \
            that `detail` names.",
    },
    Entry {
        code: ProblemCode::IdempotencyConflict,
        name: "idempotency_conflict",
        status: StatusCode::CONFLICT,
        title: "Idempotency key conflict",
        explanation: "The client has used the same `Idempotency-Key` with another text or other \
            limits. Use a new key for a new job.",
    },
    Entry {
        code: ProblemCode::Gone,
        name: "gone",
        status: StatusCode::GONE,
        title: "Job gone",
        explanation: "The job was deleted, or it finished longer ago than `jobs.keep_hours` of \
            `GET /v1/limits`.",
    },
    Entry {
        code: ProblemCode::PerftTooLarge,
        name: "perft_too_large",
        status: StatusCode::UNPROCESSABLE_ENTITY,
        title: "Perft too large",
        explanation: "The perft did not end within `perft_ms` of `GET /v1/limits`. Request a \
            smaller depth.",
    },
    Entry {
        code: ProblemCode::RateLimited,
        name: "rate_limited",
        status: StatusCode::TOO_MANY_REQUESTS,
        title: "Rate limit exceeded",
        explanation: "The client exceeds its rate limit. A client is identified by its API key, or \
            by its address if it has none. `RateLimit-Policy` holds the rate, `RateLimit` the \
            remaining requests; `detail` names the rate and the wait. Retry after the seconds in \
            `Retry-After`. `POST /v1/tickets` also returns this problem while too many tickets are \
            valid.",
    },
    Entry {
        code: ProblemCode::HeadTooLarge,
        name: "head_too_large",
        status: StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        title: "Request head too large",
        explanation: "The request line and the header fields together are longer than the server \
            allows (`http.head_bytes`). The server closes the connection. Over HTTP/2 the response \
            has no body. Send long inputs in the body of a POST.",
    },
    Entry {
        code: ProblemCode::Internal,
        name: "internal",
        status: StatusCode::INTERNAL_SERVER_ERROR,
        title: "Internal error",
        explanation: "An error inside the server. It was logged with the request id, by which the \
            operator can find it.",
    },
    Entry {
        code: ProblemCode::QueueFull,
        name: "queue_full",
        status: StatusCode::SERVICE_UNAVAILABLE,
        title: "Queue full",
        explanation: "All workers are busy and the queue is full, or a limit is reached: of \
            streams and live boards, batches, explore requests, tablebase lookups, uploads, jobs, \
            or the memory of one client's concurrent requests. `detail` names the limit; \
            `queue_length` counts the waiting requests or the used slots. Retry after the \
            seconds in `Retry-After`.",
    },
    Entry {
        code: ProblemCode::Deadline,
        name: "deadline",
        status: StatusCode::SERVICE_UNAVAILABLE,
        title: "No worker free in time",
        explanation: "The request waited for a worker for the maximum time. Retry after the \
            seconds in `Retry-After`.",
    },
    Entry {
        code: ProblemCode::ShuttingDown,
        name: "shutting_down",
        status: StatusCode::SERVICE_UNAVAILABLE,
        title: "Shutting down",
        explanation: "The server is shutting down and accepts no new searches. Retry after the \
            seconds in `Retry-After`; another process may answer then.",
    },
    Entry {
        code: ProblemCode::NotReady,
        name: "not_ready",
        status: StatusCode::SERVICE_UNAVAILABLE,
        title: "Not ready",
        explanation: "The server takes no traffic now. The member `reasons` says why: `starting`, \
            `shutting_down`, `store` while writing to disk fails, or `jobs` while the server of a \
            cluster's jobs cannot be used. With `store` and `jobs`, other requests are still \
            answered.",
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
