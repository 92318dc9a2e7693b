//! What a client has of the room, and whose jobs make way when room is wanted.

use std::cmp::Reverse;
use std::collections::btree_set::Iter;
use std::collections::{BTreeSet, BinaryHeap};

use super::usage::Usage;
use crate::store::jobs::JobId;

/// A job that is over, by the time of its end.
pub(super) type FinishedJob = (u64, JobId);

/// The jobs of a client, or of all.
#[derive(Debug, Default)]
pub(super) struct UsageTotals {
    pub(super) total: Usage,
    /// Those among them that are not over.
    pub(super) unfinished: Usage,
    pub(super) finished: BTreeSet<FinishedJob>,
}

impl UsageTotals {
    pub(super) fn add(&mut self, id: JobId, usage: Usage, ended_ms: Option<u64>) {
        self.total += usage;
        self.unfinished += usage;
        self.mark_finished(id, usage, ended_ms);
    }

    pub(super) fn mark_finished(&mut self, id: JobId, usage: Usage, ended_ms: Option<u64>) {
        if let Some(ended_ms) = ended_ms {
            self.unfinished -= usage;
            self.finished.insert((ended_ms, id));
        }
    }

    pub(super) fn remove(&mut self, id: JobId, usage: Usage, ended_ms: Option<u64>) {
        self.total -= usage;
        match ended_ms {
            Some(ended_ms) => drop(self.finished.remove(&(ended_ms, id))),
            None => self.unfinished -= usage,
        }
    }
}

/// A client, of whose jobs some have made way.
struct ClientEviction<'a> {
    remaining: Usage,
    next_victim: Option<&'a FinishedJob>,
    later_victims: Iter<'a, FinishedJob>,
}

/// Who makes way until no more than so much is kept of what all have together: as long as places
/// are wanted, of the client with the most jobs the one that has been over longest; as long as
/// bytes are, of the client with the most bytes. Jobs that are not over count as theirs and stay.
/// `bytes` tells what a job takes.
pub(super) fn select_victims<'a>(
    client_totals: impl Iterator<Item = &'a UsageTotals>,
    mut total: Usage,
    max_usage: Usage,
    bytes_of: impl Fn(JobId) -> u64,
) -> Vec<JobId> {
    let mut victims = Vec::new();
    if total.jobs <= max_usage.jobs && total.bytes <= max_usage.bytes {
        return victims;
    }
    let mut clients: Vec<ClientEviction<'a>> =
        client_totals.filter_map(ClientEviction::new).collect();
    let job_count = |usage: Usage| usage.jobs as u64;
    let measures: [&dyn Fn(Usage) -> u64; 2] = [&job_count, &|usage: Usage| usage.bytes];
    for measure in measures {
        // Most first; of equals the one whose next has been over longest.
        let rank = |(index, client): (usize, &ClientEviction<'a>)| {
            Some((measure(client.remaining), Reverse(client.next_victim?), index))
        };
        let mut ranks: BinaryHeap<_> = clients.iter().enumerate().filter_map(rank).collect();
        while measure(total) > measure(max_usage)
            && let Some((_, Reverse(&(_, id)), index)) = ranks.pop()
        {
            let usage = Usage { jobs: 1, bytes: bytes_of(id) };
            total -= usage;
            victims.push(id);
            if let Some(client) = clients.get_mut(index) {
                client.evict_next(usage);
                ranks.extend(rank((index, &*client)));
            }
        }
    }
    victims
}

impl<'a> ClientEviction<'a> {
    fn new(totals: &'a UsageTotals) -> Option<ClientEviction<'a>> {
        let mut later_victims = totals.finished.iter();
        let next_victim = Some(later_victims.next()?);
        Some(ClientEviction { remaining: totals.total, next_victim, later_victims })
    }

    fn evict_next(&mut self, usage: Usage) {
        self.remaining -= usage;
        self.next_victim = self.later_victims.next();
    }
}
