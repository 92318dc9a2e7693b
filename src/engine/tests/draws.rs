//! Draws in whole searches: repetition, the 50-move rule, stalemate and dead positions.

use super::*;

/// White is a rook down. Both sides can shuffle.
const ROOK_DOWN: &str = "7k/8/8/8/8/r6p/7P/7K w - - 0 1";

/// Moves after which the position of `ROOK_DOWN` has occurred three times, and every other position
/// twice.
const SHUFFLED_TWICE: &str = "Kg1 Kg8 Kh1 Kh8 Kg1 Kg8 Kh1 Kh8";

#[test]
fn a_losing_side_seeks_the_third_repetition() {
    let game = game(ROOK_DOWN, SHUFFLED_TWICE);
    for depth in 1..=8 {
        let report = search(&Engine::new(1), &game, depth);
        assert_eq!(report.score, Score::Cp(0), "depth {depth}");
        assert!(best_move_is(&game, &report, "Kg1"), "depth {depth}");
        assert!(!report.history_independent);
    }
}

#[test]
fn without_game_history_the_same_position_is_lost() {
    let report = search(&Engine::new(1), &game(ROOK_DOWN, ""), 8);
    assert!(raw_centipawns(&report) < -300, "{report:?}");
    assert!(report.history_independent);
}

#[test]
fn a_winning_side_avoids_the_third_repetition() {
    // Kh8 would repeat the first position for the third time.
    let game = game(ROOK_DOWN, "Kg1 Kg8 Kh1 Kh8 Kg1 Kg8 Kh1");
    for depth in 1..=8 {
        let report = search(&Engine::new(1), &game, depth);
        assert!(raw_centipawns(&report) > 300, "depth {depth}: {report:?}");
        assert!(!best_move_is(&game, &report, "Kh8"), "depth {depth}");
    }
}

#[test]
fn a_winning_side_does_not_let_the_other_repeat() {
    // After 6… Kg8 White would answer Kh1 to the third occurrence of that position.
    let game = game(ROOK_DOWN, "Kg1 Kg8 Kh1 Kh8 Kg1 Kg8 Kh1 Kf8 Kg1");
    for depth in 2..=8 {
        let report = search(&Engine::new(1), &game, depth);
        assert!(!best_move_is(&game, &report, "Kg8"), "depth {depth}");
        assert!(raw_centipawns(&report) > 300, "depth {depth}: {report:?}");
    }
}

#[test]
fn game_history_overrides_the_shared_tt() {
    let engine = Engine::new(4);
    let (bare, played) = (game(ROOK_DOWN, ""), game(ROOK_DOWN, SHUFFLED_TWICE));
    // The table holds entries of a lost position.
    assert!(raw_centipawns(&search(&engine, &bare, 12)) < -300);
    // Nevertheless the repetition is found at every depth.
    for depth in 1..=6 {
        assert_eq!(search(&engine, &played, depth).score, Score::Cp(0));
    }
    // The draw, in turn, leaves no entry that would save the position without history.
    for depth in 1..=6 {
        assert!(raw_centipawns(&search(&engine, &bare, depth)) < -300, "depth {depth}");
    }
    let other_side = game(ROOK_DOWN, "Kg1");
    assert!(raw_centipawns(&search(&engine, &other_side, 6)) > 300);
}

#[test]
fn a_draw_by_game_history_is_not_stored_for_the_bare_position() {
    let engine = Engine::new(4);
    let played = game(ROOK_DOWN, SHUFFLED_TWICE);
    search(&engine, &played, 10);
    let bare = game(ROOK_DOWN, "");
    // With the entries of the drawn search the position without history is still lost.
    for depth in 4..=8 {
        assert!(raw_centipawns(&search(&engine, &bare, depth)) < -300, "depth {depth}");
    }
}

#[test]
fn a_perpetual_check_is_a_draw_inside_the_tree() {
    // Black is far ahead and threatens mate on the back rank. The queen gives perpetual check on g5
    // and h5.
    let perpetual = game("5rk1/5p2/8/6Q1/8/1q6/r4PPP/6K1 b - - 0 1", "Kh7");
    let report = search(&Engine::new(1), &perpetual, 14);
    assert_eq!(report.score, Score::Cp(0), "{report:?}");
}

#[test]
fn dead_positions_are_draws_in_the_tree() {
    // Taking the queen leaves king and bishop against king; every other move loses.
    let queen_hangs = game("Q3k3/8/8/8/8/8/8/4K2b b - - 0 1", "");
    for depth in 1..=6 {
        assert_eq!(
            search(&Engine::new(1), &queen_hangs, depth).score,
            Score::Cp(0),
            "depth {depth}"
        );
    }
}

#[test]
fn checkmate_on_the_hundredth_ply_comes_before_the_fifty_move_rule() {
    for clock in [0, 50, 98, 99] {
        let game = game(&format!("6k1/5ppp/8/8/8/8/8/R5K1 w - - {clock} 90"), "");
        let report = search(&Engine::new(1), &game, 4);
        assert_eq!(report.score, Score::Mate(1), "clock {clock}");
        assert!(best_move_is(&game, &report, "Ra8#"));
    }
}

#[test]
fn a_mate_that_comes_after_the_hundredth_ply_is_a_draw() {
    // Mate in two: checkmate is three plies away.
    let fen = |clock: u16| format!("4k3/8/R7/1R6/8/8/8/4K3 w - - {clock} 90");
    let engine = Engine::new(4);
    // The table stores the mate from a search with another clock.
    assert_eq!(search(&engine, &game(&fen(0), ""), 8).score, Score::Mate(2));
    for (clock, score) in [
        (97, Score::Mate(2)),
        (98, Score::Cp(0)),
        (99, Score::Cp(0)),
        (100, Score::Cp(0)),
        (130, Score::Cp(0)),
    ] {
        let report = search(&engine, &game(&fen(clock), ""), 8);
        assert_eq!(report.score, score, "clock {clock}");
        assert!(!report.history_independent, "clock {clock}");
    }
    assert_eq!(
        search(&engine, &game(&fen(0), ""), 8).score,
        Score::Mate(2),
        "the table must not keep the draw"
    );
}

#[test]
fn a_capture_or_pawn_move_in_time_keeps_the_win() {
    let report = search(&Engine::new(1), &game("4k3/8/8/8/8/8/P7/R3K3 w - - 99 90", ""), 6);
    assert!(raw_centipawns(&report) > 300, "{report:?}");
    assert!(
        report.best_move().is_some_and(
            |mv| mv.from().file() == crate::chess::File::A && mv.from().rank() as u8 == 1
        )
    );
}

#[test]
fn scores_near_the_fifty_move_limit_are_history_dependent() {
    assert!(
        !search(&Engine::new(1), &game("4k3/8/8/8/8/8/P7/R3K3 w - - 92 90", ""), 4)
            .history_independent
    );
    assert!(
        search(&Engine::new(1), &game("4k3/8/8/8/8/8/P7/R3K3 w - - 10 90", ""), 4)
            .history_independent
    );
}

#[test]
fn stalemate_is_a_draw_in_quiescence_too() {
    let game = game("7k/8/6Q1/8/8/8/8/K7 w - - 0 1", "");
    assert!(
        raw_centipawns(&search(&Engine::new(1), &game, 1)) > 300,
        "the queen can move and leave the king a move"
    );
    // After a king move the queen stays, and only quiescence searches the reply.
    let engine = Engine::new(1);
    let options = SearchOptions {
        search_moves: vec![parse_move(game.position(), "Kb1").unwrap()],
        ..SearchOptions::default()
    };
    let search = GameSearch {
        game: &game,
        limits: &Limits { depth: Some(1), ..Limits::default() },
        options: &options,
        stop: &StopFlag::default(),
    };
    let report = engine.search_game(&mut engine.thread_data_set(), search, &mut |_| ());
    assert_eq!(report.score, Score::Cp(0));
}

#[test]
fn games_that_are_over_are_terminal() {
    let over = [
        ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "", Score::Mate(0)),
        ("7k/8/6Q1/8/8/8/8/K7 b - - 0 1", "", Score::Cp(0)),
        ("4k3/8/8/8/8/8/8/4KB2 w - - 0 1", "", Score::Cp(0)),
        ("4k3/8/8/8/8/8/P7/R3K3 w - - 150 90", "", Score::Cp(0)),
        ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 150 99", "", Score::Mate(0)),
        (
            ROOK_DOWN,
            "Kg1 Kg8 Kh1 Kh8 Kg1 Kg8 Kh1 Kh8 Kg1 Kg8 Kh1 Kh8 Kg1 Kg8 Kh1 Kh8",
            Score::Cp(0),
        ),
    ];
    for (fen, moves, score) in over {
        let report = search(&Engine::new(1), &game(fen, moves), 5);
        assert_eq!((report.score, report.reason), (score, StopReason::Terminal), "{fen} {moves}");
        assert!(report.pv.is_empty() && report.nodes == 0);
    }
}

#[test]
fn a_claimable_draw_is_still_searched() {
    let threefold = game(ROOK_DOWN, SHUFFLED_TWICE);
    assert_eq!(threefold.claims().len(), 1);
    assert_eq!(search(&Engine::new(1), &threefold, 3).reason, StopReason::Depth);
    let fifty = game("6k1/5ppp/8/8/8/8/8/R5K1 w - - 120 90", "");
    assert_eq!(search(&Engine::new(1), &fifty, 3).score, Score::Mate(1));
}
