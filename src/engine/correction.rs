//! How far the static evaluation has been off lately in positions that share a part: its
//! correction.
//!
//! Chess Programming Wiki, "Static Evaluation Correction History" (pawn structure: Caissa; non-pawn
//! pieces of each side, minor pieces, and the last moves: Stockfish, Reckless).

use super::frame::Frames;
use super::history::pull;
use super::keys::PartKeys;
use super::params;
use super::prefetch::prefetch;
use super::rows::Rows;
use super::score::{EVALUATION_LIMIT, Value};
use crate::chess::Position;

/// Entries of each table by key, a power of two.
const SIZE: usize = 1 << 14;

/// No entry goes beyond this.
const LIMIT: i32 = 1024;

/// The weights of the tables are in parts of this.
const GRAIN: i32 = 1024;

type ByKey = Box<[[i16; 2]]>;

/// The correction histories of one search.
#[cfg_attr(test, derive(Debug, PartialEq, Eq))]
pub(super) struct Correction {
    pawn: ByKey,
    minor: ByKey,
    non_pawn: [ByKey; 2],
    /// By the piece and target of an earlier move, then of the last one.
    continuation: Rows,
}

/// Where a node's corrections stand.
#[derive(Clone, Copy)]
pub(super) struct Places {
    turn: usize,
    pawn: usize,
    minor: usize,
    non_pawn: [usize; 2],
    last: usize,
    /// The cells of the moves two and four plies before; `None` where there was none.
    earlier: [Option<usize>; 2],
}

fn fold(key: u64) -> usize {
    (key % SIZE as u64) as usize
}

impl Places {
    pub(super) fn of(position: &Position, keys: &PartKeys, frames: &Frames, ply: usize) -> Places {
        let cell = |back: usize| {
            let frame = frames.before(ply, back);
            (!frame.mv.is_null()).then_some(usize::from(frame.cell))
        };
        let last = cell(1);
        Places {
            turn: position.turn() as usize,
            pawn: fold(position.pawn_key()),
            minor: fold(keys.minor),
            non_pawn: keys.non_pawn.map(fold),
            last: last.unwrap_or(0),
            earlier: if last.is_some() { [cell(2), cell(4)] } else { [None; 2] },
        }
    }
}

impl Correction {
    pub(super) fn new() -> Correction {
        let table = || vec![[0; 2]; SIZE].into_boxed_slice();
        Correction {
            pawn: table(),
            minor: table(),
            non_pawn: [table(), table()],
            continuation: Rows::new(768),
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        let Correction { pawn, minor, non_pawn: [white, black], continuation } = self;
        for table in [pawn, minor, white, black] {
            table.fill([0; 2]);
        }
        continuation.clear();
    }

    /// What to add to the static evaluation.
    pub(super) fn of(&self, places: &Places) -> Value {
        let turn = places.turn;
        let entry = |table: &ByKey, place: usize| i32::from(table[place][turn]);
        let non_pawn: i32 = self
            .non_pawn
            .iter()
            .zip(places.non_pawn)
            .map(|(table, place)| entry(table, place))
            .sum();
        let continuation: i32 = places
            .earlier
            .iter()
            .flatten()
            .map(|&earlier| self.continuation.get(earlier, places.last))
            .sum();
        let sum = params::correct_pawn() * entry(&self.pawn, places.pawn)
            + params::correct_minor() * entry(&self.minor, places.minor)
            + params::correct_non_pawn() * non_pawn
            + params::correct_continuation() * continuation;
        sum / GRAIN
    }

    /// Says that the correction of a node will be asked for soon.
    #[inline]
    pub(super) fn prefetch(&self, places: &Places) {
        prefetch(&self.pawn[places.pawn]);
        prefetch(&self.minor[places.minor]);
        for (table, place) in self.non_pawn.iter().zip(places.non_pawn) {
            prefetch(&table[place]);
        }
        for earlier in places.earlier.into_iter().flatten() {
            self.continuation.prefetch(earlier, places.last);
        }
    }

    /// A search to `depth` plies found this much more than the static evaluation.
    pub(super) fn learn(&mut self, places: &Places, depth: i32, more: Value) {
        let bonus = (more * depth / 8).clamp(-LIMIT / 4, LIMIT / 4);
        let turn = places.turn;
        let pull = |entry: &mut i16| pull::<LIMIT>(entry, bonus);
        pull(&mut self.pawn[places.pawn][turn]);
        pull(&mut self.minor[places.minor][turn]);
        for (table, place) in self.non_pawn.iter_mut().zip(places.non_pawn) {
            pull(&mut table[place][turn]);
        }
        for earlier in places.earlier.into_iter().flatten() {
            pull(self.continuation.get_mut(earlier, places.last));
        }
    }
}

/// The static evaluation with a correction, and the pull of the 50-move rule: the longer nothing
/// has happened, the nearer a draw (Stockfish's and Reckless's damping of the evaluation by the
/// half-move clock).
#[inline]
pub(super) fn corrected(raw: Value, correction: Value, halfmove_clock: u16) -> Value {
    let clock = if params::damping_on() != 0 { i32::from(halfmove_clock.min(100)) } else { 0 };
    (raw * (200 - clock) / 200 + correction).clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT)
}
