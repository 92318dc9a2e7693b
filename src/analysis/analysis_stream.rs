//! The analysis stream: the updates of one request, from the cached analysis to the answer.

use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::select;
use tokio::sync::watch;
use tokio::time::sleep_until;

use super::answer::{AnalysisError, Answer, CacheVerdict, CompletionReason, Source};
use super::evaluation_cache::CachedAnalysis;
use super::in_flight::{SearchProgress, SearchResult, Subscription};
use super::queue::Location;
use super::session::SessionGuard;
use crate::engine::Report;

/// An update of an analysis.
#[derive(Clone, Debug)]
pub enum AnalysisUpdate {
    /// The cached analysis with the requested lines; before any other update.
    Cached(CachedAnalysis),
    /// The search waits for a worker, or for its next time slice, with this many tasks ahead of it.
    Queued(usize),
    /// The search has finished an iteration that is deeper than all earlier updates.
    Iteration(Arc<Report>),
    /// The answer, which is the last update.
    End(Answer),
}

/// The updates of a request. Dropping the stream unsubscribes from its search, which ends when its
/// last subscriber has left.
pub struct AnalysisStream {
    /// The cached analysis, and whether its update was sent.
    cached: Option<CachedAnalysis>,
    is_cached_sent: bool,
    sent_depth: u8,
    state: StreamState,
}

/// The source of the updates after the cached analysis.
enum StreamState {
    Answered(Box<Answer>),
    Searching(Box<PendingSearch>),
    Ended,
}

/// A request's view of its search, which waits or runs.
pub(super) struct PendingSearch {
    pub(super) requested_at: Instant,
    pub(super) cache_verdict: CacheVerdict,
    pub(super) subscription: Subscription,
    pub(super) session_guard: Option<SessionGuard>,
    progress: watch::Receiver<SearchProgress>,
    load: watch::Receiver<usize>,
    paused: watch::Receiver<bool>,
    sent_tasks_ahead: Option<usize>,
    /// When the request stops waiting for a worker.
    deadline: Instant,
    early_end: Option<EarlyEnd>,
}

/// The end of a request before the end of its search.
#[derive(Clone, Copy)]
struct EarlyEnd {
    /// The reason in the answer.
    reason: CompletionReason,
    /// The request was the last subscriber. So the search stops within milliseconds, and the
    /// request waits for its result.
    stops_search: bool,
}

/// An event of a pending search.
enum SearchEvent {
    Finished(Result<SearchResult, AnalysisError>),
    /// The request ends early; the search continues for others.
    EndedEarly(CompletionReason),
    /// The request waited too long for a worker.
    TimedOut,
    Changed,
}

impl AnalysisStream {
    /// A stream whose answer needs no search.
    pub(super) fn from_answer(cached: Option<CachedAnalysis>, answer: Answer) -> AnalysisStream {
        AnalysisStream::new(cached, StreamState::Answered(Box::new(answer)))
    }

    /// A stream of a search.
    pub(super) fn from_search(
        cached: Option<CachedAnalysis>,
        search: PendingSearch,
    ) -> AnalysisStream {
        AnalysisStream::new(cached, StreamState::Searching(Box::new(search)))
    }

    fn new(cached: Option<CachedAnalysis>, state: StreamState) -> AnalysisStream {
        AnalysisStream { cached, is_cached_sent: false, sent_depth: 0, state }
    }

    /// The next update; `None` after [`AnalysisUpdate::End`] or an error. Depths never fall. The
    /// method is cancel safe: a dropped future loses no update.
    ///
    /// # Errors
    /// A shutdown before the search started, a wait for a worker that took too long, or an internal
    /// error.
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
                    // The request was alone in the queue, so its end removed the task.
                    (Err(_), Some(early_end)) => Ok(search.partial_answer(early_end.reason)),
                    (outcome, _) => outcome.map(|result| search.answer_from(result)),
                },
            };
            self.state = StreamState::Ended;
            let answer = self.or_deeper_cached(answer?);
            let unsent = self.unsent_report(&answer);
            self.state = StreamState::Answered(Box::new(answer));
            if let Some(report) = unsent {
                self.sent_depth = report.depth;
                return Ok(Some(AnalysisUpdate::Iteration(report)));
            }
        }
        // An equal search may have ended between the first lookup and the attempt to join one.
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

    /// The answer with the cached report if that is deeper than the search's.
    fn or_deeper_cached(&self, answer: Answer) -> Answer {
        match &self.cached {
            Some(CachedAnalysis { report, age }) if report.depth > answer.report.depth => {
                Answer { report: report.clone(), source: Source::Cache { age: *age }, ..answer }
            }
            _ => answer,
        }
    }

    /// The part of an answer that no update has sent yet.
    fn unsent_report(&self, answer: &Answer) -> Option<Arc<Report>> {
        let report = &answer.report;
        if report.depth > self.sent_depth {
            return Some(report.clone());
        }
        // A mate proof can have a lower depth than earlier iterations. Those iterations are still
        // complete.
        (answer.reason == CompletionReason::Mate)
            .then(|| Arc::new(Report { depth: self.sent_depth, ..(**report).clone() }))
    }

    /// Waits for the answer. A cached analysis that is deeper than the search's result replaces it.
    ///
    /// # Errors
    /// As [`AnalysisStream::next`].
    pub async fn wait_for_end(&mut self) -> Result<Answer, AnalysisError> {
        while let Some(update) = self.next().await? {
            if let AnalysisUpdate::End(answer) = update {
                return Ok(answer);
            }
        }
        Err(AnalysisError::Internal("the analysis stream has already ended"))
    }

    /// Waits for the answer. A cached analysis counts only if it satisfies the request.
    ///
    /// # Errors
    /// As [`AnalysisStream::next`].
    pub async fn final_answer(self) -> Result<Answer, AnalysisError> {
        let AnalysisStream { cached, state, .. } = self;
        drop(cached);
        match state {
            StreamState::Answered(answer) => Ok(*answer),
            state => {
                let mut stream = AnalysisStream::new(None, state);
                // On the heap, so that the futures of cache hits stay small.
                Box::pin(stream.wait_for_end()).await
            }
        }
    }

    /// Ends the request with its best result so far and the reason `stopped`. After the end this
    /// has no effect.
    pub fn stop(&mut self) {
        self.end_early(CompletionReason::Stopped);
    }

    /// Ends the request with its best result so far and the reason `replaced`, for a newer request.
    /// After the end this has no effect.
    pub fn replace(&mut self) {
        self.end_early(CompletionReason::Replaced);
    }

    fn end_early(&mut self, reason: CompletionReason) {
        if let StreamState::Searching(search) = &mut self.state {
            search.end_early(reason);
        }
    }

    /// The run time and the nodes of the search; zero while it waits for a worker.
    pub fn elapsed_and_nodes(&self) -> (Duration, u64) {
        match &self.state {
            StreamState::Searching(search) => {
                let started_at = search.progress.borrow().started_at;
                let since_start = started_at.map_or(Duration::ZERO, |started| started.elapsed());
                let subscription = &search.subscription;
                (since_start.saturating_sub(subscription.paused_time()), subscription.nodes())
            }
            StreamState::Answered(answer) => (answer.report.elapsed, answer.report.nodes),
            StreamState::Ended => (Duration::ZERO, 0),
        }
    }
}

impl PendingSearch {
    /// A view of a search that waits at most `max_wait` for its start.
    pub(super) fn new(
        requested_at: Instant,
        max_wait: Duration,
        cache_verdict: CacheVerdict,
        subscription: Subscription,
        session_guard: Option<SessionGuard>,
    ) -> PendingSearch {
        let (progress, load) = (subscription.progress(), subscription.watch_load());
        let paused = subscription.watch_paused();
        let deadline = requested_at + max_wait;
        PendingSearch {
            requested_at,
            cache_verdict,
            subscription,
            session_guard,
            progress,
            load,
            paused,
            sent_tasks_ahead: None,
            deadline,
            early_end: None,
        }
    }

    /// Ends the request before its search. The first reason stays.
    fn end_early(&mut self, reason: CompletionReason) {
        if self.early_end.is_none() && !self.subscription.is_finished() {
            self.early_end = Some(EarlyEnd { reason, stops_search: self.subscription.leave() });
        }
    }

    /// The next update that needs no waiting.
    fn next_update(&mut self, sent_depth: u8) -> Option<AnalysisUpdate> {
        let progress = self.progress.borrow_and_update().clone();
        let is_paused = *self.paused.borrow_and_update();
        if progress.started_at.is_none() || is_paused {
            self.load.mark_unchanged();
            let tasks_ahead = self.subscription.tasks_ahead();
            if tasks_ahead.is_some() && tasks_ahead != self.sent_tasks_ahead {
                self.sent_tasks_ahead = tasks_ahead;
                return tasks_ahead.map(AnalysisUpdate::Queued);
            }
        } else {
            self.sent_tasks_ahead = None;
        }
        progress
            .latest_report
            .filter(|report| report.depth > sent_depth)
            .map(AnalysisUpdate::Iteration)
    }

    async fn wait_for_event(&mut self) -> SearchEvent {
        let PendingSearch {
            subscription,
            session_guard,
            progress,
            load,
            paused,
            deadline,
            early_end,
            ..
        } = self;
        if let Some(EarlyEnd { reason, stops_search: false }) = *early_end {
            return SearchEvent::EndedEarly(reason);
        }
        let is_unstarted = progress.borrow().started_at.is_none();
        let is_waiting = is_unstarted || *paused.borrow();
        let is_ended_early = early_end.is_some();
        let replaced = async {
            match session_guard {
                Some(session_guard) => session_guard.replaced().await,
                None => pending().await,
            }
        };
        // The senders of all these receivers live as long as the subscription.
        select! {
            biased;
            outcome = subscription.wait_for_result() => return SearchEvent::Finished(outcome),
            () = replaced, if !is_ended_early => {}
            _ = progress.changed() => return SearchEvent::Changed,
            _ = paused.changed() => return SearchEvent::Changed,
            _ = load.changed(), if is_waiting => return SearchEvent::Changed,
            () = sleep_until((*deadline).into()), if is_unstarted => return SearchEvent::TimedOut,
        }
        self.end_early(CompletionReason::Replaced);
        SearchEvent::Changed
    }

    fn time_out(&self) -> AnalysisError {
        self.subscription.time_out(self.deadline - self.requested_at)
    }

    /// The answer with the result so far of a search that continues for others.
    fn partial_answer(&self, reason: CompletionReason) -> Answer {
        let SearchProgress { started_at, latest_report, .. } = self.progress.borrow().clone();
        let (started, ended) = (started_at.unwrap_or_else(Instant::now), Instant::now());
        let report = latest_report.unwrap_or_else(|| Arc::new(Report::empty()));
        let paused = self.subscription.paused_time();
        self.answer_from(SearchResult { report, reason, started, ended, paused })
    }

    fn answer_from(&self, result: SearchResult) -> Answer {
        let SearchResult { report, reason, started, ended, paused } = result;
        let searched = ended.saturating_duration_since(started.max(self.requested_at));
        Answer {
            source: Source::of_search(&report),
            report,
            cache_verdict: self.cache_verdict,
            reason: self.early_end.map_or(reason, |early_end| early_end.reason),
            shared: self.subscription.shared
                || self.progress.borrow().location == Location::Watched,
            queued: started.saturating_duration_since(self.requested_at) + paused.min(searched),
            searched: searched.saturating_sub(paused),
        }
    }
}
