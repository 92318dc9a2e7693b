//! The use cases themselves.

use std::io;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::address::Address;
use super::answer::{Answer, MemoryVerdict, PerftAnswer, Reason, Source};
use super::dictionary::{Dictionary, Remembered};
use super::flight::{Boarding, Crew, FlightKey, Flights, Landed};
use super::perft;
use super::pool::start_workers;
use super::queue::{Job, Queue, Turn};
use super::{AnalysisError, AnalysisRequest, Searcher, Status};
use crate::chess::{Game, Outcome, Position};
use crate::engine::{Limits, Report, Scope, Score, StopFlag, StopReason, Wdl};

/// How much the service takes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceOptions {
    /// Worker threads; at least one.
    pub workers: usize,
    /// How many requests may wait while all workers are busy.
    pub queue_capacity: usize,
    /// How many analyses are remembered.
    pub dictionary_max_entries: usize,
    /// The longest that a search holds a worker when it was not given a time of its own.
    pub max_movetime: Duration,
}

impl Default for ServiceOptions {
    fn default() -> ServiceOptions {
        let workers = available_parallelism().map_or(1, usize::from);
        ServiceOptions {
            workers,
            queue_capacity: 256,
            dictionary_max_entries: 100_000,
            max_movetime: Duration::from_secs(60),
        }
    }
}

/// Answers questions about positions. Cheap to clone; all clones are one service, which shuts down with the last of them.
#[derive(Clone)]
pub struct Service(Arc<Inner>);

struct Inner {
    searcher: Arc<dyn Searcher>,
    /// Version and evaluation of the searcher.
    maker: Arc<str>,
    dictionary: Arc<Dictionary>,
    flights: Flights,
    queue: Arc<Queue>,
    shutdown: Arc<StopFlag>,
    workers: usize,
    max_movetime: Duration,
}

impl Service {
    /// Starts the workers.
    ///
    /// # Errors
    /// When the system grants no more threads.
    pub fn start(searcher: Arc<dyn Searcher>, options: ServiceOptions) -> io::Result<Service> {
        let workers = options.workers.max(1);
        let queue = Arc::new(Queue::new(workers, options.queue_capacity));
        let service = Service(Arc::new(Inner {
            maker: searcher.identity().into(),
            searcher,
            dictionary: Arc::new(Dictionary::new(options.dictionary_max_entries)),
            flights: Flights::default(),
            queue: queue.clone(),
            shutdown: Arc::default(),
            workers,
            max_movetime: options.max_movetime,
        }));
        start_workers(&queue, workers)?;
        Ok(service)
    }

    /// Finds the best move: in memory, in an equal search that is under way, or in a search of its own. Dropping the future
    /// is leaving; the search ends when its last listener has left.
    ///
    /// # Errors
    /// A full queue, a shutdown before the search began, or a fault of ours.
    pub async fn best_move(&self, request: AnalysisRequest) -> Result<Answer, AnalysisError> {
        let service = &*self.0;
        if service.shutdown.is_stopped() {
            return Err(AnalysisError::shutting_down());
        }
        if let Some(report) = terminal(&request.game) {
            return Ok(Answer::at_once(report.into(), Source::Search, MemoryVerdict::NotAsked, Reason::Terminal));
        }
        let asked = Instant::now();
        let address = Address::of(&request.game);
        let (limits, fresh) = (request.limits, request.fresh);
        let scope = service.scope(&request);
        let verdict = match service.remember(&address, &limits, &scope, fresh) {
            Ok(remembered) => return Ok(remembered.into()),
            Err(verdict) => verdict,
        };
        let seat = {
            let key = Arc::new(FlightKey { address, limits, scope, fresh });
            // What an equal search has found since we looked is in memory by the time that search is out of the map.
            let answered = || service.look_up(&key.address, &limits, verdict);
            let game = request.without_dead_history().game;
            let search = |crew| service.search(crew, game, &key);
            match service.flights.board(key.clone(), &service.queue, answered, search)? {
                Boarding::Answered(remembered) => return Ok(remembered.into()),
                Boarding::Seat(seat) => seat,
            }
        };
        let Landed { report, reason, started, ended } = seat.landed().await?;
        Ok(Answer {
            report,
            source: Source::Search,
            memory: verdict,
            reason,
            shared: seat.shared,
            queued: started.saturating_duration_since(asked),
            searched: ended.saturating_duration_since(started.max(asked)),
        })
    }

    /// Counts legal move sequences. Time in the queue is not counted against `max`.
    ///
    /// # Errors
    /// As [`Service::best_move`], and when the count takes longer than `max`.
    pub async fn perft(
        &self,
        position: Position,
        depth: u32,
        divide: bool,
        max: Duration,
    ) -> Result<PerftAnswer, AnalysisError> {
        let service = &*self.0;
        let (answer, answered) = oneshot::channel();
        let stop = Arc::new(StopFlag::default());
        let (leash, shutdown) = (stop.clone(), service.shutdown.clone());
        let place = service.queue.push(1, || {
            Job::new(move |turn| {
                let counted = match turn {
                    Turn::Now => perft::answer(&position, depth, divide, max, &leash, &shutdown),
                    Turn::Never => Err(AnalysisError::shutting_down()),
                };
                // An asker who has left does not hear it.
                let _ = answer.send(counted);
            })
        })?;
        let _seat = perft::Seat::new(stop, place, service.queue.clone());
        answered.await.map_err(|_| AnalysisError::Internal("perft ended without an answer"))?
    }

    /// How busy the service is.
    pub fn status(&self) -> Status {
        let Inner { dictionary, queue, shutdown, workers, .. } = &*self.0;
        Status {
            queue_length: queue.length(),
            queue_capacity: queue.capacity(),
            workers: *workers,
            running: queue.running(),
            dictionary_entries: dictionary.entries(),
            dictionary_max_entries: dictionary.max_entries(),
            shutting_down: shutdown.is_stopped(),
        }
    }

    /// Takes no new work, answers those who wait with an error, and tells running searches to stop and to answer with what
    /// they have. Returns at once.
    pub fn shut_down(&self) {
        self.0.shut_down();
    }

    #[cfg(test)]
    pub(super) fn listeners(&self) -> usize {
        self.0.flights.listeners()
    }

    #[cfg(test)]
    pub(super) fn flights_in_the_air(&self) -> usize {
        self.0.flights.len()
    }

    /// Resolves when no work waits or runs. After [`Service::shut_down`] that stays so.
    pub async fn drained(&self) {
        self.0.queue.empty().await;
    }
}

impl Inner {
    /// What a request is searched with: as many threads as can be had and used. The proof of a mate has use for one.
    fn scope(&self, request: &AnalysisRequest) -> Scope {
        let most = if request.limits.mate.is_some() { 1 } else { self.workers };
        Scope { threads: request.scope.threads.clamp(1, most), ..request.scope.clone() }
    }

    /// Asks memory, if it may be asked.
    fn remember(&self, address: &Address, limits: &Limits, scope: &Scope, fresh: bool) -> Result<Remembered, MemoryVerdict> {
        if limits.mate.is_some() || !is_for_memory(scope) {
            return Err(MemoryVerdict::NotAsked);
        }
        self.dictionary.note_request(address);
        if fresh {
            return Err(MemoryVerdict::NotAsked);
        }
        self.dictionary.look_up(address, limits, &self.maker)
    }

    fn look_up(&self, address: &Address, limits: &Limits, verdict: MemoryVerdict) -> Option<Remembered> {
        match verdict {
            MemoryVerdict::NotAsked => None,
            _ => self.dictionary.look_up(address, limits, &self.maker).ok(),
        }
    }

    /// The search of a flight, as work for the queue.
    fn search(&self, crew: Crew, game: Game, key: &FlightKey) -> Job {
        let (searcher, dictionary, maker) = (self.searcher.clone(), self.dictionary.clone(), self.maker.clone());
        let (address, limits, scope) = (key.address.clone(), key.limits, key.scope.clone());
        // Nobody holds a worker for ever: not by a depth that is out of reach either.
        let bounded = Limits { movetime: Some(limits.movetime.unwrap_or(self.max_movetime)), ..limits };
        Job::new(move |turn| {
            if turn == Turn::Never {
                return crew.land(Err(AnalysisError::shutting_down()));
            }
            if crew.flight.is_abandoned() {
                return;
            }
            let started = Instant::now();
            let mut report = searcher.analyse(&game, &bounded, &scope, crew.flight.stop_flag(), &mut |_| ());
            report.pv.shrink_to_fit();
            let Report { depth, nodes, .. } = report;
            tracing::debug!(depth, nodes, elapsed = ?report.elapsed, reason = ?report.reason, "search ended");
            let report = Arc::new(report);
            let reason = crew.flight.reason(&report);
            if is_for_memory(&scope) {
                dictionary.store(&address, &limits, &report, &maker);
            }
            crew.land(Ok(Landed { report, reason, started, ended: Instant::now() }));
        })
    }

    fn shut_down(&self) {
        self.shutdown.stop();
        self.queue.close();
        self.flights.stop_all();
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.shut_down();
    }
}

impl Answer {
    fn at_once(report: Arc<Report>, source: Source, memory: MemoryVerdict, reason: Reason) -> Answer {
        let (queued, searched) = (Duration::ZERO, Duration::ZERO);
        Answer { report, source, memory, reason, shared: false, queued, searched }
    }
}

impl From<Remembered> for Answer {
    fn from(Remembered { report, age, reason }: Remembered) -> Answer {
        Answer::at_once(report, Source::Memory { age }, MemoryVerdict::Hit, reason)
    }
}

/// Memory knows the best line among all moves, and nothing of other questions. How many threads have found it is all one.
fn is_for_memory(scope: &Scope) -> bool {
    scope.multipv <= 1 && scope.moves.is_empty()
}

/// The answer where the game is over: there is nothing to search.
fn terminal(game: &Game) -> Option<Report> {
    let (score, wdl) = match game.outcome() {
        Outcome::Ongoing => return None,
        Outcome::Checkmate { .. } => (Score::Mate(0), Wdl::LOST),
        Outcome::Stalemate | Outcome::Draw(_) => (Score::Cp(0), Wdl::DRAWN),
    };
    Some(Report {
        score,
        wdl,
        linear: None,
        pv: Vec::new(),
        depth: 0,
        seldepth: 0,
        nodes: 0,
        elapsed: Duration::ZERO,
        reason: StopReason::Terminal,
        context_free: false,
        alternatives: Vec::new(),
    })
}
