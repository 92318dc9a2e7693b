//! Tests of the analysis service, most of them with scripted searches.

mod cancellation;
mod cluster;
mod engine;
mod evaluation_cache;
mod eviction;
mod history_interaction;
mod leasing;
mod lending;
mod persistence;
mod queueing;
mod sharing;
mod shutdown;
mod slices;
mod speculation;
mod streaming;
mod strength;
mod threads;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::cache_key::AnalysisKey;
use super::evaluation_cache::EvaluationCache;
use super::{
    AnalysisRequest, CacheVerdict, Client, PerftRequest, PriorityClass, Searcher, Service,
    ServiceOptions,
};
use crate::chess::{Game, Position, parse_move};
use crate::engine::{GameSearch, Limits, Report, Score, SearchOptions, StopFlag, StopReason, Wdl};

/// The engine id of [`Scripted`].
pub(super) const ENGINE_ID: &str = "scripted 1";

/// A report of a search to this depth with this many nodes.
pub(super) fn report(depth: u8, nodes: u64) -> Report {
    Report {
        score: Score::Cp(i32::from(depth)),
        wdl: Wdl::DRAWN,
        raw_score: None,
        pv: Position::startpos().legal_moves()[..1].to_vec(),
        depth,
        seldepth: depth,
        nodes,
        elapsed: Duration::from_micros(nodes),
        reason: StopReason::Depth,
        history_independent: false,
        tb_hits: 0,
        is_ranked_by_tablebase: false,
        alternatives: Vec::new(),
    }
}

pub(super) fn depth(depth: u8) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

pub(super) fn movetime(milliseconds: u64) -> Limits {
    Limits { movetime: Some(Duration::from_millis(milliseconds)), ..Limits::default() }
}

pub(super) fn start_game() -> Game {
    Game::new(Position::startpos())
}

/// The start position after moves in UCI notation.
pub(super) fn game_of(moves: &str) -> Game {
    let mut game = start_game();
    for text in moves.split(' ') {
        let mv = parse_move(game.position(), text).expect(text);
        game.play(mv);
    }
    game
}

/// A position without history.
pub(super) fn game_at(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).expect(fen))
}

pub(super) fn request(game: Game, limits: Limits) -> AnalysisRequest {
    AnalysisRequest {
        game,
        limits,
        options: SearchOptions::default(),
        fresh: false,
        client: Client::new("ann"),
        class: PriorityClass::Interactive,
        session: None,
        strength: None,
    }
}

/// A perft of the start position, without the counts of its moves.
pub(super) fn perft_request(depth: u8, max_time: Duration) -> PerftRequest {
    PerftRequest {
        client: Client::new("ann"),
        position: Position::startpos(),
        depth,
        divide: false,
        max_time,
    }
}

/// A request that is equal to no other: distinct numbers have distinct limits.
pub(super) fn unique_request(number: usize) -> AnalysisRequest {
    request(start_game(), Limits { nodes: Some(1_000_000 + number as u64), ..Limits::default() })
}

/// The request with this many threads.
pub(super) fn with_threads(threads: usize, request: AnalysisRequest) -> AnalysisRequest {
    AnalysisRequest { options: SearchOptions { threads, ..request.options }, ..request }
}

/// A searcher that runs a script and counts its searches.
pub(super) struct Scripted<F> {
    script: F,
    pub(super) started: AtomicUsize,
    pub(super) finished: AtomicUsize,
    /// The threads of all running searches.
    threads: AtomicUsize,
    max_threads: AtomicUsize,
}

impl<F: Fn(&Game, &Limits, &StopFlag) -> Report + Send + Sync + 'static> Scripted<F> {
    pub(super) fn new(script: F) -> Arc<Scripted<F>> {
        let [started, finished, threads, max_threads] = [const { AtomicUsize::new(0) }; 4];
        Arc::new(Scripted { script, started, finished, threads, max_threads })
    }

    pub(super) fn searches(&self) -> usize {
        self.started.load(Ordering::SeqCst)
    }

    /// The most threads of all searches at one time.
    pub(super) fn max_threads(&self) -> usize {
        self.max_threads.load(Ordering::SeqCst)
    }
}

impl<F: Fn(&Game, &Limits, &StopFlag) -> Report + Send + Sync + 'static> Searcher for Scripted<F> {
    fn analyse(
        &self,
        GameSearch { game, limits, options, stop }: GameSearch<'_>,
        _: &mut dyn FnMut(&Report),
    ) -> Report {
        self.started.fetch_add(1, Ordering::SeqCst);
        let threads = self.threads.fetch_add(options.threads, Ordering::SeqCst) + options.threads;
        self.max_threads.fetch_max(threads, Ordering::SeqCst);
        let report = (self.script)(game, limits, stop);
        self.threads.fetch_sub(options.threads, Ordering::SeqCst);
        self.finished.fetch_add(1, Ordering::SeqCst);
        report
    }

    fn engine_id(&self) -> String {
        ENGINE_ID.to_owned()
    }
}

/// A script that reaches the requested limits at once.
pub(super) fn at_once(_: &Game, limits: &Limits, _: &StopFlag) -> Report {
    match (limits.depth, limits.nodes) {
        // With all nodes of its limit, the report would suffice for every depth.
        (Some(depth), _) => Report { reason: StopReason::Depth, ..report(depth, 1_000) },
        (None, nodes) => Report { reason: StopReason::Nodes, ..report(7, nodes.unwrap_or(1_000)) },
    }
}

/// A searcher whose searches end when the test opens the gate or they are stopped.
pub(super) fn gated(
    gate: &Arc<AtomicBool>,
) -> Arc<Scripted<impl Fn(&Game, &Limits, &StopFlag) -> Report + Send + Sync + use<>>> {
    let open = gate.clone();
    Scripted::new(move |game: &Game, limits: &Limits, stop: &StopFlag| {
        while !open.load(Ordering::SeqCst) && !stop.is_stopped() {
            thread::sleep(Duration::from_millis(1));
        }
        at_once(game, limits, stop)
    })
}

/// A script that searches until it is stopped. It checks the stop flag every millisecond.
pub(super) fn until_stopped(_: &Game, _: &Limits, stop: &StopFlag) -> Report {
    while !stop.is_stopped() {
        thread::sleep(Duration::from_millis(1));
    }
    Report { reason: StopReason::Stopped, ..report(6, 600) }
}

pub(super) fn options(workers: usize, queue_capacity: usize) -> ServiceOptions {
    ServiceOptions {
        workers,
        queue_capacity,
        cache_max_entries: 1_000,
        ..ServiceOptions::default()
    }
}

pub(super) fn service(searcher: Arc<impl Searcher>, options: ServiceOptions) -> Service {
    Service::start(searcher, options).expect("threads")
}

/// Waits until a condition holds; fails after ten seconds.
pub(super) async fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(
            started.elapsed() < Duration::from_secs(10),
            "the condition did not come true: {what}"
        );
        tokio::time::sleep(Duration::from_micros(200)).await;
    }
}

/// The shortest of several rounds: the time without the delays by other processes.
pub(super) async fn quickest(rounds: usize, round: impl AsyncFn() -> Duration) -> Duration {
    let mut quickest = Duration::MAX;
    for _ in 0..rounds {
        quickest = quickest.min(round().await);
    }
    quickest
}

/// How long a worker stays busy after the last subscriber of its search has left.
pub(super) async fn time_to_free_worker<T>(
    service: &Service,
    last: tokio::task::JoinHandle<T>,
) -> Duration {
    let left = Instant::now();
    last.abort();
    wait_until("the worker is free", || service.status().busy_workers == 0).await;
    left.elapsed()
}

/// The key of the start position with this half-move clock.
fn bare_key(clock: u16) -> AnalysisKey {
    AnalysisKey { halfmove_clock: clock, ..AnalysisKey::of(&start_game()) }
}

/// The verdict of a lookup for one line.
fn verdict(cache: &EvaluationCache, key: &AnalysisKey, limits: Limits) -> CacheVerdict {
    cache.lookup_uncounted(key, &limits, 1).verdict
}
