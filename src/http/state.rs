//! What handlers share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use super::json::BodyRules;
use crate::analysis::Service;
use crate::engine::Engine;

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
    /// Greatest distance of a mate, in moves.
    pub mate: u8,
    /// Most moves in `moves`.
    pub moves: usize,
    /// Most bytes in a body.
    pub body_bytes: usize,
    /// Longest time for a body to arrive.
    pub body_timeout: Duration,
    /// Greatest depth of a perft.
    pub perft_depth: u32,
    /// Longest time of a perft.
    pub perft_max: Duration,
    /// Origins that CORS allows.
    pub cors_origins: Vec<String>,
    /// The most memory that the settings lead to, in MB.
    pub memory_bound_mb: u64,
    /// The most memory that the settings allow, in MB.
    pub memory_max_mb: u64,
}

/// Whether the server takes traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// Not yet.
    Starting,
    /// Yes.
    Ready,
    /// No longer.
    ShuttingDown,
}

/// The state of the routes. Cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Shared>);

struct Shared {
    service: Service,
    engine: Arc<Engine>,
    caps: Caps,
    started: Instant,
    readiness: AtomicU8,
}

impl App {
    /// The state of a server that is starting.
    pub fn new(service: Service, engine: Arc<Engine>, caps: Caps) -> App {
        let readiness = AtomicU8::new(Readiness::Starting as u8);
        App(Arc::new(Shared { service, engine, caps, started: Instant::now(), readiness }))
    }

    /// The use cases.
    pub fn service(&self) -> &Service {
        &self.0.service
    }

    /// The engine, for what it says of itself and of a position as it stands.
    pub fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// What one request may ask for.
    pub fn caps(&self) -> &Caps {
        &self.0.caps
    }

    /// How bodies are read.
    pub(super) fn body_rules(&self) -> BodyRules {
        BodyRules { max_bytes: self.0.caps.body_bytes, timeout: self.0.caps.body_timeout }
    }

    /// Time since the start.
    pub fn uptime(&self) -> Duration {
        self.0.started.elapsed()
    }

    /// Whether the server takes traffic.
    pub fn readiness(&self) -> Readiness {
        match self.0.readiness.load(Ordering::Acquire) {
            0 => Readiness::Starting,
            1 => Readiness::Ready,
            _ => Readiness::ShuttingDown,
        }
    }

    /// Says whether the server takes traffic.
    pub fn set_readiness(&self, readiness: Readiness) {
        self.0.readiness.store(readiness as u8, Ordering::Release);
    }
}
