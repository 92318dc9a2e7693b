//! The bytes of what is asked and of what is found. Layout version 1; numbers are LEB128, texts
//! stand behind their length.

use std::time::Duration;

use crate::chess::Move;
use crate::engine::Score;
use crate::store::bytes::{Reader, Unreadable, put_number, put_signed};

/// Moves of a best line that are kept.
pub const LONGEST_LINE: usize = 20;

/// What a finding takes at most, its key and its share of the tree included.
pub const MOST_FINDING_BYTES: u64 = 80;

/// How hard each position of a job is searched, within the caps of the time when it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Asked {
    /// Iterations, in plies.
    pub depth: Option<u8>,
    /// Moves that the search makes.
    pub nodes: Option<u64>,
    /// Time; kept in whole milliseconds.
    pub movetime: Option<Duration>,
    /// Lines.
    pub multipv: u16,
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// In milliseconds since 1970.
    pub at_ms: u64,
    /// It could not be done to its end.
    pub failed: bool,
}

/// A job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRecord {
    /// Whose it is.
    pub client: String,
    /// How hard its positions are searched.
    pub asked: Asked,
    /// When it was given, in milliseconds since 1970.
    pub created_ms: u64,
    /// How it ended; `None` while there is something to do.
    pub ending: Option<Ending>,
    /// What all of it takes at most, in bytes.
    pub bytes: u64,
    /// The client's own name for it, as a digest.
    pub key: Option<[u8; 32]>,
    /// Moves of each of its games that are reviewed; none of one that cannot be read.
    pub plies: Vec<u32>,
}

/// What was found of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// From the view of the side to move.
    pub score: Score,
    /// The best line; empty where the game is over. What is beyond [`LONGEST_LINE`] is not kept.
    pub line: Vec<Move>,
}

const HAS_DEPTH: u8 = 1;
const HAS_NODES: u8 = 2;
const HAS_MOVETIME: u8 = 4;
const HAS_KEY: u8 = 8;
const HAS_ENDED: u8 = 16;
const HAS_FAILED: u8 = 32;

impl JobRecord {
    pub(super) fn encode(&self) -> Vec<u8> {
        let Asked { depth, nodes, movetime, multipv } = self.asked;
        let flag = |is_there: bool, flag: u8| if is_there { flag } else { 0 };
        let ending = self.ending.map_or(0, |ending| HAS_ENDED | flag(ending.failed, HAS_FAILED));
        let asked = flag(depth.is_some(), HAS_DEPTH)
            | flag(nodes.is_some(), HAS_NODES)
            | flag(movetime.is_some(), HAS_MOVETIME);
        let mut bytes = vec![asked | flag(self.key.is_some(), HAS_KEY) | ending];
        depth.iter().for_each(|&depth| bytes.push(depth));
        nodes.iter().for_each(|&nodes| put_number(&mut bytes, nodes));
        movetime.iter().for_each(|time| {
            put_number(&mut bytes, u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
        });
        put_number(&mut bytes, multipv.into());
        self.key.iter().for_each(|key| bytes.extend_from_slice(key));
        self.ending.iter().for_each(|ending| put_number(&mut bytes, ending.at_ms));
        put_number(&mut bytes, self.created_ms);
        put_number(&mut bytes, self.bytes);
        put_text(&mut bytes, &self.client);
        put_number(&mut bytes, self.plies.len() as u64);
        self.plies.iter().for_each(|&plies| put_number(&mut bytes, plies.into()));
        bytes
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<JobRecord, Unreadable> {
        let mut reader = Reader::new(bytes);
        let flags = reader.byte()?;
        let has = |flag: u8| flags & flag != 0;
        let depth = if has(HAS_DEPTH) { Some(reader.byte()?) } else { None };
        let nodes = if has(HAS_NODES) { Some(reader.number()?) } else { None };
        let movetime =
            if has(HAS_MOVETIME) { Some(Duration::from_millis(reader.number()?)) } else { None };
        let asked = Asked { depth, nodes, movetime, multipv: reader.small()? };
        let key = if has(HAS_KEY) { Some(reader.array()?) } else { None };
        let at_ms = if has(HAS_ENDED) { Some(reader.number()?) } else { None };
        let ending = at_ms.map(|at_ms| Ending { at_ms, failed: has(HAS_FAILED) });
        let (created_ms, size, client) = (reader.number()?, reader.number()?, text(&mut reader)?);
        let games: usize = reader.small()?;
        let plies = (0..games).map(|_| reader.small()).collect::<Result<_, _>>()?;
        reader.end()?;
        Ok(JobRecord { client, asked, created_ms, ending, bytes: size, key, plies })
    }
}

impl Finding {
    pub(super) fn encode(&self) -> Vec<u8> {
        let (value, is_mate) = match self.score {
            Score::Cp(value) => (value, 0),
            Score::Mate(moves) => (moves, 1),
        };
        let mut bytes = Vec::with_capacity(64);
        put_signed(&mut bytes, value << 1 | is_mate);
        put_moves(&mut bytes, &self.line[..self.line.len().min(LONGEST_LINE)]);
        bytes
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Finding, Unreadable> {
        let mut reader = Reader::new(bytes);
        let number = reader.signed()?;
        let score = if number & 1 == 0 { Score::Cp(number >> 1) } else { Score::Mate(number >> 1) };
        let line = moves(&mut reader)?;
        reader.end()?;
        Ok(Finding { score, line })
    }
}

pub(super) fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_number(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

pub(super) fn text(reader: &mut Reader<'_>) -> Result<String, Unreadable> {
    let length = reader.small()?;
    String::from_utf8(reader.take(length)?.to_vec()).map_err(|_| Unreadable)
}

/// Moves as their 16-bit codes, high byte first.
pub(super) fn put_moves(bytes: &mut Vec<u8>, moves: &[Move]) {
    put_number(bytes, moves.len() as u64);
    moves.iter().for_each(|mv| bytes.extend_from_slice(&mv.code().to_be_bytes()));
}

pub(super) fn moves(reader: &mut Reader<'_>) -> Result<Vec<Move>, Unreadable> {
    let bytes = reader.small::<usize>()?.checked_mul(2).ok_or(Unreadable)?;
    let codes =
        reader.take(bytes)?.chunks_exact(2).map(|code| u16::from_be_bytes([code[0], code[1]]));
    Ok(codes.map(Move::from_code).collect())
}
