use kibitzer_trainer::features::{ActiveFeatures, active_features};
use kibitzer_trainer::king_buckets::KingBuckets;
use kibitzer_trainer::sample::{GameResult, Sample};
use viriformat::chess::board::Board;

use crate::fixtures::{position, samples};

fn sorted(sample: &Sample, active: &ActiveFeatures) -> Vec<u16> {
    let mut active = active[..sample.piece_count()].to_vec();
    active.sort_unstable();
    active
}

fn both_perspectives(sample: &Sample, buckets: &KingBuckets) -> [Vec<u16>; 2] {
    active_features(sample, buckets).map(|active| sorted(sample, &active))
}

fn buckets(name: &str) -> KingBuckets {
    KingBuckets::parse(name).expect("a table of that name")
}

#[test]
fn a_position_and_its_mirror_image_have_the_same_features() {
    let fens = [
        ("4k3/8/8/8/8/2N5/P7/1K6 w - - 0 1", "3k4/8/8/8/8/5N2/7P/6K1 w - - 0 1"),
        (
            "r2q2k1/5ppp/8/3n4/8/8/1PP2P2/K2R4 b - - 0 1",
            "1k2q2r/ppp5/8/4n3/8/8/2P2PP1/4R2K b - - 0 1",
        ),
    ];
    for (original, mirrored) in fens {
        for table in ["none", "4", "8"] {
            let table = buckets(table);
            assert_eq!(
                both_perspectives(&position(original), &table),
                both_perspectives(&position(mirrored), &table),
                "{original}"
            );
        }
    }
}

#[test]
fn a_position_with_colours_exchanged_has_the_same_features() {
    let white = position("r1bqkb1r/pp3ppp/2n2n2/2pp4/3P4/2N2NP1/PP2PPBP/R1BQK2R w KQkq - 0 1");
    let black = position("r1bqk2r/pp2ppbp/2n2np1/3p4/2PP4/2N2N2/PP3PPP/R1BQKB1R b KQkq - 0 1");
    assert_eq!(both_perspectives(&white, &buckets("8")), both_perspectives(&black, &buckets("8")));
}

#[test]
fn the_opponents_perspective_is_its_own_perspective_with_the_move() {
    let white = position("r1bqkb1r/pp3ppp/2n2n2/2pp4/3P4/2N2NP1/PP2PPBP/R1BQK2R w KQkq - 0 1");
    let black = position("r1bqkb1r/pp3ppp/2n2n2/2pp4/3P4/2N2NP1/PP2PPBP/R1BQK2R b KQkq - 0 1");
    let ([own, their], [after_own, after_their]) =
        (both_perspectives(&white, &buckets("8")), both_perspectives(&black, &buckets("8")));
    assert_eq!((own, their), (after_their, after_own));
}

#[test]
fn a_feature_counts_colour_role_and_square() {
    // The king is on the e-file, so files are mirrored: e1 to d1 and a2 to h2. The opponent's king
    // is on e8, so files are mirrored and ranks flipped.
    let sample = position("4k3/8/8/8/8/8/P7/4K3 w - - 0 1");
    let [own, their] = both_perspectives(&sample, &buckets("none"));
    assert_eq!(own, [15, 5 * 64 + 3, 384 + 5 * 64 + 59]);
    assert_eq!(their, [5 * 64 + 3, 384 + 55, 384 + 5 * 64 + 59]);
}

#[test]
fn the_king_bucket_shifts_all_features_by_768() {
    // White's king is on g1 (mirrored b1: bucket 1 of 8), Black's on e8 (from its perspective d1:
    // bucket 3).
    let sample = position("4k3/8/8/8/8/8/P7/6K1 w - - 0 1");
    let [plain_own, plain_their] = both_perspectives(&sample, &buckets("none"));
    let [own, their] = both_perspectives(&sample, &buckets("8"));
    assert_eq!(own, plain_own.iter().map(|feature| feature + 768).collect::<Vec<_>>());
    assert_eq!(their, plain_their.iter().map(|feature| feature + 3 * 768).collect::<Vec<_>>());
}

#[test]
fn every_piece_is_one_feature_of_each_perspective() {
    for sample in samples(10, 3) {
        for perspective in both_perspectives(&sample, &buckets("8")) {
            let mut distinct = perspective.clone();
            distinct.dedup();
            assert_eq!(distinct.len(), sample.pieces().count());
        }
    }
}

#[test]
fn a_table_of_king_buckets_with_a_gap_or_a_wrong_length_is_refused() {
    let gap = format!("0,2{}", ",0".repeat(30));
    let short = "0,1,2";
    for text in [gap.as_str(), short, "nine", "", "-1"] {
        assert!(KingBuckets::parse(text).is_err(), "{text}");
    }
    let whole = format!("0,1{}", ",0".repeat(30));
    assert_eq!(KingBuckets::parse(&whole).expect("a whole table").count(), 2);
}

#[test]
fn a_record_has_the_pieces_the_score_and_the_result() {
    let mut board = Board::new();
    board.set_from_fen("4k2r/8/8/8/8/8/4P3/4K3 b - - 0 1", false).expect("a FEN");
    let record = Sample::new(&board, 250, GameResult::Win).to_record();

    // Black to move plays up the board: king e1, rook h1, the opponent's pawn e7 and king e8.
    assert_eq!(record[..8], (1_u64 << 4 | 1 << 7 | 1 << 52 | 1 << 60).to_le_bytes());
    assert_eq!(record[8..10], [5 | 3 << 4, 8 | 13 << 4]);
    assert!(record[10..24].iter().all(|byte| *byte == 0));
    assert_eq!(record[24..26], (-250_i16).to_le_bytes());
    assert_eq!(record[26..], [0, 4, 60, 0, 0, 0]);
}
