//! The two loops.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, sleep_until, timeout_at};

use super::LoadError;
use super::answer::Answer;
use super::question::{Kind, Limits, Questions};
use super::report::Report;
use super::tally::Tally;
use super::target::Target;

/// How long a connection of a closed loop pauses after a request that failed: a server that is not
/// there is not worth more.
const AFTER_FAILURE: Duration = Duration::from_millis(100);

/// How often a position is asked about before the measurement when the server has no room for it.
const PREPARING_ATTEMPTS: u32 = 5;

/// When requests are sent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// Each connection asks, waits for the answer and asks again; after a refusal as late as the
    /// server says.
    Closed {
        /// Requests under way at once.
        connections: usize,
    },
    /// Requests are due at a steady rate, and none is asked twice.
    Open {
        /// Requests a second.
        rate: f64,
        /// Most requests under way at once; those that are due beyond are counted as not sent.
        in_flight: usize,
    },
}

/// A measurement.
#[derive(Clone, Debug)]
pub struct Load {
    /// Who is asked.
    pub target: Target,
    /// For what.
    pub kind: Kind,
    /// How hard each position is searched.
    pub limits: Limits,
    /// About what, as FENs; from the beginning again after the last one.
    pub positions: Vec<String>,
    /// How often.
    pub pace: Pace,
    /// How long requests are sent.
    pub time: Duration,
    /// How long the last answers are waited for then.
    pub drain: Duration,
}

/// A measurement under way.
struct Run {
    target: Target,
    questions: Questions,
    tally: Mutex<Tally>,
    ends: Instant,
}

impl Load {
    /// Measures.
    ///
    /// # Errors
    ///
    /// When the server is not ready, or can't be prepared.
    pub async fn run(self) -> Result<Report, LoadError> {
        self.target.check().await?;
        let questions = Questions::new(self.kind, self.limits, &self.positions);
        if questions.count() == 0 {
            return Err(LoadError::NoPositions(self.target.url().to_owned()));
        }
        if self.kind == Kind::Hit {
            prepare(&self.target, &questions).await?;
        }
        let begun = Instant::now();
        let ends = begun + self.time;
        let tally = Mutex::new(Tally::new(ends, self.target.askers())?);
        let run = Arc::new(Run { target: self.target.clone(), questions, tally, ends });
        let mut under_way = match self.pace {
            Pace::Closed { connections } => run.closed(connections),
            Pace::Open { rate, in_flight } => run.open(begun, rate, in_flight).await,
        };
        let last = (ends + self.drain).into();
        while let Ok(Some(_)) = timeout_at(last, under_way.join_next()).await {}
        // Of connections those that wait for an answer, of an open loop requests: each has one
        // under way.
        run.tally().unfinished = under_way.len() as u64;
        under_way.shutdown().await;
        Ok(Report::new(&self, &run.tally()))
    }
}

impl Run {
    fn tally(&self) -> MutexGuard<'_, Tally> {
        // Counters are as good after a panic as before.
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks once, and notes the answer. Returns how long the server wants to be left alone.
    async fn ask(&self, number: usize, due: Instant) -> Option<Duration> {
        let answer = Answer::to(&self.target, &self.questions, number).await;
        let has_failed = matches!(answer, Answer::Failed(_));
        let wait = self.tally().note(self.target.asker(number), due, answer);
        if has_failed { Some(AFTER_FAILURE) } else { wait }
    }

    /// The connections of a closed loop.
    fn closed(self: &Arc<Run>, connections: usize) -> JoinSet<()> {
        let next = Arc::new(AtomicUsize::new(0));
        let connection = |run: Arc<Run>, next: Arc<AtomicUsize>| async move {
            while Instant::now() < run.ends {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if let Some(wait) = run.ask(number, Instant::now()).await {
                    let again = Instant::now()
                        .checked_add(wait)
                        .map_or(run.ends, |again| again.min(run.ends));
                    sleep_until(again.into()).await;
                }
            }
        };
        (0..connections).map(|_| connection(Arc::clone(self), Arc::clone(&next))).collect()
    }

    /// Sends the requests of an open loop, and returns those that are still under way.
    async fn open(self: &Arc<Run>, begun: Instant, rate: f64, in_flight: usize) -> JoinSet<()> {
        let places = Arc::new(Semaphore::new(in_flight.min(Semaphore::MAX_PERMITS)));
        let mut under_way = JoinSet::new();
        let all = (rate * (self.ends - begun).as_secs_f64()).round() as usize;
        for number in 0..all {
            let due = begun + Duration::from_secs_f64(number as f64 / rate);
            sleep_until(due.into()).await;
            while under_way.try_join_next().is_some() {}
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                self.tally().unsent += 1;
                continue;
            };
            let run = Arc::clone(self);
            under_way.spawn(async move {
                run.ask(number, due).await;
                drop(place);
            });
        }
        sleep_until(self.ends.into()).await;
        under_way
    }
}

/// Has every position searched, so that the dictionary knows it.
async fn prepare(target: &Target, questions: &Questions) -> Result<(), LoadError> {
    for number in 0..questions.count() {
        let mut attempts = 0;
        loop {
            attempts += 1;
            match Answer::to(target, questions, number).await {
                Answer::Whole(_) => break,
                Answer::Refused { retry_after: Some(wait), .. }
                    if attempts < PREPARING_ATTEMPTS =>
                {
                    sleep(wait).await
                }
                other => return Err(LoadError::NotPrepared(format!("{other:?}"))),
            }
        }
    }
    Ok(())
}
