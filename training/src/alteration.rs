//! Alterations of positions: pieces that advance, move or vanish without regard to the rules.
//!
//! Games of fast play rarely come to pawns before promotion, exposed kings and unusual material,
//! which strong engines' games often have. Games from altered positions have them.

use kibitzer::chess::{Color, Game, Outcome, Piece, Position, Rank, Role, Setup, Square};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand::seq::IteratorRandom;

/// The most alterations of a position.
const MOST_ALTERATIONS: usize = 3;

/// How far a king moves at most, in files and in ranks.
const KING_REACH: u8 = 2;

/// A kind of alteration. Each is drawn equally often.
#[derive(Clone, Copy)]
enum Alteration {
    /// A pawn advances on its file to the fifth, sixth or seventh rank, if it is not there yet.
    AdvancePawn,
    /// A king moves by up to [`KING_REACH`] squares.
    MoveKing,
    /// A knight, bishop, rook or queen moves to any empty square.
    MovePiece,
    /// Each side loses a piece or pawn.
    RemovePieces,
}

impl Alteration {
    const ALL: [Alteration; 4] = [
        Alteration::AdvancePawn,
        Alteration::MoveKing,
        Alteration::MovePiece,
        Alteration::RemovePieces,
    ];

    /// Alters the board. `None` if no piece can be altered in this way.
    fn apply(self, board: &mut [Option<Piece>; 64], random: &mut ChaCha8Rng) -> Option<()> {
        match self {
            Alteration::AdvancePawn => {
                let pawn = pick(board, random, |piece| piece.role() == Role::Pawn)?;
                relocate(board, random, pawn, |board, to| can_advance(board, pawn, to))
            }
            Alteration::MoveKing => {
                let king = pick(board, random, |piece| piece.role() == Role::King)?;
                relocate(board, random, king, |_, to| distance(king, to) <= KING_REACH)
            }
            Alteration::MovePiece => {
                let is_piece = |piece: Piece| !matches!(piece.role(), Role::Pawn | Role::King);
                let piece = pick(board, random, is_piece)?;
                relocate(board, random, piece, |_, _| true)
            }
            Alteration::RemovePieces => {
                for color in Color::ALL {
                    let is_removable =
                        |piece: Piece| piece.color() == color && piece.role() != Role::King;
                    board[pick(board, random, is_removable)?.index()] = None;
                }
                Some(())
            }
        }
    }
}

/// The position after one to three alterations, without castling rights; `None` if it is not legal,
/// the side to move is in check or the game is over in it.
pub fn alter(position: &Position, random: &mut ChaCha8Rng) -> Option<Position> {
    let board = position.to_setup().board;
    let mut altered = Setup { board, turn: position.turn(), ..Setup::EMPTY };
    for _ in 0..random.random_range(1..=MOST_ALTERATIONS) {
        let alteration = Alteration::ALL[random.random_range(0..Alteration::ALL.len())];
        alteration.apply(&mut altered.board, random)?;
    }
    altered.validate().ok().filter(|position| !position.in_check() && can_go_on(position))
}

/// Whether the game goes on: no stalemate, and no lack of mating material.
fn can_go_on(position: &Position) -> bool {
    Game::new(position.clone()).outcome() == Outcome::Ongoing
}

/// The square of a random piece of this kind.
fn pick(
    board: &[Option<Piece>; 64],
    random: &mut ChaCha8Rng,
    is_kind: impl Fn(Piece) -> bool,
) -> Option<Square> {
    Square::all().filter(|square| board[square.index()].is_some_and(&is_kind)).choose(random)
}

/// Puts the piece on a random empty square of those that `may_enter` accepts.
fn relocate(
    board: &mut [Option<Piece>; 64],
    random: &mut ChaCha8Rng,
    from: Square,
    may_enter: impl Fn(&[Option<Piece>; 64], Square) -> bool,
) -> Option<()> {
    let to = Square::all()
        .filter(|to| board[to.index()].is_none() && may_enter(board, *to))
        .choose(random)?;
    board[to.index()] = board[from.index()].take();
    Some(())
}

fn can_advance(board: &[Option<Piece>; 64], from: Square, to: Square) -> bool {
    let Some(pawn) = board[from.index()] else { return false };
    let rank = |square: Square| square.rank().relative_to(pawn.color());
    from.file() == to.file()
        && rank(to) > rank(from)
        && (Rank::Fifth..=Rank::Seventh).contains(&rank(to))
}

fn distance(a: Square, b: Square) -> u8 {
    (a.file() as u8).abs_diff(b.file() as u8).max((a.rank() as u8).abs_diff(b.rank() as u8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    /// The boards after many tries of an alteration.
    fn altered(fen: &str, alteration: Alteration) -> Vec<[Option<Piece>; 64]> {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let board = Position::from_fen(fen).unwrap().to_setup().board;
        let try_once = |_| {
            let mut board = board;
            alteration.apply(&mut board, &mut random).map(|()| board)
        };
        (0..200).filter_map(try_once).collect()
    }

    /// The piece placements that an alteration makes, sorted.
    fn placements(fen: &str, alteration: Alteration) -> Vec<String> {
        let setups = altered(fen, alteration).into_iter();
        let mut all: Vec<String> =
            setups.map(|board| Setup { board, ..Setup::EMPTY }.board_fen()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    #[test]
    fn a_pawn_advances_to_an_empty_square_from_its_fifth_to_its_seventh_rank() {
        let fen = "4k3/8/8/n7/8/8/P7/4K3 w - - 0 1";
        assert_eq!(
            placements(fen, Alteration::AdvancePawn),
            ["4k3/8/P7/n7/8/8/8/4K3", "4k3/P7/8/n7/8/8/8/4K3"]
        );
        let fen = "4k3/8/8/8/8/p7/8/4K3 w - - 0 1";
        assert_eq!(placements(fen, Alteration::AdvancePawn), ["4k3/8/8/8/8/8/p7/4K3"]);
        let fen = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1";
        assert!(placements(fen, Alteration::AdvancePawn).is_empty());
    }

    #[test]
    fn a_king_moves_two_squares_at_most() {
        let all = placements("8/8/8/8/8/8/8/k6K w - - 0 1", Alteration::MoveKing);
        assert_eq!(all.len(), 16, "{all:?}");
        assert!(all.contains(&"8/8/8/8/8/2k5/8/7K".to_owned()), "{all:?}");
        assert!(all.contains(&"8/8/8/8/8/8/8/k4K2".to_owned()), "{all:?}");
    }

    #[test]
    fn a_piece_moves_to_any_empty_square() {
        let all = placements("k7/p7/8/8/8/8/8/K6N w - - 0 1", Alteration::MovePiece);
        assert!(all.len() > 50, "{all:?}");
        assert!(all.iter().all(|board| board.contains('N') && board.starts_with('k')), "{all:?}");
    }

    #[test]
    fn each_side_loses_a_piece_other_than_its_king() {
        let fen = "k6r/p7/8/8/8/8/8/K6N w - - 0 1";
        assert_eq!(
            placements(fen, Alteration::RemovePieces),
            ["k6r/8/8/8/8/8/8/K7", "k7/p7/8/8/8/8/8/K7"]
        );
        assert!(placements("k7/p7/8/8/8/8/8/K7 w - - 0 1", Alteration::RemovePieces).is_empty());
    }

    #[test]
    fn a_game_that_is_over_after_the_alteration_is_left_out() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let pawn_ending = Position::from_fen("4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1").unwrap();
        let all: Vec<Position> =
            (0..500).filter_map(|_| alter(&pawn_ending, &mut random)).collect();
        assert!(!all.is_empty());
        assert!(all.iter().all(|position| position.fen().to_ascii_lowercase().contains('p')));
    }

    #[test]
    fn an_altered_position_is_legal_and_not_in_check() {
        let mut random = ChaCha8Rng::seed_from_u64(2);
        let start = Position::from_fen("r3k2r/pppq1ppp/2n5/8/8/2N5/PPPQ1PPP/R3K2R w KQkq - 0 1");
        let start = start.unwrap();
        let all: Vec<Position> = (0..500).filter_map(|_| alter(&start, &mut random)).collect();
        assert!(all.len() > 300, "{} of 500", all.len());
        assert!(all.iter().all(|position| !position.in_check() && *position != start));
        assert!(all.iter().all(|position| position.fen().contains(" w - - 0 1")));
    }
}
