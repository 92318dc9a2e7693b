//! The graph of positions: legal moves lead from each position to others, some of them cached.

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::evaluation_cache::CachedAnalysis;
use crate::chess::{Game, Move, Outcome, Position};
use crate::engine::Score;

/// The most moves in one graph.
pub const MAX_EDGES: usize = 10_000;

/// A position of the graph.
#[derive(Clone, Debug)]
pub struct GraphNode {
    /// The cached analysis, if any.
    pub cached: Option<CachedAnalysis>,
    /// The legal moves, best first; `None` where the graph ends.
    pub edges: Option<Vec<GraphEdge>>,
}

/// A legal move and the position after it.
#[derive(Clone, Debug)]
pub struct GraphEdge {
    /// The move.
    pub mv: Move,
    /// The position after it.
    pub after: Position,
    /// Whether the game is over after the move.
    pub outcome: Outcome,
    /// The score of the move for the side that makes it; `None` if the position after it is not
    /// cached.
    pub score: Option<Score>,
    /// The graph from the position after the move.
    pub node: GraphNode,
}

/// Builds the graph from `start`, `depth` moves deep and breadth first. It continues only after
/// cached positions, and ends at [`MAX_EDGES`] moves.
pub(super) fn walk(
    start: &Position,
    depth: u32,
    lookup: impl Fn(&Position) -> Option<CachedAnalysis>,
) -> GraphNode {
    let mut root = GraphNode { cached: lookup(start), edges: None };
    let mut remaining_edges = MAX_EDGES;
    let mut paths: VecDeque<Vec<usize>> = VecDeque::from([Vec::new()]);
    while let Some(path) = paths.pop_front() {
        let Some((node, position)) = node_at(&mut root, start, &path) else { continue };
        let moves = position.legal_moves();
        // A node has all its moves or none.
        if moves.len() > remaining_edges {
            continue;
        }
        remaining_edges -= moves.len();
        let mut edges: Vec<GraphEdge> =
            moves.into_iter().map(|mv| build_edge(&position, mv, &lookup)).collect();
        edges.sort_by_key(|edge| (Reverse(edge.score.map(score_rank)), edge.mv.code()));
        if (path.len() as u32) + 1 < depth {
            let expandable =
                edges.iter().enumerate().filter(|(_, edge)| edge.node.cached.is_some());
            paths
                .extend(expandable.map(|(index, _)| path.iter().copied().chain([index]).collect()));
        }
        node.edges = Some(edges);
    }
    root
}

/// The node at the end of a path, and its position.
fn node_at<'a>(
    root: &'a mut GraphNode,
    start: &Position,
    path: &[usize],
) -> Option<(&'a mut GraphNode, Position)> {
    let mut position = start.clone();
    let mut node = root;
    for &index in path {
        let edge = node.edges.as_mut()?.get_mut(index)?;
        position = edge.after.clone();
        node = &mut edge.node;
    }
    Some((node, position))
}

fn build_edge(
    position: &Position,
    mv: Move,
    lookup: &impl Fn(&Position) -> Option<CachedAnalysis>,
) -> GraphEdge {
    let after = position.after(mv);
    let outcome = Game::new(after.clone()).outcome();
    let cached = if outcome.is_over() { None } else { lookup(&after) };
    let child_score = match outcome {
        Outcome::Ongoing => cached.as_ref().map(|cached| cached.report.score),
        Outcome::Checkmate { .. } => Some(Score::Mate(0)),
        Outcome::Stalemate | Outcome::Draw(_) => Some(Score::Cp(0)),
    };
    GraphEdge {
        mv,
        after,
        outcome,
        score: child_score.map(parent_score),
        node: GraphNode { cached, edges: None },
    }
}

/// The score of a move, from the score of the position after it.
fn parent_score(child_score: Score) -> Score {
    match child_score {
        Score::Cp(value) => Score::Cp(-value),
        Score::Mate(moves) if moves <= 0 => Score::Mate(1 - moves),
        Score::Mate(moves) => Score::Mate(-moves),
    }
}

/// The rank of a score; a better score for the side to move ranks higher.
fn score_rank(score: Score) -> (i8, i32) {
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

    fn cached(score: Score) -> Option<CachedAnalysis> {
        Some(CachedAnalysis {
            report: Report { score, ..report(5, 500) }.into(),
            age: Duration::ZERO,
        })
    }

    fn move_scores(node: &GraphNode) -> Vec<(String, Option<Score>)> {
        let text = |edge: &GraphEdge| (format!("{}{}", edge.mv.from(), edge.mv.to()), edge.score);
        node.edges.iter().flatten().map(text).collect()
    }

    #[test]
    fn cached_moves_come_first_and_the_best_of_them_leads() {
        let start = Position::from_fen("7k/8/8/8/8/8/8/KR6 w - - 0 1").unwrap();
        let scores = [
            ("b1b8", Score::Mate(2)),
            ("b1c1", Score::Cp(-300)),
            ("a1a2", Score::Mate(-3)),
            ("b1b2", Score::Cp(20)),
        ];
        let after = |text: &str| start.after(crate::chess::parse_move(&start, text).unwrap()).key();
        let lookup = |position: &Position| {
            scores
                .iter()
                .find(|(text, _)| after(text) == position.key())
                .and_then(|&(_, score)| cached(score))
        };
        let scores_by_move = move_scores(&walk(&start, 1, lookup));
        let expected = [
            ("a1a2", Score::Mate(4)),
            ("b1c1", Score::Cp(300)),
            ("b1b2", Score::Cp(-20)),
            ("b1b8", Score::Mate(-2)),
        ];
        assert_eq!(
            scores_by_move[..4],
            expected.map(|(text, score)| (text.to_owned(), Some(score)))
        );
        assert!(
            scores_by_move.len() > 10
                && scores_by_move[4..].iter().all(|(_, score)| score.is_none())
        );
    }

    #[test]
    fn mate_and_stalemate_are_scored_without_the_cache() {
        let start = Position::from_fen("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1").unwrap();
        let node = walk(&start, 3, |_| None);
        let scores_by_move = move_scores(&node);
        assert_eq!(scores_by_move[0].1, Some(Score::Mate(1)));
        assert!(
            scores_by_move.contains(&("f1f7".to_owned(), Some(Score::Cp(0)))),
            "{scores_by_move:?}"
        );
        assert!(
            node.edges.unwrap().iter().all(|edge| edge.node.edges.is_none()),
            "the graph ends at positions that are not cached"
        );
    }

    #[test]
    fn a_walk_is_bounded() {
        let node = walk(&Position::startpos(), 3, |_| cached(Score::Cp(1)));
        fn count(node: &GraphNode) -> usize {
            node.edges.iter().flatten().map(|edge| 1 + count(&edge.node)).sum()
        }
        assert!((9_000..=MAX_EDGES).contains(&count(&node)), "{}", count(&node));
        assert!(
            node.edges.unwrap().iter().all(|edge| edge.node.edges.is_some()),
            "all edges of the first level are expanded"
        );
        assert!(walk(&Position::startpos(), 1, |_| None).edges.unwrap().len() == 20);
    }
}
