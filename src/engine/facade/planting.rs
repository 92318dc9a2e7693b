//! What other searches could have left in the shared table, put there by hand.

use super::Engine;
use crate::chess::{Move, Position};
use crate::engine::entry::{Bound, Entry};
use crate::engine::keys::table_key;
use crate::engine::report::Report;
use crate::engine::score::{LinearScore, PAWN, Value, mate_at, mated_at};

impl Engine {
    /// Fills in that this is exactly what a position is worth, searched so deep, whatever came
    /// before it.
    pub(crate) fn plant(&self, position: &Position, depth: u8, report: &Report) {
        let mv = report.pv.first().copied().unwrap_or(Move::NULL);
        let value = value(report.linear.unwrap_or(LinearScore::Cp(0)));
        let entry = Entry {
            mv,
            value,
            evaluation: None,
            depth,
            bound: Bound::Exact,
            on_pv: true,
            leans: false,
        };
        self.table.begin(self.options.sharing).store(table_key(position), entry);
    }
}

fn value(score: LinearScore) -> Value {
    match score {
        LinearScore::Cp(centipawns) => centipawns * PAWN / 100,
        LinearScore::Mate(moves) if moves > 0 => mate_at(2 * moves as usize - 1),
        LinearScore::Mate(moves) => mated_at(2 * moves.unsigned_abs() as usize),
    }
}
