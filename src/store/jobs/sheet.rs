//! The bytes of a game of a job. Layout version 1.

use super::record::{moves, put_moves, put_text, text};
use crate::chess::pgn::{GameResult, Headers};
use crate::chess::{Move, Position};
use crate::store::bytes::{Reader, Unreadable, put_number};

/// What a job keeps of a game, beside its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// As they were given.
    pub headers: Headers,
    /// How the game ended, as it was written down.
    pub result: GameResult,
    /// What was played, or why that cannot be read.
    pub read: Result<Played, Fault>,
}

/// What was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The position before the first move.
    pub start: Position,
    /// The moves, each legal where it stands.
    pub moves: Vec<Move>,
}

/// Why a game cannot be reviewed, and where in the text that stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
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
const FAULT: u8 = 0;
const FROM_THE_START: u8 = 1;
const FROM_A_POSITION: u8 = 2;

impl Sheet {
    /// As it is kept.
    pub fn encode(&self) -> Vec<u8> {
        let result = RESULTS.iter().position(|result| *result == self.result).unwrap_or_default();
        let mut bytes = vec![result as u8];
        put_number(&mut bytes, self.headers.len() as u64);
        for (name, value) in self.headers.iter() {
            put_text(&mut bytes, name);
            put_text(&mut bytes, value);
        }
        match &self.read {
            Ok(Played { start, moves }) => {
                if *start == Position::startpos() {
                    bytes.push(FROM_THE_START);
                } else {
                    bytes.push(FROM_A_POSITION);
                    put_text(&mut bytes, &start.fen());
                }
                put_moves(&mut bytes, moves);
            }
            Err(Fault { code, detail, ply, line, column, text }) => {
                bytes.push(FAULT);
                put_text(&mut bytes, code);
                put_text(&mut bytes, detail);
                [*ply, *line, *column]
                    .iter()
                    .for_each(|&number| put_number(&mut bytes, number.into()));
                put_text(&mut bytes, text);
            }
        }
        bytes
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Sheet, Unreadable> {
        let mut reader = Reader::new(bytes);
        let result = *RESULTS.get(usize::from(reader.byte()?)).ok_or(Unreadable)?;
        let mut headers = Headers::new();
        for _ in 0..reader.small::<usize>()? {
            headers.set(&text(&mut reader)?, &text(&mut reader)?);
        }
        let read = match reader.byte()? {
            FAULT => Err(Fault {
                code: text(&mut reader)?,
                detail: text(&mut reader)?,
                ply: reader.small()?,
                line: reader.small()?,
                column: reader.small()?,
                text: text(&mut reader)?,
            }),
            FROM_THE_START => {
                Ok(Played { start: Position::startpos(), moves: moves(&mut reader)? })
            }
            FROM_A_POSITION => {
                let start = Position::from_fen(&text(&mut reader)?).map_err(|_| Unreadable)?;
                Ok(Played { start, moves: moves(&mut reader)? })
            }
            _ => return Err(Unreadable),
        };
        reader.end()?;
        Ok(Sheet { headers, result, read })
    }
}
