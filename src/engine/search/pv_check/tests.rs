use super::*;
use crate::chess::parse_move;
use crate::engine::limits::{Limits, StopFlag};
use crate::engine::score::{TB_WIN_IN_MAX_PLY, Value, value_to_tt};
use crate::engine::search::SearchRoot;
use crate::engine::smp::{ThreadData, ThreadGroup};
use crate::engine::time::SearchBudget;
use crate::engine::tt::{TranspositionTable, TtEntry, TtSharing};
use crate::nnue::{Network, SimdLevel};

fn verify(fen: &str, value: Value, moves: &[&str]) -> Option<PvLine> {
    verify_with_table((fen, &[]), value, moves, 2, &[]).0
}

/// Verifies a line in an iteration of this depth. The root has these earlier positions. The table
/// has the moves that follow the line, each with its bound. The second result is `false` if the
/// search depends on the earlier positions.
fn verify_with_table(
    (fen, earlier): (&str, &[&str]),
    value: Value,
    moves: &[&str],
    depth: i32,
    entries: &[(&str, Bound)],
) -> (Option<PvLine>, bool) {
    let (tt, stop, thread_group) =
        (TranspositionTable::new(1).unwrap(), StopFlag::default(), ThreadGroup::new(1));
    let tt_view = tt.begin_search(TtSharing::Exclusive);
    let root = Position::from_fen(fen).unwrap();
    let mut position = root.clone();
    let parse_and_play = |position: &mut Position, text: &str| {
        let mv = parse_move(position, text).unwrap();
        position.play(mv);
        mv
    };
    let moves = moves.iter().map(|text| parse_and_play(&mut position, text)).collect();
    for &(text, bound) in entries {
        let key = tt_key(&position);
        let mv = parse_and_play(&mut position, text);
        let (value, raw_eval) = (value_to_tt(30, 0), None);
        let (is_pv, path_dependent) = (true, false);
        tt_view.store(key, TtEntry { mv, value, raw_eval, depth: 5, bound, is_pv, path_dependent });
    }
    let budget = SearchBudget::start(&Limits::default(), None, &stop, &thread_group);
    let ThreadData { history, evaluator } =
        &mut ThreadData::new(&Network::embedded(), SimdLevel::best());
    let keys: Vec<u64> = earlier.iter().map(|fen| Position::from_fen(fen).unwrap().key()).collect();
    let search_root =
        SearchRoot { position: &root, earlier_keys: &keys, moves: Vec::new(), tablebase: None };
    let mut worker = SearchWorker::new(&tt_view, evaluator, history, budget, search_root);
    worker.root_depth = depth;
    let line = worker.verify_pv(&root, PvLine { value, moves });
    (line, worker.position_history.is_history_independent())
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

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The length of the verified line of a small advantage.
fn length(fen: &str, moves: &[&str], depth: i32, entries: &[(&str, Bound)]) -> usize {
    verify_with_table((fen, &[]), 30, moves, depth, entries).0.unwrap().moves.len()
}

#[test]
fn a_line_goes_on_with_the_moves_of_exact_values_and_lower_bounds() {
    let entries = [
        ("e5", Bound::Exact),
        ("Nf3", Bound::Lower),
        ("Nc6", Bound::Exact),
        ("Bb5", Bound::Upper),
        ("a6", Bound::Exact),
    ];
    assert_eq!(length(START, &["e4"], 9, &entries), 4);
    assert_eq!(length(START, &["e4"], 3, &entries), 3);
    // The move to ponder on.
    assert_eq!(length(START, &["e4"], 1, &entries), 2);
    let after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    assert_eq!(length(after_e4, &["e5"], 9, &entries[1..]), 3);
    for (value, moves) in [(0, 1), (TB_WIN_IN_MAX_PLY, 2)] {
        let (line, _) = verify_with_table((START, &[]), value, &["e4"], 9, &entries);
        assert_eq!(line.unwrap().moves.len(), moves, "{value}");
    }
}

#[test]
fn a_line_ends_before_a_move_that_repeats_a_position() {
    assert_eq!(length(START, &["Nf3", "Nf6", "Ng1"], 9, &[("Ng8", Bound::Exact)]), 3);
    let root = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 4 3";
    let game = [
        START,
        "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1",
        "rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 2 2",
        "rnbqkb1r/pppppppp/5n2/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 3 2",
    ];
    let reply = [("Nf6", Bound::Exact)];
    for (earlier, moves, is_independent) in [([].as_slice(), 2, true), (&game, 1, false)] {
        let (line, independent) = verify_with_table((root, earlier), 30, &["Nf3"], 9, &reply);
        assert_eq!((line.unwrap().moves.len(), independent), (moves, is_independent));
    }
}

#[test]
fn a_line_ends_before_a_move_that_ends_the_game() {
    for (reason, fen, first, second) in [
        ("mate", "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2", "g4", "Qh4#"),
        ("stalemate", "k7/8/1K6/8/8/8/2Q5/8 b - - 0 1", "Kb8", "Qc6"),
        ("bare kings", "7k/8/8/8/8/8/6p1/6K1 b - - 0 1", "Kg7", "Kxg2"),
        ("50 moves", "3k4/8/8/8/8/8/4R3/4K3 w - - 98 80", "Re3", "Kc7"),
    ] {
        assert_eq!(length(fen, &[first], 9, &[(second, Bound::Exact)]), 1, "{reason}");
    }
}
