//! All jobs that are known, who waits for a turn, and who has to go when room is wanted.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use super::JobError;
use super::entry::{Entry, JobStatus};
use crate::analysis::Client;
use crate::store::jobs::{JobId, MOST_GONE};

/// So many jobs are worked at, each of another client. More of them would not be done sooner.
pub(super) const MOST_ACTIVE: usize = 8;

/// What is known of jobs.
#[derive(Debug, Default)]
pub(super) struct Index {
    entries: HashMap<JobId, Arc<Entry>>,
    /// Those that are not over and that nobody works at, in the order of their turns.
    waiting: BTreeMap<u64, Arc<Entry>>,
    next_turn: u64,
    /// Whose jobs are worked at.
    active: HashSet<Client>,
    /// Those that are over, by the time of their end.
    over: BTreeSet<(u64, JobId)>,
    gone: VecDeque<JobId>,
    known_gone: HashSet<JobId>,
    bytes: u64,
}

/// How much there may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) jobs: usize,
    pub(super) bytes: u64,
}

impl Index {
    /// The job of that name.
    pub(super) fn find(&self, id: JobId) -> Result<Arc<Entry>, JobError> {
        match self.entries.get(&id) {
            Some(entry) => Ok(entry.clone()),
            None if self.known_gone.contains(&id) => Err(JobError::Gone),
            None => Err(JobError::Unknown),
        }
    }

    /// Takes a job in; one that is over, with the time of its end.
    pub(super) fn add(&mut self, entry: Arc<Entry>, ended_ms: Option<u64>) {
        self.bytes += entry.bytes;
        match ended_ms {
            Some(ended_ms) => {
                self.over.insert((ended_ms, entry.id));
            }
            None => self.wait(entry.clone()),
        }
        self.entries.insert(entry.id, entry);
    }

    /// Notes the name of a job that was gone before.
    pub(super) fn add_gone(&mut self, id: JobId) {
        if self.known_gone.insert(id) {
            self.gone.push_back(id);
        }
        if self.gone.len() > MOST_GONE
            && let Some(oldest) = self.gone.pop_front()
        {
            self.known_gone.remove(&oldest);
        }
    }

    fn wait(&mut self, entry: Arc<Entry>) {
        self.waiting.insert(self.next_turn, entry);
        self.next_turn += 1;
    }

    /// The next job that is to be worked at, if there is one and a place for it: its client has one.
    pub(super) fn begin(&mut self) -> Option<Arc<Entry>> {
        if self.active.len() >= MOST_ACTIVE {
            return None;
        }
        let turn = self.waiting.iter().find(|(_, entry)| !self.active.contains(&entry.client)).map(|(&turn, _)| turn)?;
        let entry = self.waiting.remove(&turn)?;
        self.active.insert(entry.client.clone());
        Some(entry)
    }

    /// `true` when the place of a job would serve another client's.
    pub(super) fn is_wanted(&self) -> bool {
        self.active.len() >= MOST_ACTIVE && self.waiting.values().any(|entry| !self.active.contains(&entry.client))
    }

    /// Nobody works at the job any more. It waits for its next turn, unless it is over or gone.
    pub(super) fn rest(&mut self, entry: &Arc<Entry>) {
        self.active.remove(&entry.client);
        if self.entries.contains_key(&entry.id) && !entry.progress().status.is_over() {
            self.wait(entry.clone());
        }
    }

    /// The job is over.
    pub(super) fn end(&mut self, entry: &Entry, ended_ms: u64) {
        if self.entries.contains_key(&entry.id) {
            self.over.insert((ended_ms, entry.id));
        }
    }

    /// The job is gone.
    pub(super) fn let_go(&mut self, id: JobId) {
        let Some(entry) = self.entries.remove(&id) else { return };
        self.bytes -= entry.bytes;
        self.waiting.retain(|_, waiting| waiting.id != id);
        self.over.retain(|(_, other)| *other != id);
        entry.becomes(JobStatus::Gone);
        self.add_gone(id);
    }

    /// Who has to go so that a job of this size has room: those that have been over for the longest time.
    ///
    /// # Errors
    /// When there is none, however many go.
    pub(super) fn make_way(&self, bytes: u64, room: Room) -> Result<Vec<JobId>, JobError> {
        if bytes > room.bytes {
            return Err(JobError::TooLarge { bytes, most: room.bytes });
        }
        let (mut jobs, mut taken, mut leaving) = (self.entries.len(), self.bytes, Vec::new());
        let mut over = self.over.iter();
        while jobs >= room.jobs || taken + bytes > room.bytes {
            let Some((_, id)) = over.next() else { return Err(JobError::Full { unfinished: self.unfinished() }) };
            taken -= self.entries.get(id).map_or(0, |entry| entry.bytes);
            jobs -= 1;
            leaving.push(*id);
        }
        Ok(leaving)
    }

    /// Those that were over before that time.
    pub(super) fn over_before(&self, ms: u64) -> Vec<JobId> {
        self.over.range(..(ms, JobId::default())).map(|(_, id)| *id).collect()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// How many are not over.
    pub(super) fn unfinished(&self) -> usize {
        self.entries.len() - self.over.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::jobs::{Asked, JobRecord, Kept};

    fn entry(client: &str) -> Arc<Entry> {
        let asked = Asked { depth: Some(1), nodes: None, movetime: None, multipv: 1 };
        let (client, plies) = (client.to_owned(), vec![3]);
        let record = JobRecord { client, asked, created_ms: 0, ending: None, bytes: 100, key: None, plies };
        Arc::new(Entry::new(&Kept { id: JobId::random().unwrap(), record, found: 0 }))
    }

    const ROOM: Room = Room { jobs: 3, bytes: 1_000 };

    #[test]
    fn each_client_has_one_job_at_work_and_the_rest_in_order() {
        let mut index = Index::default();
        let [a1, a2, b1] = ["a", "a", "b"].map(entry);
        [&a1, &a2, &b1].into_iter().for_each(|entry| index.add(entry.clone(), None));
        let begun = |index: &mut Index| index.begin().map(|entry| entry.id);
        assert_eq!((begun(&mut index), begun(&mut index), begun(&mut index)), (Some(a1.id), Some(b1.id), None));
        assert!(!index.is_wanted(), "its own client's next job waits for the whole of it");
        index.rest(&a1);
        assert_eq!((begun(&mut index), begun(&mut index)), (Some(a2.id), None));
        a2.becomes(JobStatus::Done);
        index.end(&a2, 7);
        index.rest(&a2);
        assert_eq!(begun(&mut index), Some(a1.id), "who rested comes again");
    }

    #[test]
    fn with_more_clients_than_places_one_makes_room_for_the_next() {
        let mut index = Index::default();
        (0..=MOST_ACTIVE).for_each(|number| index.add(entry(&number.to_string()), None));
        let begun: Vec<_> = std::iter::from_fn(|| index.begin()).collect();
        assert_eq!(begun.len(), MOST_ACTIVE);
        assert!(index.is_wanted());
        index.rest(&begun[0]);
        assert_eq!(index.begin().unwrap().client, Client::new(&MOST_ACTIVE.to_string()));
    }

    #[test]
    fn whoever_has_been_over_longest_makes_way() {
        let mut index = Index::default();
        let [early, late, working] = ["a", "b", "c"].map(entry);
        index.add(late.clone(), Some(20));
        index.add(early.clone(), Some(10));
        index.add(working.clone(), None);
        assert_eq!(index.make_way(100, ROOM).unwrap(), [early.id]);
        assert_eq!(index.make_way(100, Room { jobs: 10, bytes: 250 }).unwrap(), [early.id, late.id]);
        assert!(matches!(index.make_way(100, Room { jobs: 1, bytes: 1_000 }), Err(JobError::Full { unfinished: 1 })));
        assert!(matches!(index.make_way(1_001, ROOM), Err(JobError::TooLarge { bytes: 1_001, most: 1_000 })));
        assert_eq!((index.over_before(10), index.over_before(11)), (vec![], vec![early.id]));
        index.let_go(early.id);
        assert!(matches!(index.find(early.id), Err(JobError::Gone)));
        assert!(matches!(index.find(entry("d").id), Err(JobError::Unknown)));
        assert_eq!((index.len(), index.unfinished()), (2, 1));
        assert_eq!(index.make_way(100, ROOM).unwrap(), []);
    }

    #[test]
    fn those_who_are_gone_are_not_remembered_without_end() {
        let mut index = Index::default();
        let first = JobId::random().unwrap();
        index.add_gone(first);
        (0..MOST_GONE).for_each(|_| index.add_gone(JobId::random().unwrap()));
        assert!(matches!(index.find(first), Err(JobError::Unknown)));
        assert_eq!((index.gone.len(), index.known_gone.len()), (MOST_GONE, MOST_GONE));
    }
}
