//! Scores: as the outside sees them, and as the search counts them.

/// What a search thinks of a position, from the side to move's view, as it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Centipawns, of which 100 win half of the games: see [`WinModel`](super::WinModel).
    Cp(i32),
    /// Mate in so many moves; negative when the side to move is mated, 0 when it is checkmated
    /// already.
    Mate(i32),
}

impl Score {
    /// The same from the other side's view.
    pub const fn of_the_other_side(self) -> Score {
        match self {
            Score::Cp(value) => Score::Cp(-value),
            Score::Mate(moves) => Score::Mate(-moves),
        }
    }
}

/// The same in the unit of the evaluation network, which does not depend on what is on the board:
/// what networks learn from and self-play games keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinearScore {
    /// Linear centipawns.
    Cp(i32),
    /// As of a [`Score`].
    Mate(i32),
}

impl LinearScore {
    /// A value of the search.
    pub(super) const fn from_value(value: Value) -> LinearScore {
        match plies_to_mate(value) {
            None => LinearScore::Cp(value * 100 / PAWN),
            Some(plies) if value > 0 => LinearScore::Mate((plies + 1) / 2),
            Some(plies) => LinearScore::Mate(-((plies + 1) / 2)),
        }
    }
}

/// The value of 100 linear centipawns.
pub(super) const PAWN: Value = 361;

/// A score inside the search: in its own units (see [`PAWN`]) from the side to move's view, or near
/// ±[`MATE`] a mate, counted in plies from the root. Chess Programming Wiki, "Score".
pub(super) type Value = i32;

/// The deepest ply that the search looks at.
pub(super) const MAX_PLY: usize = 240;

/// The value of a position that is checkmate at ply 0, for the side that gave it.
pub(super) const MATE: Value = 32_000;

/// From here on a value means mate.
pub(super) const MATE_FLOOR: Value = MATE - MAX_PLY as Value - 1;

/// Above every value.
pub(super) const INFINITE: Value = MATE + 1;

/// No static evaluation goes beyond this.
pub(super) const EVALUATION_LIMIT: Value = 20_000;

/// The value of being checkmated at `ply`.
#[inline]
pub(super) const fn mated_at(ply: usize) -> Value {
    ply as Value - MATE
}

/// The value of giving checkmate that stands on the board at `ply`.
#[inline]
pub(super) const fn mate_at(ply: usize) -> Value {
    MATE - ply as Value
}

/// `true` for a mate by either side.
#[inline]
pub(super) const fn is_mate(value: Value) -> bool {
    value.abs() >= MATE_FLOOR
}

/// How many plies from the root the mate stands on the board; `None` when the value is no mate.
#[inline]
pub(super) const fn plies_to_mate(value: Value) -> Option<i32> {
    if is_mate(value) { Some(MATE - value.abs()) } else { None }
}

/// The value as the shared table keeps it: a mate counted from the node instead of the root.
#[inline]
pub(super) const fn to_table(value: Value, ply: usize) -> Value {
    if value >= MATE_FLOOR {
        value + ply as Value
    } else if value <= -MATE_FLOOR {
        value - ply as Value
    } else {
        value
    }
}

/// The value of a table entry, a mate counted from the root again.
///
/// `None` when the mate lies further from the node than the half-move clock allows: then the entry
/// says nothing here. Checkmate on the hundredth ply still counts.
#[inline]
pub(super) const fn from_table(value: Value, ply: usize, halfmove_clock: u16) -> Option<Value> {
    if !is_mate(value) {
        return Some(value);
    }
    let distance = MATE - value.abs();
    if distance + halfmove_clock as Value > 100 {
        return None;
    }
    Some(if value > 0 { value - ply as Value } else { value + ply as Value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_told_in_moves() {
        assert_eq!(LinearScore::from_value(mate_at(1)), LinearScore::Mate(1));
        assert_eq!(LinearScore::from_value(mate_at(3)), LinearScore::Mate(2));
        assert_eq!(LinearScore::from_value(mated_at(2)), LinearScore::Mate(-1));
        assert_eq!(LinearScore::from_value(mated_at(4)), LinearScore::Mate(-2));
        assert_eq!(LinearScore::from_value(mated_at(0)), LinearScore::Mate(0));
        assert_eq!(LinearScore::from_value(-2 * PAWN), LinearScore::Cp(-200));
    }

    #[test]
    fn a_mate_goes_through_the_table_by_its_distance_from_the_node() {
        // Found at ply 4 with the mate on the board at ply 9: five plies away, wherever the
        // position is met again.
        let kept = to_table(mate_at(9), 4);
        assert_eq!(kept, mate_at(5));
        assert_eq!(from_table(kept, 6, 0), Some(mate_at(11)));
        let kept = to_table(mated_at(8), 2);
        assert_eq!(from_table(kept, 1, 0), Some(mated_at(7)));
        assert_eq!(from_table(123, 40, 99), Some(123));
    }

    #[test]
    fn a_mate_beyond_the_clock_that_is_left_is_not_believed() {
        let kept = to_table(mate_at(5), 0);
        assert_eq!(
            from_table(kept, 0, 95),
            Some(mate_at(5)),
            "checkmate on the hundredth ply comes first"
        );
        assert_eq!(from_table(kept, 0, 96), None);
        assert_eq!(from_table(-kept, 0, 96), None);
    }
}
