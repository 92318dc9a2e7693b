//! What a client has of the room, and whose jobs make way when room is wanted.

use std::cmp::Reverse;
use std::collections::btree_set::Iter;
use std::collections::{BTreeSet, BinaryHeap};

use super::room::Room;
use crate::store::jobs::JobId;

/// A job that is over, by the time of its end.
pub(super) type Over = (u64, JobId);

/// The jobs of a client, or of all.
#[derive(Debug, Default)]
pub(super) struct Share {
    pub(super) kept: Room,
    /// Those among them that are not over.
    pub(super) unfinished: Room,
    pub(super) over: BTreeSet<Over>,
}

impl Share {
    pub(super) fn add(&mut self, id: JobId, room: Room, ended_ms: Option<u64>) {
        self.kept += room;
        self.unfinished += room;
        self.end(id, room, ended_ms);
    }

    pub(super) fn end(&mut self, id: JobId, room: Room, ended_ms: Option<u64>) {
        if let Some(ended_ms) = ended_ms {
            self.unfinished -= room;
            self.over.insert((ended_ms, id));
        }
    }

    pub(super) fn remove(&mut self, id: JobId, room: Room, ended_ms: Option<u64>) {
        self.kept -= room;
        match ended_ms {
            Some(ended_ms) => drop(self.over.remove(&(ended_ms, id))),
            None => self.unfinished -= room,
        }
    }
}

/// A client, of whose jobs some have made way.
struct Owner<'a> {
    left: Room,
    next: Option<&'a Over>,
    rest: Iter<'a, Over>,
}

/// Who makes way until no more than so much is kept of what all have together: as long as places
/// are wanted, of the client with the most jobs the one that has been over longest; as long as
/// bytes are, of the client with the most bytes. Jobs that are not over count as theirs and stay.
/// `bytes` tells what a job takes.
pub(super) fn leaving<'a>(
    shares: impl Iterator<Item = &'a Share>,
    mut all: Room,
    most: Room,
    bytes: impl Fn(JobId) -> u64,
) -> Vec<JobId> {
    let mut leaving = Vec::new();
    if all.jobs <= most.jobs && all.bytes <= most.bytes {
        return leaving;
    }
    let mut owners: Vec<Owner<'a>> = shares.filter_map(Owner::new).collect();
    let jobs = |room: Room| room.jobs as u64;
    let sizes: [&dyn Fn(Room) -> u64; 2] = [&jobs, &|room: Room| room.bytes];
    for size in sizes {
        // Most first; of equals the one whose next has been over longest.
        let rank = |(index, owner): (usize, &Owner<'a>)| {
            Some((size(owner.left), Reverse(owner.next?), index))
        };
        let mut ranks: BinaryHeap<_> = owners.iter().enumerate().filter_map(rank).collect();
        while size(all) > size(most)
            && let Some((_, Reverse(&(_, id)), index)) = ranks.pop()
        {
            let room = Room { jobs: 1, bytes: bytes(id) };
            all -= room;
            leaving.push(id);
            if let Some(owner) = owners.get_mut(index) {
                owner.gives_up(room);
                ranks.extend(rank((index, &*owner)));
            }
        }
    }
    leaving
}

impl<'a> Owner<'a> {
    fn new(share: &'a Share) -> Option<Owner<'a>> {
        let mut rest = share.over.iter();
        let next = Some(rest.next()?);
        Some(Owner { left: share.kept, next, rest })
    }

    fn gives_up(&mut self, room: Room) {
        self.left -= room;
        self.next = self.rest.next();
    }
}
