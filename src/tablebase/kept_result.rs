//! The comparison of the outcomes before and after a move.

use super::category::Category;
use super::tables::Tablebase;
use super::values::Wdl;
use crate::chess::{Move, Position};

impl Tablebase {
    /// Whether a legal move keeps the outcome of its position: the win, or at least the draw.
    /// Without the 50-move rule a cursed win is a win. Where only WDL files are known, the outcome
    /// is that of a half-move clock of 0. `false` if the tables do not know it, or cannot be read.
    pub fn keeps_result(&self, position: &Position, mv: Move, fifty_move_rule: bool) -> bool {
        let Ok(lookup) = self.lookup(position) else { return false };
        let after = lookup.moves.iter().find(|entry| entry.mv == mv).map(|entry| entry.after);
        match (lookup.position.category, after.map(|after| -after.category)) {
            (_, None) => false,
            (Category::Unknown, _) | (_, Some(Category::Unknown)) => {
                self.keeps_wdl(position, mv, fifty_move_rule)
            }
            (before, Some(after)) if fifty_move_rule => {
                before == after || before.is_draw() && after.is_draw()
            }
            (before, Some(after)) => {
                before.is_positive() == after.is_positive()
                    && (-before).is_positive() == (-after).is_positive()
            }
        }
    }

    fn keeps_wdl(&self, position: &Position, mv: Move, fifty_move_rule: bool) -> bool {
        let sign = |wdl| match wdl {
            Wdl::Win => 1,
            Wdl::CursedWin if !fifty_move_rule => 1,
            Wdl::Loss => -1,
            Wdl::BlessedLoss if !fifty_move_rule => -1,
            Wdl::CursedWin | Wdl::Draw | Wdl::BlessedLoss => 0,
        };
        match (self.probe_wdl(position), self.probe_wdl(&position.after(mv))) {
            (Ok(before), Ok(after)) => sign(before) == sign(-after),
            _ => false,
        }
    }
}
