//! A remote search: one or more streams until a limit is reached.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{ACCEPT, RETRY_AFTER};

use super::deadline::Deadline;
use super::info_reporter::RemoteInfoReporter;
use super::request::AnalysisRequestBody;
use super::stream_line::{EndLine, StreamLine};
use crate::chess::Position;
use crate::client::{LineStream, ProblemText, with_cause};
use crate::engine::{Report, Score, StopFlag, StopReason, Wdl, WdlModel};
use crate::uci::backend::{SearchTask, Update};

/// First wait after a failure without `Retry-After`. It doubles with each further failure.
const INITIAL_BACKOFF: Duration = Duration::from_millis(200);

/// Consecutive failures that end a search without a time limit.
const MAX_FAILURES: u32 = 5;

/// A search on a server.
pub(super) struct RemoteSearch {
    url: String,
    client: reqwest::Client,
    request: AnalysisRequestBody,
    task: SearchTask,
}

/// The outcome of a stream.
enum StreamOutcome {
    Ended(EndLine),
    /// The server is busy. Retry after a wait, if the server gave one.
    Busy(Option<Duration>, String),
    /// The server could not be reached, or the stream broke.
    Lost(String),
    /// A retry would not help.
    Refused(String),
}

/// The decision on another stream.
#[derive(PartialEq, Eq)]
enum RetryDecision {
    Retry,
    Finish,
}

/// The state of a search over its streams.
struct SearchState<'a> {
    deadline: Deadline<'a>,
    request: AnalysisRequestBody,
    failures: u32,
    /// The last stream failed or was refused, or a search without a time limit was refused too
    /// often.
    is_lost: bool,
    reporter: RemoteInfoReporter<'a>,
}

impl RemoteSearch {
    /// A search in a session of the server.
    pub(super) fn new(
        url: String,
        client: reqwest::Client,
        task: SearchTask,
        session_id: &str,
    ) -> RemoteSearch {
        RemoteSearch { url, client, request: AnalysisRequestBody::new(&task, session_id), task }
    }

    /// Follows the server's search until a limit is reached. Without an answer in time the report
    /// has no line. Returns `None` without an answer of a server that is lost.
    pub(super) async fn run(
        &self,
        stop: &StopFlag,
        on_update: &mut dyn FnMut(Update<'_>),
    ) -> Option<Report> {
        let root = self.task.game.position();
        if self.task.game.outcome().is_over() {
            return Some(terminal_report(root));
        }
        let mut state = SearchState {
            deadline: Deadline::new(&self.task.limits, stop),
            request: self.request.clone(),
            failures: 0,
            is_lost: false,
            reporter: RemoteInfoReporter::new(root, on_update),
        };
        while self.follow_stream(&mut state).await == RetryDecision::Retry {}
        let SearchState { mut reporter, is_lost, .. } = state;
        let report = reporter.take_last_report();
        if report.is_none() && is_lost {
            reporter.report_note("no answer from the server: there is no best move");
            return None;
        }
        Some(report.unwrap_or_else(|| {
            reporter.report_note("no answer from the server in time: playing any legal move");
            empty_report(root)
        }))
    }

    /// Follows one stream.
    async fn follow_stream(&self, state: &mut SearchState<'_>) -> RetryDecision {
        let SearchState { deadline, request, failures, reporter, .. } = state;
        request.set_time(deadline.server_time());
        let outcome = tokio::select! {
            outcome = self.read_stream(request, failures, reporter) => outcome,
            // Dropping the stream unsubscribes: the server stops a search without subscribers.
            () = deadline.wait_until_over(request.is_timed()) => return RetryDecision::Finish,
        };
        state.is_lost = matches!(outcome, StreamOutcome::Lost(_) | StreamOutcome::Refused(_));
        match outcome {
            StreamOutcome::Ended(end) => decide_after_end(&end, state),
            StreamOutcome::Busy(wait, reason) => decide_after_failure(wait, &reason, state).await,
            StreamOutcome::Lost(reason) => decide_after_failure(None, &reason, state).await,
            StreamOutcome::Refused(reason) => {
                state.reporter.report_note(&reason);
                RetryDecision::Finish
            }
        }
    }

    /// Sends the request and reports the lines of the stream until its end.
    async fn read_stream(
        &self,
        request: &AnalysisRequestBody,
        failures: &mut u32,
        reporter: &mut RemoteInfoReporter<'_>,
    ) -> StreamOutcome {
        let mut stream = match self.open_stream(request).await {
            Ok(stream) => stream,
            Err(outcome) => return outcome,
        };
        loop {
            match stream.next_json().await {
                Ok(StreamLine::Info(info)) => {
                    *failures = 0;
                    reporter.report_info(&info);
                }
                Ok(StreamLine::Queued(queued)) => {
                    reporter.report_note(&format!(
                        "the search waits for a worker, at queue place {}",
                        queued.position
                    ));
                }
                Ok(StreamLine::Heartbeat) => {}
                Ok(StreamLine::End(end)) => {
                    reporter.report_end(&end);
                    return StreamOutcome::Ended(end);
                }
                Ok(StreamLine::Problem(problem)) => return problem.to_outcome(None),
                Err(error) => return StreamOutcome::Lost(error.to_string()),
            }
        }
    }

    async fn open_stream(
        &self,
        request: &AnalysisRequestBody,
    ) -> Result<LineStream, StreamOutcome> {
        let request =
            self.client.post(&self.url).header(ACCEPT, "application/x-ndjson").json(request);
        let response = request.send().await.map_err(|error| {
            StreamOutcome::Lost(format!("the request to the server failed: {}", with_cause(&error)))
        })?;
        if response.status() == StatusCode::OK {
            return Ok(LineStream::new(response));
        }
        let retry_after =
            response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        Err(ProblemText::from_response(response)
            .await
            .to_outcome(retry_after.map(Duration::from_secs)))
    }
}

impl ProblemText {
    fn to_outcome(&self, wait: Option<Duration>) -> StreamOutcome {
        let reason = self.to_string();
        // A proxy answers without a problem when its server is gone.
        if self.status >= 500 && self.code.is_empty() {
            StreamOutcome::Lost(reason)
        } else if wait.is_some() || self.status >= 500 {
            StreamOutcome::Busy(wait, reason)
        } else {
            StreamOutcome::Refused(reason)
        }
    }
}

/// Decides after the end of a stream.
fn decide_after_end(end: &EndLine, state: &mut SearchState<'_>) -> RetryDecision {
    let SearchState { deadline, request, .. } = state;
    let is_server_limit = match end.reason.as_str() {
        // The server's own limit, if the time is not the requested one.
        "time" => !request.is_timed() || end.has_clamped("movetime_ms"),
        // Another server may replace it soon.
        "shutdown" => true,
        _ => false,
    };
    if !is_server_limit || request.is_single_shot() || deadline.is_too_late_to_retry() {
        return RetryDecision::Finish;
    }
    request.prepare_continuation();
    RetryDecision::Retry
}

/// Decides after a failure, and waits before the next stream.
async fn decide_after_failure(
    wait: Option<Duration>,
    reason: &str,
    state: &mut SearchState<'_>,
) -> RetryDecision {
    let SearchState { deadline, request, failures, reporter, .. } = state;
    reporter.report_note(reason);
    *failures += 1;
    // Without a time limit only a server result ends this search; after five failures, give up.
    if *failures >= MAX_FAILURES && deadline.is_unlimited() && request.ends_by_itself() {
        state.is_lost = true;
        return RetryDecision::Finish;
    }
    let wait = wait.unwrap_or(INITIAL_BACKOFF * 2_u32.pow((*failures).min(MAX_FAILURES) - 1));
    if deadline.sleep_unless_over(wait).await {
        RetryDecision::Retry
    } else {
        RetryDecision::Finish
    }
}

/// The report when the game is over.
fn terminal_report(position: &Position) -> Report {
    let is_mate = position.in_check() && !position.has_moves();
    let (score, wdl) =
        if is_mate { (Score::Mate(0), Wdl::LOST) } else { (Score::Cp(0), Wdl::DRAWN) };
    Report { score, wdl, reason: StopReason::Terminal, ..empty_report(position) }
}

/// The report without an answer: an even score.
fn empty_report(position: &Position) -> Report {
    Report { wdl: WdlModel::for_position(position).wdl(0.0), ..Report::empty() }
}
