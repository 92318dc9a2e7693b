//! What is kept of an analysis.

use std::sync::Arc;
use std::time::Duration;

use super::EntryKey;
use crate::engine::Report;

/// A finished analysis and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Where it belongs.
    pub key: EntryKey,
    /// What was found. Its [`linear`](Report::linear) score is not kept: it is of use to the search
    /// that found it only.
    pub report: Arc<Report>,
    /// What it stands for.
    pub effort: StoredEffort,
    /// The most nodes that were ever spent on it: what it saves.
    pub nodes_saved: u64,
    /// When it was stored, in milliseconds since 1970.
    pub stored_ms: u64,
}

/// What an analysis stands for, in the terms that questions are asked in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredEffort {
    /// Nodes.
    pub nodes: u64,
    /// Time; kept to the nanosecond up to centuries, and beyond that as [`Duration::MAX`].
    pub time: Duration,
    /// Depth, in plies.
    pub depth: u8,
}
