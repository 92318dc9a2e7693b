use super::*;
use crate::chess::parse_move;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn game(fen: &str, moves: &str) -> Game {
    let mut game = Game::new(Position::from_fen(fen).unwrap());
    play(&mut game, moves);
    game
}

fn play(game: &mut Game, moves: &str) {
    for text in moves.split_whitespace() {
        let mv =
            parse_move(game.position(), text).unwrap_or_else(|error| panic!("{text}: {error}"));
        game.play(mv);
    }
}

#[test]
fn fools_mate_is_won_by_black() {
    let game = game(START, "f3 e5 g4 Qh4#");
    assert_eq!(game.outcome(), Outcome::Checkmate { winner: Color::Black });
    assert!(game.claims().is_empty());
}

#[test]
fn no_legal_move_without_check_is_stalemate() {
    assert_eq!(game("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "Qg6").outcome(), Outcome::Stalemate);
}

#[test]
fn threefold_repetition_may_be_claimed_and_fivefold_ends_the_game() {
    let shuffle = "Nf3 Nf6 Ng1 Ng8 ";
    let mut game = game(START, shuffle);
    assert_eq!((game.occurrences(), game.claims()), (2, vec![]));
    play(&mut game, shuffle);
    assert_eq!((game.occurrences(), game.claims()), (3, vec![DrawClaim::ThreefoldRepetition]));
    assert_eq!(game.outcome(), Outcome::Ongoing);
    play(&mut game, &shuffle.repeat(2));
    assert_eq!(game.outcome(), Outcome::Draw(DrawReason::FivefoldRepetition));
    assert!(game.claims().is_empty());
}

#[test]
fn a_lost_castling_right_makes_a_different_position() {
    let shuffle = "Rg1 Rg8 Rh1 Rh8";
    let game = game("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", &format!("{shuffle} {shuffle}"));
    // The rights for short castling are lost in the first shuffle. Without them, the position has
    // occurred twice.
    assert_eq!(game.occurrences(), 2);
}

#[test]
fn the_half_move_clock_allows_a_claim_at_100_and_draws_at_150() {
    assert_eq!(game("7k/8/8/8/8/8/R7/K7 w - - 98 90", "Ra3").claims(), []);
    assert_eq!(game("7k/8/8/8/8/8/R7/K7 w - - 99 90", "Ra3").claims(), [DrawClaim::FiftyMoves]);
    let over = game("7k/8/8/8/8/8/R7/K7 w - - 149 90", "Ra3");
    assert_eq!(over.outcome(), Outcome::Draw(DrawReason::SeventyFiveMoves));
}

#[test]
fn mate_comes_before_a_draw_by_the_clock() {
    let mated = game("7k/8/6K1/8/8/8/R7/8 w - - 149 90", "Ra8#");
    assert_eq!(mated.outcome(), Outcome::Checkmate { winner: Color::White });
}

#[test]
fn a_draw_by_the_clock_comes_before_a_dead_position() {
    assert_eq!(
        game("7k/8/8/8/8/8/8/K7 w - - 150 90", "").outcome(),
        Outcome::Draw(DrawReason::SeventyFiveMoves)
    );
    assert_eq!(
        game("7k/8/8/8/8/8/8/K7 w - - 0 1", "").outcome(),
        Outcome::Draw(DrawReason::DeadPosition)
    );
}

#[test]
fn undo_restores_the_earlier_state() {
    let mut played = game(START, "e4 d5 exd5 Qxd5 Nc3");
    let before = game(START, "e4 d5 exd5 Qxd5");
    assert_eq!(played.moves().len(), 5);
    assert!(played.undo().is_some());
    assert_eq!(played.position(), before.position());
    assert_eq!((played.moves(), played.moved_pieces()), (before.moves(), before.moved_pieces()));
    assert_eq!(played.earlier_keys(), before.earlier_keys());
    while played.undo().is_some() {}
    assert_eq!(played.position(), &Position::startpos());
    assert_eq!(played.undo(), None);
}

#[test]
fn position_before_covers_every_ply() {
    let game = game(START, "e4 e5");
    assert_eq!(game.start(), &Position::startpos());
    assert_eq!(game.position_before(0), Some(game.start()));
    assert_eq!(game.position_before(2), Some(game.position()));
    assert_eq!(game.position_before(3), None);
    assert_eq!(game.earlier_keys().len(), 2);
    assert_eq!(game.earlier_keys()[0], game.start().key());
}

#[test]
fn reversible_key_counts_begin_after_the_last_irreversible_move() {
    assert!(game(START, "").reversible_key_counts().is_empty());
    assert!(game(START, "Nf3 Nf6 e4").reversible_key_counts().is_empty(), "a pawn move");
    assert!(
        game("7k/8/8/8/8/8/r7/R6K w - - 0 1", "Rxa2").reversible_key_counts().is_empty(),
        "a capture"
    );
    assert!(
        game("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "Ke2").reversible_key_counts().is_empty(),
        "a lost castling right"
    );

    let context = game(START, "Nf3 Nf6 Ng1 Ng8 Nf3").reversible_key_counts();
    let mut counts: Vec<_> = context.iter().map(|&(_, count)| count).collect();
    counts.sort_unstable();
    assert_eq!(counts, [1, 1, 1, 2], "the start position twice, three others once");
    assert!(context.is_sorted_by_key(|&(key, _)| key));
}

#[test]
fn undo_restores_the_occurrence_count() {
    let mut game = game(START, "Nf3 Nf6 Ng1 Ng8");
    assert_eq!(game.occurrences(), 2);
    game.undo();
    assert_eq!(game.occurrences(), 1);
    play(&mut game, "Ng8");
    assert_eq!(game.occurrences(), 2);
}
