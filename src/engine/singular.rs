//! Whether a move is the only good one.
//!
//! Chess Programming Wiki, "Singular Extensions", "Multi-Cut".

use super::evaluation::Evaluator;
use super::node::{Kind, Node, Scout};
use super::params;
use super::path::Found;
use super::score::is_mate;
use super::search::{Search, Standing};
use crate::chess::{Move, Position};

/// What singular search said of the table's move.
pub(super) enum Verdict {
    /// It is to be searched so many plies deeper; less deep when negative.
    Extend(i32),
    /// Other moves fail high as well: so does the node.
    MultiCut(Found),
}

impl<E: Evaluator> Search<'_, E> {
    /// Asks whether the table's move is the only good one: a search without it, at half the depth,
    /// with a window well below its value. Chess Programming Wiki, "Singular Extensions"
    /// (Anantharaman, Campbell, Hsu 1988), with Stockfish's multi-cut and negative extensions.
    pub(super) fn singular<K: Kind>(
        &mut self,
        line: &mut [Position],
        node: Node,
        standing: &Standing,
        mv: Move,
    ) -> Verdict {
        let Node { beta, depth, ply, cut, .. } = node;
        let known = standing.known;
        let asks = self.frames.at(ply).excluded.is_null()
            && depth >= params::singular_depth() + i32::from(self.frames.at(ply).on_pv)
            && known.is_floor()
            && known.depth >= depth - 3
            && !is_mate(known.value);
        if !asks {
            return Verdict::Extend(0);
        }
        let was_pv = self.frames.at(ply).on_pv && !K::PV;
        let margin =
            (params::singular_margin() + params::singular_pv() * i32::from(was_pv)) * depth / 64;
        let target = known.value - margin;
        self.frames.at_mut(ply).excluded = mv;
        let found = self.node::<Scout>(line, Node { cut, ..node.below(target, (depth - 1) / 2) });
        self.frames.at_mut(ply).excluded = Move::NULL;
        if self.budget.is_over() {
            return Verdict::Extend(0);
        }
        if found.value < target {
            let pv = 240 * i32::from(K::PV);
            let double = params::double_margin() + pv;
            let triple = params::triple_margin() + pv;
            let plies = 1
                + i32::from(found.value < target - double)
                + i32::from(found.value < target - triple);
            return Verdict::Extend(plies);
        }
        if found.value >= beta && !is_mate(found.value) {
            return if K::PV { Verdict::Extend(-1) } else { Verdict::MultiCut(found) };
        }
        if params::negative_on() == 0 {
            Verdict::Extend(0)
        } else if known.value >= beta {
            Verdict::Extend(-3)
        } else if cut {
            Verdict::Extend(-2)
        } else {
            Verdict::Extend(0)
        }
    }
}
