//! Positions in which one move wins and all others lose. If the position after that move has
//! occurred twice before, the move only draws by repetition.
//!
//! Each line of `histories.txt` has a position and four moves: the winning move, a reply, and both
//! moves back. The positions were selected from random ones. The winning move is quiet, is the only
//! one of its kind, and mates next move against every reply. A search of 400,000 nodes finds
//! nothing better than three pawns down among the other moves. Some positions also appear mirrored
//! from left to right.

use kibitzer::chess::{Game, Move, Position, parse_move};

/// One position with two histories.
pub(crate) struct HistoryPair {
    /// The position as the start of a game.
    pub(crate) without_history: Game,
    /// The position after two rounds of moves that lead back to it.
    pub(crate) with_repetitions: Game,
    /// The move that wins unless it repeats the position.
    pub(crate) winning_move: Move,
}

pub(crate) fn all() -> Vec<HistoryPair> {
    include_str!("histories.txt").lines().map(pair).collect()
}

fn pair(line: &str) -> HistoryPair {
    let (fen, moves) = line.split_once(" ; ").unwrap();
    let without_history = Game::new(Position::from_fen(fen).unwrap());
    let mut with_repetitions = without_history.clone();
    for _ in 0..2 {
        for text in moves.split(' ') {
            let mv = parse_move(with_repetitions.position(), text).unwrap();
            with_repetitions.play(mv);
        }
    }
    assert_eq!(with_repetitions.position().key(), without_history.position().key(), "{line}");
    assert_eq!(with_repetitions.occurrences(), 3, "{line}");
    let winning_move = with_repetitions.moves()[0];
    HistoryPair { without_history, with_repetitions, winning_move }
}
