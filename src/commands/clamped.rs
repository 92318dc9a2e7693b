//! Limits that a server has lowered.

use serde::Deserialize;

/// A limit that a server has lowered.
#[derive(Deserialize)]
pub(super) struct Clamped {
    member: String,
    asked: u64,
    given: u64,
}

impl Clamped {
    /// A line for people.
    pub(super) fn describe(&self) -> String {
        let Clamped { member, asked, given } = self;
        format!("{member} is {asked}; the server allows {given}")
    }
}
