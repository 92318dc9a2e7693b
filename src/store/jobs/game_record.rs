//! A game of a job with its value encoding, layout version 1.

use crate::chess::pgn::{GameResult, Headers};
use crate::chess::{Move, Position};
use crate::store::bytes::{ByteReader, DecodeError, write_moves, write_text, write_varint};

/// A game of a job, without its PGN text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// The PGN headers.
    pub headers: Headers,
    /// The result as written in the PGN.
    pub result: GameResult,
    /// The parsed game, or the reason why it cannot be reviewed.
    pub parsed: Result<ParsedGame, GameError>,
}

/// A parsed game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedGame {
    /// The position before the first move.
    pub start: Position,
    /// The moves; each is legal in its position.
    pub moves: Vec<Move>,
}

/// The reason why a game cannot be reviewed, and the place of the error in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameError {
    /// A code for programs.
    pub code: String,
    /// The description for people.
    pub detail: String,
    /// The half-move of the game, from 1.
    pub ply: u32,
    /// The line of the job's text, from 1.
    pub line: u32,
    /// The character in the line, from 1.
    pub column: u32,
    /// The text at that place, cut at 200 characters.
    pub text: String,
}

/// Results by number. The order is part of the layout.
const RESULTS: [GameResult; 4] =
    [GameResult::Unknown, GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw];

/// Tags of the parsed part: an error, a game from the standard start, a game from another start.
const ERROR_TAG: u8 = 0;
const STANDARD_START_TAG: u8 = 1;
const CUSTOM_START_TAG: u8 = 2;

impl GameRecord {
    /// Encodes the game.
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

    pub(crate) fn decode(bytes: &[u8]) -> Result<GameRecord, DecodeError> {
        let mut reader = ByteReader::new(bytes);
        let result = *RESULTS.get(usize::from(reader.read_u8()?)).ok_or(DecodeError)?;
        let mut headers = Headers::new();
        for _ in 0..reader.read_varint_as::<usize>()? {
            headers.set(&reader.read_text()?, &reader.read_text()?);
        }
        let parsed = match reader.read_u8()? {
            ERROR_TAG => Err(GameError {
                code: reader.read_text()?,
                detail: reader.read_text()?,
                ply: reader.read_varint_as()?,
                line: reader.read_varint_as()?,
                column: reader.read_varint_as()?,
                text: reader.read_text()?,
            }),
            STANDARD_START_TAG => {
                Ok(ParsedGame { start: Position::startpos(), moves: reader.read_moves()? })
            }
            CUSTOM_START_TAG => {
                let start = Position::from_fen(&reader.read_text()?).map_err(|_| DecodeError)?;
                Ok(ParsedGame { start, moves: reader.read_moves()? })
            }
            _ => return Err(DecodeError),
        };
        reader.expect_end()?;
        Ok(GameRecord { headers, result, parsed })
    }
}
