//! Test support: entries for the shared table, as other searches might store them.

use super::Engine;
use crate::chess::{Move, Position};
use crate::engine::report::Report;
use crate::engine::score::{RawScore, UNITS_PER_PAWN, Value, mate_in, mated_in};
use crate::engine::tt::{Bound, TtEntry, tt_key};

impl Engine {
    /// Stores the report's score as the exact value of a position, searched to a depth, for any
    /// game history.
    pub(crate) fn insert_tt_entry(&self, position: &Position, depth: u8, report: &Report) {
        let mv = report.pv.first().copied().unwrap_or(Move::NULL);
        let value = value_from_raw_score(report.raw_score.unwrap_or(RawScore::Cp(0)));
        let entry = TtEntry {
            mv,
            value,
            raw_eval: None,
            depth,
            bound: Bound::Exact,
            is_pv: true,
            path_dependent: false,
        };
        self.tt.begin_search(self.options.sharing).store(tt_key(position), entry);
    }
}

fn value_from_raw_score(score: RawScore) -> Value {
    match score {
        RawScore::Cp(centipawns) => centipawns * UNITS_PER_PAWN / 100,
        RawScore::Mate(moves) if moves > 0 => mate_in(2 * moves as usize - 1),
        RawScore::Mate(moves) => mated_in(2 * moves.unsigned_abs() as usize),
    }
}
