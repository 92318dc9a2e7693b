//! The limits of a search: those that a user sets, and those that a server has lowered.

use std::num::NonZeroU64;
use std::time::Duration;

use serde::Deserialize;

use super::api::parse_time;

/// The limits of a search. It stops at the first one that it reaches.
#[derive(clap::Args)]
pub(super) struct SearchLimits {
    /// Depth in plies
    #[arg(long, value_name = "N")]
    depth: Option<NonZeroU64>,
    /// Nodes
    #[arg(long, value_name = "N")]
    nodes: Option<NonZeroU64>,
    /// Time, such as 500ms, 10s or 2m; a number alone is in seconds
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    time: Option<Duration>,
    /// The number of best moves to compare
    #[arg(long, value_name = "N")]
    lines: Option<NonZeroU64>,
}

impl SearchLimits {
    /// The members of a request.
    pub(super) fn members(&self) -> Vec<(&'static str, u64)> {
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let members = [
            ("depth", self.depth.map(NonZeroU64::get)),
            ("nodes", self.nodes.map(NonZeroU64::get)),
            ("movetime_ms", self.time.map(milliseconds)),
            ("multipv", self.lines.map(NonZeroU64::get)),
        ];
        members.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

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
