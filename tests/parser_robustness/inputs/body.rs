//! Request bodies, sent to the real routes without a socket.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use axum::{Router, response::Response};
use kibitzer::analysis::jobs::{JobRules, Jobs, Usage};
use kibitzer::analysis::{Service, ServiceOptions};
use kibitzer::engine::Engine;
use kibitzer::http::{AccessConfig, App, Caps, JobCaps, StreamOptions, router};
use kibitzer::store::jobs::JobFile;
use serde_json::Value;
use tokio::runtime::Runtime;
use tower::ServiceExt;

/// The routes that read a position without a search. The other routes read bodies with the same
/// code.
pub(crate) const ROUTES: [&str; 3] = ["/v1/legal-moves", "/v1/position", "/v1/play"];

/// Sends the bytes as a body; the first byte chooses the route. `true` if the members were read,
/// also when their values are refused.
pub(crate) fn check(data: &[u8]) -> bool {
    let Some((&choice, body)) = data.split_first() else { return false };
    let path = ROUTES[usize::from(choice) % ROUTES.len()];
    let (status, answer) = RUNTIME.block_on(post(path, body.to_vec()));
    match status {
        StatusCode::OK => {
            assert!(answer["fen"].is_string(), "the response has no FEN: {answer}");
            true
        }
        StatusCode::BAD_REQUEST
        | StatusCode::PAYLOAD_TOO_LARGE
        | StatusCode::UNPROCESSABLE_ENTITY => {
            let code = answer["code"].as_str().unwrap_or_else(|| panic!("no code: {answer}"));
            assert_eq!(answer["status"], status.as_u16(), "{answer}");
            assert!(answer["request_id"].is_string(), "{answer}");
            assert!(answer["detail"].is_string(), "{answer}");
            matches!(code, "invalid_fen" | "illegal_move")
        }
        _ => panic!("{path} returned {status}: {answer}"),
    }
}

async fn post(path: &str, body: Vec<u8>) -> (StatusCode, Value) {
    let request = Request::post(path)
        .header("host", "localhost")
        .header("content-type", "application/json")
        .body(Body::from(body));
    let request = request.unwrap_or_else(|error| panic!("a request: {error}"));
    let response: Response =
        SERVER.clone().oneshot(request).await.unwrap_or_else(|never| match never {});
    let status = response.status();
    let body = to_bytes(response.into_body(), usize::MAX)
        .await
        .unwrap_or_else(|error| panic!("a body: {error}"));
    (status, serde_json::from_slice(&body).unwrap_or_else(|error| panic!("not JSON: {error}")))
}

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap_or_else(|error| panic!("a runtime: {error}"))
});

static SERVER: LazyLock<Router> = LazyLock::new(|| {
    let engine = Arc::new(Engine::new(1));
    let options = ServiceOptions {
        workers: 1,
        queue_capacity: 1,
        cache_max_entries: 1,
        ..ServiceOptions::default()
    };
    let service = Service::start(engine.clone(), options)
        .unwrap_or_else(|error| panic!("a service: {error}"));
    let app = App::starting(caps(), AccessConfig::default());
    let rules = JobRules {
        max_usage: Usage { jobs: 1, bytes: 8_192 },
        anonymous_share_permille: 500,
        max_nodes: 1_000,
        default_nodes: 10,
        retention: Duration::from_secs(1),
    };
    let jobs =
        JobFile::in_memory().and_then(|file| Jobs::start(service.clone(), Arc::new(file), rules));
    app.mark_ready(service, engine, jobs.unwrap_or_else(|error| panic!("jobs: {error}")));
    router(app)
});

fn caps() -> Caps {
    Caps {
        depth: 8,
        nodes: 1_000,
        movetime: Duration::from_millis(10),
        default_movetime: Duration::from_millis(10),
        infinite: Duration::from_secs(1),
        max_wait: Duration::from_secs(1),
        mate: 2,
        threads: 2,
        multipv: 3,
        moves: 100,
        body_bytes: 4_096,
        body_timeout: Duration::from_secs(10),
        perft_depth: 2,
        perft_max: Duration::from_millis(100),
        lichess_compute: Duration::ZERO,
        is_compat_enabled: true,
        batches: 1,
        batch_lines: 8,
        batch_bytes: 4_096,
        jobs: JobCaps {
            max: 1,
            keep_hours: 1,
            bytes: 4_096,
            anonymous_share_permille: 500,
            max_nodes: 1_000,
            default_nodes: 1_000,
        },
        streams: 64,
        live_idle: Duration::from_secs(1),
        live_ping: Duration::from_secs(1),
        request_bytes: 32 << 20,
        connections: 8,
        stream: StreamOptions {
            heartbeat: Duration::from_secs(5),
            stall: Duration::from_secs(10),
            buffer: 8,
        },
        cors_origins: Vec::new(),
        public_origin: String::new(),
        is_mcp_enabled: true,
        mcp_hosts: Vec::new(),
        memory_bound_mb: 64,
        memory_max_mb: 64,
    }
}
