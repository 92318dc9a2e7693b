//! Checks and pins: the view `checks`.

use super::bitboards::BitOrder;
use crate::chess::attacks::between;
use crate::chess::{Bitboard, Color, Position, Square};

/// Checks and pins of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// The pieces that give check to the side to move.
    pub checkers: Bitboard,
    /// The squares on which a piece other than the king answers the check: all squares without a
    /// check, no square in double check. The mask does not include the destination of an en passant
    /// capture of a checking pawn.
    pub check_mask: Bitboard,
    /// The pins of White's and Black's pieces.
    pub pins: [Pins; 2],
}

/// The rays from a king to the pinning pieces, by direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pins {
    /// The rays to the north, north-east, east, south-east, south, south-west, west and north-west.
    /// A ray has the squares from next to the king up to and including the pinning piece. It is
    /// empty without a pin.
    pub rays: [Bitboard; 8],
}

/// The steps in files and ranks to the north, north-east, east … north-west.
const DIRECTIONS: [(i8, i8); 8] =
    [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

impl Checks {
    /// The checks and pins of a position, in the order in which a1 is bit 0.
    pub fn from_position(position: &Position) -> Checks {
        Checks {
            checkers: position.checkers(),
            check_mask: check_mask(position),
            pins: Color::ALL.map(|color| Pins::from_position(position, color)),
        }
    }

    /// The pins of a player's pieces.
    pub fn pins_of(&self, color: Color) -> &Pins {
        &self.pins[color as usize]
    }

    /// The checks and pins in another bit order.
    pub fn with_bit_order(mut self, order: BitOrder) -> Checks {
        order.arrange_all([&mut self.checkers, &mut self.check_mask]);
        order.arrange_all(self.pins.iter_mut().flat_map(|pins| &mut pins.rays));
        self
    }
}

fn check_mask(position: &Position) -> Bitboard {
    let checkers = position.checkers();
    match checkers.first() {
        None => Bitboard::ALL,
        Some(_) if checkers.more_than_one() => Bitboard::EMPTY,
        Some(checker) => between(position.king(position.turn()), checker) | checkers,
    }
}

impl Pins {
    fn from_position(position: &Position, color: Color) -> Pins {
        Pins { rays: DIRECTIONS.map(|direction| pin_ray(position, color, direction)) }
    }

    /// The union of the rays, the ninth entry of the view.
    pub fn union(&self) -> Bitboard {
        self.rays.iter().fold(Bitboard::EMPTY, |all, &ray| all | ray)
    }
}

/// The squares from next to the king up to a slider that pins the only piece between them; empty
/// without a pin.
fn pin_ray(position: &Position, color: Color, (file_step, rank_step): (i8, i8)) -> Bitboard {
    let sliders = if file_step == 0 || rank_step == 0 {
        position.orthogonal_sliders()
    } else {
        position.diagonal_sliders()
    };
    let mut ray = Bitboard::EMPTY;
    let mut has_blocker = false;
    let mut square = position.king(color);
    while let Some(next) = step(square, file_step, rank_step) {
        square = next;
        ray |= square.bitboard();
        match position.piece_at(square) {
            None => {}
            Some(piece) if piece.color() == color && !has_blocker => has_blocker = true,
            Some(piece) if piece.color() != color && has_blocker && sliders.contains(square) => {
                return ray;
            }
            Some(_) => break,
        }
    }
    Bitboard::EMPTY
}

fn step(square: Square, file_step: i8, rank_step: i8) -> Option<Square> {
    let file = (square.file() as u8).checked_add_signed(file_step)?;
    let rank = (square.rank() as u8).checked_add_signed(rank_step)?;
    (file < 8 && rank < 8).then(|| Square::from_index(8 * rank + file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checks(fen: &str) -> Checks {
        Checks::from_position(&Position::from_fen(fen).unwrap())
    }

    fn set(squares: &str) -> Bitboard {
        squares.split_whitespace().map(|square| square.parse::<Square>().unwrap()).collect()
    }

    #[test]
    fn a_single_checker_may_be_captured_or_blocked() {
        let checks = checks("4k3/8/8/8/4r3/8/8/4K3 w - - 0 1");
        assert_eq!(checks.checkers, set("e4"));
        assert_eq!(checks.check_mask, set("e2 e3 e4"));
    }

    #[test]
    fn the_check_mask_of_a_double_check_is_empty() {
        assert_eq!(checks("4k3/8/8/8/8/5n2/8/r3K3 w - - 0 1").check_mask, Bitboard::EMPTY);
        assert_eq!(checks("4k3/8/8/8/8/8/8/4K3 w - - 0 1").check_mask, Bitboard::ALL);
    }

    #[test]
    fn a_pin_ray_runs_from_the_king_to_the_pinning_piece() {
        let checks = checks("4k3/8/8/7b/8/5N2/8/r2RK3 w - - 0 1");
        let pins = checks.pins_of(Color::White);
        assert_eq!(
            pins.rays[6],
            set("d1 c1 b1 a1"),
            "the rook on d1 is between the king and the rook on a1"
        );
        assert_eq!(
            pins.rays[1],
            Bitboard::EMPTY,
            "the diagonal of the bishop on h5 misses the king"
        );
        assert_eq!(pins.union(), pins.rays[6]);
    }

    #[test]
    fn two_blockers_or_an_enemy_blocker_are_no_pin() {
        for fen in [
            "4k3/8/8/8/8/8/8/r1NRK3 w - - 0 1",
            "4k3/8/8/8/8/8/8/r2nK3 w - - 0 1",
            "4k3/8/8/8/8/8/8/b2RK3 w - - 0 1",
        ] {
            assert_eq!(checks(fen).pins_of(Color::White).union(), Bitboard::EMPTY, "{fen}");
        }
    }
}
