//! The work on a batch: lines in, a few of them searched at a time, answers out.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::response::Response;
use serde::Serialize;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tracing::Instrument;

use super::lines::{BodyEnd, Bounds, Line, Lines};
use super::reply::{BatchEnd, BatchError, EndReason, Numbered};
use super::request::BatchLine;
use crate::analysis::{AnalysisError, AnalysisRequest, Answer, Service};
use crate::chess::CastlingText;
use crate::http::App;
use crate::http::asker::Asker;
use crate::http::controllers::analysis::{AnalysisAnswer, Pov, Telling};
use crate::http::controllers::best_move::BestMoveAnswer;
use crate::http::dto::{Id, PositionState};
use crate::http::json;
use crate::http::problem::{Code, Problem, object};
use crate::http::stream::{self, Form, Outbox, Place, outbox, response};

/// When the lane is full, so long it takes before it is asked again.
const ASK_AGAIN: Duration = Duration::from_millis(20);

/// For each worker so many lines are at work: one is searched, one is next.
const LINES_A_WORKER: usize = 2;

/// Begins to work on a body.
pub(super) fn begin(
    app: App,
    place: Place,
    service: Service,
    asker: Asker,
    body: Body,
) -> Response {
    let caps = app.caps();
    let bounds =
        Bounds { lines: caps.batch_lines, bytes: caps.batch_bytes, silence: caps.body_timeout };
    let (outbox, lines) = outbox(caps.stream);
    outbox.be_patient(true);
    let desk = Desk { app: app.clone(), service, asker };
    let driver = Driver {
        window: desk.service.status().workers * LINES_A_WORKER,
        most_unread: caps.batch_bytes,
        desk,
        outbox,
        _place: place,
        waiting: VecDeque::new(),
        at_work: JoinSet::new(),
        end: None,
        answered: 0,
        failed: 0,
        begun: Instant::now(),
    };
    tokio::spawn(driver.run(Lines::of(body, bounds)).in_current_span());
    response(Form::NdJson, lines)
}

/// What it takes to answer a line.
#[derive(Clone)]
struct Desk {
    app: App,
    service: Service,
    asker: Asker,
}

struct Driver {
    desk: Desk,
    outbox: Outbox,
    /// Lines that have come and are not at work yet, each with its index.
    waiting: VecDeque<(usize, Line)>,
    at_work: JoinSet<Done>,
    /// So many lines are at work at most.
    window: usize,
    /// While answers of so many bytes wait for the reader, no further line is taken up.
    most_unread: usize,
    /// Held until everything has been read, or the reader has gone.
    _place: Place,
    /// Why no more lines are read.
    end: Option<EndReason>,
    answered: usize,
    failed: usize,
    begun: Instant,
}

/// A line of the answer.
struct Done {
    line: serde_json::Result<stream::Line>,
    is_answered: bool,
    /// The service takes no more.
    is_shutdown: bool,
}

/// A line that is no request, with the id that it has all the same.
struct BadLine {
    id: Id,
    problem: Problem,
}

impl Driver {
    async fn run(mut self, mut lines: Lines) {
        let mut index = 0;
        while self.end.is_none() || !self.waiting.is_empty() || !self.at_work.is_empty() {
            tokio::select! {
                biased;
                // Dropping the work is leaving its searches.
                () = self.outbox.deserted() => return,
                () = self.outbox.bytes_below(self.most_unread), if !self.waiting.is_empty() && self.is_full() => {}
                Some(done) = self.at_work.join_next() => self.write(done),
                // A body may stand still for long. What has come of it is refused line by line.
                () = self.desk.app.shutting_down(), if self.end.is_none() => self.close(EndReason::Shutdown),
                line = lines.next(), if self.end.is_none() => match line {
                    Ok(line) => {
                        self.waiting.push_back((index, line));
                        index += 1;
                    }
                    Err(end) => self.close(end.into()),
                },
            }
            while self.at_work.len() < self.window
                && !self.is_full()
                && let Some((index, line)) = self.waiting.pop_front()
            {
                self.take_up(index, line);
            }
        }
        let end = BatchEnd::new(
            self.end.unwrap_or(EndReason::Done),
            self.answered,
            self.failed,
            self.begun.elapsed(),
        );
        self.outbox.put_written(stream::Line::lasting(Form::NdJson, "end", None, &end));
        tokio::select! {
            () = self.outbox.deserted() => {}
            () = self.outbox.bytes_below(1) => {}
        }
    }

    /// The reader has too much to read.
    fn is_full(&self) -> bool {
        self.outbox.bytes() >= self.most_unread
    }

    /// No more lines are read.
    fn close(&mut self, end: EndReason) {
        self.end = Some(end);
        self.outbox.be_patient(false);
    }

    fn take_up(&mut self, index: usize, line: Line) {
        if matches!(&line, Line::Text(text) if text.trim_ascii().is_empty()) {
            return;
        }
        let desk = self.desk.clone();
        self.at_work.spawn(async move { desk.answer(index, line).await }.in_current_span());
    }

    fn write(&mut self, done: Result<Done, tokio::task::JoinError>) {
        let done = done.unwrap_or_else(|error| {
            // The panic hook has told why.
            tracing::error!(error = error.to_string(), "a line of a batch was not answered");
            Done {
                line: Err(serde::ser::Error::custom("no answer")),
                is_answered: false,
                is_shutdown: false,
            }
        });
        self.answered += usize::from(done.is_answered);
        self.failed += usize::from(!done.is_answered);
        self.outbox.put_written(done.line);
        if done.is_shutdown {
            // What waits is refused line by line.
            self.close(EndReason::Shutdown);
        }
    }
}

impl From<BodyEnd> for EndReason {
    fn from(end: BodyEnd) -> EndReason {
        match end {
            BodyEnd::Whole => EndReason::Done,
            BodyEnd::TooLarge => EndReason::TooLarge,
            BodyEnd::Broken => EndReason::Broken,
        }
    }
}

impl Desk {
    async fn answer(&self, index: usize, line: Line) -> Done {
        let (id, answer) = match self.read(line) {
            Ok(request) => (request.id.clone(), self.search(index, request).await),
            Err(bad) => (bad.id, Err(bad.problem)),
        };
        match answer {
            Ok(line) => Done { line, is_answered: true, is_shutdown: false },
            Err(problem) => {
                let is_shutdown = problem.code() == Code::ShuttingDown;
                let line = object(&problem, self.asker.path(), self.asker.request_id())
                    .and_then(|error| lasting(&BatchError { id, index, error }));
                Done { line, is_answered: false, is_shutdown }
            }
        }
    }

    /// The request of a line.
    fn read(&self, line: Line) -> Result<BatchLine, Box<BadLine>> {
        match line {
            Line::Text(text) => json::read(&text, self.app.caps().moves)
                .map_err(|problem| Box::new(BadLine { id: Id::within(&text), problem })),
            Line::TooLong => {
                Err(Box::new(BadLine { id: Id::None, problem: Problem::line_too_long() }))
            }
        }
    }

    async fn search(
        &self,
        index: usize,
        request: BatchLine,
    ) -> Result<serde_json::Result<stream::Line>, Problem> {
        let resolved = request.position.resolve()?;
        let state = PositionState::from(&resolved);
        let position = resolved.game.position().clone();
        let (id, has_lines) = (request.id.clone(), request.multipv.is_some());
        let (question, clamped) =
            request.clamp(resolved.game, self.asker.client(), self.app.caps());
        let answer = self.ask(question).await?;
        Ok(if has_lines {
            let telling = Telling {
                position,
                pov: Pov::Side,
                castling: CastlingText::Standard,
                pv_length: usize::MAX,
                clamped,
            };
            lasting(&Numbered { id, index, answer: AnalysisAnswer::new(state, &telling, &answer) })
        } else {
            lasting(&Numbered {
                id,
                index,
                answer: BestMoveAnswer::new(state, &position, &answer, clamped),
            })
        })
    }

    /// Asks until there is a place: the rest of the batch waits meanwhile, and its client with it.
    async fn ask(&self, question: AnalysisRequest) -> Result<Answer, AnalysisError> {
        loop {
            let answer = match self.service.follow(question.clone()) {
                Ok(following) => following.own_end().await,
                Err(error) => Err(error),
            };
            match answer {
                Err(AnalysisError::QueueFull { .. }) => sleep(ASK_AGAIN).await,
                answer => return answer,
            }
        }
    }
}

fn lasting(object: &impl Serialize) -> serde_json::Result<stream::Line> {
    stream::Line::lasting(Form::NdJson, "answer", None, object)
}
