//! How much jobs take, and what there is too little of.

use std::ops::{AddAssign, SubAssign};

use super::entry::Entry;

/// So many jobs and bytes: what there is room for, or what is taken of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// Jobs.
    pub jobs: usize,
    /// What they take, with what will be found, in bytes.
    pub bytes: u64,
}

/// What there is too little of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scarce {
    /// Places.
    Jobs {
        /// How many there are.
        most: usize,
    },
    /// Bytes.
    Bytes {
        /// How many there are.
        most: u64,
    },
}

impl Room {
    pub(super) fn of(entry: &Entry) -> Room {
        Room { jobs: 1, bytes: entry.bytes }
    }

    /// Half of it, rounded up.
    pub(super) fn half(self) -> Room {
        Room { jobs: self.jobs.div_ceil(2), bytes: self.bytes.div_ceil(2) }
    }

    /// What is too little of this for one more job of so many bytes, if anything is, where so much
    /// is taken.
    pub(super) fn lacks(self, taken: Room, bytes: u64) -> Option<Scarce> {
        if taken.jobs >= self.jobs {
            Some(Scarce::Jobs { most: self.jobs })
        } else if taken.bytes.saturating_add(bytes) > self.bytes {
            Some(Scarce::Bytes { most: self.bytes })
        } else {
            None
        }
    }
}

impl AddAssign for Room {
    fn add_assign(&mut self, other: Room) {
        self.jobs += other.jobs;
        self.bytes += other.bytes;
    }
}

impl SubAssign for Room {
    fn sub_assign(&mut self, other: Room) {
        self.jobs -= other.jobs;
        self.bytes -= other.bytes;
    }
}
