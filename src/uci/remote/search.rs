//! The questions of one search.

use std::time::{Duration, Instant};

use reqwest::StatusCode;
use reqwest::header::RETRY_AFTER;

use super::answer::{Answer, ProblemText};
use super::deadline::Deadline;
use super::question::Question;
use crate::chess::Position;
use crate::engine::{Engine, Report, Score, StopFlag, StopReason, Wdl, WinModel};
use crate::uci::backend::{Task, Told};

/// The first wait after a failure that does not say how long; it doubles with every further one.
const FIRST_WAIT: Duration = Duration::from_millis(200);

/// So many failures in a row end a search that no time ends.
const MOST_FAILURES: u32 = 5;

/// A search by questions.
pub(super) struct RemoteSearch {
    url: String,
    client: reqwest::Client,
    task: Task,
}

/// What became of a question.
enum Outcome {
    Answered(Box<Answer>),
    /// Ask again after a while, if it is known how long.
    Later(Option<Duration>, String),
    /// Asking again would not help.
    Refused(String),
}

/// Where a search stands.
struct State<'a> {
    started: Instant,
    deadline: Deadline<'a>,
    question: Question,
    failures: u32,
    last: Option<Report>,
}

impl RemoteSearch {
    pub(super) fn new(url: String, client: reqwest::Client, task: Task) -> RemoteSearch {
        RemoteSearch { url, client, task }
    }

    /// Asks deeper and deeper until a limit is reached. Without any answer the report has no line.
    pub(super) async fn run(&self, stop: &StopFlag, tell: &mut dyn FnMut(Told<'_>)) -> Report {
        let Task { game, limits, scope, .. } = &self.task;
        if !scope.moves.is_empty() {
            tell(Told::Note("searchmoves: the server looks at all moves".to_owned()));
        }
        let started = Instant::now();
        let mut state = State {
            started,
            deadline: Deadline::new(limits, stop),
            question: Question::new(game, limits, scope),
            failures: 0,
            last: None,
        };
        if game.outcome().is_over() {
            return terminal(game.position());
        }
        if !state.question.is_whole() {
            state.question.depth = Some(1);
        }
        while self.step(&mut state, tell).await {}
        state.last.unwrap_or_else(|| {
            tell(Told::Note("no answer from the server: the move is any legal one".to_owned()));
            nothing(game.position(), started.elapsed())
        })
    }

    /// One question. `false` when the search is over.
    async fn step(&self, state: &mut State<'_>, tell: &mut dyn FnMut(Told<'_>)) -> bool {
        let time = state.deadline.server_time();
        state.question.within(time);
        let outcome = tokio::select! {
            outcome = self.ask(&state.question) => outcome,
            () = state.deadline.passed() => return false,
        };
        match outcome {
            Outcome::Answered(answer) => {
                state.failures = 0;
                let report = answer.report(self.task.game.position(), state.started.elapsed());
                tell(Told::Progress { report: &report, hash_permille: None });
                state.last = Some(report);
                self.deeper(state, &answer)
            }
            Outcome::Later(wait, why) => {
                tell(Told::Note(why));
                state.failures += 1;
                if state.failures >= MOST_FAILURES && self.ends_by_itself(state) {
                    return false;
                }
                let wait = wait.unwrap_or(FIRST_WAIT * 2_u32.pow(state.failures.min(MOST_FAILURES) - 1));
                state.deadline.wait(wait).await
            }
            Outcome::Refused(why) => {
                tell(Told::Note(why));
                false
            }
        }
    }

    /// `true` when neither time nor a stop ends the search, but what it finds.
    fn ends_by_itself(&self, state: &State<'_>) -> bool {
        state.deadline.is_open() && (self.task.limits.depth.is_some() || state.question.is_whole())
    }

    /// Makes the question deeper after an answer. `false` when there is nothing more to ask.
    fn deeper(&self, state: &mut State<'_>, answer: &Answer) -> bool {
        if state.question.is_whole() || state.deadline.is_late() {
            return false;
        }
        let asked = state.question.depth.unwrap_or(1);
        let farthest = self.task.limits.depth.unwrap_or(Engine::max_depth());
        match answer.stop_reason() {
            // With a time of ours it has passed; without, the server has reached a limit of its own: it may go on from there.
            StopReason::Time | StopReason::Stopped => {
                state.question.fresh = true;
                state.deadline.is_open() || state.deadline.server_time().is_none()
            }
            StopReason::Depth if answer.depth() >= asked && !answer.is_capped() && answer.depth() < farthest => {
                state.question.depth = Some(answer.depth() + 1);
                state.question.fresh = false;
                true
            }
            _ => false,
        }
    }

    async fn ask(&self, question: &Question) -> Outcome {
        let sent = self.client.post(&self.url).json(question).send().await;
        let response = match sent {
            Ok(response) => response,
            Err(error) => return Outcome::Later(None, format!("the server can't be asked: {}", with_cause(&error))),
        };
        let status = response.status();
        if status == StatusCode::OK {
            return match response.json().await {
                Ok(answer) => Outcome::Answered(Box::new(answer)),
                Err(error) => Outcome::Refused(format!("the server's answer is not understood: {}", with_cause(&error))),
            };
        }
        let again = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        let wait = again.map(Duration::from_secs);
        // What can't be read as a problem still has its status.
        let ProblemText { code, detail } = response.json().await.unwrap_or_default();
        let why = format!("the server says {} {code}: {detail}", status.as_u16());
        if wait.is_some() || status.is_server_error() { Outcome::Later(wait, why) } else { Outcome::Refused(why) }
    }
}

/// An error and what lies below it.
fn with_cause(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// The game is over.
fn terminal(position: &Position) -> Report {
    let is_mate = position.in_check() && !position.has_moves();
    let (score, wdl) = if is_mate { (Score::Mate(0), Wdl::LOST) } else { (Score::Cp(0), Wdl::DRAWN) };
    Report { score, wdl, reason: StopReason::Terminal, ..nothing(position, Duration::ZERO) }
}

/// No answer: for all that is known the position is even.
fn nothing(position: &Position, elapsed: Duration) -> Report {
    Report {
        score: Score::Cp(0),
        wdl: WinModel::of(position).wdl(0.0),
        linear: None,
        pv: Vec::new(),
        depth: 0,
        seldepth: 0,
        nodes: 0,
        elapsed,
        reason: StopReason::Stopped,
        context_free: false,
        alternatives: Vec::new(),
    }
}
