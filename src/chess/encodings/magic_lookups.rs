//! The lookups of slider attacks in magic bitboards: the view `magics`.

use super::bitboards::BitOrder;
use crate::chess::magics::{bishop_magic, rook_magic};
use crate::chess::{Bitboard, Position, Role, Square, attacks};

/// A lookup of the squares that a slider attacks along its diagonals, or along its rank and file.
///
/// Chess Programming Wiki, "Magic Bitboards". With a1 as bit 0 of `relevant` and of the occupied
/// squares:
///
/// ```text
/// index = ((occupied & relevant) * magic modulo 2⁶⁴) >> shift
/// ```
///
/// The move generator looks the attacks up at `index` in the square's own part of its table. The
/// factors may change between versions: any factor serves that gives different indices to
/// occupancies with different attacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MagicLookup {
    /// The square of the slider.
    pub square: Square,
    /// The lines: [`Role::Bishop`] for the diagonals, [`Role::Rook`] for the rank and the file.
    pub role: Role,
    /// The squares whose occupancy matters: those of the lines, without the last square of each
    /// direction and without the slider's own square.
    pub relevant: Bitboard,
    /// The factor.
    pub magic: u64,
    /// 64 less the number of relevant squares.
    pub shift: u32,
    /// The index in the square's part of the table.
    pub index: usize,
    /// The attacked squares, up to and including the first occupied square of each direction. The
    /// colour of its piece does not matter.
    pub attacks: Bitboard,
}

/// The lookups for all sliders of a position, by rising square. A queen has two: as a bishop, then
/// as a rook.
pub fn magic_lookups(position: &Position) -> Vec<MagicLookup> {
    let (diagonal, orthogonal) = (position.diagonal_sliders(), position.orthogonal_sliders());
    let lookups_of = |square| {
        let lines = [(Role::Bishop, diagonal), (Role::Rook, orthogonal)];
        let own_lines = lines.into_iter().filter(move |(_, sliders)| sliders.contains(square));
        own_lines.map(move |(role, _)| MagicLookup::new(square, role, position.occupied()))
    };
    (diagonal | orthogonal).flat_map(lookups_of).collect()
}

impl MagicLookup {
    fn new(square: Square, role: Role, occupied: Bitboard) -> MagicLookup {
        let (magic, attacks) = match role {
            Role::Bishop => (bishop_magic(square), attacks::bishop_attacks(square, occupied)),
            _ => (rook_magic(square), attacks::rook_attacks(square, occupied)),
        };
        MagicLookup {
            square,
            role,
            relevant: Bitboard(magic.mask),
            magic: magic.factor,
            shift: magic.shift,
            index: magic.index_in_part(occupied.0),
            attacks,
        }
    }

    /// The lookup with its bitboards in another bit order. The numbers stay the same.
    pub fn with_bit_order(mut self, order: BitOrder) -> MagicLookup {
        order.arrange_all([&mut self.relevant, &mut self.attacks]);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queen_has_the_lines_of_a_bishop_and_of_a_rook() {
        let b2: Square = "b2".parse().unwrap();
        let position = Position::from_fen("4k3/8/8/8/8/2P5/1Q6/4K3 w - - 0 1").unwrap();
        let [bishop, rook] = magic_lookups(&position)[..] else { panic!("two lookups") };
        assert_eq!((bishop.square, bishop.role), (b2, Role::Bishop));
        assert_eq!((rook.square, rook.role), (b2, Role::Rook));
        let set = |squares: &str| -> Bitboard {
            squares.split_whitespace().map(|square| square.parse::<Square>().unwrap()).collect()
        };
        assert_eq!(bishop.relevant, set("c3 d4 e5 f6 g7"));
        assert_eq!(rook.relevant, set("b3 b4 b5 b6 b7 c2 d2 e2 f2 g2"));
        assert_eq!((bishop.shift, rook.shift), (59, 54));
        assert_eq!(bishop.attacks, set("a1 a3 c1 c3"));
        assert_eq!(bishop.attacks | rook.attacks, attacks::queen_attacks(b2, position.occupied()));
    }

    #[test]
    fn an_index_is_within_the_part_of_its_square() {
        let position = Position::startpos();
        for lookup in magic_lookups(&position) {
            assert!(lookup.index < 1 << lookup.relevant.count(), "{lookup:?}");
        }
        assert_eq!(magic_lookups(&position).len(), 12);
    }
}
