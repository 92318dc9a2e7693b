use kibitzer_trainer::filter::Filter;
use kibitzer_trainer::selection::is_held_out;
use viriformat::chess::board::Board;

use crate::fixtures::permissive_filter;

/// Whether a filter keeps the position of `fen`, where `best` (UCI) is played.
fn keeps(filter: &Filter, fen: &str, best: &str, score: i16) -> bool {
    let mut board = Board::new();
    board.set_from_fen(fen, true).expect("a FEN");
    let mv = board.parse_uci(best).expect("a move");
    filter.keeps(&board, mv, score)
}

fn usual_filter() -> Filter {
    Filter { max_score: 1000, keep_checks: false, keep_tactical: false, min_pieces: 4 }
}

const QUIET: (&str, &str) =
    ("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 1", "f1c4");

#[test]
fn a_quiet_move_in_an_even_position_is_kept() {
    assert!(keeps(&usual_filter(), QUIET.0, QUIET.1, 25));
}

#[test]
fn positions_in_check_are_dropped() {
    let fen = "rnbqkbnr/ppp2ppp/3p4/1B2p3/4P3/8/PPPP1PPP/RNBQK1NR b KQkq - 0 1";
    assert!(!keeps(&usual_filter(), fen, "c7c6", 0));
    assert!(keeps(&Filter { keep_checks: true, ..usual_filter() }, fen, "c7c6", 0));
}

#[test]
fn positions_whose_best_move_captures_or_promotes_are_dropped() {
    let tactical = [
        ("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 1", "f3e5"),
        ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 1", "e5f6"),
        ("8/P3k3/8/8/8/8/4K3/7r w - - 0 1", "a7a8q"),
    ];
    for (fen, best) in tactical {
        assert!(!keeps(&usual_filter(), fen, best, 0), "{best}");
        assert!(keeps(&Filter { keep_tactical: true, ..usual_filter() }, fen, best, 0), "{best}");
    }
}

#[test]
fn castling_is_a_quiet_move() {
    assert!(keeps(
        &usual_filter(),
        "r3k2r/pppq1ppp/2npbn2/8/8/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 1",
        "e1h1",
        0
    ));
}

#[test]
fn decided_scores_are_dropped_for_either_side() {
    for score in [1001, -1001, 29_500, -29_500, i16::MIN] {
        assert!(!keeps(&usual_filter(), QUIET.0, QUIET.1, score), "{score}");
    }
    assert!(keeps(&usual_filter(), QUIET.0, QUIET.1, -1000));
}

#[test]
fn mates_are_dropped_even_with_a_high_limit() {
    assert!(keeps(&permissive_filter(), QUIET.0, QUIET.1, 20_000));
    assert!(!keeps(&permissive_filter(), QUIET.0, QUIET.1, 29_990));
}

#[test]
fn about_one_of_n_games_is_held_out() {
    let held_out = (0..100_000).filter(|game| is_held_out("games.vf", *game, 50)).count();
    assert!((1800..2200).contains(&held_out), "{held_out}");
    assert!((0..1000).all(|game| !is_held_out("games.vf", game, 0)));
}
