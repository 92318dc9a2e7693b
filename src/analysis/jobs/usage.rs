//! Usage of jobs: amounts, totals per client, eviction order, and the memory bound.

use std::cmp::Reverse;
use std::collections::btree_set::Iter;
use std::collections::{BTreeSet, BinaryHeap};
use std::ops::{AddAssign, SubAssign};

use crate::store::jobs::{JobId, MEMORY_BYTES};

/// A number of jobs and bytes: a limit, or the used part of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Number of jobs.
    pub jobs: usize,
    /// Their maximum stored size with all evaluations, in bytes.
    pub bytes: u64,
}

/// A limit that a further job would exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExceededLimit {
    /// The number of jobs.
    Jobs {
        /// Maximum number of jobs.
        max: usize,
    },
    /// The stored size.
    Bytes {
        /// Maximum size in bytes.
        max: u64,
    },
}

/// The part of the capacity that the unfinished jobs of one client may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quota {
    /// Half of the capacity, rounded up.
    Half,
    /// So many thousandths of what the other clients leave, rounded up. Each further client that
    /// uses its quota thus leaves room for the next one.
    ShareOfRest { permille: u16 },
}

impl Quota {
    /// The limit for one client, given the usage of the unfinished jobs of the others.
    pub(super) fn limit(self, capacity: Usage, others: Usage) -> Usage {
        match self {
            Quota::Half => capacity.permille(500),
            Quota::ShareOfRest { permille } => capacity.without(others).permille(permille),
        }
    }
}

impl Usage {
    /// So many thousandths of this limit, rounded up.
    fn permille(self, permille: u16) -> Usage {
        let share = |total: u64| {
            let share = (u128::from(total) * u128::from(permille)).div_ceil(1_000);
            u64::try_from(share).unwrap_or(u64::MAX)
        };
        let jobs = usize::try_from(share(self.jobs as u64)).unwrap_or(usize::MAX);
        Usage { jobs, bytes: share(self.bytes) }
    }

    /// What is left of this limit.
    pub(super) fn without(self, used: Usage) -> Usage {
        Usage {
            jobs: self.jobs.saturating_sub(used.jobs),
            bytes: self.bytes.saturating_sub(used.bytes),
        }
    }

    /// The part of this limit that one more job of `bytes` would exceed, given the used part.
    pub(super) fn exceeded_limit(self, used: Usage, bytes: u64) -> Option<ExceededLimit> {
        if used.jobs >= self.jobs {
            Some(ExceededLimit::Jobs { max: self.jobs })
        } else if used.bytes.saturating_add(bytes) > self.bytes {
            Some(ExceededLimit::Bytes { max: self.bytes })
        } else {
            None
        }
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Usage) {
        self.jobs += other.jobs;
        self.bytes += other.bytes;
    }
}

impl SubAssign for Usage {
    fn sub_assign(&mut self, other: Usage) {
        self.jobs -= other.jobs;
        self.bytes -= other.bytes;
    }
}

/// A finished job, ordered by the time of its end.
pub(super) type FinishedJob = (u64, JobId);

/// The usage of one client's jobs, or of all jobs.
#[derive(Debug, Default)]
pub(super) struct UsageTotals {
    pub(super) total: Usage,
    /// The part of unfinished jobs.
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

/// A client during the selection of victims.
struct ClientEviction<'a> {
    remaining: Usage,
    next_victim: Option<&'a FinishedJob>,
    later_victims: Iter<'a, FinishedJob>,
}

/// Selects finished jobs to evict until `total` is within `max_usage`.
///
/// While there are too many jobs, the client with the most jobs loses the one that finished first.
/// While there are too many bytes, the client with the most bytes does. Unfinished jobs count for
/// their client but are never evicted. `bytes_of` returns the size of a job.
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
        // Among clients with equal usage, the one whose next victim finished first comes first.
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

const MB: u64 = 1 << 20;

/// One game during parsing, with the maximum number of moves and variations: 50,000 of about 350
/// bytes each.
const MAX_PARSED_GAME_BYTES: u64 = 20 * MB;

/// The index of jobs and tombstones, and the games of running jobs.
const INDEX_BYTES: u64 = 16 * MB;

/// Copies of a text in memory, summed over all texts that are received and parsed at once: as
/// bytes, as text (one byte of an old encoding may become three), and once as games.
const TEXT_COPIES: u64 = 16;

/// Overhead factor of B-tree pages. In the worst case they are half full.
const PAGE_OVERHEAD: u64 = 2;

/// Maximum memory of all jobs in bytes, given the size limits of one text and of all jobs.
///
/// Jobs on disk use no memory for their stored data. This is the jobs' part of the sizing rule in
/// `config/default.toml`.
pub const fn jobs_memory_bound(max_text_bytes: u64, max_total_bytes: u64, on_disk: bool) -> u64 {
    let stored_bytes = if on_disk { 0 } else { max_total_bytes.saturating_mul(PAGE_OVERHEAD) };
    let fixed = MEMORY_BYTES as u64 + MAX_PARSED_GAME_BYTES + INDEX_BYTES;
    fixed.saturating_add(max_text_bytes.saturating_mul(TEXT_COPIES)).saturating_add(stored_bytes)
}
