//! The results of the search threads, and their vote on the best move.

use crate::engine::pv::PvLine;
use crate::engine::score::{Value, is_decisive};

/// The result of a thread's iterative deepening.
#[derive(Clone, Default)]
pub(in crate::engine) struct ThreadResult {
    /// The best verified lines, best first. Empty when the budget ended before the first line.
    pub(in crate::engine) lines: Vec<PvLine>,
    /// The last completed depth.
    pub(in crate::engine) depth: u8,
    /// The deepest ply reached.
    pub(in crate::engine) seldepth: usize,
    /// The game history or the 50-move rule influenced the search.
    pub(in crate::engine) depends_on_game_history: bool,
}

/// A vote's weight is the thread's depth × (its value's distance above the lowest value + this).
const VOTE_OFFSET: Value = 40;

/// Selects the thread whose result is reported.
///
/// Each thread votes for its best move, with the weight of its depth and value. The deepest thread
/// that voted for the winning move is selected. A proved mate wins at once, and counts at any
/// depth. Other threads below `min_depth` do not vote. Chess Programming Wiki, "Lazy SMP" (thread
/// voting: Stockfish).
pub(in crate::engine) fn select_best_thread(
    main_result: ThreadResult,
    helper_results: Vec<ThreadResult>,
    min_depth: u8,
) -> ThreadResult {
    let mut threads: Vec<ThreadResult> =
        std::iter::once(main_result).chain(helper_results).collect();
    for result in &mut threads {
        if winning_value(result).is_some() {
            result.depth = result.depth.max(min_depth);
        }
    }
    threads.retain(|result| result.depth >= min_depth);
    let Some(lowest) = threads.iter().filter_map(best_value).min() else {
        return threads.into_iter().next().unwrap_or_default();
    };
    let vote_weight = |result: &ThreadResult| {
        best_value(result).map_or(0, |value| {
            i64::from(value - lowest + VOTE_OFFSET) * i64::from(result.depth.max(1))
        })
    };
    let votes_for = |result: &ThreadResult| -> i64 {
        let mv = result.lines.first().map(|line| line.moves[0]);
        threads
            .iter()
            .filter(|other| other.lines.first().map(|line| line.moves[0]) == mv)
            .map(vote_weight)
            .sum()
    };
    let rank = |result: &ThreadResult| {
        (winning_value(result).unwrap_or(0), votes_for(result), result.depth)
    };
    let best = (0..threads.len())
        .filter(|&index| best_value(&threads[index]).is_some())
        .max_by_key(|&index| {
            // The main thread wins a tie.
            (rank(&threads[index]), std::cmp::Reverse(index))
        });
    best.map_or_else(ThreadResult::default, |index| threads[index].clone())
}

/// The value of the best line; `None` where there is no line.
fn best_value(result: &ThreadResult) -> Option<Value> {
    result.lines.first().map(|line| line.value)
}

/// The value of a mate that the side to move gives, or of a win by tablebase; a shorter one has a
/// greater value.
fn winning_value(result: &ThreadResult) -> Option<Value> {
    best_value(result).filter(|&value| is_decisive(value) && value > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Move;
    use crate::engine::score::mate_in;

    fn result(code: u16, value: Value, depth: u8) -> ThreadResult {
        ThreadResult {
            lines: vec![PvLine { value, moves: vec![Move::from_code(code)] }],
            depth,
            ..ThreadResult::default()
        }
    }

    fn selected_move(threads: &[ThreadResult]) -> u16 {
        select_best_thread(threads[0].clone(), threads[1..].to_vec(), 0).lines[0].moves[0].code()
    }

    #[test]
    fn a_single_thread_keeps_its_result() {
        assert_eq!(selected_move(&[result(1, -50, 9)]), 1);
        assert!(select_best_thread(ThreadResult::default(), Vec::new(), 0).lines.is_empty());
    }

    #[test]
    fn two_threads_that_agree_outvote_a_third() {
        assert_eq!(selected_move(&[result(1, 20, 12), result(2, 20, 12), result(2, 22, 12)]), 2);
        assert_eq!(selected_move(&[result(1, 20, 12), result(2, 20, 12)]), 1);
    }

    #[test]
    fn a_helper_below_the_requested_depth_does_not_vote() {
        let select = |min_depth| {
            select_best_thread(
                result(1, 20, 9),
                vec![result(2, 90, 8), result(2, 90, 8)],
                min_depth,
            )
        };
        assert_eq!((select(0).depth, select(9).depth), (8, 9));
    }

    #[test]
    fn a_helper_that_reached_the_depth_outvotes_a_majority() {
        let early =
            select_best_thread(result(1, 90, 9), vec![result(2, 20, 10), result(1, 90, 9)], 10);
        assert_eq!((early.depth, early.lines[0].moves[0].code()), (10, 2));
    }

    #[test]
    fn a_proved_mate_wins_against_any_majority() {
        assert_eq!(
            selected_move(&[result(1, 900, 20), result(1, 900, 20), result(3, mate_in(9), 11)]),
            3
        );
    }

    #[test]
    fn a_proved_mate_is_reported_at_the_depth_another_thread_reached() {
        let selected = select_best_thread(result(1, mate_in(11), 13), vec![result(2, 500, 14)], 14);
        assert_eq!((selected.lines[0].value, selected.depth), (mate_in(11), 14));
        let selected =
            select_best_thread(result(1, -mate_in(11), 13), vec![result(2, -500, 14)], 14);
        assert_eq!((selected.lines[0].value, selected.depth), (-500, 14));
    }

    #[test]
    fn a_helper_result_replaces_an_empty_one() {
        assert_eq!(selected_move(&[ThreadResult::default(), result(2, 0, 1)]), 2);
    }
}
