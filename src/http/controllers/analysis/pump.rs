//! From the news of an analysis to the lines of its stream.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use tokio::time::{Instant, sleep_until, timeout};
use tracing::Instrument;

use super::lines::{End, Heartbeat, Info, Queued, StreamLine};
use super::telling::Telling;
use crate::analysis::{AnalysisError, Following, News};
use crate::engine::Report;
use crate::http::StreamRules;
use crate::http::asker::Asker;
use crate::http::problem::{Problem, object};
use crate::http::stream::{END, Form, Line, Outbox, outbox, response};

/// Two infos are so far apart at least.
const INFO_EVERY: Duration = Duration::from_millis(100);

/// So long the status of the response waits for the first news.
const FIRST_NEWS: Duration = Duration::from_millis(100);

/// Begins a stream. It ends with its analysis, or with its reader.
///
/// # Errors
/// What ends the analysis before the first line.
pub(super) async fn stream(
    rules: StreamRules,
    form: Form,
    asker: Asker,
    telling: Telling,
    mut following: Following,
) -> Result<Response, Problem> {
    let first = timeout(FIRST_NEWS, following.next()).await;
    let first = first.ok().transpose()?.flatten();
    let (outbox, lines) = outbox(rules);
    let now = Instant::now();
    let pump =
        Pump { form, asker, telling, outbox, seq: 0, said: now, info_at: now, pending: None, heartbeat: rules.heartbeat };
    tokio::spawn(pump.run(first, following).in_current_span());
    Ok(response(form, lines))
}

struct Pump {
    form: Form,
    asker: Asker,
    telling: Telling,
    outbox: Outbox,
    /// Of the last info.
    seq: u64,
    /// When the last line was said.
    said: Instant,
    /// The next info is not said before.
    info_at: Instant,
    /// An info that waits for that.
    pending: Option<Arc<Report>>,
    heartbeat: Duration,
}

/// What happens next.
enum Event {
    News(Result<Option<News>, AnalysisError>),
    /// It is time for the info that waits.
    Info,
    Heartbeat,
    Deserted,
}

impl Pump {
    async fn run(mut self, first: Option<News>, mut following: Following) {
        Line::preamble(self.form).into_iter().for_each(|line| self.outbox.put(line));
        let mut event = Event::News(Ok(first));
        // Without first news there is nothing to do yet.
        if matches!(event, Event::News(Ok(None))) {
            event = self.next(&mut following).await;
        }
        while self.handle(event, &following) {
            event = self.next(&mut following).await;
        }
    }

    async fn next(&self, following: &mut Following) -> Event {
        let info = async {
            match self.pending {
                Some(_) => sleep_until(self.info_at).await,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.outbox.deserted() => Event::Deserted,
            news = following.next() => Event::News(news),
            () = info => Event::Info,
            () = sleep_until(self.said + self.heartbeat) => Event::Heartbeat,
        }
    }

    /// `false` when nothing comes after it.
    fn handle(&mut self, event: Event, following: &Following) -> bool {
        match event {
            Event::News(Ok(Some(News::Known(known)))) => {
                self.seq += 1;
                self.say_info(Info::remembered(self.seq, &self.telling, &known));
            }
            Event::News(Ok(Some(News::Queued(others)))) => {
                self.say(&StreamLine::Queued(Queued::behind(others)));
            }
            Event::News(Ok(Some(News::Deeper(report)))) => {
                self.pending = Some(report);
                if self.info_at <= Instant::now() {
                    self.say_pending();
                }
            }
            Event::News(Ok(Some(News::End(answer)))) => {
                self.say_pending();
                self.say_last(&StreamLine::End(End::new(&self.telling, &answer)));
                return false;
            }
            Event::News(Err(error)) => {
                self.say_problem(&error.into());
                return false;
            }
            Event::Info => self.say_pending(),
            Event::Heartbeat => {
                let (time, nodes) = following.effort();
                self.say(&StreamLine::Heartbeat(Heartbeat::after(time, nodes)));
            }
            Event::News(Ok(None)) | Event::Deserted => return false,
        }
        true
    }

    fn say_pending(&mut self) {
        if let Some(report) = self.pending.take() {
            self.seq += 1;
            self.say_info(Info::searched(self.seq, &self.telling, &report));
        }
    }

    fn say_info(&mut self, info: Info) {
        self.info_at = Instant::now() + INFO_EVERY;
        self.say(&StreamLine::Info(info));
    }

    fn say_problem(&mut self, problem: &Problem) {
        match object(problem, self.asker.path(), self.asker.request_id()) {
            Ok(mut problem) => {
                // The line's type takes the place of the problem's, which its code tells as well.
                problem.remove("type");
                self.say_last(&StreamLine::Problem(problem));
            }
            Err(error) => tracing::error!(error = error.to_string(), "a problem could not be written"),
        }
    }

    fn say_last(&mut self, line: &StreamLine) {
        self.put(Line::lasting(self.form, line.name(), Some(END), line));
    }

    fn say(&mut self, line: &StreamLine) {
        let id = matches!(line, StreamLine::Info(_)).then(|| self.seq.to_string());
        self.put(Line::passing(self.form, line.name(), id.as_deref(), line));
    }

    fn put(&mut self, line: serde_json::Result<Line>) {
        self.said = Instant::now();
        match line {
            Ok(line) => self.outbox.put(line),
            Err(error) => tracing::error!(error = error.to_string(), "a line could not be written"),
        }
    }
}
