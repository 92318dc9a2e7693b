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

use super::bytes::{Reader, Unreadable, put_number, put_signed};
use super::{Place, Record, Spent};
use crate::chess::Move;
use crate::engine::{Report, Score, StopReason, Variation, Wdl};

/// The layout of keys and values. A file of another one is not read.
pub(super) const LAYOUT_VERSION: u8 = 1;

const CHECKSUM: usize = 8;

/// Why searches end, by number. The order is part of the layout.
const REASONS: [StopReason; 6] = [
    StopReason::Depth,
    StopReason::Nodes,
    StopReason::Time,
    StopReason::Mate,
    StopReason::Terminal,
    StopReason::Stopped,
];

/// The value of a record, where its key in the store is `key`.
pub(super) fn encode(record: &Record, key: &[u8]) -> Vec<u8> {
    let Record { report, spent, .. } = record;
    let reason = REASONS.iter().position(|reason| *reason == report.reason).unwrap_or_default();
    let mut bytes = Vec::with_capacity(256);
    bytes.extend_from_slice(&[0; CHECKSUM]);
    bytes.push(LAYOUT_VERSION);
    bytes.push(u8::from(report.context_free) | (reason as u8) << 1);
    put_line(&mut bytes, report.score, report.wdl, &report.pv);
    bytes.extend_from_slice(&[report.depth, report.seldepth]);
    put_number(&mut bytes, report.nodes);
    put_number(&mut bytes, nanoseconds(report.elapsed));
    put_number(&mut bytes, spent.nodes);
    put_number(&mut bytes, nanoseconds(spent.time).wrapping_add(1));
    bytes.push(spent.depth);
    put_number(&mut bytes, record.saves);
    put_number(&mut bytes, record.stored_ms);
    put_number(&mut bytes, report.alternatives.len() as u64);
    report
        .alternatives
        .iter()
        .for_each(|line| put_line(&mut bytes, line.score, line.wdl, &line.pv));
    let sum = checksum(key, &bytes[CHECKSUM..]);
    bytes[..CHECKSUM].copy_from_slice(&sum);
    bytes
}

/// Reads a record that is kept under `key`.
pub(super) fn decode(key: &[u8], value: &[u8]) -> Result<Record, Unreadable> {
    let (sum, body) = value.split_at_checked(CHECKSUM).ok_or(Unreadable)?;
    if sum != checksum(key, body) {
        return Err(Unreadable);
    }
    let mut reader = Reader::new(body);
    if reader.byte()? != LAYOUT_VERSION {
        return Err(Unreadable);
    }
    let flags = reader.byte()?;
    let Line { score, wdl, pv } = line(&mut reader)?;
    let [depth, seldepth] = reader.array()?;
    let (nodes, elapsed) = (reader.number()?, Duration::from_nanos(reader.number()?));
    let spent = Spent {
        nodes: reader.number()?,
        time: spent_time(reader.number()?),
        depth: reader.byte()?,
    };
    let (saves, stored_ms) = (reader.number()?, reader.number()?);
    let mut alternatives = Vec::new();
    for _ in 0..reader.number()? {
        let Line { score, wdl, pv } = line(&mut reader)?;
        alternatives.push(Variation { score, wdl, pv });
    }
    reader.end()?;
    let reason = *REASONS.get(usize::from(flags >> 1)).ok_or(Unreadable)?;
    let context_free = flags & 1 != 0;
    let report = Report {
        score,
        wdl,
        linear: None,
        pv,
        depth,
        seldepth,
        nodes,
        elapsed,
        reason,
        context_free,
        alternatives,
    };
    Ok(Record { place: Place::from_bytes(key)?, report: Arc::new(report), spent, saves, stored_ms })
}

struct Line {
    score: Score,
    wdl: Wdl,
    pv: Vec<Move>,
}

fn put_line(bytes: &mut Vec<u8>, score: Score, wdl: Wdl, pv: &[Move]) {
    let (value, is_mate) = match score {
        Score::Cp(value) => (value, 0),
        Score::Mate(moves) => (moves, 1),
    };
    put_signed(bytes, value << 1 | is_mate);
    put_number(bytes, wdl.win.into());
    put_number(bytes, wdl.loss.into());
    put_number(bytes, pv.len() as u64);
    pv.iter().for_each(|mv| bytes.extend_from_slice(&mv.code().to_be_bytes()));
}

fn line(reader: &mut Reader) -> Result<Line, Unreadable> {
    let number = reader.signed()?;
    let score = if number & 1 == 0 { Score::Cp(number >> 1) } else { Score::Mate(number >> 1) };
    let (win, loss): (u16, u16) = (reader.small()?, reader.small()?);
    let draw =
        1_000_u16.checked_sub(win).and_then(|rest| rest.checked_sub(loss)).ok_or(Unreadable)?;
    let bytes = reader.small::<usize>()?.checked_mul(2).ok_or(Unreadable)?;
    let codes =
        reader.take(bytes)?.chunks_exact(2).map(|code| u16::from_be_bytes([code[0], code[1]]));
    Ok(Line { score, wdl: Wdl { win, draw, loss }, pv: codes.map(Move::from_code).collect() })
}

/// Up to `u64::MAX - 1`; what is longer stands for any length, as `u64::MAX`.
fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn spent_time(nanoseconds_and_one: u64) -> Duration {
    nanoseconds_and_one.checked_sub(1).map_or(Duration::MAX, Duration::from_nanos)
}

fn checksum(key: &[u8], body: &[u8]) -> [u8; CHECKSUM] {
    let digest = Sha256::new().chain_update(key).chain_update(body).finalize();
    std::array::from_fn(|place| digest[place])
}
