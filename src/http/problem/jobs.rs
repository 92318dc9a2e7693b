//! The problems of game-review jobs: uploads, quotas, and jobs that no longer exist.

use std::time::Duration;

use serde::Serialize;
use utoipa::ToSchema;

use super::{Problem, ProblemCode};
use crate::analysis::AnalysisError;
use crate::analysis::jobs::{ExceededLimit, GameError, JobError};
use crate::chess::excerpt;

/// `Retry-After` of a refused job or upload.
const JOBS_RETRY_AFTER: Duration = Duration::from_secs(30);

/// An error in a game of a PGN text.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct InvalidPgn {
    /// The kind of error: a value of `why` of `illegal_move`, `null_move`, `invalid_fen`,
    /// `unknown_variant`, `unclosed_comment`, `header_too_long`, `too_many_headers`,
    /// `too_many_moves`, `too_deep`, `too_long`.
    code: String,
    /// A description of the error.
    detail: String,
    /// The half-move of the game, from 1.
    ply: u32,
    /// The line of the PGN text, from 1.
    line: u32,
    /// The character in the line, from 1.
    column: u32,
    /// The offending text, cut at 200 characters.
    text: String,
}

impl From<GameError> for InvalidPgn {
    fn from(GameError { code, detail, ply, line, column, text }: GameError) -> InvalidPgn {
        InvalidPgn { code, detail, ply, line, column, text }
    }
}

impl Problem {
    /// An upload with an unsupported media type.
    pub(crate) fn not_games(content_type: Option<&str>) -> Problem {
        const MEDIA_TYPES: &str =
            "application/x-chess-pgn, application/vnd.chess-pgn, text/plain or application/json";
        let detail = match content_type {
            None => format!("the header Content-Type is missing; it must be {MEDIA_TYPES}"),
            Some(declared) => {
                format!("Content-Type is {:?}; it must be {MEDIA_TYPES}", excerpt(declared))
            }
        };
        Problem::new(ProblemCode::UnsupportedMediaType, detail)
    }

    /// A PGN text without a valid game.
    fn invalid_pgn(errors: &[GameError]) -> Problem {
        let detail = match errors {
            [] => "the PGN text contains no game".to_owned(),
            [first, ..] => format!("the PGN text contains no valid game: {}", first.detail),
        };
        let errors: Vec<_> = errors.iter().cloned().map(InvalidPgn::from).collect();
        Problem::new(ProblemCode::InvalidPgn, detail)
            .with_member("errors", serde_json::json!(errors))
    }

    /// An idempotency key that the client has used for another job.
    pub(crate) fn idempotency_conflict() -> Problem {
        Problem::new(
            ProblemCode::IdempotencyConflict,
            "the client has used this Idempotency-Key for another job",
        )
    }

    /// A job that was deleted or has expired.
    pub(crate) fn gone() -> Problem {
        Problem::new(ProblemCode::Gone, "the job was deleted or has expired")
    }

    /// An upload beyond the limits of concurrent uploads, in total and per client.
    pub(crate) fn too_many_uploads(max: usize, max_per_client: usize) -> Problem {
        let detail = format!(
            "the limit of {max} concurrent uploads, or of {max_per_client} per client, is reached"
        );
        Problem::new(ProblemCode::QueueFull, detail)
            .with_member("queue_length", max)
            .retry_after(JOBS_RETRY_AFTER)
    }

    /// A job that exceeds the quota of unfinished jobs of its client, or of all clients.
    fn job_limit_reached(exceeded: ExceededLimit, owner: &str, unfinished: usize) -> Problem {
        let detail = match exceeded {
            ExceededLimit::Jobs { max } => {
                format!("the limit of {max} unfinished jobs for {owner} is reached")
            }
            ExceededLimit::Bytes { max } => format!(
                "the job does not fit into the limit of {max} bytes for unfinished jobs of {owner}"
            ),
        };
        Problem::new(ProblemCode::QueueFull, detail)
            .with_member("queue_length", unfinished)
            .retry_after(JOBS_RETRY_AFTER)
    }

    /// A job that takes more bytes than the whole share of its client. A client without a key is
    /// anonymous.
    fn job_above_share(bytes: u64, max: u64, is_anonymous: bool) -> Problem {
        let reason = if is_anonymous {
            ", as jobs.anonymous_share_permille says for clients without an API key"
        } else {
            ""
        };
        let detail = format!(
            "the games and their reviews take up to {bytes} bytes; all jobs of this client \
             together may take {max}{reason}; send fewer games"
        );
        Problem::new(ProblemCode::JobTooLarge, detail)
    }

    /// The path of a job that does not exist.
    pub(crate) fn no_such_job(path: &str) -> Problem {
        Problem::new(
            ProblemCode::NotFound,
            format!(
                "{} is the path of no job; without store.path, jobs end with the server",
                excerpt(path)
            ),
        )
    }

    /// The problem for a job error at this path.
    pub(crate) fn from_job_error(error: JobError, path: &str) -> Problem {
        match error {
            JobError::NotFound => Problem::no_such_job(path),
            JobError::Gone => Problem::gone(),
            JobError::NoGame(errors) => Problem::invalid_pgn(&errors),
            JobError::TooLarge { bytes, max, is_anonymous } => {
                Problem::job_above_share(bytes, max, is_anonymous)
            }
            JobError::TooManyGames { max } => Problem::new(
                ProblemCode::JobTooLarge,
                format!("the PGN text has more than {max} games; send fewer games"),
            ),
            JobError::TooManyNodes { nodes, positions, max, max_per_position } => Problem::new(
                ProblemCode::JobTooLarge,
                format!(
                    "nodes is {nodes} for each of {positions} positions, together {}; \
                     jobs.max_nodes allows {max} for a job; lower nodes to {max_per_position}, or \
                     send fewer games",
                    u128::from(nodes) * u128::from(positions)
                ),
            ),
            JobError::IdempotencyConflict => Problem::idempotency_conflict(),
            JobError::QuotaExceeded { unfinished, exceeded } => {
                Problem::job_limit_reached(exceeded, "one client", unfinished)
            }
            JobError::Full { unfinished, exceeded } => {
                Problem::job_limit_reached(exceeded, "all clients", unfinished)
            }
            JobError::ShuttingDown => AnalysisError::shutting_down().into(),
            JobError::Store(ref cause) if error.is_unreachable() => {
                tracing::debug!(error = cause.to_string(), "job could not be read or written");
                Problem::not_ready("jobs")
            }
            JobError::Store(error) => {
                tracing::warn!(error = error.to_string(), "job could not be read or written");
                Problem::not_ready("store")
            }
            JobError::Internal(_) => Problem::internal(&error),
        }
    }
}
