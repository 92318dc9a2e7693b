//! A search that another node of the cluster may run, and its reports on the way back.

mod codec;
mod report;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};

pub use self::report::ReportEncoding;
pub(super) use self::report::with_reason;
use super::cache_key::AnalysisKey;
use super::foreign_report::{self, MaxPlies};
use super::request::PriorityClass;
use super::session::Client;
use crate::chess::{Game, Move};
use crate::engine::{Limits, Report, SearchOptions};

/// The most lines of a search that another node may run: the reports of more are long.
const MAX_LINES: usize = 16;

/// The longest lines of a report.
const MAX_PLIES: MaxPlies = MaxPlies { best: 256, others: 256 };

/// Searches with smaller limits take about as long as their way to another node.
const MIN_NODES: u64 = 5_000;
const MIN_DEPTH: u8 = 6;
const MIN_TIME: Duration = Duration::from_millis(20);

/// A search that another node may run: of one thread, with the shared table.
#[derive(Clone, Debug)]
pub struct RemoteSearch {
    /// The position with the history that can recur.
    pub game: Arc<Game>,
    /// When to stop; at least a time limit.
    pub limits: Limits,
    /// Number of lines, root moves and use of tablebases.
    pub options: SearchOptions,
    /// The client, which has its share of the workers there, too.
    pub client: Client,
    /// How urgent the answer is.
    pub class: PriorityClass,
}

/// A search that another node runs or may run for this one. Dropping it withdraws the offer, or
/// leaves the search.
#[derive(Debug)]
pub struct RemoteRun {
    /// What becomes of it. The channel ends when no node runs it or will.
    pub events: mpsc::Receiver<RemoteEvent>,
    /// `true` asks for the result so far.
    pub stop: watch::Sender<bool>,
}

/// News of a search on another node.
#[derive(Debug)]
pub enum RemoteEvent {
    /// It waits for a worker of the node.
    Waiting,
    /// A node runs it; again if another node has taken it over.
    Started,
    /// An iteration is finished.
    Update(Box<Report>),
    /// It has ended.
    Finished(Box<Report>),
    /// No node runs it any more: the last one has given it up, or is gone.
    GivenUp,
}

impl RemoteSearch {
    /// The search, if another node may run it and it is worth the way.
    pub fn new(
        game: &Arc<Game>,
        limits: Limits,
        options: &SearchOptions,
        client: &Client,
        class: PriorityClass,
    ) -> Option<RemoteSearch> {
        if !RemoteSearch::is_suitable(game, &limits, options) {
            return None;
        }
        let (game, options, client) = (game.clone(), options.clone(), client.clone());
        Some(RemoteSearch { game, limits, options, client, class })
    }

    /// The same search with these limits, if it is still worth the way.
    pub(super) fn with_limits(&self, limits: Limits) -> Option<RemoteSearch> {
        RemoteSearch::new(&self.game, limits, &self.options, &self.client, self.class)
    }

    /// `true` if another node may run such a search and it is worth the way.
    pub(super) fn is_suitable(game: &Game, limits: &Limits, options: &SearchOptions) -> bool {
        is_worth_it(limits) && is_possible(game, limits, options)
    }

    /// The encoding of its reports.
    pub fn report_encoding(&self) -> ReportEncoding {
        ReportEncoding::new(&AnalysisKey::of(&self.game), self.options.multipv)
    }

    /// Decodes a report of this search that another node has sent; `None` if it is damaged or no
    /// possible result.
    pub fn decode(&self, bytes: &[u8]) -> Option<Report> {
        self.report_encoding().decode(bytes).filter(|report| self.is_result(report))
    }

    fn is_result(&self, report: &Report) -> bool {
        let SearchOptions { multipv, ref search_moves, .. } = self.options;
        let may_be_first = |mv: &Move| search_moves.is_empty() || search_moves.contains(mv);
        let mut lines = report.alternatives.iter().map(|line| &line.pv).chain([&report.pv]);
        report.alternatives.len() < multipv
            && lines.all(|line| line.first().is_some_and(may_be_first))
            && foreign_report::is_possible(report, self.game.position(), MAX_PLIES)
    }
}

/// `true` if another node may run such a search.
fn is_possible(game: &Game, limits: &Limits, options: &SearchOptions) -> bool {
    let SearchOptions { threads, multipv, ref search_moves, private_table, .. } = *options;
    threads == 1
        && (1..=MAX_LINES).contains(&multipv)
        && !private_table
        && limits.clock.is_none()
        && limits.movetime.is_some()
        && search_moves.iter().all(|&mv| game.position().is_legal(mv))
        && !game.outcome().is_over()
}

fn is_worth_it(limits: &Limits) -> bool {
    let Limits { depth, nodes, movetime, .. } = *limits;
    nodes.is_none_or(|nodes| nodes >= MIN_NODES)
        && depth.is_none_or(|depth| depth >= MIN_DEPTH)
        && movetime.is_none_or(|time| time >= MIN_TIME)
}
