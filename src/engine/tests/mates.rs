//! Mate searches: the shortest mate within a number of moves.

use std::time::Duration;

use super::*;

fn prove(fen: &str, moves: u8) -> Report {
    let game = game(fen, "");
    let limits = Limits { mate: Some(moves), ..Limits::default() };
    let report = Engine::new(4).analyse(&game, &limits, &StopFlag::default(), &mut |_| ());
    assert_valid_pv(&game, &report);
    report
}

#[test]
fn the_shortest_mate_within_the_limit_is_proved() {
    for (fen, distance) in [
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 1),
        ("4k3/8/R7/1R6/8/8/8/4K3 w - - 0 1", 2),
        // Smothered: Nf7+ Kg8, Nh6+ Kh8, Qg8+ Rxg8, Nf7 mate.
        ("5r1k/6pp/8/6N1/2Q5/8/6PP/7K w - - 0 1", 4),
        // A quiet key and zugzwang: Kf7 Kh7, Rh1 mate.
        ("7k/8/5K2/8/8/8/8/R7 w - - 0 1", 2),
    ] {
        for max_moves in distance..=distance + 2 {
            let report = prove(fen, max_moves);
            assert_eq!(
                (report.score, report.reason),
                (Score::Mate(i32::from(distance)), StopReason::Mate),
                "{fen} in {max_moves}"
            );
        }
    }
}

#[test]
fn without_a_mate_the_normal_score_is_reported() {
    let report = prove("4k3/8/R7/1R6/8/8/8/4K3 w - - 0 1", 1);
    assert_eq!(report.reason, StopReason::Depth);
    assert!(raw_centipawns(&report) > 500);
    let report = prove("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 2);
    assert_eq!(report.reason, StopReason::Depth);
    assert!(matches!(report.score, Score::Cp(_)) && report.depth > 0);
}

#[test]
fn a_side_that_is_mated_itself_gets_that_score() {
    // Black is mated whatever it does; it has no mate of its own.
    let report = prove("4k3/1R6/R7/8/8/8/8/4K3 b - - 0 1", 3);
    assert_eq!((report.score, report.reason), (Score::Mate(-1), StopReason::Depth));
}

#[test]
fn stalemate_is_not_a_mate() {
    // Qg6 would be stalemate; every mate takes longer.
    let report = prove("7k/8/8/6Q1/8/8/8/K7 w - - 0 1", 1);
    assert_eq!(report.reason, StopReason::Depth);
}

#[test]
fn another_limit_ends_the_proof_with_its_stop_reason() {
    let game = game("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "");
    let run =
        |limits: Limits| Engine::new(4).analyse(&game, &limits, &StopFlag::default(), &mut |_| ());
    let report = run(Limits { mate: Some(8), nodes: Some(30_000), ..Limits::default() });
    assert_eq!((report.reason, report.nodes), (StopReason::Nodes, 30_000));
    assert_valid_pv(&game, &report);
    let report = run(Limits {
        mate: Some(8),
        movetime: Some(Duration::from_millis(60)),
        ..Limits::default()
    });
    assert_eq!(report.reason, StopReason::Time);
    assert_valid_pv(&game, &report);
}

#[test]
fn the_fifty_move_rule_counts_in_the_proof_and_checkmate_comes_first() {
    let fen = |clock: u16| format!("4k3/8/R7/1R6/8/8/8/4K3 w - - {clock} 90");
    assert_eq!(prove(&fen(97), 3).score, Score::Mate(2));
    for clock in [98, 99, 100, 140] {
        let report = prove(&fen(clock), 3);
        assert_eq!(
            (report.score, report.reason),
            (Score::Cp(0), StopReason::Depth),
            "clock {clock}"
        );
    }
    // A mate in one is on the board at the hundredth ply.
    assert_eq!(prove("7k/R7/P5K1/8/8/8/8/8 w - - 99 90", 1).score, Score::Mate(1));
    // A pawn move resets the clock: a7, Kg8, a8=Q mate.
    assert_eq!(prove("7k/8/P5K1/8/8/8/8/8 w - - 99 90", 2).score, Score::Mate(2));
}

#[test]
fn repetition_counts_in_the_proof() {
    // White has missed the mate twice: now the position after Rb7 occurs for the third time and is
    // drawn.
    let fen = "4k3/8/R7/1R6/8/8/8/4K3 w - - 0 1";
    let missed = "Rb7 Kd8 Rb5 Ke8 Rb7 Kd8 Rb5 Ke8";
    let limits = Limits { mate: Some(2), ..Limits::default() };
    let run = |moves: &str| {
        let game = game(fen, moves);
        let report = Engine::new(4).analyse(&game, &limits, &StopFlag::default(), &mut |_| ());
        assert_valid_pv(&game, &report);
        (best_move_is(&game, &report, "Rb7"), report)
    };
    let (_, fresh) = run("");
    assert_eq!(fresh.score, Score::Mate(2));
    let (repeats, report) = run(missed);
    assert_eq!(report.score, Score::Mate(2), "other rook moves also mate");
    assert!(!repeats);
}

#[test]
fn the_normal_search_finds_the_mate_too() {
    let game = game("5r1k/6pp/8/6N1/2Q5/8/6PP/7K w - - 0 1", "");
    let limits = Limits { nodes: Some(1_000_000), ..Limits::default() };
    let report = Engine::new(4).analyse(&game, &limits, &StopFlag::default(), &mut |_| ());
    assert_eq!(report.score, Score::Mate(4));
    assert_valid_pv(&game, &report);
}
