use super::*;
use crate::chess::parse_move;
use crate::engine::limits::{Limits, StopFlag};
use crate::engine::score::Value;
use crate::engine::search::SearchRoot;
use crate::engine::smp::{ThreadData, ThreadGroup};
use crate::engine::time::SearchBudget;
use crate::engine::tt::{TranspositionTable, TtSharing};
use crate::nnue::{Network, SimdLevel};

fn verify(fen: &str, value: Value, moves: &[&str]) -> Option<PvLine> {
    let root = Position::from_fen(fen).unwrap();
    let mut position = root.clone();
    let moves = moves
        .iter()
        .map(|text| {
            let mv = parse_move(&position, text).unwrap();
            position.play(mv);
            mv
        })
        .collect();
    let (tt, stop, thread_group) =
        (TranspositionTable::new(1).unwrap(), StopFlag::default(), ThreadGroup::new(1));
    let tt_view = tt.begin_search(TtSharing::Exclusive);
    let budget = SearchBudget::start(&Limits::default(), None, &stop, &thread_group);
    let ThreadData { history, evaluator } =
        &mut ThreadData::new(&Network::embedded(), SimdLevel::best());
    let search_root =
        SearchRoot { position: &root, earlier_keys: &[], moves: Vec::new(), tablebase: None };
    let mut worker = SearchWorker::new(&tt_view, evaluator, history, budget, search_root);
    worker.verify_pv(&root, PvLine { value, moves })
}

/// Two rooks mate the king on the edge: 1. Rb7, a king move, 2. Ra8 mate.
const LADDER: &str = "4k3/8/R7/1R6/8/8/8/4K3 w - - 0 1";

#[test]
fn a_truncated_mate_line_is_proved_again() {
    let repaired = verify(LADDER, mate_in(3), &["Rb7"]).unwrap();
    assert_eq!(repaired.value, mate_in(3));
    assert_eq!(repaired.moves.len(), 3);
}

#[test]
fn a_false_mate_is_rejected() {
    assert_eq!(verify(LADDER, mate_in(1), &["Rb7"]), None);
    assert_eq!(verify("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", mate_in(3), &["e4"]), None);
}

#[test]
fn a_too_long_mate_is_repaired_to_the_shortest_after_its_first_move() {
    let repaired = verify(LADDER, mate_in(9), &["Kf2"]).unwrap();
    assert_eq!(repaired.value, mate_in(7));
    assert_eq!(repaired.moves[0], parse_move(&Position::from_fen(LADDER).unwrap(), "Kf2").unwrap());
}

#[test]
fn a_mated_side_keeps_its_first_move() {
    let repaired = verify("4k3/1R6/R7/8/8/8/8/4K3 b - - 0 1", mated_in(2), &["Kd8"]).unwrap();
    assert_eq!((repaired.value, repaired.moves.len()), (mated_in(2), 2));
}

#[test]
fn a_valid_line_is_unchanged() {
    let line = verify(LADDER, mate_in(3), &["Rb7", "Kd8", "Ra8#"]).unwrap();
    assert_eq!(line.moves.len(), 3);
    assert_eq!(verify(LADDER, 300, &["Rb7"]).unwrap().moves.len(), 1);
    assert_eq!(verify(LADDER, 300, &[]), None);
}
