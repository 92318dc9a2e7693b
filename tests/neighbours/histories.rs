//! Positions in which one move wins and all others lose. A game that has twice come to the position
//! after that move has lost its win: once more, and it is drawn.
//!
//! Each line of `histories.txt` has a position and four moves: the winning one, a reply, and both
//! moves back. The positions were drawn at random and sifted: the winner is quiet and mates next
//! move whatever the reply, and is the only such move; among the other moves a search of 400,000
//! nodes sees nothing better than three pawns behind. Some stand there a second time, mirrored from
//! left to right.

use kibitzer::chess::{Game, Move, Position, parse_move};

/// One position twice.
pub(crate) struct HistoryPair {
    /// Without a past.
    pub(crate) without_history: Game,
    /// After two rounds that led back to it.
    pub(crate) with_repetitions: Game,
    /// The move that wins where it does not repeat.
    pub(crate) winning_move: Move,
}

pub(crate) fn all() -> Vec<HistoryPair> {
    include_str!("histories.txt").lines().map(pair).collect()
}

fn pair(line: &str) -> HistoryPair {
    let (fen, moves) = line.split_once(" ; ").unwrap();
    let bare = Game::new(Position::from_fen(fen).unwrap());
    let mut repeated = bare.clone();
    for _ in 0..2 {
        for text in moves.split(' ') {
            let mv = parse_move(repeated.position(), text).unwrap();
            repeated.play(mv);
        }
    }
    assert_eq!(repeated.position().key(), bare.position().key(), "{line}");
    assert_eq!(repeated.occurrences(), 3, "{line}");
    let winner = repeated.moves()[0];
    HistoryPair { without_history: bare, with_repetitions: repeated, winning_move: winner }
}
