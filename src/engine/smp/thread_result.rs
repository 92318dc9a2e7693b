//! The result of one search thread.

use crate::engine::pv::PvLine;

/// The result of a thread's iterative deepening.
#[derive(Clone, Default)]
pub(in crate::engine) struct ThreadResult {
    /// The best verified lines, best first. Empty when the budget ended before the first line.
    pub(in crate::engine) lines: Vec<PvLine>,
    /// The last completed depth.
    pub(in crate::engine) depth: u8,
    /// The deepest ply reached.
    pub(in crate::engine) seldepth: usize,
    /// The game history or the 50-move rule influenced the search.
    pub(in crate::engine) depends_on_game_history: bool,
}
