//! The value encoding of a [`Record`], layout version 1.
//!
//! - 8 bytes: checksum, the first bytes of the SHA-256 of the key and of everything that follows;
//! - the layout version;
//! - a flag byte: bit 0 history-independent, bits 1–3 the stop reason;
//! - the line (below), depth, seldepth; nodes; elapsed time in nanoseconds;
//! - effort: nodes; nanoseconds plus one, 0 for unlimited time; depth;
//! - nodes saved; time of storing;
//! - number of alternatives; then each as a line.
//!
//! A line is its score (see [`write_score`]), win and loss per mille, and its moves (see
//! [`write_moves`]). Depths are bytes; other numbers are LEB128. A change of this encoding must
//! increase [`LAYOUT_VERSION`].

use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::bytes::{ByteReader, DecodeError, write_moves, write_score, write_varint};
use super::record::{EntryKey, Record, StoredEffort};
use crate::chess::Move;
use crate::engine::{Report, Score, StopReason, Variation, Wdl};

/// The layout version of keys and values. A file with another version is not read, and nodes of a
/// cluster with other versions share no analyses.
pub const LAYOUT_VERSION: u8 = 1;

const CHECKSUM_LEN: usize = 8;

/// Stop reasons by number. The order is part of the layout.
const STOP_REASONS: [StopReason; 7] = [
    StopReason::Depth,
    StopReason::Nodes,
    StopReason::Time,
    StopReason::Mate,
    StopReason::Terminal,
    StopReason::Stopped,
    StopReason::Tablebase,
];

impl Record {
    /// Encodes the record without the key of its position, for a cache that has entries by
    /// [`EntryKey::position_bytes`] and [`EntryKey::context_bytes`]. The checksum covers the whole
    /// key.
    pub fn to_bytes(&self) -> Vec<u8> {
        encode(self, &self.key.to_bytes())
    }

    /// Decodes what [`Record::to_bytes`] encoded under this position and context.
    ///
    /// # Errors
    /// The bytes are damaged, of another layout, or were stored under another key.
    pub fn from_bytes(
        position: &[u8],
        context: &[u8],
        value: &[u8],
    ) -> Result<Record, DecodeError> {
        decode(&[position, context].concat(), value)
    }
}

/// Encodes a record that is stored under `key`.
pub(super) fn encode(record: &Record, key: &[u8]) -> Vec<u8> {
    let Record { report, effort, .. } = record;
    let reason =
        STOP_REASONS.iter().position(|reason| *reason == report.reason).unwrap_or_default();
    let mut bytes = Vec::with_capacity(256);
    bytes.extend_from_slice(&[0; CHECKSUM_LEN]);
    bytes.push(LAYOUT_VERSION);
    bytes.push(u8::from(report.history_independent) | (reason as u8) << 1);
    write_line(&mut bytes, report.score, report.wdl, &report.pv);
    bytes.extend_from_slice(&[report.depth, report.seldepth]);
    write_varint(&mut bytes, report.nodes);
    write_varint(&mut bytes, nanoseconds(report.elapsed));
    write_varint(&mut bytes, effort.nodes);
    write_varint(&mut bytes, nanoseconds(effort.time).wrapping_add(1));
    bytes.push(effort.depth);
    write_varint(&mut bytes, record.nodes_saved);
    write_varint(&mut bytes, record.stored_ms);
    write_varint(&mut bytes, report.alternatives.len() as u64);
    for Variation { score, wdl, pv } in &report.alternatives {
        write_line(&mut bytes, *score, *wdl, pv);
    }
    let sum = checksum(key, &bytes[CHECKSUM_LEN..]);
    bytes[..CHECKSUM_LEN].copy_from_slice(&sum);
    bytes
}

/// Decodes the record that is stored under `key`.
pub(super) fn decode(key: &[u8], value: &[u8]) -> Result<Record, DecodeError> {
    let (sum, body) = value.split_at_checked(CHECKSUM_LEN).ok_or(DecodeError)?;
    if sum != checksum(key, body) {
        return Err(DecodeError);
    }
    let mut reader = ByteReader::new(body);
    if reader.read_u8()? != LAYOUT_VERSION {
        return Err(DecodeError);
    }
    let flags = reader.read_u8()?;
    let Variation { score, wdl, pv } = read_line(&mut reader)?;
    let [depth, seldepth] = reader.read_array()?;
    let (nodes, elapsed) = (reader.read_varint()?, Duration::from_nanos(reader.read_varint()?));
    let effort = StoredEffort {
        nodes: reader.read_varint()?,
        time: decode_effort_time(reader.read_varint()?),
        depth: reader.read_u8()?,
    };
    let (nodes_saved, stored_ms) = (reader.read_varint()?, reader.read_varint()?);
    let mut alternatives = Vec::new();
    for _ in 0..reader.read_varint()? {
        alternatives.push(read_line(&mut reader)?);
    }
    reader.expect_end()?;
    let report = Report {
        score,
        wdl,
        raw_score: None,
        pv,
        depth,
        seldepth,
        nodes,
        elapsed,
        reason: *STOP_REASONS.get(usize::from(flags >> 1)).ok_or(DecodeError)?,
        history_independent: flags & 1 != 0,
        tb_hits: 0,
        is_ranked_by_tablebase: false,
        alternatives,
    };
    Ok(Record {
        key: EntryKey::from_bytes(key)?,
        report: Arc::new(report),
        effort,
        nodes_saved,
        stored_ms,
    })
}

fn write_line(bytes: &mut Vec<u8>, score: Score, wdl: Wdl, pv: &[Move]) {
    write_score(bytes, score);
    write_varint(bytes, wdl.win.into());
    write_varint(bytes, wdl.loss.into());
    write_moves(bytes, pv);
}

fn read_line(reader: &mut ByteReader) -> Result<Variation, DecodeError> {
    let score = reader.read_score()?;
    let (win, loss): (u16, u16) = (reader.read_varint_as()?, reader.read_varint_as()?);
    let draw =
        1_000_u16.checked_sub(win).and_then(|rest| rest.checked_sub(loss)).ok_or(DecodeError)?;
    Ok(Variation { score, wdl: Wdl { win, draw, loss }, pv: reader.read_moves()? })
}

/// Nanoseconds up to `u64::MAX - 1`. Longer times become `u64::MAX`, which means unlimited.
fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn decode_effort_time(nanoseconds_plus_one: u64) -> Duration {
    nanoseconds_plus_one.checked_sub(1).map_or(Duration::MAX, Duration::from_nanos)
}

fn checksum(key: &[u8], body: &[u8]) -> [u8; CHECKSUM_LEN] {
    let digest = Sha256::new().chain_update(key).chain_update(body).finalize();
    std::array::from_fn(|index| digest[index])
}
