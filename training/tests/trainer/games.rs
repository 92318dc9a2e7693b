use kibitzer::chess::{CastlingNotation, Color, Position, Square, parse_move, to_uci};
use kibitzer_trainer::games::{split, visit};
use kibitzer_trainer::sample::{GameResult, Sample};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

use crate::fixtures::{bytes, games};

/// Asserts that a decoded position equals kibitzer's own position.
fn assert_same_position(sample: &Sample, position: &Position) {
    let turn = position.turn();
    let flip = if turn == Color::White { 0 } else { 56 };
    let mut seen = 0;
    for placed in sample.pieces() {
        let square = Square::from_index(placed.square ^ flip);
        let color = if placed.own { turn } else { !turn };
        let piece = position.piece_at(square).expect("a piece");
        assert_eq!((piece.role() as u8, piece.color()), (placed.role, color), "{}", position.fen());
        seen += 1;
    }
    assert_eq!(seen, position.occupied().into_iter().count());
    let own_king = sample.own_king() ^ flip;
    let their_king = sample.their_king() ^ flip;
    assert_eq!(usize::from(own_king), position.king(turn).index());
    assert_eq!(usize::from(their_king), position.king(!turn).index());
}

#[test]
fn decoded_positions_match_kibitzers_rules() {
    let mut positions = 0;
    for game in games(60, 5) {
        let fen = {
            let mut start = game.initial_position();
            start.zero_height();
            start.to_string()
        };
        let mut position = Position::from_fen(&fen).expect("a legal start");
        visit(&bytes(&[game]), |board, mv, score, result| {
            assert_same_position(&Sample::new(board, score, result), &position);
            assert_eq!(board.in_check(), position.in_check(), "{}", position.fen());
            let text = mv.display(true).to_string();
            let ours = parse_move(&position, &text).expect("a legal move");
            assert_eq!(
                board.is_tactical(mv),
                ours.is_noisy(),
                "{}",
                to_uci(&position, ours, CastlingNotation::Chess960)
            );
            position.play(ours);
            positions += 1;
        })
        .expect("a whole game");
    }
    assert!(positions > 2000, "{positions}");
}

#[test]
fn scores_and_results_are_relative_to_the_side_to_move() {
    let game = games(1, 2).remove(0);
    let mut bytes = bytes(&[game]);
    bytes[30] = 2;
    visit(&bytes, |board, _, _, result| {
        assert_eq!(result, GameResult::Win);
        let sample = Sample::new(board, 150, result);
        let white = board.turn() == viriformat::chess::piece::Colour::White;
        let expected = if white { (150, GameResult::Win) } else { (-150, GameResult::Loss) };
        assert_eq!((sample.score(), sample.result()), expected);
    })
    .expect("a whole game");
}

#[test]
fn a_file_is_split_into_its_games() {
    let games = games(5, 9);
    let whole = bytes(&games);
    let parts = split(&whole).expect("whole games");
    assert_eq!(parts.len(), 5);
    for (part, game) in parts.iter().zip(&games) {
        assert_eq!(*part, bytes(std::slice::from_ref(game)));
    }
}

#[test]
fn a_truncated_file_is_refused() {
    let whole = bytes(&games(2, 9));
    for length in [whole.len() - 1, whole.len() - 4, whole.len() / 3, 31] {
        assert!(split(&whole[..length]).is_err(), "{length} bytes");
    }
}

#[test]
fn a_damaged_game_is_refused_without_a_panic() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let game = bytes(&games(1, 4));
    let mut refused = 0;
    for _ in 0..2000 {
        let mut damaged = game.clone();
        let place = random.random_range(0..damaged.len());
        damaged[place] ^= 1 << random.random_range(0..8);
        let Ok(parts) = split(&damaged) else { continue };
        refused += parts.iter().filter(|part| visit(part, |_, _, _, _| ()).is_err()).count();
    }
    assert!(refused > 500, "{refused}");
}
