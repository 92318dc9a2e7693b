//! The line that a search reports, and how it is made sure of before it leaves.

use super::evaluator::Evaluator;
use super::keys::tt_key;
use super::mate_search::MateSolver;
use super::score::{Value, mate_in, mated_in, plies_to_mate};
use super::search::SearchWorker;
use crate::chess::{Move, Position};

/// A line from the root with its exact value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PvLine {
    pub(super) value: Value,
    pub(super) moves: Vec<Move>,
}

/// What the mending of one mate's line may cost, in nodes.
const MATE_REPAIR_NODES: u64 = 200_000;

impl PvLine {
    /// `true` when every move is legal and there is one; a mate's line must end in that very mate.
    fn is_valid(&self, root: &Position) -> bool {
        let mut position = root.clone();
        for &mv in &self.moves {
            if !position.is_legal(mv) {
                return false;
            }
            position.play(mv);
        }
        match plies_to_mate(self.value) {
            Some(plies) => {
                self.moves.len() == plies as usize && position.in_check() && !position.has_moves()
            }
            None => !self.moves.is_empty(),
        }
    }

    /// `true` when a mate has stood the test of so much depth that going on is idle.
    pub(super) fn is_settled_mate(&self, depth: u8) -> bool {
        plies_to_mate(self.value).is_some_and(|plies| 2 * plies + 8 <= i32::from(depth))
    }
}

impl<E: Evaluator> SearchWorker<'_, E> {
    /// Makes sure of a line: what is returned is legal, and a mate ends in that mate. `None` when
    /// the line cannot be vouched for.
    pub(super) fn verify_pv(&mut self, root: &Position, mut line: PvLine) -> Option<PvLine> {
        if line.is_valid(root) {
            self.add_ponder_move(root, &mut line);
            return Some(line);
        }
        plies_to_mate(line.value)?;
        self.repair_mate_line(root, &line).filter(|repaired| repaired.is_valid(root))
    }

    /// Proves the mate that a line claims but does not reach, where the proof is cheap.
    fn repair_mate_line(&mut self, root: &Position, line: &PvLine) -> Option<PvLine> {
        let plies = plies_to_mate(line.value)? as usize;
        let mut moves = Vec::with_capacity(plies);
        let first = line.moves.first().copied().filter(|&mv| root.is_legal(mv))?;
        let max_moves = u8::try_from(plies.div_ceil(2)).ok()?;
        let mut solver = MateSolver::new(&mut self.budget, &mut self.position_history)
            .with_node_limit(MATE_REPAIR_NODES);
        // The line's first move stays.
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

    /// A line of a single move gets the answer that the table expects, so that there is something
    /// to ponder on. Not where the line may have ended because the game has: by mate or as a draw.
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
