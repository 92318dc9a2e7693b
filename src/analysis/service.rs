//! The use cases themselves.

use std::io;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tracing::field::Empty;

use super::address::Address;
use super::answer::{Answer, MemoryVerdict, PerftAnswer, Reason, Source};
use super::deepening::Deepener;
use super::dictionary::Dictionary;
use super::flight::{Boarding, Crew, FlightKey, Flights, Landed};
use super::following::{Flying, Following};
use super::graph::{self, Node};
use super::idle::IdleList;
use super::known::{Memory, Remembered};
use super::perft;
use super::pool::start_workers;
use super::queue::{Class, Comer, Job, Queue, Turn};
use super::session::{Client, Sessions};
use super::write_behind::WriteBehind;
use super::{AnalysisError, AnalysisRequest, Searcher, Status, StoreStatus};
use crate::chess::{Game, Outcome, Position};
use crate::engine::{Limits, Report, Scope, Score, StopFlag, StopReason, Wdl};
use crate::store::Store;

/// How much the service takes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceOptions {
    /// Worker threads; at least one.
    pub workers: usize,
    /// How many requests of each class may wait while all workers are busy.
    pub queue_capacity: usize,
    /// How many positions may wait to be deepened when workers are idle; 0 for none at all.
    pub idle_positions: usize,
    /// How many analyses are remembered.
    pub dictionary_max_entries: usize,
    /// The longest that a search holds a worker when it was not given a time of its own.
    pub max_movetime: Duration,
    /// The longest that a search without any limit holds a worker.
    pub max_infinite: Duration,
    /// The longest that a question waits for a worker.
    pub max_wait: Duration,
}

impl Default for ServiceOptions {
    fn default() -> ServiceOptions {
        let workers = available_parallelism().map_or(1, usize::from);
        ServiceOptions {
            workers,
            queue_capacity: 128,
            idle_positions: 0,
            dictionary_max_entries: 100_000,
            max_movetime: Duration::from_secs(60),
            max_infinite: Duration::from_secs(3_600),
            max_wait: Duration::from_secs(30),
        }
    }
}

/// Answers questions about positions. Cheap to clone; all clones are one service, which shuts down
/// with the last of them.
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
    sessions: Sessions,
    workers: usize,
    max_movetime: Duration,
    max_infinite: Duration,
    max_wait: Duration,
}

impl Service {
    /// Starts the workers.
    ///
    /// # Errors
    /// When the system grants no more threads.
    pub fn start(searcher: Arc<dyn Searcher>, options: ServiceOptions) -> io::Result<Service> {
        Service::remembering(searcher, options, Dictionary::new(options.dictionary_max_entries))
    }

    /// Starts the workers, with a dictionary that lasts: what is found is in `store` within the
    /// time `flush`, as long as the disk takes a batch in a quarter of it.
    ///
    /// # Errors
    /// When the store keeps the analyses of another searcher, and when the system grants no more
    /// threads.
    pub fn start_with_store(
        searcher: Arc<dyn Searcher>,
        options: ServiceOptions,
        store: Arc<dyn Store>,
        flush: Duration,
    ) -> io::Result<Service> {
        if store.maker() != searcher.identity() {
            return Err(io::Error::other(format!(
                "the store is of {}, not of {}",
                store.maker(),
                searcher.identity()
            )));
        }
        let dictionary = Dictionary::with_store(options.dictionary_max_entries, store, flush)?;
        Service::remembering(searcher, options, dictionary)
    }

    fn remembering(
        searcher: Arc<dyn Searcher>,
        options: ServiceOptions,
        dictionary: Dictionary,
    ) -> io::Result<Service> {
        let workers = options.workers.max(1);
        let queue = Arc::new(Queue::new(workers, options.queue_capacity, options.idle_positions));
        let (maker, dictionary): (Arc<str>, _) = (searcher.identity().into(), Arc::new(dictionary));
        let flights = Flights::default();
        let deepener = Deepener {
            searcher: searcher.clone(),
            dictionary: Arc::downgrade(&dictionary),
            maker: maker.clone(),
            tally: flights.tally(),
        };
        let service = Service(Arc::new(Inner {
            maker,
            searcher,
            dictionary,
            flights,
            queue: queue.clone(),
            shutdown: Arc::default(),
            sessions: Sessions::default(),
            workers,
            max_movetime: options.max_movetime,
            max_infinite: options.max_infinite,
            max_wait: options.max_wait,
        }));
        start_workers(&queue, &Arc::new(deepener), workers)?;
        Ok(service)
    }

    /// Finds the best move: in memory, in an equal search that is under way, or in a search of its
    /// own. Dropping the future is leaving; the search ends when its last listener has left.
    ///
    /// # Errors
    /// A full queue, a shutdown before the search began, or a fault of ours.
    pub async fn best_move(&self, request: AnalysisRequest) -> Result<Answer, AnalysisError> {
        self.follow(request)?.own_end().await
    }

    /// The same question, followed on its way: what memory knows comes first, enough or not, then
    /// what is deeper. Returns at once.
    ///
    /// # Errors
    /// A full queue or a shutdown.
    pub fn follow(&self, request: AnalysisRequest) -> Result<Following, AnalysisError> {
        let service = &*self.0;
        if service.shutdown.is_stopped() {
            return Err(AnalysisError::shutting_down());
        }
        let stay = request.session.clone().map(|session| service.sessions.enter(session));
        if let Some(report) = terminal(&request.game) {
            return Ok(Following::answered(None, Answer::terminal(report)));
        }
        let asked = Instant::now();
        let address = Address::of(&request.game);
        let (limits, fresh) = (request.limits, request.fresh);
        let scope = service.scope(&request);
        let Memory { known, enough, verdict, .. } =
            service.remember(&address, &limits, &scope, fresh);
        if let Some(answer) = enough {
            if request.class == Class::Interactive
                && let Some(idle) = service.queue.idle()
            {
                let was_empty = idle.len() == 0;
                let is_new =
                    idle.wish_for_best(&request.game, &limits, scope.multipv, &answer.0.report);
                if was_empty && is_new {
                    service.queue.wake_for_wishes();
                }
            }
            return Ok(Following::answered(known, answer.into()));
        }
        let key = Arc::new(FlightKey { address, limits, scope, fresh });
        // What an equal search has found since we looked is in memory by the time that search is
        // out of the map.
        let answered = || service.look_up_again(&key, verdict);
        let comer = Comer {
            client: request.client.clone(),
            class: request.class,
            workers: key.scope.threads,
        };
        let max_wait = service.max_wait(request.class);
        let class = request.class;
        let game = request.without_dead_history().game;
        let search = |crew| service.search(crew, game, class, &key);
        Ok(match service.flights.board(key.clone(), &service.queue, comer, answered, search)? {
            Boarding::Answered(answer) => Following::answered(known, answer.into()),
            Boarding::Seat(seat) => {
                Following::flying(known, Flying::new(asked, max_wait, verdict, seat, stay))
            }
        })
    }

    /// What memory knows of a bare position, with at least so many lines (or as many as there are
    /// moves).
    pub fn known(&self, position: &Position, lines: usize) -> Option<Remembered> {
        let lines = lines.clamp(1, position.legal_moves().len().max(1));
        let address = Address::of(&Game::new(position.clone()));
        let service = &*self.0;
        service.dictionary.recall(&address, lines, &service.maker)
    }

    /// The moves from a position with what memory knows behind them, so many moves deep.
    pub fn explore(&self, position: &Position, depth: u32) -> Node {
        let service = &*self.0;
        graph::walk(position, depth, |position| {
            let address = Address::of(&Game::new(position.clone()));
            service.dictionary.glance(&address, 1, &service.maker)
        })
    }

    /// Counts legal move sequences. Time in the queue is not counted against `max`.
    ///
    /// # Errors
    /// As [`Service::best_move`], and when the count takes longer than `max`.
    pub async fn perft(
        &self,
        client: Client,
        position: Position,
        depth: u8,
        divide: bool,
        max: Duration,
    ) -> Result<PerftAnswer, AnalysisError> {
        let service = &*self.0;
        let (answer, answered) = oneshot::channel();
        let stop = Arc::new(StopFlag::default());
        let (leash, shutdown) = (stop.clone(), service.shutdown.clone());
        let comer = Comer { client, class: Class::Interactive, workers: 1 };
        let (place, crowded_out) = service.queue.push(comer, || {
            Job::new(move |turn| {
                let counted = match turn {
                    Turn::Now => perft::answer(&position, depth, divide, max, &leash, &shutdown),
                    Turn::Never(error) => Err(error),
                };
                // An asker who has left does not hear it.
                let _ = answer.send(counted);
            })
        })?;
        crowded_out.dismiss();
        let seat = perft::Seat::new(stop, place, service.queue.clone());
        seat.wait(service.max_wait, answered).await
    }

    /// How busy the service is.
    pub fn status(&self) -> Status {
        let Inner { dictionary, flights, queue, shutdown, workers, .. } = &*self.0;
        Status {
            queue_length: queue.length_of(Class::Interactive),
            batch_length: queue.length_of(Class::Batch),
            queue_capacity: queue.capacity(),
            workers: *workers,
            running: queue.running(),
            idle_length: queue.idle().map_or(0, IdleList::len),
            dictionary_entries: dictionary.entries(),
            dictionary_max_entries: dictionary.max_entries(),
            dictionary_hits: dictionary.hits(),
            searches: flights.counts(),
            turns: queue.turns(),
            store: dictionary.disk().map(|disk| StoreStatus {
                bytes: disk.store().size().bytes,
                waiting: disk.waiting(),
                failing: disk.is_failing(),
            }),
            shutting_down: shutdown.is_stopped(),
        }
    }

    /// Takes no new work, answers those who wait with an error, and tells running searches to stop
    /// and to answer with what they have. Returns at once.
    pub fn shut_down(&self) {
        self.0.shut_down();
    }

    /// Resolves when all that was found so far is on disk, or the disk has refused it. Without a
    /// store at once.
    ///
    /// # Errors
    /// When the waiting itself breaks.
    pub async fn flushed(&self) -> io::Result<()> {
        let dictionary = self.0.dictionary.clone();
        let flush = move || dictionary.disk().into_iter().for_each(WriteBehind::flush);
        tokio::task::spawn_blocking(flush).await.map_err(io::Error::other)
    }

    /// Has the dictionary remember a report as one of a search with these limits.
    #[cfg(test)]
    pub(super) fn plant(&self, address: &Address, limits: &Limits, report: Report) {
        self.0.dictionary.store(address, limits, &Arc::new(report), &self.0.maker);
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
    /// How long a question waits for a worker. Those of batches wait for as long as somebody reads
    /// the answers.
    fn max_wait(&self, class: Class) -> Duration {
        match class {
            Class::Interactive => self.max_wait,
            Class::Batch => Duration::from_secs(86_400),
        }
    }

    /// What a request is searched with: as many threads as can be had and used, and no more lines
    /// than there are moves. The proof of a mate has use for one.
    fn scope(&self, request: &AnalysisRequest) -> Scope {
        let is_proof = request.limits.mate.is_some();
        let most_threads = if is_proof { 1 } else { self.workers };
        let Scope { threads, multipv, mut moves } = request.scope.clone();
        moves.sort_unstable_by_key(|mv| mv.code());
        moves.dedup();
        let most_lines = match multipv {
            _ if is_proof => 1,
            0 | 1 => 1,
            _ if moves.is_empty() => request.game.position().legal_moves().len().max(1),
            _ => moves.len(),
        };
        Scope {
            threads: threads.clamp(1, most_threads),
            multipv: multipv.clamp(1, most_lines),
            moves,
        }
    }

    /// Asks memory, if it may be asked.
    fn remember(&self, address: &Address, limits: &Limits, scope: &Scope, fresh: bool) -> Memory {
        if limits.mate.is_some() || !is_for_memory(scope) {
            return Memory::silent(MemoryVerdict::NotAsked);
        }
        if fresh {
            self.dictionary.note_request(address);
            return Memory::silent(MemoryVerdict::NotAsked);
        }
        self.dictionary.ask(address, limits, scope.multipv, &self.maker)
    }

    fn look_up_again(
        &self,
        key: &FlightKey,
        verdict: MemoryVerdict,
    ) -> Option<(Remembered, Reason)> {
        match verdict {
            MemoryVerdict::NotAsked => None,
            _ => {
                self.dictionary
                    .look_up(&key.address, &key.limits, key.scope.multipv, &self.maker)
                    .enough
            }
        }
    }

    /// The search of a flight, as work for the queue.
    fn search(&self, mut crew: Crew, game: Game, class: Class, key: &FlightKey) -> Job {
        let (searcher, dictionary, maker) =
            (self.searcher.clone(), self.dictionary.clone(), self.maker.clone());
        // Who asks for many positions names them all himself.
        let queue = (class == Class::Interactive && self.queue.idle().is_some())
            .then(|| self.queue.clone());
        let (address, limits, scope) = (key.address.clone(), key.limits, key.scope.clone());
        // Nobody holds a worker for ever: not by a depth that is out of reach either.
        let longest =
            if limits == Limits::default() { self.max_infinite } else { self.max_movetime };
        let bounded = Limits { movetime: Some(limits.movetime.unwrap_or(longest)), ..limits };
        Job::new(move |turn| {
            if let Turn::Never(error) = turn {
                return crew.land(Err(error));
            }
            if crew.flight.is_abandoned() {
                return;
            }
            let started = Instant::now();
            crew.begin(started);
            let span = tracing::error_span!(
                "search",
                threads = signed(scope.threads as u64),
                lines = signed(scope.multipv as u64),
                depth = Empty,
                nodes = Empty,
                reason = Empty
            );
            let _entered = span.enter();
            let note = &mut |report: &Report| crew.flight.note(report);
            let mut report =
                searcher.analyse(&game, &bounded, &scope, crew.flight.stop_flag(), note);
            report.pv.shrink_to_fit();
            report.alternatives.iter_mut().for_each(|line| line.pv.shrink_to_fit());
            let report = Arc::new(report);
            let reason = crew.flight.reason(&report);
            span.record("depth", i64::from(report.depth))
                .record("nodes", signed(report.nodes))
                .record("reason", reason.name());
            tracing::debug!(elapsed = ?report.elapsed, "search ended");
            if is_for_memory(&scope) {
                dictionary.store(&address, &limits, &report, &maker);
            }
            let found = report.clone();
            crew.land(Ok(Landed { report, reason, started, ended: Instant::now() }));
            if let Some(queue) = queue.filter(|_| is_for_memory(&scope) && limits.mate.is_none())
                && let Some(idle) = queue.idle()
            {
                idle.wish_for_children(game, &limits, scope.multipv, &found);
                queue.wake_for_wishes();
            }
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
    fn at_once(
        report: Arc<Report>,
        source: Source,
        memory: MemoryVerdict,
        reason: Reason,
    ) -> Answer {
        let (queued, searched) = (Duration::ZERO, Duration::ZERO);
        Answer { report, source, memory, reason, shared: false, queued, searched }
    }

    fn terminal(report: Report) -> Answer {
        Answer::at_once(report.into(), Source::Search, MemoryVerdict::NotAsked, Reason::Terminal)
    }
}

impl From<(Remembered, Reason)> for Answer {
    fn from((Remembered { report, age }, reason): (Remembered, Reason)) -> Answer {
        Answer::at_once(report, Source::Memory { age }, MemoryVerdict::Hit, reason)
    }
}

/// A number of a span: OpenTelemetry has signed ones alone.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Memory knows the best lines among all moves, and nothing of other questions. How many threads
/// have found them is all one.
fn is_for_memory(scope: &Scope) -> bool {
    scope.moves.is_empty()
}

/// The answer where the game is over: there is nothing to search.
pub(super) fn terminal(game: &Game) -> Option<Report> {
    let (score, wdl) = match game.outcome() {
        Outcome::Ongoing => return None,
        Outcome::Checkmate { .. } => (Score::Mate(0), Wdl::LOST),
        Outcome::Stalemate | Outcome::Draw(_) => (Score::Cp(0), Wdl::DRAWN),
    };
    Some(Report { score, wdl, reason: StopReason::Terminal, ..Report::nothing() })
}
