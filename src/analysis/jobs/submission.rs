//! A submitted job and the parsing of its text into games.

#[cfg(test)]
mod tests;

use std::ops::Range;

use sha2::{Digest, Sha256};

use super::error::JobError;
use super::schedule::position_count;
use super::state::JobRules;
use super::usage::Quota;
use crate::analysis::Client;
use crate::chess::pgn::{BadGame, GameResult, Headers, PgnError, PgnGame, PgnReader};
use crate::store::jobs::{GameError, GameRecord, MAX_EVAL_BYTES, ParsedGame, PositionLimits};

/// Maximum length of a reviewed game in half-moves. The longest master game has 538.
const MAX_GAME_PLIES: usize = 2_000;

/// Maximum number of games of a job.
const MAX_GAMES: usize = 20_000;

/// Maximum overhead of a stored game in bytes: keys and a share of the tree.
const GAME_OVERHEAD_BYTES: u64 = 128;

/// Maximum number of errors that are reported for a text without a readable game.
const MAX_REPORTED_ERRORS: usize = 20;

/// Games to review.
#[derive(Clone, Debug)]
pub struct Submission {
    /// The client. Its quota and its turn in the queue apply to the job.
    pub client: Client,
    /// Whether the client has no key. Many such clients may be one person.
    pub is_anonymous: bool,
    /// One or more games in PGN.
    pub text: String,
    /// The search limits of each position. Without any, the number of nodes is a default.
    pub limits: PositionLimits,
    /// The idempotency key. The same key, text and limits refer to the same job.
    pub idempotency_key: Option<String>,
}

impl Submission {
    /// Digest of the client and its idempotency key; `None` without a key.
    pub(super) fn idempotency_digest(&self) -> Option<[u8; 32]> {
        let key = self.idempotency_key.as_ref()?;
        let client = self.client.to_string();
        let digest =
            Sha256::new().chain_update((client.len() as u64).to_be_bytes()).chain_update(client);
        Some(digest.chain_update(key).finalize().into())
    }

    /// The part of the capacity that the unfinished jobs of the client may use.
    pub(super) fn quota(&self, rules: &JobRules) -> Quota {
        if self.is_anonymous {
            Quota::ShareOfRest { permille: rules.anonymous_share_permille }
        } else {
            Quota::Half
        }
    }

    /// The limits of the searches of `positions` positions. Each has a limit on nodes, so that the
    /// job ends.
    ///
    /// # Errors
    /// Fails when the requested nodes of all positions exceed the maximum of a job.
    pub(super) fn position_limits(
        &self,
        positions: u64,
        rules: &JobRules,
    ) -> Result<PositionLimits, JobError> {
        let max = rules.max_nodes;
        let max_per_position = (max / positions.max(1)).max(1);
        let nodes = match self.limits {
            PositionLimits { nodes: Some(nodes), .. } if nodes > max_per_position => {
                return Err(JobError::TooManyNodes { nodes, positions, max, max_per_position });
            }
            PositionLimits { nodes: Some(nodes), .. } => nodes,
            PositionLimits { depth: None, movetime: None, .. } => {
                rules.default_nodes.min(max_per_position)
            }
            PositionLimits { .. } => max_per_position,
        };
        Ok(PositionLimits { nodes: Some(nodes), ..self.limits })
    }

    /// Digest of the limits and the text.
    pub(super) fn request_digest(&self) -> [u8; 32] {
        let PositionLimits { depth, nodes, movetime, multipv } = self.limits;
        let limits =
            format!("{depth:?} {nodes:?} {:?} {multipv}\n", movetime.map(|time| time.as_millis()));
        Sha256::new().chain_update(limits).chain_update(&self.text).finalize().into()
    }
}

/// The parsed games of a text in stored form.
#[derive(Debug, Default)]
pub(super) struct ParsedSubmission {
    pub(super) games: Vec<SubmittedGame>,
    /// Number of reviewed half-moves of each game.
    pub(super) plies: Vec<u32>,
    /// Maximum stored size of the job with all its evaluations.
    pub(super) reserved_bytes: u64,
}

/// A parsed game in stored form.
#[derive(Debug)]
pub(super) struct SubmittedGame {
    pub(super) record_bytes: Vec<u8>,
    /// The range in the text; `None` when the game cannot be reviewed.
    pub(super) text_range: Option<Range<usize>>,
}

impl ParsedSubmission {
    /// Parses all games of a text. A game that cannot be parsed is stored with its error.
    ///
    /// # Errors
    /// Fails when no game can be parsed, and when there are more than [`MAX_GAMES`].
    pub(super) fn parse(text: &str) -> Result<ParsedSubmission, JobError> {
        let mut parsed = ParsedSubmission::default();
        let mut errors = Vec::new();
        let mut reader = PgnReader::new(text);
        let mut start = 0;
        while let Some(game) = reader.next() {
            let range = start..reader.offset();
            start = range.end;
            if parsed.games.len() >= MAX_GAMES {
                return Err(JobError::TooManyGames { max: MAX_GAMES });
            }
            let record = game_record(game, || line_number(text, range.start));
            if let Err(error) = &record.parsed
                && errors.len() < MAX_REPORTED_ERRORS
            {
                errors.push(error.clone());
            }
            parsed.add(&record, range);
        }
        let has_any = parsed.games.iter().any(|game| game.text_range.is_some());
        if has_any { Ok(parsed) } else { Err(JobError::NoGame(errors)) }
    }

    /// Number of positions to search.
    pub(super) fn position_count(&self) -> u64 {
        self.plies.iter().map(|&plies| position_count(plies)).sum()
    }

    fn add(&mut self, record: &GameRecord, range: Range<usize>) {
        let moves = record.parsed.as_ref().map_or(0, |parsed| parsed.moves.len());
        let plies = u32::try_from(moves).unwrap_or(u32::MAX);
        let text_range = record.parsed.is_ok().then_some(range);
        let game = SubmittedGame { record_bytes: record.encode(), text_range };
        self.reserved_bytes += GAME_OVERHEAD_BYTES
            + game.record_bytes.len() as u64
            + game.text_range.as_ref().map_or(0, |text| text.len() as u64)
            + position_count(plies) * MAX_EVAL_BYTES;
        self.plies.push(plies);
        self.games.push(game);
    }
}

fn game_record(pgn_game: Result<PgnGame, BadGame>, line_number: impl Fn() -> u32) -> GameRecord {
    match pgn_game {
        Ok(PgnGame { headers, result, start, line: main_line }) => {
            let moves: Vec<_> = main_line.moves.iter().map(|mv| mv.mv()).collect();
            let parsed = if moves.len() > MAX_GAME_PLIES {
                Err(too_long_error(moves.len(), line_number()))
            } else {
                Ok(ParsedGame { start, moves })
            };
            GameRecord { headers, result, parsed }
        }
        Err(BadGame { headers, error }) => GameRecord {
            result: result_from_headers(&headers),
            headers,
            parsed: Err(game_error(error)),
        },
    }
}

fn too_long_error(plies: usize, line: u32) -> GameError {
    GameError {
        code: "too_long".to_owned(),
        detail: format!("the game has {plies} half-moves; a review allows {MAX_GAME_PLIES}"),
        ply: MAX_GAME_PLIES as u32 + 1,
        line,
        column: 1,
        text: String::new(),
    }
}

fn game_error(error: PgnError) -> GameError {
    let PgnError { ply, line, column, text, kind, .. } = error;
    let saturated = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let detail = format!("line {line}, column {column}: {text:?}: {kind}");
    GameError {
        code: kind.name().to_owned(),
        detail,
        ply: saturated(ply),
        line: saturated(line),
        column: saturated(column),
        text,
    }
}

fn result_from_headers(headers: &Headers) -> GameResult {
    headers.get("Result").and_then(GameResult::parse).unwrap_or_default()
}

/// The line number, from 1, of the first word at or after a byte offset.
fn line_number(text: &str, byte: usize) -> u32 {
    let rest = text.get(byte..).unwrap_or_default();
    let first = byte + (rest.len() - rest.trim_start().len());
    let newlines = text.as_bytes()[..first].iter().filter(|&&byte| byte == b'\n').count();
    u32::try_from(newlines + 1).unwrap_or(u32::MAX)
}
