//! The driver of a batch: it reads lines, searches a few of them at once, and sends the answers.

use std::collections::VecDeque;
use std::time::Instant;

use axum::response::Response;
use serde::Serialize;
use serde::de::IgnoredAny;
use tokio::task::JoinSet;
use tracing::Instrument;

use super::line_reader::{InputLine, LineReader};
use super::message::{
    BatchAnalysis, BatchAnswer, BatchEnd, BatchError, BatchRequest, EndReason, ExceededLimit,
};
use crate::analysis::Service;
use crate::chess::CastlingNotation;
use crate::http::access::Caller;
use crate::http::controllers::analysis::{AnalysisAnswer, RenderOptions};
use crate::http::controllers::best_move::BestMoveAnswer;
use crate::http::controllers::tablebase::searched_entry;
use crate::http::dto::{CorrelationId, PositionState, SearchStats};
use crate::http::problem::{Problem, ProblemCode, render_object};
use crate::http::stream::{Delivery, Line, ResponseFormat, StreamSetup, StreamWriter};
use crate::http::{App, json};

/// The lines in flight per worker: one is searched, and one is next.
const LINES_PER_WORKER: usize = 2;

/// The maximum number of lines in flight, however many workers the nodes of a cluster have.
const MAX_LINES_IN_FLIGHT: usize = 1_024;

/// Starts the driver in a new task and returns the response.
pub(super) fn start(
    app: &App,
    service: Service,
    setup: StreamSetup,
    input: LineReader,
) -> Response {
    let handler = LineHandler { app: app.clone(), service, caller: setup.caller.clone() };
    let (output, response) = setup.open();
    output.set_stall_timer_paused(true);
    let driver = Driver {
        max_unread_bytes: app.caps().batch_bytes,
        handler,
        output,
        queued: VecDeque::new(),
        in_flight: JoinSet::new(),
        end_reason: None,
        answered: 0,
        failed: 0,
        started_at: Instant::now(),
    };
    tokio::spawn(driver.run(input).in_current_span());
    response
}

/// The handler of single lines.
#[derive(Clone)]
struct LineHandler {
    app: App,
    service: Service,
    caller: Caller,
}

struct Driver {
    handler: LineHandler,
    /// The response. It holds the permit until the client has read everything or has disconnected.
    output: StreamWriter,
    /// Received lines that are not in flight yet, each with its index.
    queued: VecDeque<(usize, InputLine)>,
    in_flight: JoinSet<LineOutcome>,
    /// No further line starts while this many bytes of answers are unread.
    max_unread_bytes: usize,
    /// The reason why no more lines are read; `None` while the driver reads.
    end_reason: Option<EndReason>,
    answered: usize,
    failed: usize,
    started_at: Instant,
}

/// The outcome of one line.
struct LineOutcome {
    line: serde_json::Result<Line>,
    is_answered: bool,
    /// The service is shutting down.
    is_shutdown: bool,
}

/// A line that is not a valid request, with the id that could be read from it.
struct InvalidLine {
    id: CorrelationId,
    problem: Problem,
}

impl InvalidLine {
    /// Explains the form of a line where the text is several objects, or a part of an object on
    /// several lines.
    fn with_line_hint(mut self: Box<InvalidLine>, text: &[u8]) -> Box<InvalidLine> {
        if self.problem.code() != ProblemCode::MalformedJson {
            return self;
        }
        let text = text.trim_ascii();
        let hint = if has_second_object(text) {
            // The option -d of curl removes the line breaks of a file.
            ": several objects on one line; with curl use --data-binary"
        } else if text.starts_with(b"{") && text.ends_with(b"}") {
            ""
        } else {
            "; each line must be a whole JSON object: write it on one line, or send an array of \
             objects"
        };
        self.problem = self.problem.with_more_detail(hint);
        self
    }
}

/// Whether a text begins with a whole object, and another object begins after it.
fn has_second_object(text: &[u8]) -> bool {
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<IgnoredAny>();
    text.starts_with(b"{")
        && matches!(values.next(), Some(Ok(_)))
        && text
            .get(values.byte_offset()..)
            .is_some_and(|rest| rest.trim_ascii_start().starts_with(b"{"))
}

impl Driver {
    /// The maximum number of lines in flight. It changes with the nodes of a cluster.
    fn max_in_flight(&self) -> usize {
        (self.handler.service.workers_in_reach() * LINES_PER_WORKER).min(MAX_LINES_IN_FLIGHT)
    }

    async fn run(mut self, mut input: LineReader) {
        let mut index = 0;
        while self.end_reason.is_none() || !self.queued.is_empty() || !self.in_flight.is_empty() {
            tokio::select! {
                biased;
                // Dropping the tasks ends their subscriptions to searches.
                () = self.output.closed() => return,
                () = self.output.wait_bytes_below(self.max_unread_bytes),
                    if !self.queued.is_empty() && self.is_output_full() => {}
                Some(joined) = self.in_flight.join_next() => self.send_outcome(joined),
                // A body may stall for long. The lines received so far are refused one by one.
                () = self.handler.app.shutting_down(), if self.end_reason.is_none() => {
                    self.stop_reading(EndReason::Shutdown);
                }
                line = input.next(), if self.end_reason.is_none() => match line {
                    Ok(line) => {
                        self.queued.push_back((index, line));
                        index += 1;
                    }
                    // Nobody reads the answers: the searches end with the subscriptions.
                    Err(_) if input.has_client_left() => return,
                    Err(reason) => self.stop_reading(reason),
                },
            }
            while self.in_flight.len() < self.max_in_flight()
                && !self.is_output_full()
                && let Some((index, line)) = self.queued.pop_front()
            {
                self.start_line(index, line);
            }
        }
        let end = self.end(index, input.exceeded_limit());
        self.output.send(Delivery::Required, "end", None, &end);
        tokio::select! {
            () = self.output.closed() => {}
            () = self.output.wait_bytes_below(1) => {}
        }
    }

    /// The last line of the response, after so many lines of the body.
    fn end(&self, lines_read: usize, exceeded: Option<ExceededLimit>) -> BatchEnd {
        let reason = self.end_reason.unwrap_or(EndReason::Done);
        let end = BatchEnd::new(reason, self.answered, self.failed, self.started_at.elapsed());
        match (reason, exceeded) {
            (EndReason::TooLarge, Some(exceeded)) => end.with_limit(exceeded, lines_read),
            _ => end,
        }
    }

    /// `true` while too many bytes of answers are unread.
    fn is_output_full(&self) -> bool {
        self.output.queued_bytes() >= self.max_unread_bytes
    }

    /// Stops reading the body. From now on the client must read the answers in time.
    fn stop_reading(&mut self, reason: EndReason) {
        self.end_reason = Some(reason);
        self.output.set_stall_timer_paused(false);
    }

    fn start_line(&mut self, index: usize, line: InputLine) {
        if line == InputLine::Blank {
            return;
        }
        let handler = self.handler.clone();
        self.in_flight.spawn(async move { handler.handle(index, line).await }.in_current_span());
    }

    fn send_outcome(&mut self, joined: Result<LineOutcome, tokio::task::JoinError>) {
        let outcome = joined.unwrap_or_else(|error| {
            // The panic hook has logged the cause.
            tracing::error!(error = error.to_string(), "batch line failed");
            LineOutcome {
                line: Err(serde::ser::Error::custom("the task of the line failed")),
                is_answered: false,
                is_shutdown: false,
            }
        });
        self.answered += usize::from(outcome.is_answered);
        self.failed += usize::from(!outcome.is_answered);
        self.output.send_line(outcome.line);
        if outcome.is_shutdown {
            // The queued lines are refused one by one.
            self.stop_reading(EndReason::Shutdown);
        }
    }
}

impl LineHandler {
    async fn handle(&self, index: usize, line: InputLine) -> LineOutcome {
        let (id, answer) = match self.parse(index, line) {
            Ok(request) => (request.id.clone(), self.search(index, request).await),
            Err(invalid) => (invalid.id, Err(invalid.problem)),
        };
        match answer {
            Ok(line) => LineOutcome { line, is_answered: true, is_shutdown: false },
            Err(problem) => {
                let is_shutdown = problem.code() == ProblemCode::ShuttingDown;
                let line = render_object(&problem, self.caller.path(), self.caller.request_id())
                    .and_then(|error| encode_line(&BatchError::new(id, index, error)));
                LineOutcome { line, is_answered: false, is_shutdown }
            }
        }
    }

    /// Parses the request of a line. Its index counts every line of the body, also blank ones.
    fn parse(&self, index: usize, line: InputLine) -> Result<BatchRequest, Box<InvalidLine>> {
        let problem = match line {
            InputLine::Text(text) => {
                let request = self.read(json::TextSource::Line(index + 1), &text);
                return request.map_err(|error| error.with_line_hint(&text));
            }
            InputLine::Element(text) => return self.read(json::TextSource::Element, &text),
            InputLine::TooLong => Problem::line_too_long(),
            InputLine::Blank => Problem::empty_json("the line"),
            InputLine::MissingElement { is_last: true } => {
                Problem::malformed_array("the array ends with a comma; remove it")
            }
            InputLine::MissingElement { is_last: false } => Problem::malformed_array(
                "a request is missing before a comma of the array; add one, or remove the comma",
            ),
            InputLine::AfterArray => Problem::malformed_array(
                "text follows the `]` that ends the array; the body must end there",
            ),
        };
        Err(Box::new(InvalidLine { id: CorrelationId::None, problem }))
    }

    /// Reads a request from this text.
    fn read(
        &self,
        source: json::TextSource,
        text: &[u8],
    ) -> Result<BatchRequest, Box<InvalidLine>> {
        json::read_from(source, text, self.app.caps().moves).map_err(|problem| {
            Box::new(InvalidLine { id: CorrelationId::extract_from(text), problem })
        })
    }

    async fn search(
        &self,
        index: usize,
        request: BatchRequest,
    ) -> Result<serde_json::Result<Line>, Problem> {
        let resolved = request.best_move.position.resolve()?;
        let state = PositionState::from(&resolved);
        let position = resolved.game.position().clone();
        let (id, has_multipv) = (request.id.clone(), request.multipv.is_some());
        let pov = request.best_move.search.pov;
        let (analysis_request, clamped) =
            request.clamp(resolved.game, self.caller.client(), self.app.caps());
        let search = self.service.best_move_when_free(analysis_request);
        let entry = searched_entry(&self.app, self.caller.client(), &position);
        let (answer, tablebase) = tokio::join!(biased; search, entry);
        let answer = answer?;
        Ok(if has_multipv {
            let render_options = RenderOptions {
                position,
                pov,
                castling: CastlingNotation::Standard,
                pv_length: usize::MAX,
                clamped,
                tablebase,
            };
            let answer = AnalysisAnswer::new(state, &render_options, &answer);
            encode_line(&BatchAnalysis::new(id, index, answer))
        } else {
            let stats = SearchStats::new(&answer, tablebase, clamped);
            let answer = BestMoveAnswer::new(state, &position, pov, &answer, stats);
            encode_line(&BatchAnswer::new(id, index, answer))
        })
    }
}

fn encode_line(object: &impl Serialize) -> serde_json::Result<Line> {
    // NDJSON has no event names.
    Line::new(ResponseFormat::NdJson, Delivery::Required, "", None, object)
}
