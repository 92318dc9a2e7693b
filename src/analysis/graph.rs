//! The graph of positions: from each the legal moves lead to others, and of some of them something
//! is known.

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::Remembered;
use crate::chess::{Game, Move, Outcome, Position};
use crate::engine::Score;

/// One walk tells of so many moves at most.
pub const MOST_EDGES: usize = 10_000;

/// A position with what is known of it.
#[derive(Clone, Debug)]
pub struct Node {
    /// What memory knows.
    pub known: Option<Remembered>,
    /// The moves that lead on, best first; `None` where the walk ends.
    pub edges: Option<Vec<Edge>>,
}

/// A legal move, and where it leads.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The move.
    pub mv: Move,
    /// The position after it.
    pub after: Position,
    /// Whether the game is over there.
    pub outcome: Outcome,
    /// What the move is worth, from the view of the side that makes it; `None` when nothing is
    /// known.
    pub score: Option<Score>,
    /// The position after it, with what is known.
    pub node: Node,
}

/// Walks so many moves deep; only behind positions that memory knows, and not without end: what is
/// nearer comes first.
pub(super) fn walk(
    start: &Position,
    depth: u32,
    known: impl Fn(&Position) -> Option<Remembered>,
) -> Node {
    let mut root = Node { known: known(start), edges: None };
    let mut left = MOST_EDGES;
    let mut ways: VecDeque<Vec<usize>> = VecDeque::from([Vec::new()]);
    while let Some(way) = ways.pop_front() {
        let Some((node, position)) = follow(&mut root, start, &way) else { continue };
        let moves = position.legal_moves();
        // A position's moves are told all or not at all.
        if moves.len() > left {
            continue;
        }
        left -= moves.len();
        let mut edges: Vec<Edge> =
            moves.into_iter().map(|mv| edge(&position, mv, &known)).collect();
        edges.sort_by_key(|edge| (Reverse(edge.score.map(worth)), edge.mv.code()));
        if (way.len() as u32) + 1 < depth {
            let onward = edges.iter().enumerate().filter(|(_, edge)| edge.node.known.is_some());
            ways.extend(onward.map(|(index, _)| way.iter().copied().chain([index]).collect()));
        }
        node.edges = Some(edges);
    }
    root
}

/// The node at the end of a way, and its position.
fn follow<'a>(
    root: &'a mut Node,
    start: &Position,
    way: &[usize],
) -> Option<(&'a mut Node, Position)> {
    let mut position = start.clone();
    let mut node = root;
    for &index in way {
        let edge = node.edges.as_mut()?.get_mut(index)?;
        position = edge.after.clone();
        node = &mut edge.node;
    }
    Some((node, position))
}

fn edge(position: &Position, mv: Move, known: &impl Fn(&Position) -> Option<Remembered>) -> Edge {
    let after = position.after(mv);
    let outcome = Game::new(after.clone()).outcome();
    let known = if outcome.is_over() { None } else { known(&after) };
    let there = match outcome {
        Outcome::Ongoing => known.as_ref().map(|known| known.report.score),
        Outcome::Checkmate { .. } => Some(Score::Mate(0)),
        Outcome::Stalemate | Outcome::Draw(_) => Some(Score::Cp(0)),
    };
    Edge { mv, after, outcome, score: there.map(a_move_before), node: Node { known, edges: None } }
}

/// What a score is worth a move earlier, for the side that makes this move.
fn a_move_before(there: Score) -> Score {
    match there {
        Score::Cp(value) => Score::Cp(-value),
        Score::Mate(moves) if moves <= 0 => Score::Mate(1 - moves),
        Score::Mate(moves) => Score::Mate(-moves),
    }
}

/// Rising with what the side to move likes better.
fn worth(score: Score) -> (i8, i32) {
    match score {
        Score::Mate(moves) if moves > 0 => (1, -moves),
        Score::Cp(value) => (0, value),
        Score::Mate(moves) => (-1, -moves),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::analysis::tests::report;
    use crate::engine::Report;

    fn remembered(score: Score) -> Option<Remembered> {
        Some(Remembered { report: Report { score, ..report(5, 500) }.into(), age: Duration::ZERO })
    }

    fn moves(node: &Node) -> Vec<(String, Option<Score>)> {
        let text = |edge: &Edge| (format!("{}{}", edge.mv.from(), edge.mv.to()), edge.score);
        node.edges.iter().flatten().map(text).collect()
    }

    #[test]
    fn what_is_known_comes_first_and_of_that_the_best() {
        let start = Position::from_fen("7k/8/8/8/8/8/8/KR6 w - - 0 1").unwrap();
        let scores = [
            ("b1b8", Score::Mate(2)),
            ("b1c1", Score::Cp(-300)),
            ("a1a2", Score::Mate(-3)),
            ("b1b2", Score::Cp(20)),
        ];
        let after = |text: &str| start.after(crate::chess::read_move(&start, text).unwrap()).key();
        let known = |position: &Position| {
            scores
                .iter()
                .find(|(text, _)| after(text) == position.key())
                .and_then(|&(_, score)| remembered(score))
        };
        let told = moves(&walk(&start, 1, known));
        let expected = [
            ("a1a2", Score::Mate(4)),
            ("b1c1", Score::Cp(300)),
            ("b1b2", Score::Cp(-20)),
            ("b1b8", Score::Mate(-2)),
        ];
        assert_eq!(told[..4], expected.map(|(text, score)| (text.to_owned(), Some(score))));
        assert!(told.len() > 10 && told[4..].iter().all(|(_, score)| score.is_none()));
    }

    #[test]
    fn a_mate_is_known_without_memory_and_so_is_a_stalemate() {
        let start = Position::from_fen("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1").unwrap();
        let node = walk(&start, 3, |_| None);
        let told = moves(&node);
        assert_eq!(told[0].1, Some(Score::Mate(1)));
        assert!(told.contains(&("f1f7".to_owned(), Some(Score::Cp(0)))), "{told:?}");
        assert!(
            node.edges.unwrap().iter().all(|edge| edge.node.edges.is_none()),
            "nothing is known to go on from"
        );
    }

    #[test]
    fn a_walk_has_an_end() {
        let node = walk(&Position::startpos(), 3, |_| remembered(Score::Cp(1)));
        fn count(node: &Node) -> usize {
            node.edges.iter().flatten().map(|edge| 1 + count(&edge.node)).sum()
        }
        assert!((9_000..=MOST_EDGES).contains(&count(&node)), "{}", count(&node));
        assert!(
            node.edges.unwrap().iter().all(|edge| edge.node.edges.is_some()),
            "what is nearer comes first"
        );
        assert!(walk(&Position::startpos(), 1, |_| None).edges.unwrap().len() == 20);
    }
}
