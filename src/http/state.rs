//! What handlers share.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::SetOnce;
use tokio::time::timeout;

use super::StreamRules;
use super::access::Access;
use super::json::BodyRules;
use super::layers::Gate;
use super::metrics::{CoreFigures, Figures, Gauge, Requests};
use super::problem::Problem;
use super::stream::{Place, Places};
use super::texts::{TEXTS_AT_ONCE, TEXTS_OF_ONE, TextPlace, TextPlaces};
use crate::analysis::jobs::Jobs;
use crate::analysis::{Client, Service};
use crate::engine::Engine;

/// So many walks through the graph of positions are made at once.
pub(super) const WALKS_AT_ONCE: usize = 2;

/// So many answers at once that tell of what lies behind moves wait to be made or to be read.
pub(super) const WIDE_ANSWERS_AT_ONCE: usize = 4;

/// What one request may ask for, and what else the routes need to know of the settings.
#[derive(Clone, Debug)]
pub struct Caps {
    /// Greatest depth of a search, in plies.
    pub depth: u8,
    /// Greatest number of nodes of a search.
    pub nodes: u64,
    /// Greatest time of a search.
    pub movetime: Duration,
    /// Time of a search for which no limit is asked.
    pub default_movetime: Duration,
    /// Greatest time of a search that is to go on for ever.
    pub infinite: Duration,
    /// How long a request may wait for a worker.
    pub max_wait: Duration,
    /// Greatest distance of a mate, in moves.
    pub mate: u8,
    /// Most threads of a search; at least one.
    pub threads: u16,
    /// Most lines of a search; at least one.
    pub multipv: u16,
    /// Most moves in `moves`.
    pub moves: usize,
    /// Most bytes in a body.
    pub body_bytes: usize,
    /// Longest time for a body to arrive.
    pub body_timeout: Duration,
    /// Greatest depth of a perft.
    pub perft_depth: u8,
    /// Longest time of a perft.
    pub perft_max: Duration,
    /// How long an unknown position is searched for `GET /api/cloud-eval`; not at all for no time.
    pub lichess_compute: Duration,
    /// Batches at once.
    pub batches: usize,
    /// Most lines of a batch.
    pub batch_lines: usize,
    /// Most bytes of a batch, and most bytes of answers that wait for its reader before its next
    /// line is searched.
    pub batch_bytes: usize,
    /// Reviews of games.
    pub jobs: JobCaps,
    /// Connections at once.
    pub connections: usize,
    /// How answers are sent line by line.
    pub stream: StreamRules,
    /// Answers that come line by line, and boards, at once.
    pub streams: usize,
    /// A board that says nothing for so long, and for which nothing is searched, is closed.
    pub live_idle: Duration,
    /// How often the client of a board is asked whether it is still there.
    pub live_ping: Duration,
    /// Origins that CORS allows.
    pub cors_origins: Vec<String>,
    /// The most memory that the settings lead to, in MB.
    pub memory_bound_mb: u64,
    /// The most memory that the settings allow, in MB.
    pub memory_max_mb: u64,
}

/// What the routes need to know of the settings for jobs.
#[derive(Clone, Copy, Debug)]
pub struct JobCaps {
    /// Most jobs that are kept.
    pub max: usize,
    /// How long a job is kept that is over, in hours.
    pub keep_hours: u64,
    /// Most bytes of a text.
    pub bytes: usize,
    /// How hard a position is searched for which no limit is asked.
    pub default_nodes: u64,
}

/// The state of the routes. Cheap to clone.
///
/// A big table takes seconds to be written through, and a probe that asks meanwhile wants to hear
/// that the process lives: so routes are there before what searches is.
#[derive(Clone)]
pub struct App(Arc<Shared>);

struct Shared {
    caps: Caps,
    gate: Gate,
    requests: Arc<Requests>,
    connections: Gauge,
    started: Instant,
    texts: TextPlaces,
    walks: Places,
    wide_answers: Places,
    core: SetOnce<Core>,
    streams: Places,
    batches: Places,
    shutting_down: SetOnce<()>,
}

/// What searches.
struct Core {
    service: Service,
    engine: Arc<Engine>,
    jobs: Jobs,
}

impl App {
    /// The state of a server that is starting.
    pub fn starting(caps: Caps, access: Access) -> App {
        App(Arc::new(Shared {
            gate: Gate::new(access),
            requests: Arc::default(),
            connections: Gauge::default(),
            started: Instant::now(),
            texts: TextPlaces::default(),
            walks: Places::new(WALKS_AT_ONCE),
            wide_answers: Places::new(WIDE_ANSWERS_AT_ONCE),
            core: SetOnce::new(),
            streams: Places::new(caps.streams),
            batches: Places::new(caps.batches),
            shutting_down: SetOnce::new(),
            caps,
        }))
    }

    /// Takes traffic from now on. Only the first call counts.
    pub fn begin(&self, service: Service, engine: Arc<Engine>, jobs: Jobs) {
        if self.0.core.set(Core { service, engine, jobs }).is_err() {
            tracing::error!("the server has begun twice");
        }
    }

    /// Says that the server is about to end, and tells what searches.
    pub fn shut_down(&self) {
        // Whoever is told twice knows it already.
        let _ = self.0.shutting_down.set(());
        if let Some(core) = self.0.core.get() {
            core.jobs.shut_down();
            core.service.shut_down();
        }
    }

    /// Resolves when no work waits or runs, and all streams and batches have ended. Jobs that are
    /// not done rest until the next start.
    pub async fn drained(&self) {
        if let Some(core) = self.0.core.get() {
            core.service.drained().await;
            core.jobs.stopped().await;
        }
        self.0.streams.all_free().await;
        self.0.batches.all_free().await;
    }

    /// Resolves when the server is about to end.
    pub(super) async fn shutting_down(&self) {
        self.0.shutting_down.wait().await;
    }

    /// `true` when the server is about to end.
    pub(super) fn is_shutting_down(&self) -> bool {
        self.0.shutting_down.initialized()
    }

    /// A place among the streams, for as long as one lasts.
    ///
    /// # Errors
    /// `queue_full` when all are taken.
    pub(super) fn stream_place(&self) -> Result<Place, Problem> {
        free_place(&self.0.streams, "streams")
    }

    /// A place among the batches, for as long as one lasts.
    ///
    /// # Errors
    /// `queue_full` when all are taken.
    pub(super) fn batch_place(&self) -> Result<Place, Problem> {
        free_place(&self.0.batches, "batches")
    }

    /// Resolves when all that was found is on disk, or the disk has refused it.
    ///
    /// # Errors
    /// When the waiting itself breaks.
    pub async fn flushed(&self) -> io::Result<()> {
        match self.0.core.get() {
            Some(core) => core.service.flushed().await,
            None => Ok(()),
        }
    }

    /// The count of open connections.
    pub fn connections(&self) -> Gauge {
        self.0.connections.clone()
    }

    /// Where requests are counted.
    pub(super) fn requests(&self) -> Arc<Requests> {
        self.0.requests.clone()
    }

    /// All figures for the operator, now.
    pub(super) fn figures(&self) -> Figures {
        let core = self.0.core.get().map(|Core { service, engine, jobs }| CoreFigures {
            status: service.status(),
            evaluation: engine.evaluation_name().to_owned(),
            hash_permille: engine.hash_permille(),
            jobs: jobs.status(),
        });
        Figures {
            requests: self.requests(),
            connections: self.0.connections.now(),
            max_connections: self.0.caps.connections,
            streams: self.0.streams.taken(),
            max_streams: self.0.streams.all(),
            batches: self.0.batches.taken(),
            max_batches: self.0.batches.all(),
            memory_bound_bytes: self.0.caps.memory_bound_mb << 20,
            is_ready: self.why_not_ready().is_none(),
            core,
        }
    }

    /// Why the server takes no traffic, if it takes none.
    pub(super) fn why_not_ready(&self) -> Option<&'static str> {
        if self.is_shutting_down() {
            return Some("shutting_down");
        }
        let Some(core) = self.0.core.get() else { return Some("starting") };
        let is_store_failing = core.service.status().store.is_some_and(|store| store.failing)
            || core.jobs.is_failing();
        is_store_failing.then_some("store")
    }

    /// The use cases; who asks while the server is starting waits.
    pub(super) async fn service(&self) -> &Service {
        &self.0.core.wait().await.service
    }

    /// The jobs; who asks while the server is starting waits.
    pub(super) async fn jobs(&self) -> &Jobs {
        &self.0.core.wait().await.jobs
    }

    /// A place for a text of games of this client, to be held for as long as the text is there.
    ///
    /// # Errors
    /// `queue_full` when there is none for as long as a body may take.
    pub(super) async fn text_place(&self, client: &Client) -> Result<TextPlace, Problem> {
        match timeout(self.0.caps.body_timeout, self.0.texts.take(client)).await {
            Ok(Ok(place)) => Ok(place),
            _ => Err(Problem::too_many_texts(TEXTS_AT_ONCE, TEXTS_OF_ONE)),
        }
    }

    /// A place for a walk through the graph of positions, to be held while it is made.
    ///
    /// # Errors
    /// `queue_full` when there is none for as long as a body may take.
    pub(super) async fn walk_place(&self) -> Result<Place, Problem> {
        self.place_in_time(&self.0.walks, "walks").await
    }

    /// A place for an answer that tells of what lies behind moves, to be held until it is read.
    ///
    /// # Errors
    /// `queue_full` when there is none for as long as a body may take.
    pub(super) async fn wide_place(&self) -> Result<Place, Problem> {
        self.place_in_time(&self.0.wide_answers, "deep walks").await
    }

    async fn place_in_time(&self, places: &Places, what: &'static str) -> Result<Place, Problem> {
        match timeout(self.0.caps.body_timeout, places.wait()).await {
            Ok(Some(place)) => Ok(place),
            _ => Err(Problem::no_place_for(what, places.all())),
        }
    }

    /// The engine, for what it says of itself and of a position as it stands; who asks while the
    /// server is starting waits.
    pub(super) async fn engine(&self) -> &Engine {
        &self.0.core.wait().await.engine
    }

    /// What one request may ask for.
    pub fn caps(&self) -> &Caps {
        &self.0.caps
    }

    /// Who may ask.
    pub(super) fn gate(&self) -> &Gate {
        &self.0.gate
    }

    /// How bodies are read.
    pub(super) fn body_rules(&self) -> BodyRules {
        BodyRules { max_bytes: self.0.caps.body_bytes, timeout: self.0.caps.body_timeout }
    }

    /// Time since the start.
    pub(super) fn uptime(&self) -> Duration {
        self.0.started.elapsed()
    }
}

/// One of these places, if one is free now.
fn free_place(places: &Places, what: &'static str) -> Result<Place, Problem> {
    places.take().ok_or_else(|| Problem::no_place_for(what, places.all()))
}
