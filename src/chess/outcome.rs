//! Outcomes of a game, and the draws that a player may claim.

use super::{Bitboard, Color, Position, Role};

/// The state of a game: ongoing, won or drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The game goes on.
    Ongoing,
    /// The king is in check and no move is legal.
    Checkmate {
        /// The player who has given mate.
        winner: Color,
    },
    /// No move is legal, and the king is not in check.
    Stalemate,
    /// A draw that needs no claim.
    Draw(DrawReason),
}

/// The reason of a draw that needs no claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DrawReason {
    /// The position occurred for the fifth time.
    FivefoldRepetition,
    /// Each side has made 75 moves without a capture or pawn move.
    SeventyFiveMoves,
    /// The material allows no sequence of legal moves that ends in mate.
    DeadPosition,
}

/// A draw that the player to move may claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DrawClaim {
    /// The position occurred for the third time.
    ThreefoldRepetition,
    /// Each side has made 50 moves without a capture or pawn move.
    FiftyMoves,
}

impl Outcome {
    /// The status in the HTTP contract.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Ongoing => "ongoing",
            Outcome::Checkmate { .. } => "checkmate",
            Outcome::Stalemate => "stalemate",
            Outcome::Draw(_) => "draw",
        }
    }

    /// `true` when the game is over.
    pub const fn is_over(self) -> bool {
        !matches!(self, Outcome::Ongoing)
    }

    /// The winner, if there is one.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Outcome::Checkmate { winner } => Some(winner),
            _ => None,
        }
    }

    /// The reason of a draw; `None` for stalemate.
    pub const fn draw_reason(self) -> Option<DrawReason> {
        match self {
            Outcome::Draw(reason) => Some(reason),
            _ => None,
        }
    }
}

impl DrawReason {
    /// The name in the HTTP contract.
    pub const fn name(self) -> &'static str {
        match self {
            DrawReason::FivefoldRepetition => "fivefold_repetition",
            DrawReason::SeventyFiveMoves => "seventy_five_moves",
            DrawReason::DeadPosition => "dead_position",
        }
    }
}

impl DrawClaim {
    /// The name in the HTTP contract.
    pub const fn name(self) -> &'static str {
        match self {
            DrawClaim::ThreefoldRepetition => "threefold_repetition",
            DrawClaim::FiftyMoves => "fifty_moves",
        }
    }
}

/// `true` when the material allows neither side to mate: bare kings, one additional minor piece, or
/// any number of bishops that are all on squares of one colour.
///
/// FIDE Laws of Chess, article 5.2.2, limited to what the material alone decides.
pub fn is_dead_position(position: &Position) -> bool {
    let kings = position.by_role(Role::King);
    let others = position.occupied().without(kings);
    if !others.more_than_one() {
        return others
            .without(position.by_role(Role::Knight) | position.by_role(Role::Bishop))
            .is_empty();
    }
    let bishops = position.by_role(Role::Bishop);
    let on_one_colour = !bishops.intersects(Bitboard::DARK_SQUARES)
        || bishops.without(Bitboard::DARK_SQUARES).is_empty();
    others == bishops && on_one_colour
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_dead(fen: &str) -> bool {
        is_dead_position(&Position::from_fen(fen).unwrap())
    }

    #[test]
    fn bare_kings_with_at_most_one_minor_piece_are_dead() {
        assert!(is_dead("4k3/8/8/8/8/8/8/4K3 w - - 0 1"));
        assert!(is_dead("4k3/8/8/8/8/8/8/4KN2 w - - 0 1"));
        assert!(is_dead("4kb2/8/8/8/8/8/8/4K3 w - - 0 1"));
    }

    #[test]
    fn a_position_with_a_pawn_rook_or_queen_is_not_dead() {
        for piece in ["P", "R", "Q"] {
            assert!(!is_dead(&format!("4k3/8/8/8/8/{piece}7/8/4K3 w - - 0 1")), "{piece}");
        }
    }

    #[test]
    fn any_number_of_bishops_on_one_colour_is_dead() {
        assert!(is_dead("b1b1k3/1b6/8/8/8/8/2B3B1/4K3 w - - 0 1"), "all on light squares");
        assert!(!is_dead("b3k3/8/8/8/8/8/8/4K1B1 w - - 0 1"), "a8 is light and g1 dark");
    }

    #[test]
    fn two_knights_are_not_dead() {
        assert!(!is_dead("4k3/8/8/8/8/8/8/3NKN2 w - - 0 1"));
        assert!(!is_dead("4kn2/8/8/8/8/8/8/4KB2 w - - 0 1"));
    }
}
