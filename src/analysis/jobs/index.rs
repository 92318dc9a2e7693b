//! All jobs that are known, who waits for a turn, and who has to go when room is wanted.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use super::JobError;
use super::entry::{Entry, JobStatus};
use super::room::Room;
use super::share::{Share, leaving};
use crate::analysis::Client;
use crate::store::jobs::{JobId, MOST_GONE};

/// So many jobs are worked at, each of another client. More of them would not be done sooner.
pub(super) const MOST_ACTIVE: usize = 8;

/// What is known of jobs.
#[derive(Debug, Default)]
pub(super) struct Index {
    jobs: HashMap<JobId, Known>,
    /// Those that are not over and that nobody works at, in the order of their turns.
    waiting: BTreeMap<u64, Arc<Entry>>,
    next_turn: u64,
    /// Whose jobs are worked at.
    active: HashSet<Client>,
    all: Share,
    /// What each client has who has any.
    shares: HashMap<Client, Share>,
    gone: VecDeque<JobId>,
    known_gone: HashSet<JobId>,
}

/// A job that is there.
#[derive(Debug)]
struct Known {
    entry: Arc<Entry>,
    /// When it ended, if it has.
    ended_ms: Option<u64>,
}

impl Index {
    /// The job of that name.
    pub(super) fn find(&self, id: JobId) -> Result<Arc<Entry>, JobError> {
        match self.jobs.get(&id) {
            Some(known) => Ok(known.entry.clone()),
            None if self.known_gone.contains(&id) => Err(JobError::Gone),
            None => Err(JobError::Unknown),
        }
    }

    /// Takes a job in; one that is over, with the time of its end.
    pub(super) fn add(&mut self, entry: Arc<Entry>, ended_ms: Option<u64>) {
        let (id, room) = (entry.id, Room::of(&entry));
        self.all.add(id, room, ended_ms);
        self.shares.entry(entry.client.clone()).or_default().add(id, room, ended_ms);
        if ended_ms.is_none() {
            self.wait(entry.clone());
        }
        self.jobs.insert(id, Known { entry, ended_ms });
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

    /// The next job that is to be worked at, if there is one and a place for it: its client has
    /// one.
    pub(super) fn begin(&mut self) -> Option<Arc<Entry>> {
        if self.active.len() >= MOST_ACTIVE {
            return None;
        }
        let turn = self
            .waiting
            .iter()
            .find(|(_, entry)| !self.active.contains(&entry.client))
            .map(|(&turn, _)| turn)?;
        let entry = self.waiting.remove(&turn)?;
        self.active.insert(entry.client.clone());
        Some(entry)
    }

    /// `true` when the place of a job would serve another client's.
    pub(super) fn is_wanted(&self) -> bool {
        self.active.len() >= MOST_ACTIVE
            && self.waiting.values().any(|entry| !self.active.contains(&entry.client))
    }

    /// Nobody works at the job any more. It waits for its next turn, unless it is over or gone.
    pub(super) fn rest(&mut self, entry: &Arc<Entry>) {
        self.active.remove(&entry.client);
        if self.jobs.contains_key(&entry.id) && !entry.progress().status.is_over() {
            self.wait(entry.clone());
        }
    }

    /// The job is over.
    pub(super) fn end(&mut self, entry: &Entry, ended_ms: u64) {
        if let Some(known) = self.jobs.get_mut(&entry.id)
            && known.ended_ms.is_none()
        {
            known.ended_ms = Some(ended_ms);
            let room = Room::of(entry);
            self.all.end(entry.id, room, known.ended_ms);
            self.shares.entry(entry.client.clone()).or_default().end(
                entry.id,
                room,
                known.ended_ms,
            );
        }
    }

    /// The job is gone.
    pub(super) fn let_go(&mut self, id: JobId) {
        let Some(Known { entry, ended_ms }) = self.jobs.remove(&id) else { return };
        let room = Room::of(&entry);
        self.all.remove(id, room, ended_ms);
        if let Some(share) = self.shares.get_mut(&entry.client) {
            share.remove(id, room, ended_ms);
            if share.kept == Room::default() {
                self.shares.remove(&entry.client);
            }
        }
        if ended_ms.is_none() {
            self.waiting.retain(|_, waiting| waiting.id != id);
        }
        entry.becomes(JobStatus::Gone);
        self.add_gone(id);
    }

    /// Who has to go so that a client's job of this size has room. What is not over stays; of that
    /// each client may have half of the room.
    ///
    /// # Errors
    /// When the job is larger than that half, when the client has taken it, and when there is no
    /// room, however many go.
    pub(super) fn make_way(
        &self,
        client: &Client,
        bytes: u64,
        room: Room,
    ) -> Result<Vec<JobId>, JobError> {
        let half = room.half();
        if bytes > half.bytes {
            return Err(JobError::TooLarge { bytes, most: half.bytes });
        }
        let own = self.shares.get(client).map_or(Room::default(), |share| share.unfinished);
        if let Some(scarce) = half.lacks(own, bytes) {
            return Err(JobError::ShareTaken { unfinished: own.jobs, scarce });
        }
        let Room { jobs: unfinished, .. } = self.all.unfinished;
        if let Some(scarce) = room.lacks(self.all.unfinished, bytes) {
            return Err(JobError::Full { unfinished, scarce });
        }
        let most = Room { jobs: room.jobs - 1, bytes: room.bytes - bytes };
        let bytes = |id| self.jobs.get(&id).map_or(0, |known| known.entry.bytes);
        Ok(leaving(self.shares.values(), self.all.kept, most, bytes))
    }

    /// Those that were over before that time.
    pub(super) fn over_before(&self, ms: u64) -> Vec<JobId> {
        self.all.over.range(..(ms, JobId::default())).map(|(_, id)| *id).collect()
    }

    /// What all take.
    pub(super) fn kept(&self) -> Room {
        self.all.kept
    }

    /// What those take that are not over.
    pub(super) fn unfinished(&self) -> Room {
        self.all.unfinished
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::jobs::room::Scarce;
    use crate::store::jobs::{Asked, JobRecord, Kept};

    fn entry(client: &str) -> Arc<Entry> {
        sized(client, 100)
    }

    fn sized(client: &str, bytes: u64) -> Arc<Entry> {
        let asked = Asked { depth: Some(1), nodes: None, movetime: None, multipv: 1 };
        let (client, plies) = (client.to_owned(), vec![3]);
        let record =
            JobRecord { client, asked, created_ms: 0, ending: None, bytes, key: None, plies };
        Arc::new(Entry::new(&Kept { id: JobId::random().unwrap(), record, found: 0 }))
    }

    fn new_one(index: &Index, bytes: u64, room: Room) -> Result<Vec<JobId>, JobError> {
        index.make_way(&Client::new("new"), bytes, room)
    }

    const ROOM: Room = Room { jobs: 3, bytes: 1_000 };

    #[test]
    fn each_client_has_one_job_at_work_and_the_rest_in_order() {
        let mut index = Index::default();
        let [a1, a2, b1] = ["a", "a", "b"].map(entry);
        [&a1, &a2, &b1].into_iter().for_each(|entry| index.add(entry.clone(), None));
        let begun = |index: &mut Index| index.begin().map(|entry| entry.id);
        assert_eq!(
            (begun(&mut index), begun(&mut index), begun(&mut index)),
            (Some(a1.id), Some(b1.id), None)
        );
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
        assert_eq!(new_one(&index, 100, ROOM).unwrap(), [early.id]);
        assert_eq!(
            new_one(&index, 100, Room { jobs: 10, bytes: 250 }).unwrap(),
            [early.id, late.id]
        );
        assert_eq!((index.over_before(10), index.over_before(11)), (vec![], vec![early.id]));
        index.let_go(early.id);
        assert!(matches!(index.find(early.id), Err(JobError::Gone)));
        assert!(matches!(index.find(entry("d").id), Err(JobError::Unknown)));
        assert_eq!(
            (index.kept(), index.unfinished()),
            (Room { jobs: 2, bytes: 200 }, Room { jobs: 1, bytes: 100 })
        );
        assert_eq!(new_one(&index, 100, ROOM).unwrap(), []);
        index.let_go(late.id);
        index.let_go(working.id);
        assert_eq!(
            (index.kept(), index.unfinished(), index.shares.len()),
            (Room::default(), Room::default(), 0)
        );
    }

    #[test]
    fn a_client_has_half_of_the_room_at_most_and_what_is_not_over_never_makes_way() {
        let mut index = Index::default();
        let ann = Client::new("ann");
        let asked = |index: &Index, client: &Client, bytes| {
            index.make_way(client, bytes, Room { jobs: 5, bytes: 1_001 })
        };
        assert!(matches!(
            asked(&index, &ann, 502),
            Err(JobError::TooLarge { bytes: 502, most: 501 })
        ));
        assert_eq!(asked(&index, &ann, 501).unwrap(), []);
        let [first, second, third] = [300, 100, 1].map(|bytes| sized("ann", bytes));
        index.add(first.clone(), None);
        let scarce = Scarce::Bytes { most: 501 };
        assert!(
            matches!(asked(&index, &ann, 202), Err(JobError::ShareTaken { unfinished: 1, scarce: s }) if s == scarce)
        );
        index.add(second, None);
        index.add(third, None);
        let scarce = Scarce::Jobs { most: 3 };
        assert!(
            matches!(asked(&index, &ann, 1), Err(JobError::ShareTaken { unfinished: 3, scarce: s }) if s == scarce)
        );
        let bob = Client::new("bob");
        assert_eq!(asked(&index, &bob, 501).unwrap(), [], "another client has its own half");
        index.add(sized("bob", 501), None);
        let scarce = Scarce::Bytes { most: 1_001 };
        let cid = Client::new("cid");
        assert!(
            matches!(asked(&index, &cid, 100), Err(JobError::Full { unfinished: 4, scarce: s }) if s == scarce)
        );
        index.add(sized("cid", 1), None);
        let scarce = Scarce::Jobs { most: 5 };
        assert!(
            matches!(asked(&index, &cid, 1), Err(JobError::Full { unfinished: 5, scarce: s }) if s == scarce)
        );
        index.end(&first, 7);
        assert_eq!(
            asked(&index, &ann, 100).unwrap(),
            [first.id],
            "a job that is over is no part of the half"
        );
    }

    #[test]
    fn of_the_client_with_the_most_one_makes_way() {
        let mut index = Index::default();
        let (small, large): (Vec<_>, Vec<_>) = (
            (0..4).map(|_| sized("ann", 10)).collect(),
            (0..2).map(|_| sized("bob", 300)).collect(),
        );
        let (oldest, working) = (sized("cid", 20), sized("bob", 100));
        index.add(oldest.clone(), Some(1));
        large.iter().zip(5..).for_each(|(job, ended)| index.add(job.clone(), Some(ended)));
        small.iter().zip(10..).for_each(|(job, ended)| index.add(job.clone(), Some(ended)));
        index.add(working, None);
        let ids = |jobs: &[&Arc<Entry>]| jobs.iter().map(|job| job.id).collect::<Vec<_>>();
        let by_places = new_one(&index, 10, Room { jobs: 7, bytes: 10_000 }).unwrap();
        assert_eq!(
            by_places,
            ids(&[&small[0], &large[0]]),
            "four of ann's, and then three against three: the oldest"
        );
        let by_bytes = new_one(&index, 100, Room { jobs: 100, bytes: 260 }).unwrap();
        assert_eq!(
            by_bytes,
            ids(&[&large[0], &large[1]]),
            "what is not over counts as bob's, and stays"
        );
        let by_both = new_one(&index, 10, Room { jobs: 8, bytes: 500 }).unwrap();
        assert_eq!(by_both, ids(&[&small[0], &large[0]]));
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
