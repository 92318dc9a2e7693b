//! A line of moves from a seed to one of its relatives.

use kibitzer::chess::Move;

/// The length of the longest line. The number of plies fits into half a byte.
pub const MAX_PLIES: usize = 15;

/// The moves from a seed to a relative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    moves: [Move; MAX_PLIES],
    plies: u8,
}

impl Line {
    /// The line to the seed itself.
    pub const EMPTY: Line = Line { moves: [Move::NULL; MAX_PLIES], plies: 0 };

    /// Appends a move. A full line drops it.
    pub fn push(&mut self, mv: Move) {
        if let Some(slot) = self.moves.get_mut(usize::from(self.plies)) {
            *slot = mv;
            self.plies += 1;
        }
    }

    /// Whether no further move fits.
    #[must_use]
    pub fn is_full(&self) -> bool {
        usize::from(self.plies) == MAX_PLIES
    }

    /// The moves in order.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves[..usize::from(self.plies).min(MAX_PLIES)]
    }

    /// The number of moves that both lines begin with.
    #[must_use]
    pub fn common_plies(&self, other: &Line) -> usize {
        self.moves().iter().zip(other.moves()).take_while(|(one, two)| one == two).count()
    }
}
