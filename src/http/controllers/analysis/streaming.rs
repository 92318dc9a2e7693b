//! The stream of an analysis: updates become lines at a limited rate, and the lines become the
//! body.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use tokio::time::{Instant, sleep_until, timeout};
use tracing::Instrument;

use super::response::{End, Heartbeat, Info, Queued, RenderOptions, StreamLine};
use crate::analysis::{AnalysisError, AnalysisStream, AnalysisUpdate, Answer};
use crate::engine::Report;
use crate::http::problem::Problem;
use crate::http::stream::{Delivery, END_EVENT_ID, StreamSetup, StreamWriter};

/// The maximum time that the response's status waits for the first line.
const FIRST_LINE_TIMEOUT: Duration = Duration::from_millis(100);

/// The minimum time between two `info` lines.
const MIN_INFO_INTERVAL: Duration = Duration::from_millis(100);

/// Starts a stream. It ends when the analysis ends or the client disconnects.
///
/// # Errors
/// The error that ends the analysis before the first line.
pub(super) async fn stream_response(
    setup: StreamSetup,
    render_options: RenderOptions,
    mut analysis: AnalysisStream,
) -> Result<Response, Problem> {
    let mut throttle = UpdateThrottle::new(render_options, setup.options.heartbeat);
    let first = timeout(FIRST_LINE_TIMEOUT, throttle.next(&mut analysis)).await;
    let first = first.ok().transpose()?.flatten();
    let (writer, response) = setup.open();
    tokio::spawn(write_lines(writer, first, throttle, analysis).in_current_span());
    Ok(response)
}

async fn write_lines(
    writer: StreamWriter,
    first: Option<StreamLine>,
    mut throttle: UpdateThrottle,
    mut analysis: AnalysisStream,
) {
    first.iter().for_each(|line| send_line(&writer, line));
    loop {
        tokio::select! {
            biased;
            // Dropping the analysis ends its subscription to the search.
            () = writer.closed() => return,
            line = throttle.next(&mut analysis) => match line {
                Ok(Some(line)) => send_line(&writer, &line),
                Ok(None) => return,
                Err(error) => {
                    let caller = writer.caller();
                    let (path, request_id) = (caller.path(), caller.request_id());
                    let problem = StreamLine::from_problem(&error.into(), path, request_id);
                    return problem.iter().for_each(|line| send_line(&writer, line));
                }
            },
        }
    }
}

fn send_line(writer: &StreamWriter, line: &StreamLine) {
    let name = line.name();
    match line {
        StreamLine::Info(info) => {
            writer.send(Delivery::Droppable, name, Some(&info.seq().to_string()), line);
        }
        StreamLine::Queued(_) | StreamLine::Heartbeat(_) => {
            writer.send(Delivery::Droppable, name, None, line);
        }
        StreamLine::End(_) | StreamLine::Problem(_) => {
            writer.send(Delivery::Required, name, Some(END_EVENT_ID), line);
        }
    }
}

/// Turns the updates of an analysis into lines: at most one `info` per interval, and heartbeats
/// during silence.
pub(crate) struct UpdateThrottle {
    render_options: RenderOptions,
    heartbeat_interval: Duration,
    /// The number of the last `info`.
    seq: u64,
    /// The time of the last line.
    last_line_at: Instant,
    /// The earliest time for the next `info`.
    next_info_at: Instant,
    /// The newest report that is not sent yet. It is sent at `next_info_at` or before the end.
    pending_report: Option<Arc<Report>>,
    /// The answer for the `end` line, which follows the pending report.
    final_answer: Option<Answer>,
}

/// The next event of a stream.
enum Event {
    Update(Option<AnalysisUpdate>),
    /// The pending report may be sent.
    InfoDue,
    HeartbeatDue,
}

impl UpdateThrottle {
    /// Creates a throttle that returns a line at least once per `heartbeat_interval`.
    pub(crate) fn new(
        render_options: RenderOptions,
        heartbeat_interval: Duration,
    ) -> UpdateThrottle {
        let now = Instant::now();
        UpdateThrottle {
            render_options,
            heartbeat_interval,
            seq: 0,
            last_line_at: now,
            next_info_at: now,
            pending_report: None,
            final_answer: None,
        }
    }

    /// The next line; `None` after the end. Cancel safe: no line is lost if the future is dropped.
    ///
    /// # Errors
    /// The error that ends the analysis early.
    pub(crate) async fn next(
        &mut self,
        analysis: &mut AnalysisStream,
    ) -> Result<Option<StreamLine>, AnalysisError> {
        loop {
            if let Some(answer) = self.final_answer.take() {
                if let Some(report) = self.pending_report.take() {
                    self.final_answer = Some(answer);
                    return Ok(Some(self.info_line(&report)));
                }
                return Ok(Some(StreamLine::End(End::new(&self.render_options, &answer))));
            }
            let line = match self.next_event(analysis).await? {
                Event::Update(None) => return Ok(None),
                Event::Update(Some(update)) => self.line_of_update(update),
                Event::InfoDue => self.pending_report.take().map(|report| self.info_line(&report)),
                Event::HeartbeatDue => {
                    let (time, nodes) = analysis.elapsed_and_nodes();
                    Some(StreamLine::Heartbeat(Heartbeat::new(time, nodes)))
                }
            };
            if let Some(line) = line {
                self.last_line_at = Instant::now();
                return Ok(Some(line));
            }
        }
    }

    /// The line of an update that is sent at once. `None` for an update that is sent later.
    fn line_of_update(&mut self, update: AnalysisUpdate) -> Option<StreamLine> {
        match update {
            AnalysisUpdate::Cached(cached) => {
                self.seq += 1;
                let info = Info::from_cache(self.seq, &self.render_options, &cached);
                return Some(StreamLine::Info(info));
            }
            AnalysisUpdate::Queued(ahead) => {
                return Some(StreamLine::Queued(Queued::behind(ahead)));
            }
            AnalysisUpdate::Iteration(report) => self.pending_report = Some(report),
            AnalysisUpdate::End(answer) => self.final_answer = Some(answer),
        }
        None
    }

    async fn next_event(&mut self, analysis: &mut AnalysisStream) -> Result<Event, AnalysisError> {
        let info_due = async {
            match self.pending_report {
                Some(_) => sleep_until(self.next_info_at).await,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            () = info_due => Ok(Event::InfoDue),
            update = analysis.next() => update.map(Event::Update),
            () = sleep_until(self.last_line_at + self.heartbeat_interval) => {
                Ok(Event::HeartbeatDue)
            }
        }
    }

    fn info_line(&mut self, report: &Report) -> StreamLine {
        self.seq += 1;
        self.next_info_at = Instant::now() + MIN_INFO_INTERVAL;
        self.last_line_at = Instant::now();
        StreamLine::Info(Info::from_search(self.seq, &self.render_options, report))
    }
}
