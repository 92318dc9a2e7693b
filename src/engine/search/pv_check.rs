//! The verification of a line before it is reported, and its continuation from the table.

use super::mate_search::MateSolver;
use super::repetition::FIFTY_MOVES;
use super::worker::SearchWorker;
use crate::chess::{Position, is_dead_position};
use crate::engine::evaluator::Evaluator;
use crate::engine::pv::PvLine;
use crate::engine::score::{is_decisive, is_mate, mate_in, mated_in, plies_to_mate};
use crate::engine::tt::{Bound, tt_key};

/// The node limit for the repair of one mate line.
const MATE_REPAIR_NODES: u64 = 200_000;

/// The longest line, in plies, that is extended from the table.
const LONGEST_EXTENDED: usize = 32;

impl<E: Evaluator> SearchWorker<'_, E> {
    /// Verifies a line, and repairs the line of a mate. The returned line is legal, and a mate ends
    /// in checkmate. `None` when the line cannot be verified.
    pub(super) fn verify_pv(&mut self, root: &Position, mut line: PvLine) -> Option<PvLine> {
        if line.is_valid(root) {
            self.extend_from_table(root, &mut line);
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

    /// Extends a line by the table's best moves, up to the depth of the iteration and at most to
    /// [`LONGEST_EXTENDED`], but at least to the reply to its first move, the move to ponder on. It
    /// takes the moves of exact values and of lower bounds. It ends before a move that would end
    /// the game or repeat a position, because the line's value says otherwise.
    fn extend_from_table(&mut self, root: &Position, line: &mut PvLine) {
        let longest = if line.value == 0 || is_mate(line.value) {
            // The line says how the game ends.
            return;
        } else if is_decisive(line.value) {
            // Tables complete the line of the result.
            2
        } else {
            (self.root_depth as usize).clamp(2, LONGEST_EXTENDED)
        };
        let mut position = root.clone();
        let mut keys = vec![root.key()];
        for &mv in &line.moves {
            position.play(mv);
            keys.push(position.key());
        }
        while line.moves.len() < longest {
            let Some(entry) = self.tt.probe(tt_key(&position)) else { return };
            if !matches!(entry.bound, Bound::Exact | Bound::Lower) || !position.is_legal(entry.mv) {
                return;
            }
            position.play(entry.mv);
            // The end of the line may depend on the game before the root.
            self.position_history.note_visited(&position);
            let key = position.key();
            let repeats = keys.contains(&key) || self.position_history.is_game_position(key);
            if repeats || ends_game(&position) {
                return;
            }
            line.moves.push(entry.mv);
            keys.push(key);
        }
    }
}

/// Whether a position is mate, stalemate, or a draw by the 50-move rule or by material.
fn ends_game(position: &Position) -> bool {
    !position.has_moves() || position.halfmove_clock() >= FIFTY_MOVES || is_dead_position(position)
}

#[cfg(test)]
mod tests;
