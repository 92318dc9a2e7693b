//! Tests of the encoding of keys and records.

use proptest::prelude::*;

use super::*;
use crate::chess::Move;
use crate::engine::Variation;
use crate::store::codec::{decode, encode};

fn scores() -> impl Strategy<Value = Score> {
    prop_oneof![(-20_000..20_000).prop_map(Score::Cp), (-250..250).prop_map(Score::Mate)]
}

fn wdls() -> impl Strategy<Value = Wdl> {
    (0..=1_000_u16, 0..=1_000_u16).prop_map(|(a, b)| {
        let (win, both) = (a.min(b), a.max(b));
        Wdl { win, draw: both - win, loss: 1_000 - both }
    })
}

fn moves(max_len: usize) -> impl Strategy<Value = Vec<Move>> {
    prop::collection::vec(any::<u16>().prop_map(Move::from_code), 0..=max_len)
}

fn variations() -> impl Strategy<Value = Variation> {
    (scores(), wdls(), moves(32)).prop_map(|(score, wdl, pv)| Variation { score, wdl, pv })
}

fn reports() -> impl Strategy<Value = Report> {
    let reasons = [
        StopReason::Depth,
        StopReason::Nodes,
        StopReason::Time,
        StopReason::Mate,
        StopReason::Terminal,
        StopReason::Stopped,
        StopReason::Tablebase,
    ];
    let numbers = (any::<u8>(), any::<u8>(), any::<u64>(), any::<u64>());
    let results = (scores(), wdls(), moves(256), prop::collection::vec(variations(), 0..5));
    (results, numbers, prop::sample::select(reasons.to_vec()), any::<bool>()).prop_map(
        |(
            (score, wdl, pv, alternatives),
            (depth, seldepth, nodes, elapsed),
            reason,
            history_independent,
        )| Report {
            score,
            wdl,
            raw_score: None,
            pv,
            depth,
            seldepth,
            nodes,
            elapsed: Duration::from_nanos(elapsed),
            reason,
            history_independent,
            tb_hits: 0,
            is_ranked_by_tablebase: false,
            alternatives,
        },
    )
}

fn records() -> impl Strategy<Value = Record> {
    let keys = (
        any::<u64>(),
        prop::option::of(any::<[u64; 2]>()),
        prop::option::of(any::<u16>()),
        any::<u8>(),
    );
    let times = prop_oneof![Just(Duration::MAX), (0..u64::MAX - 1).prop_map(Duration::from_nanos)];
    (keys, reports(), (any::<u64>(), times, any::<u8>()), any::<u64>(), any::<u64>()).prop_map(
        |(
            (number, history, halfmove_clock, multipv),
            report,
            (nodes, time, depth),
            nodes_saved,
            stored_ms,
        )| {
            let key = EntryKey {
                history_hash: history.unwrap_or_default(),
                halfmove_clock,
                multipv,
                ..record(number, 1).key
            };
            Record {
                key,
                report: Arc::new(report),
                effort: StoredEffort { nodes, time, depth },
                nodes_saved,
                stored_ms,
            }
        },
    )
}

proptest! {
    #[test]
    fn a_record_round_trips(record in records()) {
        let key = record.key.to_bytes();
        prop_assert_eq!(EntryKey::from_bytes(&key), Ok(record.key.clone()));
        prop_assert_eq!(decode(&key, &encode(&record, &key)), Ok(record));
    }

    #[test]
    fn a_record_is_refused_under_another_key(record in records(), other in records()) {
        prop_assume!(record.key != other.key);
        let key = record.key.to_bytes();
        prop_assert!(decode(&other.key.to_bytes(), &encode(&record, &key)).is_err());
    }

    #[test]
    fn arbitrary_bytes_are_refused(key in any::<Vec<u8>>(), value in any::<Vec<u8>>()) {
        prop_assert!(decode(&key, &value).is_err());
        if let Ok(decoded) = EntryKey::from_bytes(&key) {
            prop_assert_eq!(decoded.to_bytes(), key);
        }
    }
}

#[test]
fn every_truncated_record_and_every_flipped_bit_is_refused() {
    let mut record = record(7, 123_456);
    let line = Variation { score: Score::Mate(-3), wdl: Wdl::LOST, pv: record.report.pv.clone() };
    record.report = Arc::new(Report { alternatives: vec![line; 2], ..(*record.report).clone() });
    let key = record.key.to_bytes();
    let value = encode(&record, &key);
    for length in 0..value.len() {
        assert!(decode(&key, &value[..length]).is_err(), "{length} bytes of {}", value.len());
    }
    for bit in 0..8 * value.len() {
        let mut flipped = value.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(decode(&key, &flipped).is_err(), "bit {bit}");
    }
    for bit in 0..8 * key.len() {
        let mut flipped = key.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(decode(&flipped, &value).is_err(), "bit {bit} of the key");
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_layout_does_not_change() {
    let position = Position::startpos();
    let key = EntryKey {
        zobrist_key: position.key(),
        position: PackedPosition::from_position(&position),
        history_hash: [1, 2],
        halfmove_clock: Some(21),
        multipv: 2,
    };
    let report = Report {
        score: Score::Cp(-34),
        wdl: Wdl { win: 300, draw: 600, loss: 100 },
        raw_score: None,
        pv: vec![Move::from_code(0x1234), Move::from_code(0xfedc)],
        depth: 20,
        seldepth: 31,
        nodes: 1_000_000,
        elapsed: Duration::from_millis(250),
        reason: StopReason::Time,
        history_independent: true,
        tb_hits: 0,
        is_ranked_by_tablebase: false,
        alternatives: vec![Variation {
            score: Score::Mate(5),
            wdl: Wdl::WON,
            pv: vec![Move::from_code(7)],
        }],
    };
    let effort = StoredEffort { nodes: 1_000_000, time: Duration::from_millis(300), depth: 20 };
    let record = Record {
        key,
        report: Arc::new(report),
        effort,
        nodes_saved: 2_000_000,
        stored_ms: 1_790_000_000_000,
    };
    let key = record.key.to_bytes();
    let packed = hex(record.key.position.as_bytes());
    assert_eq!(
        hex(&key),
        format!("{:016x}17{packed}0300000000000000010000000000000002001502", position.key())
    );
    let line = "8701ac0264021234fedc";
    let report_bytes = format!("0105{line}141fc0843d80e59a77");
    let effort_bytes = "c0843d81c6868f0114";
    let saved_and_time = "80897a80d8c1a28c34";
    let value = encode(&record, &key);
    assert_eq!(
        hex(&value[8..]),
        format!("{report_bytes}{effort_bytes}{saved_and_time}0116e80700010007")
    );
    assert_eq!(hex(&value[..8]), "fbc01cd9d441792c");
}
