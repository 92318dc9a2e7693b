//! The line that a search reports, and how it is made sure of before it leaves.

use super::evaluation::Evaluator;
use super::keys::table_key;
use super::mate::Prover;
use super::score::{Value, mate_at, mated_at, plies_to_mate};
use super::search::Search;
use crate::chess::{Move, Position};

/// A line from the root with its exact value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) value: Value,
    pub(super) moves: Vec<Move>,
}

/// What the mending of one mate's line may cost, in nodes.
const MENDING_NODES: u64 = 200_000;

impl Line {
    /// `true` when every move is legal and there is one; a mate's line must end in that very mate.
    fn is_sound(&self, root: &Position) -> bool {
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
    pub(super) fn is_settled(&self, depth: u8) -> bool {
        plies_to_mate(self.value).is_some_and(|plies| 2 * plies + 8 <= i32::from(depth))
    }
}

impl<E: Evaluator> Search<'_, E> {
    /// Makes sure of a line: what is returned is legal, and a mate ends in that mate. `None` when
    /// the line cannot be vouched for.
    pub(super) fn vouch(&mut self, root: &Position, mut line: Line) -> Option<Line> {
        if line.is_sound(root) {
            self.add_ponder(root, &mut line);
            return Some(line);
        }
        plies_to_mate(line.value)?;
        self.mend(root, &line).filter(|mended| mended.is_sound(root))
    }

    /// Proves the mate that a line claims but does not reach, where the proof is cheap.
    fn mend(&mut self, root: &Position, line: &Line) -> Option<Line> {
        let plies = plies_to_mate(line.value)? as usize;
        let mut moves = Vec::with_capacity(plies);
        let first = line.moves.first().copied().filter(|&mv| root.is_legal(mv))?;
        let farthest = u8::try_from(plies.div_ceil(2)).ok()?;
        let mut prover = Prover::new(&mut self.budget, &mut self.path).capped(MENDING_NODES);
        // The line's first move stays.
        let proof = if line.value > 0 {
            (1..=farthest).find_map(|distance| prover.prove_among(root, distance, &[first]))?
        } else {
            moves.push(first);
            let attacker = root.after(first);
            (1..=farthest).find_map(|distance| prover.prove(&attacker, distance))?
        };
        moves.extend(proof);
        let value = if line.value > 0 { mate_at(moves.len()) } else { mated_at(moves.len()) };
        Some(Line { value, moves })
    }

    /// A line of a single move gets the answer that the table expects, so that there is something
    /// to ponder on. Not where the line may have ended because the game has: by mate or as a draw.
    fn add_ponder(&self, root: &Position, line: &mut Line) {
        if let [only] = line.moves[..]
            && line.value != 0
            && plies_to_mate(line.value).is_none()
        {
            let child = root.after(only);
            let answer = self.table.probe(table_key(&child)).map(|entry| entry.mv);
            line.moves.extend(answer.filter(|&mv| child.is_legal(mv)));
        }
    }
}

#[cfg(test)]
mod tests;
