//! Who has to go when the dictionary is full: the analysis that is least worth keeping.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::address::Context;

/// The work that keeping an analysis saves: nodes per hit times hits expected, as a logarithm in
/// the sketch's terms. The frequency times cost of Greedy-Dual-Size-Frequency (Cherkasova), where
/// all things have one size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worth(f32);

impl Worth {
    /// Of an analysis that took so many nodes, with this weight of requests in the sketch.
    pub(super) fn new(nodes: u64, requests: f32) -> Worth {
        Worth((nodes.max(1) as f32).log2() + requests)
    }

    /// The logarithm.
    pub(super) fn logarithm(self) -> f32 {
        self.0
    }
}

impl Ord for Worth {
    fn cmp(&self, other: &Worth) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Worth {
    fn partial_cmp(&self, other: &Worth) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Worth {
    fn eq(&self, other: &Worth) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Worth {}

/// One remembered analysis, with what it was worth when somebody last looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ticket {
    pub(super) worth: Worth,
    pub(super) key: u64,
    pub(super) context: Context,
    /// How many lines it has.
    pub(super) lines: u8,
}

/// All remembered analyses, the least worth on top.
///
/// Hits do not come here: they raise worths in the sketch alone, and the heap holds lower bounds.
/// Whoever comes to the top is asked for its worth of today, and sinks back if that has risen; who
/// stays on top is the least of all (lazy evaluation as in the greedy algorithm of Minoux).
#[derive(Debug, Default)]
pub(super) struct Ranking(BinaryHeap<Reverse<Ticket>>);

impl Ranking {
    /// After so many that sank back, the next one goes as it is: near enough to the least, and the
    /// time is bounded.
    const MOST_ASKED: usize = 64;

    /// With room for so many.
    pub(super) fn with_capacity(entries: usize) -> Ranking {
        Ranking(BinaryHeap::with_capacity(entries))
    }

    /// Adds an analysis.
    pub(super) fn add(&mut self, ticket: Ticket) {
        self.0.push(Reverse(ticket));
    }

    /// Takes out the least worth if that is less than `newcomer`. `today` tells a worth; `None` for
    /// what is no longer there.
    pub(super) fn make_way(
        &mut self,
        newcomer: Worth,
        today: impl Fn(&Ticket) -> Option<Worth>,
    ) -> Option<Ticket> {
        for asked in 0.. {
            let Reverse(mut ticket) = self.0.pop()?;
            let Some(worth) = today(&ticket) else { continue };
            let risen = worth > ticket.worth;
            ticket.worth = ticket.worth.max(worth);
            if risen && asked < Self::MOST_ASKED {
                self.0.push(Reverse(ticket));
            } else if ticket.worth < newcomer {
                return Some(ticket);
            } else {
                self.0.push(Reverse(ticket));
                return None;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket(key: u64, nodes: u64) -> Ticket {
        Ticket { worth: Worth::new(nodes, 1.0), key, context: Context::EMPTY, lines: 1 }
    }

    fn ranking() -> Ranking {
        let mut ranking = Ranking::default();
        for key in [3, 1, 4, 2] {
            ranking.add(ticket(key, key * 1_000));
        }
        ranking
    }

    #[test]
    fn the_least_worth_goes_first() {
        let mut ranking = ranking();
        let gone: Vec<u64> = std::iter::from_fn(|| {
            ranking.make_way(Worth::new(9_000, 1.0), |ticket| Some(ticket.worth))
        })
        .map(|t| t.key)
        .collect();
        assert_eq!(gone, [1, 2, 3, 4]);
    }

    #[test]
    fn a_newcomer_that_is_worth_less_than_all_is_turned_away() {
        let mut ranking = ranking();
        assert_eq!(ranking.make_way(Worth::new(900, 1.0), |ticket| Some(ticket.worth)), None);
        assert_eq!(ranking.0.len(), 4);
    }

    #[test]
    fn an_analysis_that_was_hit_since_stays() {
        let mut ranking = ranking();
        let today = |ticket: &Ticket| {
            Some(if ticket.key == 1 { Worth::new(1_000, 3.0) } else { ticket.worth })
        };
        assert_eq!(
            ranking.make_way(Worth::new(9_000, 1.0), today).map(|ticket| ticket.key),
            Some(2)
        );
    }
}
