//! What is given as a job, and how its text becomes games.

use std::ops::Range;

use sha2::{Digest, Sha256};

use super::JobError;
use super::schedule::position_count;
use crate::analysis::Client;
use crate::chess::pgn::{BadGame, GameResult, Headers, PgnError, PgnGame, PgnReader};
use crate::store::jobs::{GameError, GameRecord, MAX_EVAL_BYTES, ParsedGame, PositionLimits};

/// A game with more half-moves is not reviewed. The longest that masters have played has 538.
const MAX_GAME_PLIES: usize = 2_000;

/// Games of one job.
const MAX_GAMES: usize = 20_000;

/// What a game takes at most, beside its sheet, its text and its findings: keys, and a share of the
/// tree.
const GAME_OVERHEAD_BYTES: u64 = 128;

/// So many games that cannot be read are told of a text that has no other.
const MAX_REPORTED_ERRORS: usize = 20;

/// Games to be reviewed.
#[derive(Clone, Debug)]
pub struct Submission {
    /// Whose job it is: it waits for its turn as that client's.
    pub client: Client,
    /// One or more games in PGN.
    pub text: String,
    /// How hard each position is searched.
    pub limits: PositionLimits,
    /// The client's own name for the job: given again, with the same text and limits, it is the
    /// same job.
    pub idempotency_key: Option<String>,
}

impl Submission {
    /// What stands for the client's name for the job, where it has one.
    pub(super) fn idempotency_digest(&self) -> Option<[u8; 32]> {
        let key = self.idempotency_key.as_ref()?;
        let client = self.client.to_string();
        let digest =
            Sha256::new().chain_update((client.len() as u64).to_be_bytes()).chain_update(client);
        Some(digest.chain_update(key).finalize().into())
    }

    /// What stands for all that is asked.
    pub(super) fn request_digest(&self) -> [u8; 32] {
        let PositionLimits { depth, nodes, movetime, multipv } = self.limits;
        let limits =
            format!("{depth:?} {nodes:?} {:?} {multipv}\n", movetime.map(|time| time.as_millis()));
        Sha256::new().chain_update(limits).chain_update(&self.text).finalize().into()
    }
}

/// The games of a text, as they are kept.
#[derive(Debug, Default)]
pub(super) struct ParsedSubmission {
    pub(super) games: Vec<NewGame>,
    /// Moves of each that are reviewed.
    pub(super) plies: Vec<u32>,
    /// What all of it takes at most, with what will be found.
    pub(super) reserved_bytes: u64,
}

/// A game, as it is kept.
#[derive(Debug)]
pub(super) struct NewGame {
    pub(super) record_bytes: Vec<u8>,
    /// Where it stands in the text; nowhere when it cannot be read.
    pub(super) text_range: Option<Range<usize>>,
}

impl ParsedSubmission {
    /// Reads all games of a text. One that cannot be read is kept with what is wrong with it.
    ///
    /// # Errors
    /// When there is none that can be read, and when there are too many.
    pub(super) fn parse(text: &str) -> Result<ParsedSubmission, JobError> {
        let mut parsed = ParsedSubmission::default();
        let mut errors = Vec::new();
        let mut reader = PgnReader::new(text);
        let mut start = 0;
        while let Some(game) = reader.next() {
            let range = start..reader.offset();
            start = range.end;
            if parsed.games.len() >= MAX_GAMES {
                return Err(JobError::TooManyGames { most: MAX_GAMES });
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

    fn add(&mut self, record: &GameRecord, range: Range<usize>) {
        let moves = record.parsed.as_ref().map_or(0, |parsed| parsed.moves.len());
        let plies = u32::try_from(moves).unwrap_or(u32::MAX);
        let text_range = record.parsed.is_ok().then_some(range);
        let row = NewGame { record_bytes: record.encode(), text_range };
        self.reserved_bytes += GAME_OVERHEAD_BYTES
            + row.record_bytes.len() as u64
            + row.text_range.as_ref().map_or(0, |text| text.len() as u64)
            + position_count(plies) * MAX_EVAL_BYTES;
        self.plies.push(plies);
        self.games.push(row);
    }
}

fn game_record(pgn_game: Result<PgnGame, BadGame>, line_number: impl Fn() -> u32) -> GameRecord {
    match pgn_game {
        Ok(PgnGame { headers, result, start, line: main_line }) => {
            let moves: Vec<_> = main_line.moves.iter().map(|mv| mv.mv()).collect();
            let is_too_long = moves.len() > MAX_GAME_PLIES;
            let parsed = if is_too_long {
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
        detail: format!(
            "the game has {plies} half-moves, but at most {MAX_GAME_PLIES} are reviewed"
        ),
        ply: MAX_GAME_PLIES as u32 + 1,
        line,
        column: 1,
        text: String::new(),
    }
}

fn game_error(error: PgnError) -> GameError {
    let PgnError { ply, line, column, text, kind: fault, .. } = error;
    let saturated = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let detail = format!("line {line}, column {column}: {text:?}: {fault}");
    GameError {
        code: fault.name().to_owned(),
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

/// The line of the first word from a byte on, from 1.
fn line_number(text: &str, byte: usize) -> u32 {
    let rest = text.get(byte..).unwrap_or_default();
    let first = byte + (rest.len() - rest.trim_start().len());
    let newlines = text.as_bytes()[..first].iter().filter(|&&byte| byte == b'\n').count();
    u32::try_from(newlines + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn submission(client: &str, key: Option<&str>, text: &str, depth: Option<u8>) -> Submission {
        let limits = PositionLimits { depth, nodes: None, movetime: None, multipv: 1 };
        Submission {
            client: Client::new(client),
            text: text.to_owned(),
            limits,
            idempotency_key: key.map(str::to_owned),
        }
    }

    #[test]
    fn a_bad_game_is_kept_beside_the_good_ones() {
        let parsed =
            ParsedSubmission::parse("1. e4 e5 *\n\n[White \"x\"]\n\n1. e4 Ke5 *\n\n1. d4 1-0")
                .unwrap();
        assert_eq!(parsed.plies, [2, 0, 1]);
        let text: Vec<_> = parsed.games.iter().map(|game| game.text_range.is_some()).collect();
        assert_eq!(text, [true, false, true]);
        let one = ParsedSubmission::parse("1. e4 e5 *").unwrap().reserved_bytes;
        assert!(parsed.reserved_bytes > one && one > 3 * MAX_EVAL_BYTES);
    }

    #[test]
    fn a_text_without_games_is_refused_with_its_errors() {
        let Err(JobError::NoGame(errors)) = ParsedSubmission::parse("\n\n1. e4 Ke5 *\n1. e5 *")
        else {
            panic!("a game")
        };
        let locations: Vec<_> =
            errors.iter().map(|error| (error.code.as_str(), error.line, error.ply)).collect();
        assert_eq!(locations, [("not_legal", 3, 2), ("not_legal", 4, 1)]);
        assert!(
            matches!(ParsedSubmission::parse(" \n"), Err(JobError::NoGame(faults)) if faults.is_empty())
        );
    }

    #[test]
    fn a_game_over_the_length_limit_is_not_reviewed() {
        let text = format!("1. e4 *\n\n[White \"x\"]\n\n{} *", "Nf3 Nf6 Ng1 Ng8 ".repeat(501));
        let parsed = ParsedSubmission::parse(&text).unwrap();
        assert_eq!(parsed.plies, [1, 0]);
        assert_eq!(line_number(&text, 7), 3);
    }

    #[test]
    fn the_text_range_of_a_game_parses_to_the_same_game() {
        let text = "% a file\n[White \"A\"]\n\n1. e4 {one} e5 (1... c5) 1-0 [White \"B\"] 1. d4 $1 d5 *\n\n1. c4 *";
        let whole: Vec<_> = PgnReader::new(text).map(Result::unwrap).collect();
        let parsed = ParsedSubmission::parse(text).unwrap();
        let again = parsed.games.iter().map(|game| {
            PgnReader::new(&text[game.text_range.clone().unwrap()]).next().unwrap().unwrap()
        });
        assert_eq!(again.collect::<Vec<_>>(), whole);
    }

    #[test]
    fn digests_cover_the_client_the_text_and_the_limits() {
        let key = |client, name| submission(client, Some(name), "", None).idempotency_digest();
        assert_eq!(submission("ann", None, "", None).idempotency_digest(), None);
        assert_eq!(key("ann", "x"), key("ann", "x"));
        assert_ne!(key("ann", "x"), key("bob", "x"));
        assert_ne!(key("ann", "bx"), key("annb", "x"));
        let digest = |text, depth| submission("ann", None, text, depth).request_digest();
        assert_eq!(digest("1. e4", Some(3)), digest("1. e4", Some(3)));
        assert_ne!(digest("1. e4", Some(3)), digest("1. d4", Some(3)));
        assert_ne!(digest("1. e4", Some(3)), digest("1. e4", None));
    }
}
