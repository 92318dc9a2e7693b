//! Jobs and position evaluations with their value encodings, layout version 1.
//!
//! Numbers are LEB128; a text follows its length.

use std::fmt;
use std::io;
use std::time::Duration;

use crate::chess::Move;
use crate::engine::Score;
use crate::store::bytes::{
    ByteReader, DecodeError, write_moves, write_score, write_text, write_varint,
};

/// Maximum number of stored moves of a principal variation.
pub const MAX_PV_LEN: usize = 20;

/// Maximum size of a stored evaluation in bytes, including its key and its share of the tree.
pub const MAX_EVAL_BYTES: u64 = 80;

/// The id of a job: 128 random bits. A client that knows the id may read the job.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(pub(super) u128);

impl JobId {
    /// Creates an id from random bits of the operating system.
    ///
    /// # Errors
    /// Fails when the operating system provides no random bits.
    pub fn random() -> io::Result<JobId> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(JobId(u128::from_be_bytes(bytes)))
    }

    /// Parses 32 lower-case hex digits.
    pub fn parse(text: &str) -> Option<JobId> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let is_id = text.len() == 32 && text.bytes().all(is_digit);
        is_id.then(|| u128::from_str_radix(text, 16).ok().map(JobId)).flatten()
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The search limits of each position of a job, clamped to the caps at the time of submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PositionLimits {
    /// Depth in plies.
    pub depth: Option<u8>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Search time, stored in whole milliseconds.
    pub movetime: Option<Duration>,
    /// MultiPV: the number of lines.
    pub multipv: u16,
}

/// The end of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobEnd {
    /// Time of the end, in milliseconds since 1970.
    pub at_ms: u64,
    /// Whether the job failed before all positions were evaluated.
    pub failed: bool,
}

/// A stored job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRecord {
    /// The id. It is the key in the table and not part of the encoded value.
    pub id: JobId,
    /// The client that submitted the job.
    pub client: String,
    /// The search limits of each position.
    pub limits: PositionLimits,
    /// Time of submission, in milliseconds since 1970.
    pub created_ms: u64,
    /// The end of the job; `None` while it is unfinished.
    pub end: Option<JobEnd>,
    /// Maximum size of the job with all its evaluations, in bytes.
    pub reserved_bytes: u64,
    /// Digest of the client and its idempotency key.
    pub idempotency_key: Option<[u8; 32]>,
    /// Number of reviewed moves of each game; 0 for a game that cannot be parsed.
    pub plies: Vec<u32>,
    /// Number of evaluated positions. It is derived from the evaluations and not part of the
    /// encoded value.
    pub positions_done: u64,
}

/// The evaluation of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionEval {
    /// The score, from the view of the side to move.
    pub score: Score,
    /// The principal variation; empty when the game is over. The store keeps the first
    /// [`MAX_PV_LEN`] moves.
    pub pv: Vec<Move>,
}

const HAS_DEPTH: u8 = 1;
const HAS_NODES: u8 = 2;
const HAS_MOVETIME: u8 = 4;
const HAS_KEY: u8 = 8;
const HAS_ENDED: u8 = 16;
const HAS_FAILED: u8 = 32;

impl JobRecord {
    /// Encodes everything but the id and the number of evaluated positions.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let PositionLimits { depth, nodes, movetime, multipv } = self.limits;
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        let end_flags = self.end.map_or(0, |end| HAS_ENDED | flag(end.failed, HAS_FAILED));
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
        self.end.iter().for_each(|end| write_varint(&mut bytes, end.at_ms));
        write_varint(&mut bytes, self.created_ms);
        write_varint(&mut bytes, self.reserved_bytes);
        write_text(&mut bytes, &self.client);
        write_varint(&mut bytes, self.plies.len() as u64);
        self.plies.iter().for_each(|&plies| write_varint(&mut bytes, plies.into()));
        bytes
    }

    /// Decodes the value that is stored under `id`.
    pub(crate) fn decode(
        id: JobId,
        positions_done: u64,
        bytes: &[u8],
    ) -> Result<JobRecord, DecodeError> {
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
            (reader.read_varint()?, reader.read_varint()?, reader.read_text()?);
        let games: usize = reader.read_varint_as()?;
        let plies = (0..games).map(|_| reader.read_varint_as()).collect::<Result<_, _>>()?;
        reader.expect_end()?;
        Ok(JobRecord {
            id,
            client,
            limits,
            created_ms,
            end,
            reserved_bytes,
            idempotency_key,
            plies,
            positions_done,
        })
    }
}

impl PositionEval {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(64);
        write_score(&mut bytes, self.score);
        write_moves(&mut bytes, &self.pv[..self.pv.len().min(MAX_PV_LEN)]);
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<PositionEval, DecodeError> {
        let mut reader = ByteReader::new(bytes);
        let (score, pv) = (reader.read_score()?, reader.read_moves()?);
        reader.expect_end()?;
        Ok(PositionEval { score, pv })
    }
}
