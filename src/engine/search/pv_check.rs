//! The verification of a line before it is reported.

use super::mate_search::MateSolver;
use super::worker::SearchWorker;
use crate::chess::Position;
use crate::engine::evaluator::Evaluator;
use crate::engine::pv::PvLine;
use crate::engine::score::{mate_in, mated_in, plies_to_mate};
use crate::engine::tt::tt_key;

/// The node limit for the repair of one mate line.
const MATE_REPAIR_NODES: u64 = 200_000;

impl<E: Evaluator> SearchWorker<'_, E> {
    /// Verifies a line, and repairs the line of a mate. The returned line is legal, and a mate ends
    /// in checkmate. `None` when the line cannot be verified.
    pub(super) fn verify_pv(&mut self, root: &Position, mut line: PvLine) -> Option<PvLine> {
        if line.is_valid(root) {
            self.add_ponder_move(root, &mut line);
            return Some(line);
        }
        plies_to_mate(line.value)?;
        self.repair_mate_line(root, &line).filter(|repaired| repaired.is_valid(root))
    }

    /// Proves the mate that a line claims but does not reach, within [`MATE_REPAIR_NODES`].
    fn repair_mate_line(&mut self, root: &Position, line: &PvLine) -> Option<PvLine> {
        let plies = plies_to_mate(line.value)? as usize;
        let mut moves = Vec::with_capacity(plies);
        let first = line.moves.first().copied().filter(|&mv| root.is_legal(mv))?;
        let max_moves = u8::try_from(plies.div_ceil(2)).ok()?;
        let mut solver = MateSolver::new(&mut self.budget, &mut self.position_history)
            .with_node_limit(MATE_REPAIR_NODES);
        // The repaired line keeps the first move.
        let proof = if line.value > 0 {
            (1..=max_moves)
                .find_map(|distance| solver.prove_with_root_moves(root, distance, &[first]))?
        } else {
            moves.push(first);
            let attacker = root.after(first);
            (1..=max_moves).find_map(|distance| solver.prove(&attacker, distance))?
        };
        moves.extend(proof);
        let value = if line.value > 0 { mate_in(moves.len()) } else { mated_in(moves.len()) };
        Some(PvLine { value, moves })
    }

    /// Adds the transposition table's reply to a line of a single move, as the move to ponder on. A
    /// mate or draw score gets no reply, because the game may have ended.
    fn add_ponder_move(&self, root: &Position, line: &mut PvLine) {
        if let [only] = line.moves[..]
            && line.value != 0
            && plies_to_mate(line.value).is_none()
        {
            let child = root.after(only);
            let ponder_move = self.tt.probe(tt_key(&child)).map(|entry| entry.mv);
            line.moves.extend(ponder_move.filter(|&mv| child.is_legal(mv)));
        }
    }
}

#[cfg(test)]
mod tests;
