//! A cuckoo hash table of reversible moves, indexed by the key difference of two positions.
//!
//! Marcel van Kervinck's detection of upcoming repetitions, as in Stockfish (Chess Programming
//! Wiki, "Repetitions"). Every move of a knight, bishop, rook, queen or king on an empty board is
//! in one of two slots of a cuckoo hash table (Pagh, Rodler 2001).

use std::sync::LazyLock;

use crate::chess::{Color, Piece, Role, Square, zobrist};

/// The number of slots: a power of two, more than twice the 3,668 moves.
const SIZE: usize = 8192;

/// A reversible move, in either direction, and the change of the key that it causes.
#[derive(Clone, Copy)]
struct CuckooEntry {
    key: u64,
    squares: (Square, Square),
}

const EMPTY: CuckooEntry = CuckooEntry { key: 0, squares: (Square::A1, Square::A1) };

/// The table of all reversible moves.
pub(super) struct CuckooTable(Box<[CuckooEntry; SIZE]>);

static CUCKOO: LazyLock<CuckooTable> = LazyLock::new(CuckooTable::build);

impl CuckooTable {
    /// The table that all searches share.
    pub(super) fn shared() -> &'static CuckooTable {
        &CUCKOO
    }

    /// The two squares of the move that changes the key, including the side to move, by
    /// `difference`.
    #[inline]
    pub(super) fn find(&self, difference: u64) -> Option<(Square, Square)> {
        [hash1(difference), hash2(difference)]
            .into_iter()
            .map(|index| &self.0[index])
            .find(|entry| entry.key == difference)
            .map(|entry| entry.squares)
    }

    fn build() -> CuckooTable {
        let mut table = CuckooTable(Box::new([EMPTY; SIZE]));
        for color in Color::ALL {
            for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King] {
                let piece = Piece::new(color, role);
                for a in Square::all() {
                    for b in Square::all()
                        .filter(|b| b.index() > a.index() && is_reversible_move(role, a, *b))
                    {
                        let key = zobrist::piece(piece, a)
                            ^ zobrist::piece(piece, b)
                            ^ zobrist::BLACK_TO_MOVE;
                        table.insert(CuckooEntry { key, squares: (a, b) });
                    }
                }
            }
        }
        table
    }

    /// Inserts a move, and moves each entry that it displaces to its other slot.
    fn insert(&mut self, mut entry: CuckooEntry) {
        let mut index = hash1(entry.key);
        loop {
            std::mem::swap(&mut self.0[index], &mut entry);
            if entry.key == 0 {
                return;
            }
            index ^= hash1(entry.key) ^ hash2(entry.key);
        }
    }
}

#[inline]
fn hash1(key: u64) -> usize {
    (key % SIZE as u64) as usize
}

#[inline]
fn hash2(key: u64) -> usize {
    ((key >> 16) % SIZE as u64) as usize
}

/// `true` when a piece of this role moves from one square to the other on an empty board.
fn is_reversible_move(role: Role, a: Square, b: Square) -> bool {
    let files = (a.file() as i32 - b.file() as i32).abs();
    let ranks = (a.rank() as i32 - b.rank() as i32).abs();
    let (diagonal, straight) = (files == ranks, files == 0 || ranks == 0);
    match role {
        Role::Pawn => false,
        Role::Knight => files * ranks == 2,
        Role::Bishop => diagonal,
        Role::Rook => straight,
        Role::Queen => diagonal || straight,
        Role::King => files.max(ranks) == 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Position, parse_move};

    #[test]
    fn every_reversible_move_is_found_by_its_key() {
        assert_eq!(CuckooTable::shared().0.iter().filter(|entry| entry.key != 0).count(), 3_668);
        let position = Position::from_fen("4k3/8/2n5/8/8/8/3Q4/4K3 w - - 0 1").unwrap();
        for text in ["d2d7", "d2a5", "e1f1"] {
            let mv = parse_move(&position, text).unwrap();
            let squares =
                CuckooTable::shared().find(position.key() ^ position.after(mv).key()).unwrap();
            assert!(squares == (mv.from(), mv.to()) || squares == (mv.to(), mv.from()), "{text}");
        }
        assert_eq!(CuckooTable::shared().find(0x1234_5678_9abc_def0), None);
    }
}
