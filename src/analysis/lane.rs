//! One class of those who wait: bounded, fair between clients, first in, first out for each of
//! them.
//!
//! Start-time fair queueing (Goyal, Vin and Cheng): each job is stamped with the work that its
//! client has asked for so far, counted from the work that was being done when the client came; the
//! least stamp has its turn. A client that asks for little never stands behind all that another has
//! asked for.

use std::collections::{BTreeMap, HashMap};

use super::queue::Order;
use super::session::Client;

/// So many clients are kept in mind at most, besides those who wait.
const MOST_REMEMBERED: usize = 4_096;

/// A place among those who wait: less is sooner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stamp {
    /// Worker places that the client had asked for before.
    start: u64,
    number: u64,
}

/// What a client has asked for.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    waiting: usize,
    /// Where its next job starts.
    finish: u64,
}

/// Those of one class who wait.
#[derive(Default)]
pub(super) struct Lane {
    waiting: BTreeMap<Stamp, Order>,
    standings: HashMap<Client, Standing>,
    /// The start of the last job that had its turn.
    now: u64,
    next_number: u64,
}

impl Lane {
    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// In the order of their turns.
    pub(super) fn orders(&self) -> impl Iterator<Item = &Order> {
        self.waiting.values()
    }

    /// How many have their turn before this one; `None` for one that does not wait here.
    pub(super) fn before(&self, stamp: Stamp) -> Option<usize> {
        self.waiting.contains_key(&stamp).then(|| self.waiting.range(..stamp).count())
    }

    /// Takes a place.
    pub(super) fn push(&mut self, order: Order) -> Stamp {
        let standing = self.standings.entry(order.client().clone()).or_default();
        let start = standing.finish.max(self.now);
        standing.finish = start + order.places() as u64;
        standing.waiting += 1;
        let stamp = Stamp { start, number: self.next_number };
        self.next_number += 1;
        self.waiting.insert(stamp, order);
        stamp
    }

    /// Gives a place back.
    pub(super) fn remove(&mut self, stamp: Stamp) -> Option<Order> {
        let order = self.waiting.remove(&stamp)?;
        self.note_gone(&order);
        Some(order)
    }

    /// The next one has his turn.
    pub(super) fn pop(&mut self) -> Option<Order> {
        let (stamp, order) = self.waiting.pop_first()?;
        self.now = stamp.start;
        self.note_gone(&order);
        Some(order)
    }

    /// Everybody goes.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = Order> + use<> {
        self.standings.clear();
        std::mem::take(&mut self.waiting).into_values()
    }

    /// Makes room for one more of this client: the newest job of the client that has the most
    /// waiting goes. `None` when that would be this client's new one.
    pub(super) fn make_way(&mut self, client: &Client) -> Option<Order> {
        let own = self.standings.get(client).map_or(0, |standing| standing.waiting) + 1;
        let (crowd, standing) =
            self.standings.iter().max_by_key(|(_, standing)| standing.waiting)?;
        if standing.waiting <= own {
            return None;
        }
        let crowd = crowd.clone();
        let newest = self
            .waiting
            .iter()
            .filter(|(_, order)| *order.client() == crowd)
            .map(|(&stamp, _)| stamp);
        let newest = newest.max_by_key(|stamp| stamp.number)?;
        let order = self.remove(newest)?;
        // It has cost its client nothing.
        if let Some(standing) = self.standings.get_mut(&crowd) {
            standing.finish = newest.start;
        }
        Some(order)
    }

    fn note_gone(&mut self, order: &Order) {
        if let Some(standing) = self.standings.get_mut(order.client()) {
            standing.waiting -= 1;
        }
        if self.waiting.is_empty() {
            // Nobody waits: nobody has an advantage to make up for.
            self.standings.clear();
        } else if self.standings.len() > MOST_REMEMBERED {
            let now = self.now;
            self.standings.retain(|_, standing| standing.waiting > 0 || standing.finish > now);
            if self.standings.len() > MOST_REMEMBERED {
                self.standings.retain(|_, standing| standing.waiting > 0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::queue::Job;

    fn order(client: &str, places: usize) -> Order {
        Order::new(Client::new(client), places, Job::new(|_| ()))
    }

    fn turns(lane: &mut Lane) -> String {
        std::iter::from_fn(|| lane.pop()).map(|order| order.client().to_string()).collect()
    }

    #[test]
    fn clients_take_turns_however_much_one_of_them_asks_for() {
        let mut lane = Lane::default();
        for client in "aaaaabbc".chars() {
            lane.push(order(&client.to_string(), 1));
        }
        assert_eq!(turns(&mut lane), "abcabaaa");
    }

    #[test]
    fn who_comes_later_does_not_wait_for_all_that_another_has_asked_for() {
        let mut lane = Lane::default();
        for _ in 0..5 {
            lane.push(order("a", 1));
        }
        lane.pop();
        lane.pop();
        lane.push(order("b", 1));
        lane.push(order("b", 1));
        assert_eq!(turns(&mut lane), "babaa");
    }

    #[test]
    fn a_job_for_several_workers_counts_as_several() {
        let mut lane = Lane::default();
        for (client, places) in [("a", 3), ("a", 1), ("b", 1), ("b", 1), ("b", 1), ("b", 1)] {
            lane.push(order(client, places));
        }
        assert_eq!(turns(&mut lane), "abbbab");
    }

    #[test]
    fn in_a_crowd_the_newest_of_the_largest_part_gives_way() {
        let mut lane = Lane::default();
        let stamps: Vec<_> =
            ["a", "a", "a", "b"].map(|client| lane.push(order(client, 1))).to_vec();
        let gone = lane.make_way(&Client::new("c")).unwrap();
        assert_eq!(gone.client().to_string(), "a");
        assert_eq!(
            stamps.iter().map(|&stamp| lane.before(stamp)).collect::<Vec<_>>(),
            [Some(0), Some(2), None, Some(1)]
        );
        assert!(lane.make_way(&Client::new("a")).is_none(), "his own new one would be the newest");
        assert!(
            lane.make_way(&Client::new("b")).is_none(),
            "two of each: the newcomer is one too many"
        );
    }

    #[test]
    fn clients_that_are_gone_are_not_kept_in_mind_without_end() {
        let mut lane = Lane::default();
        lane.push(order("heavy", 1));
        lane.push(order("heavy", 1));
        for number in 0..3 * MOST_REMEMBERED {
            let stamp = lane.push(order(&number.to_string(), 1));
            lane.remove(stamp);
        }
        assert!(lane.standings.len() <= MOST_REMEMBERED + 1, "{}", lane.standings.len());
        turns(&mut lane);
        assert!(lane.standings.is_empty());
    }
}
