//! Which thread's answer is taken when several have searched.

use super::root::Deepened;
use super::score::{Value, is_mate};

/// A thread's vote counts by its depth, and by how far its value lies above the lowest one plus
/// this.
const BASE: Value = 40;

/// The threads vote for their best moves, each with the weight of its depth and value; of those who
/// chose the winner, the deepest one's line is taken. A proved mate wins at once, and holds at any
/// depth. Who else has not come to the depth `least`, where somebody has to be, has no say. Chess
/// Programming Wiki, "Lazy SMP" (thread voting: Stockfish).
pub(super) fn elect(first: Deepened, helpers: Vec<Deepened>, least: u8) -> Deepened {
    let mut threads: Vec<Deepened> = std::iter::once(first).chain(helpers).collect();
    for found in &mut threads {
        if mates(found).is_some() {
            found.depth = found.depth.max(least);
        }
    }
    threads.retain(|found| found.depth >= least);
    let Some(lowest) = threads.iter().filter_map(value).min() else {
        return threads.into_iter().next().unwrap_or_default();
    };
    let weight = |found: &Deepened| {
        value(found)
            .map_or(0, |value| i64::from(value - lowest + BASE) * i64::from(found.depth.max(1)))
    };
    let votes_for = |found: &Deepened| -> i64 {
        let mv = found.lines.first().map(|line| line.moves[0]);
        threads
            .iter()
            .filter(|other| other.lines.first().map(|line| line.moves[0]) == mv)
            .map(weight)
            .sum()
    };
    let rank = |found: &Deepened| (mates(found).unwrap_or(0), votes_for(found), found.depth);
    let best =
        (0..threads.len()).filter(|&index| value(&threads[index]).is_some()).max_by_key(|&index| {
            // Among equals the first thread's answer stays.
            (rank(&threads[index]), std::cmp::Reverse(index))
        });
    best.map_or_else(Deepened::default, |index| threads[index].clone())
}

/// The value of the best line; `None` where there is no line.
fn value(found: &Deepened) -> Option<Value> {
    found.lines.first().map(|line| line.value)
}

/// The value of a mate that the side to move gives; the greater, the sooner.
fn mates(found: &Deepened) -> Option<Value> {
    value(found).filter(|&value| is_mate(value) && value > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Move;
    use crate::engine::line::Line;
    use crate::engine::score::mate_at;

    fn found(code: u16, value: Value, depth: u8) -> Deepened {
        Deepened {
            lines: vec![Line { value, moves: vec![Move::from_code(code)] }],
            depth,
            ..Deepened::default()
        }
    }

    fn choice(threads: &[Deepened]) -> u16 {
        elect(threads[0].clone(), threads[1..].to_vec(), 0).lines[0].moves[0].code()
    }

    #[test]
    fn a_thread_alone_keeps_its_answer() {
        assert_eq!(choice(&[found(1, -50, 9)]), 1);
        assert!(elect(Deepened::default(), Vec::new(), 0).lines.is_empty());
    }

    #[test]
    fn two_that_agree_outvote_a_third() {
        assert_eq!(choice(&[found(1, 20, 12), found(2, 20, 12), found(2, 22, 12)]), 2);
        assert_eq!(choice(&[found(1, 20, 12), found(2, 20, 12)]), 1);
    }

    #[test]
    fn a_helper_short_of_the_depth_that_was_asked_for_has_no_say() {
        let elect = |least| elect(found(1, 20, 9), vec![found(2, 90, 8), found(2, 90, 8)], least);
        assert_eq!((elect(0).depth, elect(9).depth), (8, 9));
    }

    #[test]
    fn a_helper_that_came_first_to_the_depth_that_was_asked_for_answers_against_a_majority() {
        let early = elect(found(1, 90, 9), vec![found(2, 20, 10), found(1, 90, 9)], 10);
        assert_eq!((early.depth, early.lines[0].moves[0].code()), (10, 2));
    }

    #[test]
    fn a_proved_mate_wins_against_any_majority() {
        assert_eq!(choice(&[found(1, 900, 20), found(1, 900, 20), found(3, mate_at(9), 11)]), 3);
    }

    #[test]
    fn a_proved_mate_holds_at_the_depth_that_another_thread_came_to() {
        let elected = elect(found(1, mate_at(11), 13), vec![found(2, 500, 14)], 14);
        assert_eq!((elected.lines[0].value, elected.depth), (mate_at(11), 14));
        let elected = elect(found(1, -mate_at(11), 13), vec![found(2, -500, 14)], 14);
        assert_eq!((elected.lines[0].value, elected.depth), (-500, 14));
    }

    #[test]
    fn a_helper_answers_for_a_thread_that_came_to_nothing() {
        assert_eq!(choice(&[Deepened::default(), found(2, 0, 1)]), 2);
    }
}
