//! The bytes of a record in the store. Layout version 1:
//!
//! - 8 bytes: checksum, the beginning of the SHA-256 of the key and of all that follows;
//! - the layout version;
//! - a byte of flags: bit 0 context-free, bits 1–3 why the search ended;
//! - line (below), depth, seldepth; nodes; elapsed time in nanoseconds;
//! - spent: nodes; nanoseconds plus one, 0 for any length of time; depth;
//! - nodes saved; time of storing;
//! - number of alternatives; then each as a line.
//!
//! A line is its score (a mate in n as 2n + 1, centipawns c as 2c, with a sign), win and loss per
//! mille, number of moves, and the moves' 16-bit codes, high byte first. Depths are bytes; other
//! numbers are LEB128. Whatever changes here changes [`LAYOUT_VERSION`].

use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::bytes::{ByteReader, DecodeError, write_signed_varint, write_varint};
use super::{EntryKey, Record, StoredEffort};
use crate::chess::Move;
use crate::engine::{Report, Score, StopReason, Variation, Wdl};

/// The layout of keys and values. A file of another one is not read.
pub(super) const LAYOUT_VERSION: u8 = 1;

const CHECKSUM_LEN: usize = 8;

/// Why searches end, by number. The order is part of the layout.
const STOP_REASONS: [StopReason; 6] = [
    StopReason::Depth,
    StopReason::Nodes,
    StopReason::Time,
    StopReason::Mate,
    StopReason::Terminal,
    StopReason::Stopped,
];

/// The value of a record, where its key in the store is `key`.
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
    report
        .alternatives
        .iter()
        .for_each(|line| write_line(&mut bytes, line.score, line.wdl, &line.pv));
    let sum = checksum(key, &bytes[CHECKSUM_LEN..]);
    bytes[..CHECKSUM_LEN].copy_from_slice(&sum);
    bytes
}

/// Reads a record that is kept under `key`.
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
    let DecodedLine { score, wdl, pv } = read_line(&mut reader)?;
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
        let DecodedLine { score, wdl, pv } = read_line(&mut reader)?;
        alternatives.push(Variation { score, wdl, pv });
    }
    reader.expect_end()?;
    let reason = *STOP_REASONS.get(usize::from(flags >> 1)).ok_or(DecodeError)?;
    let context_free = flags & 1 != 0;
    let report = Report {
        score,
        wdl,
        raw_score: None,
        pv,
        depth,
        seldepth,
        nodes,
        elapsed,
        reason,
        history_independent: context_free,
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

struct DecodedLine {
    score: Score,
    wdl: Wdl,
    pv: Vec<Move>,
}

fn write_line(bytes: &mut Vec<u8>, score: Score, wdl: Wdl, pv: &[Move]) {
    let (value, is_mate) = match score {
        Score::Cp(value) => (value, 0),
        Score::Mate(moves) => (moves, 1),
    };
    write_signed_varint(bytes, value << 1 | is_mate);
    write_varint(bytes, wdl.win.into());
    write_varint(bytes, wdl.loss.into());
    write_varint(bytes, pv.len() as u64);
    pv.iter().for_each(|mv| bytes.extend_from_slice(&mv.code().to_be_bytes()));
}

fn read_line(reader: &mut ByteReader) -> Result<DecodedLine, DecodeError> {
    let number = reader.read_signed_varint()?;
    let score = if number & 1 == 0 { Score::Cp(number >> 1) } else { Score::Mate(number >> 1) };
    let (win, loss): (u16, u16) = (reader.read_varint_as()?, reader.read_varint_as()?);
    let draw =
        1_000_u16.checked_sub(win).and_then(|rest| rest.checked_sub(loss)).ok_or(DecodeError)?;
    let bytes = reader.read_varint_as::<usize>()?.checked_mul(2).ok_or(DecodeError)?;
    let codes = reader
        .read_bytes(bytes)?
        .chunks_exact(2)
        .map(|code| u16::from_be_bytes([code[0], code[1]]));
    Ok(DecodedLine {
        score,
        wdl: Wdl { win, draw, loss },
        pv: codes.map(Move::from_code).collect(),
    })
}

/// Up to `u64::MAX - 1`; what is longer stands for any length, as `u64::MAX`.
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
