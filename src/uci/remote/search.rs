//! One search, by as many streams as it takes.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{ACCEPT, RETRY_AFTER};

use super::deadline::Deadline;
use super::line::{End, ProblemText, StreamLine};
use super::question::Question;
use super::stream::{Stream, with_cause};
use super::voice::Voice;
use crate::chess::Position;
use crate::engine::{Report, Score, StopFlag, StopReason, Wdl, WinModel};
use crate::uci::backend::{Task, Told};

/// The first wait after a failure that does not say how long; it doubles with every further one.
const FIRST_WAIT: Duration = Duration::from_millis(200);

/// So many failures in a row end a search that no time ends.
const MOST_FAILURES: u32 = 5;

/// A search that a server does.
pub(super) struct RemoteSearch {
    url: String,
    client: reqwest::Client,
    question: Question,
    task: Task,
}

/// What became of a stream.
enum Outcome {
    Ended(End),
    /// Ask again after a while, if it is known how long.
    Later(Option<Duration>, String),
    /// Asking again would not help.
    Refused(String),
}

/// Whether another stream is worth it.
#[derive(PartialEq, Eq)]
enum Next {
    Ask,
    Leave,
}

/// Where a search stands.
struct State<'a> {
    deadline: Deadline<'a>,
    question: Question,
    failures: u32,
    voice: Voice<'a>,
}

impl RemoteSearch {
    /// A search in a session of the server.
    pub(super) fn new(
        url: String,
        client: reqwest::Client,
        task: Task,
        session: &str,
    ) -> RemoteSearch {
        RemoteSearch { url, client, question: Question::new(&task, session), task }
    }

    /// Follows the server's search until a limit is reached. Without any answer the report has no
    /// line.
    pub(super) async fn run(&self, stop: &StopFlag, tell: &mut dyn FnMut(Told<'_>)) -> Report {
        let root = self.task.game.position();
        if self.task.game.outcome().is_over() {
            return terminal(root);
        }
        let mut state = State {
            deadline: Deadline::new(&self.task.limits, stop),
            question: self.question.clone(),
            failures: 0,
            voice: Voice::new(root, tell),
        };
        while self.follow(&mut state).await == Next::Ask {}
        let State { mut voice, .. } = state;
        match voice.take() {
            Some(report) => report,
            None => {
                voice.note("no answer from the server: the move is any legal one");
                nothing(root)
            }
        }
    }

    /// Follows one stream.
    async fn follow(&self, state: &mut State<'_>) -> Next {
        let State { deadline, question, failures, voice } = state;
        question.within(deadline.server_time());
        let outcome = tokio::select! {
            outcome = self.hear(question, failures, voice) => outcome,
            // Dropping the stream is leaving: the server stops a search that nobody follows.
            () = deadline.passed(question.is_timed()) => return Next::Leave,
        };
        match outcome {
            Outcome::Ended(end) => after(&end, state),
            Outcome::Later(wait, why) => retry(wait, &why, state).await,
            Outcome::Refused(why) => {
                voice.note(&why);
                Next::Leave
            }
        }
    }

    /// Asks, and tells what comes until it ends.
    async fn hear(
        &self,
        question: &Question,
        failures: &mut u32,
        voice: &mut Voice<'_>,
    ) -> Outcome {
        let mut stream = match self.open(question).await {
            Ok(stream) => stream,
            Err(outcome) => return outcome,
        };
        loop {
            match stream.line().await {
                Ok(StreamLine::Info(info)) => {
                    *failures = 0;
                    voice.hear(&info);
                }
                Ok(StreamLine::Queued(queued)) => {
                    voice.note(&format!(
                        "the search waits for a worker, at place {} of the queue",
                        queued.position
                    ));
                }
                Ok(StreamLine::Heartbeat) => {}
                Ok(StreamLine::End(end)) => {
                    voice.end(&end);
                    return Outcome::Ended(end);
                }
                Ok(StreamLine::Problem(problem)) => return problem.outcome(None),
                Err(broken) => return Outcome::Later(None, broken.to_string()),
            }
        }
    }

    async fn open(&self, question: &Question) -> Result<Stream, Outcome> {
        let request =
            self.client.post(&self.url).header(ACCEPT, "application/x-ndjson").json(question);
        let response = request.send().await.map_err(|error| {
            Outcome::Later(None, format!("the server can't be asked: {}", with_cause(&error)))
        })?;
        if response.status() == StatusCode::OK {
            return Ok(Stream::new(response));
        }
        let again =
            response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        Err(ProblemText::of(response).await.outcome(again.map(Duration::from_secs)))
    }
}

impl ProblemText {
    fn outcome(&self, wait: Option<Duration>) -> Outcome {
        let why = self.to_string();
        if wait.is_some() || self.status >= 500 {
            Outcome::Later(wait, why)
        } else {
            Outcome::Refused(why)
        }
    }
}

/// What a stream's end means for the search.
fn after(end: &End, state: &mut State<'_>) -> Next {
    let State { deadline, question, .. } = state;
    let is_its_own = match end.reason.as_str() {
        // A limit of the server, where the time is not the one that was asked.
        "time" => !question.is_timed() || end.has_lowered("movetime_ms"),
        // Another one may stand there soon.
        "shutdown" => true,
        _ => false,
    };
    if !is_its_own || question.is_whole() || deadline.is_late() {
        return Next::Leave;
    }
    question.go_on();
    Next::Ask
}

/// Waits before the next stream.
async fn retry(wait: Option<Duration>, why: &str, state: &mut State<'_>) -> Next {
    let State { deadline, question, failures, voice } = state;
    voice.note(why);
    *failures += 1;
    // Without a time or a stop to come, only what the search finds would end it.
    if *failures >= MOST_FAILURES && deadline.is_open() && question.ends_by_itself() {
        return Next::Leave;
    }
    let wait = wait.unwrap_or(FIRST_WAIT * 2_u32.pow((*failures).min(MOST_FAILURES) - 1));
    if deadline.wait(wait).await { Next::Ask } else { Next::Leave }
}

/// The game is over.
fn terminal(position: &Position) -> Report {
    let is_mate = position.in_check() && !position.has_moves();
    let (score, wdl) =
        if is_mate { (Score::Mate(0), Wdl::LOST) } else { (Score::Cp(0), Wdl::DRAWN) };
    Report { score, wdl, reason: StopReason::Terminal, ..nothing(position) }
}

/// No answer: for all that is known the position is even.
fn nothing(position: &Position) -> Report {
    Report { wdl: WinModel::of(position).wdl(0.0), ..Report::nothing() }
}
