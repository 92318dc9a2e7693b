//! An entry of the transposition table and its packing into 64 bits.

use crate::chess::Move;
use crate::engine::score::Value;

/// The relation of a stored value to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(in crate::engine) enum Bound {
    /// No relation: the entry has no value.
    None,
    /// The true value is at most the stored one.
    Upper,
    /// The true value is at least the stored one.
    Lower,
    /// The stored value is the true one.
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

    /// `true` when a value with this bound decides a zero-window search at `beta`.
    #[inline]
    pub(in crate::engine) const fn allows_cutoff(self, value: Value, beta: Value) -> bool {
        match self {
            Bound::None => false,
            Bound::Exact => true,
            Bound::Lower => value >= beta,
            Bound::Upper => value < beta,
        }
    }
}

/// The table's data about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) struct TtEntry {
    /// The best move, or the null move. Its legality must be checked before it is played.
    pub(in crate::engine) mv: Move,
    /// The value, with mates counted from the node.
    pub(in crate::engine) value: Value,
    /// The uncorrected static evaluation; `None` in check.
    pub(in crate::engine) raw_eval: Option<Value>,
    /// The depth of the search that found the value, in plies; 0 for quiescence.
    pub(in crate::engine) depth: u8,
    /// The relation of the value to the true one.
    pub(in crate::engine) bound: Bound,
    /// The node was on a principal variation.
    pub(in crate::engine) is_pv: bool,
    /// The value depends on the path to the position. Not part of the packed entry: such an entry
    /// is stored under a key that only its own search knows.
    pub(in crate::engine) path_dependent: bool,
}

/// The packed evaluation that means `None`.
const NO_EVAL: i16 = i16::MIN;

impl TtEntry {
    /// An entry with a move (or the null move) and a static evaluation, but no value.
    pub(in crate::engine) const fn without_value(
        mv: Move,
        raw_eval: Option<Value>,
        is_pv: bool,
    ) -> TtEntry {
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

    /// Packs the entry: bits 0–15 move, 16–31 value, 32–47 evaluation, 48–55 depth, 56–57 bound, 58
    /// principal variation, 59–63 generation.
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

    /// Unpacks what [`TtEntry::pack`] packed.
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
