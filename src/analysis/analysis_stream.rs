//! A question under way, as its asker follows it.

use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::select;
use tokio::sync::watch;
use tokio::time::sleep_until;

use super::AnalysisError;
use super::answer::{Answer, CacheVerdict, CompletionReason, Source};
use super::cached::CachedAnalysis;
use super::in_flight::{SearchProgress, SearchResult, Subscription};
use super::session::SessionGuard;
use crate::engine::Report;

/// What is heard of a question under way.
#[derive(Clone, Debug)]
pub enum AnalysisUpdate {
    /// What memory knows, with the lines asked; before anything else.
    Cached(CachedAnalysis),
    /// It waits for a worker, behind so many others.
    Queued(usize),
    /// The search has finished an iteration that is deeper than all that was told.
    Iteration(Arc<Report>),
    /// The end.
    End(Answer),
}

/// A question under way. Dropping it is leaving; the search ends when its last listener has left.
pub struct AnalysisStream {
    /// What memory knows, and whether that was told.
    cached: Option<CachedAnalysis>,
    is_cached_sent: bool,
    sent_depth: u8,
    state: StreamState,
}

/// What comes after that.
enum StreamState {
    Answered(Box<Answer>),
    Searching(Box<PendingSearch>),
    Ended,
}

/// A seat in a search.
pub(super) struct PendingSearch {
    pub(super) requested_at: Instant,
    pub(super) cache_verdict: CacheVerdict,
    pub(super) subscription: Subscription,
    /// Its session, where it has one.
    pub(super) session_guard: Option<SessionGuard>,
    progress: watch::Receiver<SearchProgress>,
    load: watch::Receiver<usize>,
    sent_tasks_ahead: Option<usize>,
    /// When it has waited long enough.
    deadline: Instant,
    early_end: Option<EarlyEnd>,
}

/// An end before the search's own.
#[derive(Clone, Copy)]
struct EarlyEnd {
    /// As the asker is told.
    reason: CompletionReason,
    /// Nobody else listens: the search ends too, within milliseconds, and what it has by then
    /// counts.
    stops_search: bool,
}

/// What a flight was waited for.
enum SearchEvent {
    Finished(Result<SearchResult, AnalysisError>),
    /// It was cut short, and the search goes on for others.
    EndedEarly(CompletionReason),
    /// It has waited too long.
    TimedOut,
    Changed,
}

impl AnalysisStream {
    /// One that is answered without a search.
    pub(super) fn from_answer(cached: Option<CachedAnalysis>, answer: Answer) -> AnalysisStream {
        AnalysisStream::new(cached, StreamState::Answered(Box::new(answer)))
    }

    /// One that sits in a search.
    pub(super) fn from_search(
        cached: Option<CachedAnalysis>,
        flying: PendingSearch,
    ) -> AnalysisStream {
        AnalysisStream::new(cached, StreamState::Searching(Box::new(flying)))
    }

    fn new(cached: Option<CachedAnalysis>, state: StreamState) -> AnalysisStream {
        AnalysisStream { cached, is_cached_sent: false, sent_depth: 0, state }
    }

    /// The next that is heard; `None` after [`News::End`] or an error. Depths never fall. It may be
    /// given up and asked again: nothing gets lost.
    ///
    /// # Errors
    /// A shutdown before the search began, or a fault of ours.
    pub async fn next(&mut self) -> Result<Option<AnalysisUpdate>, AnalysisError> {
        if let Some(cached) = self.cached.as_ref().filter(|_| !self.is_cached_sent) {
            self.is_cached_sent = true;
            self.sent_depth = cached.report.depth;
            return Ok(Some(AnalysisUpdate::Cached(cached.clone())));
        }
        while let StreamState::Searching(search) = &mut self.state {
            if let Some(update) = search.next_update(self.sent_depth) {
                if let AnalysisUpdate::Iteration(report) = &update {
                    self.sent_depth = report.depth;
                }
                return Ok(Some(update));
            }
            let answer = match search.wait_for_event().await {
                SearchEvent::Changed => continue,
                SearchEvent::EndedEarly(reason) => Ok(search.partial_answer(reason)),
                SearchEvent::TimedOut => Err(search.time_out()),
                SearchEvent::Finished(outcome) => match (outcome, search.early_end) {
                    // Whoever stood in the queue alone took the work along.
                    (Err(_), Some(early_end)) => Ok(search.partial_answer(early_end.reason)),
                    (landed, _) => landed.map(|landed| search.answer_from(landed)),
                },
            };
            self.state = StreamState::Ended;
            let answer = answer?.or_deeper_cached(self.cached.as_ref());
            let unsent = self.unsent_report(&answer);
            self.state = StreamState::Answered(Box::new(answer));
            if let Some(report) = unsent {
                self.sent_depth = report.depth;
                return Ok(Some(AnalysisUpdate::Iteration(report)));
            }
        }
        // An equal search may have ended between the look at memory and the search for one to join.
        if let StreamState::Answered(answer) = &self.state
            && answer.report.depth > self.sent_depth
        {
            self.sent_depth = answer.report.depth;
            return Ok(Some(AnalysisUpdate::Iteration(answer.report.clone())));
        }
        Ok(match std::mem::replace(&mut self.state, StreamState::Ended) {
            StreamState::Answered(answer) => Some(AnalysisUpdate::End(*answer)),
            _ => None,
        })
    }

    /// What an answer has beyond the last update that was told.
    fn unsent_report(&self, answer: &Answer) -> Option<Arc<Report>> {
        let report = &answer.report;
        if report.depth > self.sent_depth {
            return Some(report.clone());
        }
        // The proof of a mate is shallower than the iterations before it, which are finished all
        // the same.
        (answer.reason == CompletionReason::Mate)
            .then(|| Arc::new(Report { depth: self.sent_depth, ..(**report).clone() }))
    }

    /// Waits for the end.
    ///
    /// # Errors
    /// As [`Following::next`].
    pub async fn wait_for_end(&mut self) -> Result<Answer, AnalysisError> {
        while let Some(update) = self.next().await? {
            if let AnalysisUpdate::End(answer) = update {
                return Ok(answer);
            }
        }
        Err(AnalysisError::Internal("a question was followed beyond its end"))
    }

    /// Waits for the end, at which memory has no say unless it was enough.
    ///
    /// # Errors
    /// As [`Following::next`].
    pub async fn final_answer(self) -> Result<Answer, AnalysisError> {
        let AnalysisStream { cached, state, .. } = self;
        drop(cached);
        match state {
            StreamState::Answered(answer) => Ok(*answer),
            // Only who waits has to keep what waiting takes.
            state => {
                Box::pin(async { AnalysisStream::new(None, state).wait_for_end().await }).await
            }
        }
    }

    /// Ends the question: what it has found by now is its answer, with the reason `stopped`. An end
    /// that has come already stays.
    pub fn stop(&mut self) {
        self.end_early(CompletionReason::Stopped);
    }

    /// The same for a newer question, with the reason `replaced`.
    pub fn replace(&mut self) {
        self.end_early(CompletionReason::Replaced);
    }

    fn end_early(&mut self, reason: CompletionReason) {
        if let StreamState::Searching(search) = &mut self.state {
            search.end_early(reason);
        }
    }

    /// How long the search has run, and how many moves it has made; nothing while it waits.
    pub fn elapsed_and_nodes(&self) -> (Duration, u64) {
        match &self.state {
            StreamState::Searching(search) => {
                let started_at = search.progress.borrow().started_at;
                (
                    started_at.map_or(Duration::ZERO, |begun| begun.elapsed()),
                    search.subscription.nodes(),
                )
            }
            StreamState::Answered(answer) => (answer.report.elapsed, answer.report.nodes),
            StreamState::Ended => (Duration::ZERO, 0),
        }
    }
}

impl PendingSearch {
    /// A seat that waits so long for its search to begin.
    pub(super) fn new(
        requested_at: Instant,
        max_wait: Duration,
        cache_verdict: CacheVerdict,
        subscription: Subscription,
        session_guard: Option<SessionGuard>,
    ) -> PendingSearch {
        let (progress, load) = (subscription.progress(), subscription.watch_load());
        let deadline = requested_at + max_wait;
        PendingSearch {
            requested_at,
            cache_verdict,
            subscription,
            session_guard,
            progress,
            load,
            sent_tasks_ahead: None,
            deadline,
            early_end: None,
        }
    }

    /// Leaves before the end, for this reason unless there was one before.
    fn end_early(&mut self, reason: CompletionReason) {
        if self.early_end.is_none() && !self.subscription.is_finished() {
            self.early_end = Some(EarlyEnd { reason, stops_search: self.subscription.leave() });
        }
    }

    /// What has happened since it was last told.
    fn next_update(&mut self, sent_depth: u8) -> Option<AnalysisUpdate> {
        let progress = self.progress.borrow_and_update().clone();
        if progress.started_at.is_none() {
            self.load.mark_unchanged();
            let tasks_ahead = self.subscription.tasks_ahead();
            if tasks_ahead.is_some() && tasks_ahead != self.sent_tasks_ahead {
                self.sent_tasks_ahead = tasks_ahead;
                return tasks_ahead.map(AnalysisUpdate::Queued);
            }
        }
        progress
            .latest_report
            .filter(|report| report.depth > sent_depth)
            .map(AnalysisUpdate::Iteration)
    }

    async fn wait_for_event(&mut self) -> SearchEvent {
        let PendingSearch {
            subscription, session_guard, progress, load, deadline, early_end, ..
        } = self;
        if let Some(EarlyEnd { reason, stops_search: false }) = *early_end {
            return SearchEvent::EndedEarly(reason);
        }
        let is_waiting = progress.borrow().started_at.is_none();
        let is_ended_early = early_end.is_some();
        let replaced = async {
            match session_guard {
                Some(session_guard) => session_guard.replaced().await,
                None => pending().await,
            }
        };
        // The senders of all of these live as long as the seat.
        select! {
            biased;
            landed = subscription.wait_for_result() => return SearchEvent::Finished(landed),
            () = replaced, if !is_ended_early => {}
            _ = progress.changed() => return SearchEvent::Changed,
            _ = load.changed(), if is_waiting => return SearchEvent::Changed,
            () = sleep_until((*deadline).into()), if is_waiting => return SearchEvent::TimedOut,
        }
        self.end_early(CompletionReason::Replaced);
        SearchEvent::Changed
    }

    fn time_out(&self) -> AnalysisError {
        self.subscription.time_out(self.deadline - self.requested_at)
    }

    /// The end with what the search, which goes on for others, has found so far.
    fn partial_answer(&self, reason: CompletionReason) -> Answer {
        let SearchProgress { started_at, latest_report } = self.progress.borrow().clone();
        let (started, ended) = (started_at.unwrap_or_else(Instant::now), Instant::now());
        let report = latest_report.unwrap_or_else(|| Arc::new(Report::empty()));
        self.answer_from(SearchResult { report, reason, started, ended })
    }

    fn answer_from(&self, SearchResult { report, reason, started, ended }: SearchResult) -> Answer {
        Answer {
            report,
            source: Source::Search,
            cache_verdict: self.cache_verdict,
            reason: self.early_end.map_or(reason, |cut| cut.reason),
            shared: self.subscription.shared,
            queued: started.saturating_duration_since(self.requested_at),
            searched: ended.saturating_duration_since(started.max(self.requested_at)),
        }
    }
}
