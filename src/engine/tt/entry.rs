//! An entry of the transposition table, and how it lies in 64 bits.

use super::score::Value;
use crate::chess::Move;

/// What a stored value says about the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Bound {
    /// Nothing: the entry has only a move.
    None,
    /// The true value is at most this.
    Upper,
    /// The true value is at least this.
    Lower,
    /// The value itself.
    Exact,
}

impl Bound {
    pub(super) const fn from_bits(bits: u64) -> Bound {
        match bits & 3 {
            0 => Bound::None,
            1 => Bound::Upper,
            2 => Bound::Lower,
            _ => Bound::Exact,
        }
    }

    /// `true` when a value with this bound decides a search with a zero window at `beta`.
    #[inline]
    pub(super) const fn allows_cutoff(self, value: Value, beta: Value) -> bool {
        match self {
            Bound::None => false,
            Bound::Exact => true,
            Bound::Lower => value >= beta,
            Bound::Upper => value < beta,
        }
    }
}

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TtEntry {
    /// The best move, or the null move. Ask for its legality before it is played.
    pub(super) mv: Move,
    /// The value, mates counted from the node.
    pub(super) value: Value,
    /// The static evaluation, `None` in check.
    pub(super) raw_eval: Option<Value>,
    /// The depth that the value was searched to, in plies; 0 from quiescence.
    pub(super) depth: u8,
    /// What the value says.
    pub(super) bound: Bound,
    /// The node was on a principal variation.
    pub(super) is_pv: bool,
    /// The value leans on the path to the position. Not kept with the entry: it is filed under a
    /// key of its search's own.
    pub(super) path_dependent: bool,
}

const NO_EVAL: i16 = i16::MIN;

impl TtEntry {
    /// A move, if any, and a static evaluation, and no more.
    pub(super) const fn without_value(mv: Move, raw_eval: Option<Value>, is_pv: bool) -> TtEntry {
        TtEntry {
            mv,
            value: 0,
            raw_eval,
            depth: 0,
            bound: Bound::None,
            is_pv,
            path_dependent: false,
        }
    }

    /// Bits 0–15 move, 16–31 value, 32–47 evaluation, 48–55 depth, 56–57 bound, 58 principal
    /// variation, 59–63 generation.
    pub(super) const fn pack(self, generation: u8) -> u64 {
        let raw_eval = match self.raw_eval {
            Some(value) => value as i16,
            None => NO_EVAL,
        };
        self.mv.code() as u64
            | (self.value as i16 as u16 as u64) << 16
            | (raw_eval as u16 as u64) << 32
            | (self.depth as u64) << 48
            | (self.bound as u64) << 56
            | (self.is_pv as u64) << 58
            | (generation as u64) << 59
    }

    /// What [`Entry::pack`] made.
    pub(super) const fn unpack(data: u64) -> TtEntry {
        let raw_eval = (data >> 32) as u16 as i16;
        TtEntry {
            mv: Move::from_code(data as u16),
            value: (data >> 16) as u16 as i16 as Value,
            raw_eval: if raw_eval == NO_EVAL { None } else { Some(raw_eval as Value) },
            depth: (data >> 48) as u8,
            bound: Bound::from_bits(data >> 56),
            is_pv: data >> 58 & 1 != 0,
            path_dependent: false,
        }
    }
}

/// The generation of packed data.
pub(super) const fn generation_of(data: u64) -> usize {
    (data >> 59) as usize
}

/// The depth of packed data, in plies.
pub(super) const fn depth_of(data: u64) -> i32 {
    (data >> 48) as u8 as i32
}

/// Packed data with another move.
pub(super) const fn with_move(data: u64, mv: Move) -> u64 {
    data & !0xffff | mv.code() as u64
}
