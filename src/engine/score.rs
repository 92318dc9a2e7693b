//! Scores: the reported score, the raw score, and the value inside the search.

/// The reported score of a position, from the side to move's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Normalized centipawns (+100 = 50 % win probability): see [`WdlModel`](super::WdlModel).
    Cp(i32),
    /// Mate in this many moves. Negative when the side to move is mated; 0 when it is checkmated
    /// already.
    Mate(i32),
}

impl Score {
    /// The same score from the other side's view.
    pub const fn flip(self) -> Score {
        match self {
            Score::Cp(value) => Score::Cp(-value),
            Score::Mate(moves) => Score::Mate(-moves),
        }
    }
}

/// The score in the unit of the evaluation network, which does not depend on the material. Networks
/// are trained on it and self-play games record it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawScore {
    /// Raw centipawns.
    Cp(i32),
    /// Mate in this many moves, as in [`Score::Mate`].
    Mate(i32),
}

impl RawScore {
    /// Converts a value of the search.
    pub(super) const fn from_value(value: Value) -> RawScore {
        match plies_to_mate(value) {
            None => match tablebase_centipawns(value) {
                Some(centipawns) => RawScore::Cp(centipawns),
                None => RawScore::Cp(value * 100 / UNITS_PER_PAWN),
            },
            Some(plies) if value > 0 => RawScore::Mate((plies + 1) / 2),
            Some(plies) => RawScore::Mate(-((plies + 1) / 2)),
        }
    }
}

/// The value of 100 raw centipawns.
pub(super) const UNITS_PER_PAWN: Value = 361;

/// A score inside the search, from the side to move's view. It is in units of the search (see
/// [`UNITS_PER_PAWN`]), or near ±[`MATE`] a mate, counted in plies from the root. Chess Programming
/// Wiki, "Score".
pub(super) type Value = i32;

/// The deepest ply of the search.
pub(super) const MAX_PLY: usize = 240;

/// The value of checkmate at ply 0, for the side that gave it.
pub(super) const MATE: Value = 32_000;

/// The least value that means mate.
pub(super) const MATE_IN_MAX_PLY: Value = MATE - MAX_PLY as Value - 1;

/// The value of a win by tablebase at ply 0. Near ±[`TB_WIN`] a value means such a win, counted in
/// plies from the root to the probed position.
pub(super) const TB_WIN: Value = MATE_IN_MAX_PLY - 1;

/// The least value that means a win by tablebase.
pub(super) const TB_WIN_IN_MAX_PLY: Value = TB_WIN - MAX_PLY as Value - 1;

/// The reported centipawns of a win by tablebase on the board.
pub(super) const TB_WIN_CENTIPAWNS: i32 = 20_000;

/// A bound above every value.
pub(super) const INFINITE: Value = MATE + 1;

/// The largest magnitude of a static evaluation.
pub(super) const MAX_STATIC_EVAL: Value = 20_000;

/// The least evaluation of material that mates a bare king.
pub(super) const KNOWN_WIN: Value = 10_000;

/// The value of a position in which the side to move is checkmated at `ply`.
#[inline]
pub(super) const fn mated_in(ply: usize) -> Value {
    ply as Value - MATE
}

/// The value of a position in which the side to move gives checkmate, reached at `ply`.
#[inline]
pub(super) const fn mate_in(ply: usize) -> Value {
    MATE - ply as Value
}

/// The value of a position that the side to move wins by tablebase, reached at `ply`.
#[inline]
pub(super) const fn tb_win_at(ply: usize) -> Value {
    TB_WIN - ply as Value
}

/// `true` for a mate or a win by tablebase, by either side.
#[inline]
pub(super) const fn is_decisive(value: Value) -> bool {
    value.abs() >= TB_WIN_IN_MAX_PLY
}

/// `true` for a win by tablebase that is no mate, by either side.
#[inline]
pub(super) const fn is_tablebase_win(value: Value) -> bool {
    is_decisive(value) && !is_mate(value)
}

/// The reported centipawns of a win or loss by tablebase: 20,000 less the plies to it. `None` for
/// every other value.
pub(super) const fn tablebase_centipawns(value: Value) -> Option<i32> {
    if !is_tablebase_win(value) {
        return None;
    }
    Some(value.signum() * (TB_WIN_CENTIPAWNS - (TB_WIN - value.abs())))
}

/// `true` for a mate by either side.
#[inline]
pub(super) const fn is_mate(value: Value) -> bool {
    value.abs() >= MATE_IN_MAX_PLY
}

/// The number of plies from the root to the checkmate; `None` when the value is no mate.
#[inline]
pub(super) const fn plies_to_mate(value: Value) -> Option<i32> {
    if is_mate(value) { Some(MATE - value.abs()) } else { None }
}

/// The value for the transposition table: a mate or a win by tablebase is counted from the node
/// instead of the root.
#[inline]
pub(super) const fn value_to_tt(value: Value, ply: usize) -> Value {
    if value >= TB_WIN_IN_MAX_PLY {
        value + ply as Value
    } else if value <= -TB_WIN_IN_MAX_PLY {
        value - ply as Value
    } else {
        value
    }
}

/// The value of a transposition table entry, with a mate or a win by tablebase counted from the
/// root again.
///
/// `None` when the half-move clock ends the game before, so the value does not hold here. Checkmate
/// on the hundredth ply still counts.
#[inline]
pub(super) const fn value_from_tt(value: Value, ply: usize, halfmove_clock: u16) -> Option<Value> {
    if !is_decisive(value) {
        return Some(value);
    }
    let distance = (if value.abs() > TB_WIN { MATE } else { TB_WIN }) - value.abs();
    if distance + halfmove_clock as Value > 100 {
        return None;
    }
    Some(if value > 0 { value - ply as Value } else { value + ply as Value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_reported_in_moves() {
        assert_eq!(RawScore::from_value(mate_in(1)), RawScore::Mate(1));
        assert_eq!(RawScore::from_value(mate_in(3)), RawScore::Mate(2));
        assert_eq!(RawScore::from_value(mated_in(2)), RawScore::Mate(-1));
        assert_eq!(RawScore::from_value(mated_in(4)), RawScore::Mate(-2));
        assert_eq!(RawScore::from_value(mated_in(0)), RawScore::Mate(0));
        assert_eq!(RawScore::from_value(-2 * UNITS_PER_PAWN), RawScore::Cp(-200));
    }

    #[test]
    fn tt_mate_values_are_relative_to_the_node() {
        // Found at ply 4, with checkmate at ply 9: five plies from the position, at whatever ply it
        // occurs again.
        let stored = value_to_tt(mate_in(9), 4);
        assert_eq!(stored, mate_in(5));
        assert_eq!(value_from_tt(stored, 6, 0), Some(mate_in(11)));
        let stored = value_to_tt(mated_in(8), 2);
        assert_eq!(value_from_tt(stored, 1, 0), Some(mated_in(7)));
        assert_eq!(value_from_tt(123, 40, 99), Some(123));
    }

    #[test]
    fn a_tt_mate_beyond_the_fifty_move_limit_is_rejected() {
        let stored = value_to_tt(mate_in(5), 0);
        assert_eq!(
            value_from_tt(stored, 0, 95),
            Some(mate_in(5)),
            "checkmate on the hundredth ply takes precedence over the draw"
        );
        assert_eq!(value_from_tt(stored, 0, 96), None);
        assert_eq!(value_from_tt(-stored, 0, 96), None);
    }
}
