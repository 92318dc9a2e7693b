//! The encoding of a value in the shared cache, layout version 1: the version and the depth, a byte
//! each, and the record as [`Record::to_bytes`] encodes it.

use crate::store::Record;

/// The version of the layout.
pub(super) const LAYOUT: u8 = 1;

/// The longest value that is read, in bytes. A record with five long lines has about 1,000.
pub(super) const MAX_VALUE_BYTES: usize = 4_096;

/// What a value is to this node.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Decoded {
    Record(Box<Record>),
    /// A value that a node of another version has written, and may read.
    OtherLayout,
    Damaged,
}

/// The value of a record.
pub(super) fn encode(record: &Record) -> Vec<u8> {
    [&[LAYOUT, record.report.depth], &record.to_bytes()[..]].concat()
}

/// Decodes a value under this position and context. Only the encoding that [`encode`] writes is
/// valid.
pub(super) fn decode(position: &[u8], context: &[u8], value: &[u8]) -> Decoded {
    let Some((&[layout, _], bytes)) = value.split_first_chunk() else { return Decoded::Damaged };
    if layout != LAYOUT {
        return Decoded::OtherLayout;
    }
    match Record::from_bytes(position, context, bytes) {
        Ok(record) if encode(&record) == value => Decoded::Record(Box::new(record)),
        _ => Decoded::Damaged,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::chess::encodings::PackedPosition;
    use crate::chess::{Position, parse_move};
    use crate::engine::{Report, Score, StopReason, Wdl};
    use crate::store::{EntryKey, StoredEffort};

    fn record() -> Record {
        let position = Position::startpos();
        let report = Report {
            score: Score::Cp(30),
            wdl: Wdl::DRAWN,
            pv: vec![parse_move(&position, "e2e4").unwrap()],
            depth: 20,
            seldepth: 25,
            nodes: 100_000,
            elapsed: Duration::from_millis(70),
            reason: StopReason::Depth,
            ..Report::empty()
        };
        Record {
            key: EntryKey {
                zobrist_key: position.key(),
                position: PackedPosition::from_position(&position),
                history_hash: [0; 2],
                halfmove_clock: None,
                multipv: 1,
            },
            report: Arc::new(report),
            effort: StoredEffort { nodes: 100_000, time: Duration::ZERO, depth: 20 },
            nodes_saved: 100_000,
            stored_ms: 1_764_201_234_567,
        }
    }

    /// The position and the context of the record.
    fn key() -> (Vec<u8>, Vec<u8>) {
        let EntryKey { zobrist_key, position, .. } = record().key;
        (EntryKey::position_bytes(zobrist_key, &position), record().key.context_bytes())
    }

    fn decoded(value: &[u8]) -> Decoded {
        let (position, context) = key();
        decode(&position, &context, value)
    }

    #[test]
    fn the_layout_is_version_1() {
        let value = encode(&record());
        assert_eq!(value[..2], [1, 20]);
        assert_eq!(key().1, [0, 1], "no history, no clock, one line");
        assert_eq!(value[2..], record().to_bytes());
        assert_eq!(decoded(&value), Decoded::Record(Box::new(record())));
    }

    #[test]
    fn a_value_of_another_layout_is_not_damaged() {
        let value = [&[2][..], &encode(&record())[1..]].concat();
        assert_eq!(decoded(&value), Decoded::OtherLayout);
    }

    #[test]
    fn a_value_with_changed_bits_or_of_another_length_or_key_is_damaged() {
        let value = encode(&record());
        for bit in 8..8 * value.len() {
            let mut changed = value.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decoded(&changed), Decoded::Damaged, "{bit}");
        }
        for length in 0..value.len() {
            assert_eq!(decoded(&value[..length]), Decoded::Damaged, "{length}");
        }
        assert_eq!(decoded(&[&value[..], &[0]].concat()), Decoded::Damaged);
        let (position, _) = key();
        assert_eq!(decode(&position, &[0, 2], &value), Decoded::Damaged);
        assert_eq!(decode(&position[1..], &[0, 1], &value), Decoded::Damaged);
    }

    proptest! {
        #[test]
        fn any_bytes_are_decoded_or_refused(
            context: Vec<u8>, value: Vec<u8>, position: Vec<u8>,
        ) {
            prop_assert!(!matches!(decode(&position, &context, &value), Decoded::Record(_)));
        }
    }
}
