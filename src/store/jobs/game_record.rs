//! The bytes of a game of a job. Layout version 1.

use super::job_record::{read_moves, read_text, write_moves, write_text};
use crate::chess::pgn::{GameResult, Headers};
use crate::chess::{Move, Position};
use crate::store::bytes::{ByteReader, DecodeError, write_varint};

/// What a job keeps of a game, beside its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// As they were given.
    pub headers: Headers,
    /// How the game ended, as it was written down.
    pub result: GameResult,
    /// What was played, or why that cannot be read.
    pub parsed: Result<ParsedGame, GameError>,
}

/// What was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedGame {
    /// The position before the first move.
    pub start: Position,
    /// The moves, each legal where it stands.
    pub moves: Vec<Move>,
}

/// Why a game cannot be reviewed, and where in the text that stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameError {
    /// A name for programs.
    pub code: String,
    /// The same in words.
    pub detail: String,
    /// Which half-move of the game, from 1.
    pub ply: u32,
    /// The line of the job's text, from 1.
    pub line: u32,
    /// The character in the line, from 1.
    pub column: u32,
    /// What stands there, cut at 200 characters.
    pub text: String,
}

/// Results by number. The order is part of the layout.
const RESULTS: [GameResult; 4] =
    [GameResult::Unknown, GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw];

/// What follows: a fault, a game from the usual start, a game from another one.
const ERROR_TAG: u8 = 0;
const STANDARD_START_TAG: u8 = 1;
const CUSTOM_START_TAG: u8 = 2;

impl GameRecord {
    /// As it is kept.
    pub fn encode(&self) -> Vec<u8> {
        let result = RESULTS.iter().position(|result| *result == self.result).unwrap_or_default();
        let mut bytes = vec![result as u8];
        write_varint(&mut bytes, self.headers.len() as u64);
        for (name, value) in self.headers.iter() {
            write_text(&mut bytes, name);
            write_text(&mut bytes, value);
        }
        match &self.parsed {
            Ok(ParsedGame { start, moves }) => {
                if *start == Position::startpos() {
                    bytes.push(STANDARD_START_TAG);
                } else {
                    bytes.push(CUSTOM_START_TAG);
                    write_text(&mut bytes, &start.fen());
                }
                write_moves(&mut bytes, moves);
            }
            Err(GameError { code, detail, ply, line, column, text }) => {
                bytes.push(ERROR_TAG);
                write_text(&mut bytes, code);
                write_text(&mut bytes, detail);
                [*ply, *line, *column]
                    .iter()
                    .for_each(|&number| write_varint(&mut bytes, number.into()));
                write_text(&mut bytes, text);
            }
        }
        bytes
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<GameRecord, DecodeError> {
        let mut reader = ByteReader::new(bytes);
        let result = *RESULTS.get(usize::from(reader.read_u8()?)).ok_or(DecodeError)?;
        let mut headers = Headers::new();
        for _ in 0..reader.read_varint_as::<usize>()? {
            headers.set(&read_text(&mut reader)?, &read_text(&mut reader)?);
        }
        let parsed = match reader.read_u8()? {
            ERROR_TAG => Err(GameError {
                code: read_text(&mut reader)?,
                detail: read_text(&mut reader)?,
                ply: reader.read_varint_as()?,
                line: reader.read_varint_as()?,
                column: reader.read_varint_as()?,
                text: read_text(&mut reader)?,
            }),
            STANDARD_START_TAG => {
                Ok(ParsedGame { start: Position::startpos(), moves: read_moves(&mut reader)? })
            }
            CUSTOM_START_TAG => {
                let start =
                    Position::from_fen(&read_text(&mut reader)?).map_err(|_| DecodeError)?;
                Ok(ParsedGame { start, moves: read_moves(&mut reader)? })
            }
            _ => return Err(DecodeError),
        };
        reader.expect_end()?;
        Ok(GameRecord { headers, result, parsed })
    }
}
