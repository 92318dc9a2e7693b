//! Plans of random games: a start position, a move policy, and numbers that choose the moves.

use kibitzer::chess::{Game, Move, Role};
use proptest::collection::vec;
use proptest::prelude::*;

/// The plan of a random game.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) start: Start,
    pub(crate) policy: MovePolicy,
    pub(crate) choices: Vec<u16>,
}

/// The start position of a game.
#[derive(Clone, Debug)]
pub(crate) enum Start {
    Standard,
    /// The Scharnagl numbers of White's and Black's back ranks.
    Chess960(u16, u16),
    Ending(&'static str),
}

/// The preference that selects a game's moves.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MovePolicy {
    /// No preference.
    Any,
    /// Captures and promotions, which soon leave few pieces.
    Noisy,
    /// Pawn moves, which lead to en passant and promotions.
    Pawns,
    /// Castling and the moves that prepare it.
    Castling,
    /// Moves back to the piece's previous square, which lead to repetitions.
    Backtrack,
}

/// Endings from which random moves soon reach mate, stalemate and bare kings.
const ENDINGS: [&str; 10] = [
    "8/8/4k3/8/8/3KP3/8/8 w - - 0 1",
    "8/5k2/8/8/2B5/2K5/5b2/8 b - - 0 1",
    "8/5k2/8/8/2B5/2K5/4b3/8 b - - 0 1",
    "8/8/8/3n4/2p5/2K5/6k1/8 w - - 0 1",
    "7k/8/5K2/8/8/8/8/6Q1 b - - 0 1",
    "8/P7/8/8/8/8/p7/K6k w - - 0 1",
    "k7/2K5/8/8/8/8/7p/1R6 b - - 0 1",
    "8/8/8/1N3k2/8/8/5K1n/8 w - - 0 1",
    "4k3/8/8/3pP3/8/8/8/4K2R w K d6 0 1",
    "r3k3/8/8/8/8/8/8/4K2R b Kq - 148 90",
];

/// Random plans. Of twelve games six start from the standard position, four from a Chess960
/// position (one of them with different back ranks) and two from an ending.
pub(crate) fn plans() -> impl Strategy<Value = Plan> {
    let number = 0_u16..960;
    let start = prop_oneof![
        6 => Just(Start::Standard),
        3 => number.clone().prop_map(|n| Start::Chess960(n, n)),
        1 => (number.clone(), number).prop_map(|(white, black)| Start::Chess960(white, black)),
        2 => proptest::sample::select(&ENDINGS[..]).prop_map(Start::Ending),
    ];
    let policy = prop_oneof![
        4 => Just(MovePolicy::Any),
        3 => Just(MovePolicy::Noisy),
        2 => Just(MovePolicy::Pawns),
        2 => Just(MovePolicy::Castling),
        1 => Just(MovePolicy::Backtrack),
    ];
    (start, policy, vec(0..=u16::MAX, 1..160)).prop_map(|(start, policy, choices)| Plan {
        start,
        policy,
        choices,
    })
}

impl Start {
    pub(crate) fn fen(&self) -> String {
        match *self {
            Start::Standard => Start::Chess960(518, 518).fen(),
            Start::Chess960(white, black) => {
                let (white, black) = (back_rank(white), back_rank(black));
                let files = |rank: &str| -> String {
                    rank.match_indices('r').rev().map(|(index, _)| file(index)).collect()
                };
                let rights = files(&white).to_ascii_uppercase() + &files(&black);
                format!(
                    "{black}/pppppppp/8/8/8/8/PPPPPPPP/{} w {rights} - 0 1",
                    white.to_ascii_uppercase()
                )
            }
            Start::Ending(fen) => fen.to_owned(),
        }
    }

    pub(crate) fn is_chess960(&self) -> bool {
        matches!(self, Start::Chess960(..))
    }
}

fn file(index: usize) -> char {
    char::from(b"abcdefgh"[index])
}

/// The back rank of a Scharnagl number (0–959; 518 is the standard one), in lower case.
fn back_rank(number: u16) -> String {
    let mut rank = ['.'; 8];
    let (rest, light) = (number / 4, number % 4);
    rank[usize::from(2 * light + 1)] = 'b';
    let (rest, dark) = (rest / 4, rest % 4);
    rank[usize::from(2 * dark)] = 'b';
    let (knights, queen) = (rest / 6, rest % 6);
    place_piece(&mut rank, usize::from(queen), 'q');
    // The ten ways to choose two of five squares, in the standard order.
    let pairs = (0..4).flat_map(|first| (first..4).map(move |second| (first, second)));
    for (_, (first, second)) in
        pairs.enumerate().filter(|(number, _)| *number == usize::from(knights))
    {
        place_piece(&mut rank, first, 'n');
        place_piece(&mut rank, second, 'n');
    }
    for piece in ['r', 'k', 'r'] {
        place_piece(&mut rank, 0, piece);
    }
    rank.iter().collect()
}

/// Puts a piece on the n-th empty square.
fn place_piece(rank: &mut [char; 8], n: usize, piece: char) {
    if let Some(square) = rank.iter_mut().filter(|square| **square == '.').nth(n) {
        *square = piece;
    }
}

impl MovePolicy {
    /// The legal move that `choice` selects. The game must not be over.
    pub(crate) fn choose(self, choice: u16, game: &Game) -> Move {
        let mut legal: Vec<Move> = game.position().legal_moves().to_vec();
        legal.sort_unstable();
        let best_preference = legal.iter().map(|&mv| self.preference(mv, game)).max().unwrap_or(0);
        // Every fourth choice ignores the preference, so that no game is stuck in it.
        if !choice.is_multiple_of(4) {
            legal.retain(|&mv| self.preference(mv, game) == best_preference);
        }
        legal[usize::from(choice / 4) % legal.len()]
    }

    /// The preference for a move. The move is chosen among the legal moves of the highest
    /// preference.
    fn preference(self, mv: Move, game: &Game) -> u8 {
        let role = game.position().role_at(mv.from());
        let last_own = game.moves().len().checked_sub(2).map(|ply| game.moves()[ply]);
        match self {
            MovePolicy::Any => 0,
            MovePolicy::Noisy => u8::from(mv.is_noisy()),
            MovePolicy::Pawns if mv.is_en_passant() => 3,
            MovePolicy::Pawns if mv.is_double_push() => 2,
            MovePolicy::Pawns => u8::from(role == Some(Role::Pawn)),
            MovePolicy::Castling if mv.is_castling() => 2,
            MovePolicy::Castling => u8::from(!matches!(role, Some(Role::King | Role::Rook))),
            MovePolicy::Backtrack => u8::from(
                last_own.is_some_and(|last| last.from() == mv.to() && last.to() == mv.from()),
            ),
        }
    }
}

#[test]
fn scharnagl_numbers_give_the_known_back_ranks() {
    assert_eq!(back_rank(518), "rnbqkbnr");
    assert_eq!(back_rank(0), "bbqnnrkr");
    assert_eq!(back_rank(959), "rkrnnqbb");
    let all: std::collections::BTreeSet<String> = (0..960).map(back_rank).collect();
    assert_eq!(all.len(), 960);
    assert!(all.iter().all(|rank| !rank.contains('.')));
    assert_eq!(Start::Standard.fen(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1");
}
