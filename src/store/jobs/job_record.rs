//! The bytes of what is asked and of what is found. Layout version 1; numbers are LEB128, texts
//! stand behind their length.

use std::time::Duration;

use crate::chess::Move;
use crate::engine::Score;
use crate::store::bytes::{ByteReader, DecodeError, write_signed_varint, write_varint};

/// Moves of a best line that are kept.
pub const MAX_PV_LEN: usize = 20;

/// What a finding takes at most, its key and its share of the tree included.
pub const MAX_EVAL_BYTES: u64 = 80;

/// How hard each position of a job is searched, within the caps of the time when it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PositionLimits {
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
pub struct JobEnd {
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
    pub limits: PositionLimits,
    /// When it was given, in milliseconds since 1970.
    pub created_ms: u64,
    /// How it ended; `None` while there is something to do.
    pub end: Option<JobEnd>,
    /// What all of it takes at most, in bytes.
    pub reserved_bytes: u64,
    /// The client's own name for it, as a digest.
    pub idempotency_key: Option<[u8; 32]>,
    /// Moves of each of its games that are reviewed; none of one that cannot be read.
    pub plies: Vec<u32>,
}

/// What was found of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionEval {
    /// From the view of the side to move.
    pub score: Score,
    /// The best line; empty where the game is over. What is beyond [`LONGEST_LINE`] is not kept.
    pub pv: Vec<Move>,
}

const HAS_DEPTH: u8 = 1;
const HAS_NODES: u8 = 2;
const HAS_MOVETIME: u8 = 4;
const HAS_KEY: u8 = 8;
const HAS_ENDED: u8 = 16;
const HAS_FAILED: u8 = 32;

impl JobRecord {
    pub(super) fn encode(&self) -> Vec<u8> {
        let PositionLimits { depth, nodes, movetime, multipv } = self.limits;
        let flag = |is_there: bool, flag: u8| if is_there { flag } else { 0 };
        let end_flags = self.end.map_or(0, |ending| HAS_ENDED | flag(ending.failed, HAS_FAILED));
        let limit_flags = flag(depth.is_some(), HAS_DEPTH)
            | flag(nodes.is_some(), HAS_NODES)
            | flag(movetime.is_some(), HAS_MOVETIME);
        let mut bytes =
            vec![limit_flags | flag(self.idempotency_key.is_some(), HAS_KEY) | end_flags];
        depth.iter().for_each(|&depth| bytes.push(depth));
        nodes.iter().for_each(|&nodes| write_varint(&mut bytes, nodes));
        movetime.iter().for_each(|time| {
            write_varint(&mut bytes, u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
        });
        write_varint(&mut bytes, multipv.into());
        self.idempotency_key.iter().for_each(|key| bytes.extend_from_slice(key));
        self.end.iter().for_each(|ending| write_varint(&mut bytes, ending.at_ms));
        write_varint(&mut bytes, self.created_ms);
        write_varint(&mut bytes, self.reserved_bytes);
        write_text(&mut bytes, &self.client);
        write_varint(&mut bytes, self.plies.len() as u64);
        self.plies.iter().for_each(|&plies| write_varint(&mut bytes, plies.into()));
        bytes
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<JobRecord, DecodeError> {
        let mut reader = ByteReader::new(bytes);
        let flags = reader.read_u8()?;
        let has = |flag: u8| flags & flag != 0;
        let depth = if has(HAS_DEPTH) { Some(reader.read_u8()?) } else { None };
        let nodes = if has(HAS_NODES) { Some(reader.read_varint()?) } else { None };
        let movetime = if has(HAS_MOVETIME) {
            Some(Duration::from_millis(reader.read_varint()?))
        } else {
            None
        };
        let limits = PositionLimits { depth, nodes, movetime, multipv: reader.read_varint_as()? };
        let idempotency_key = if has(HAS_KEY) { Some(reader.read_array()?) } else { None };
        let at_ms = if has(HAS_ENDED) { Some(reader.read_varint()?) } else { None };
        let end = at_ms.map(|at_ms| JobEnd { at_ms, failed: has(HAS_FAILED) });
        let (created_ms, reserved_bytes, client) =
            (reader.read_varint()?, reader.read_varint()?, read_text(&mut reader)?);
        let games: usize = reader.read_varint_as()?;
        let plies = (0..games).map(|_| reader.read_varint_as()).collect::<Result<_, _>>()?;
        reader.expect_end()?;
        Ok(JobRecord { client, limits, created_ms, end, reserved_bytes, idempotency_key, plies })
    }
}

impl PositionEval {
    pub(super) fn encode(&self) -> Vec<u8> {
        let (value, is_mate) = match self.score {
            Score::Cp(value) => (value, 0),
            Score::Mate(moves) => (moves, 1),
        };
        let mut bytes = Vec::with_capacity(64);
        write_signed_varint(&mut bytes, value << 1 | is_mate);
        write_moves(&mut bytes, &self.pv[..self.pv.len().min(MAX_PV_LEN)]);
        bytes
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<PositionEval, DecodeError> {
        let mut reader = ByteReader::new(bytes);
        let number = reader.read_signed_varint()?;
        let score = if number & 1 == 0 { Score::Cp(number >> 1) } else { Score::Mate(number >> 1) };
        let pv = read_moves(&mut reader)?;
        reader.expect_end()?;
        Ok(PositionEval { score, pv })
    }
}

pub(super) fn write_text(bytes: &mut Vec<u8>, text: &str) {
    write_varint(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

pub(super) fn read_text(reader: &mut ByteReader<'_>) -> Result<String, DecodeError> {
    let length = reader.read_varint_as()?;
    String::from_utf8(reader.read_bytes(length)?.to_vec()).map_err(|_| DecodeError)
}

/// Moves as their 16-bit codes, high byte first.
pub(super) fn write_moves(bytes: &mut Vec<u8>, moves: &[Move]) {
    write_varint(bytes, moves.len() as u64);
    moves.iter().for_each(|mv| bytes.extend_from_slice(&mv.code().to_be_bytes()));
}

pub(super) fn read_moves(reader: &mut ByteReader<'_>) -> Result<Vec<Move>, DecodeError> {
    let bytes = reader.read_varint_as::<usize>()?.checked_mul(2).ok_or(DecodeError)?;
    let codes = reader
        .read_bytes(bytes)?
        .chunks_exact(2)
        .map(|code| u16::from_be_bytes([code[0], code[1]]));
    Ok(codes.map(Move::from_code).collect())
}
