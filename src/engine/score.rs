//! Scores as the outside sees them.

/// What a search thinks of a position, from the side to move's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Centipawns.
    Cp(i32),
    /// Mate in so many moves; negative when the side to move is mated, 0 when it is checkmated already.
    Mate(i32),
}
