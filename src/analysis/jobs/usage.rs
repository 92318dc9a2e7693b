//! How much jobs take, and what there is too little of.

use std::ops::{AddAssign, SubAssign};

use super::entry::JobEntry;

/// So many jobs and bytes: what there is room for, or what is taken of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Jobs.
    pub jobs: usize,
    /// What they take, with what will be found, in bytes.
    pub bytes: u64,
}

/// What there is too little of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortage {
    /// Places.
    Jobs {
        /// How many there are.
        max: usize,
    },
    /// Bytes.
    Bytes {
        /// How many there are.
        max: u64,
    },
}

impl Usage {
    pub(super) fn of(entry: &JobEntry) -> Usage {
        Usage { jobs: 1, bytes: entry.reserved_bytes }
    }

    /// Half of it, rounded up.
    pub(super) fn half(self) -> Usage {
        Usage { jobs: self.jobs.div_ceil(2), bytes: self.bytes.div_ceil(2) }
    }

    /// What is too little of this for one more job of so many bytes, if anything is, where so much
    /// is taken.
    pub(super) fn shortage_for(self, used: Usage, bytes: u64) -> Option<Shortage> {
        if used.jobs >= self.jobs {
            Some(Shortage::Jobs { max: self.jobs })
        } else if used.bytes.saturating_add(bytes) > self.bytes {
            Some(Shortage::Bytes { max: self.bytes })
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
