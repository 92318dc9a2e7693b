//! The key under which the transposition table stores a position.

use crate::chess::{Position, splitmix};

/// A half-move clock up to this value changes no key. Above it, the key includes the half-move
/// clock, because the clock scales the static evaluation.
pub(in crate::engine) const LOW_HALFMOVE_CLOCK: u16 = 20;

/// The number of consecutive half-move clocks that share a key.
const CLOCK_STEP: u16 = 8;

/// The transposition table key of a position.
///
/// Above [`LOW_HALFMOVE_CLOCK`] the key includes the half-move clock, because the clock scales the
/// static evaluation: see `corrected_static_eval`. (After Stockfish.)
#[inline]
pub(in crate::engine) fn tt_key(position: &Position) -> u64 {
    let beyond = position.halfmove_clock().saturating_sub(LOW_HALFMOVE_CLOCK);
    // The number of step 0 is 0.
    position.key() ^ splitmix::nth(0, u64::from(beyond.div_ceil(CLOCK_STEP)))
}
