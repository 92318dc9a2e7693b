//! Routes about the server: `GET /v1/engine`, `/livez`, `/readyz` and `/metrics`, and `POST
//! /v1/tickets`.

use std::fmt;

use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tokio::task::{JoinError, spawn_blocking};
use utoipa::ToSchema;
use utoipa::openapi::{ArrayBuilder, ObjectBuilder, Type};

use crate::chess::encodings::LAYOUT_VERSION;
use crate::engine::Engine;
use crate::http::App;
use crate::http::access::{Caller, TICKET_LIFETIME, TicketError};
use crate::http::dto::{TablebaseSet, tablebase_set_or_null, whole_ms};
use crate::http::json::{NoParameters, Query, Reply};
use crate::http::metrics::{TextFormat, render};
use crate::http::problem::{NoParametersProblems, Problem};
use crate::http::schema::{varying, varying_text};

/// The engine and its state.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Engine)]
pub(crate) struct EngineDto {
    /// The name of the engine: `kibitzer`.
    name: &'static str,
    /// The version of search and evaluation.
    version: &'static str,
    /// The evaluation network: its id and its architecture.
    evaluation: String,
    /// The CPU instructions that the hot paths use.
    #[schema(schema_with = simd_schema)]
    simd: &'static str,
    /// The used entries of the shared transposition table, per thousand.
    #[schema(maximum = 1000)]
    hash_permille: u32,
    /// Time since the start, in milliseconds.
    #[schema(schema_with = uptime_ms)]
    uptime_ms: u64,
    /// The version of the packed form, the keys and the move codes.
    layout_version: u8,
    /// The endgame tablebases; null if the server has none.
    #[schema(required, schema_with = tablebase_set_or_null)]
    tablebase: Option<TablebaseSet>,
}

/// Get the engine
///
/// Returns the name, version and evaluation network of the engine, and its uptime.
#[utoipa::path(
    get,
    path = "/v1/engine",
    tag = "server",
    responses((status = 200, description = "The engine.", body = EngineDto), NoParametersProblems)
)]
pub(crate) async fn engine(
    State(app): State<App>,
    Query(NoParameters): Query<NoParameters>,
) -> Reply<EngineDto> {
    let engine = app.engine().await;
    Reply(EngineDto {
        name: env!("CARGO_PKG_NAME"),
        version: Engine::VERSION,
        evaluation: engine.evaluation_name().to_owned(),
        simd: Engine::simd_name(),
        hash_permille: engine.hashfull_permille(),
        uptime_ms: whole_ms(app.uptime()),
        layout_version: LAYOUT_VERSION,
        tablebase: engine.tablebase().map(|options| TablebaseSet::from(&*options.tables)),
    })
}

fn simd_schema() -> ObjectBuilder {
    varying_text("The CPU instructions that the hot paths use.")
}

fn uptime_ms() -> ObjectBuilder {
    varying("Time since the start, in milliseconds.")
}

/// The state of the process.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// Always `ok`.
    status: &'static str,
}

/// The state of a server that takes traffic.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Readiness {
    /// Always `ready`.
    status: &'static str,
    /// The missing parts; absent if there are none. `cluster`: the server cannot reach the other
    /// nodes and works alone. `jobs`: it cannot reach the review jobs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(schema_with = degraded)]
    degraded: Vec<&'static str>,
}

fn degraded() -> ArrayBuilder {
    let parts =
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(["cluster", "jobs"]));
    ArrayBuilder::new().items(parts).min_items(Some(1)).description(Some(
        "The missing parts; absent if there are none. `cluster`: the server cannot reach the other \
         nodes and works alone. `jobs`: it cannot reach the review jobs.",
    ))
}

/// Check that the process is alive
///
/// Returns 200 while the process runs. `kibitzer healthcheck` calls this route.
#[utoipa::path(
    get,
    path = "/livez",
    tag = "server",
    responses((status = 200, description = "The process is running.", body = Health))
)]
pub(crate) async fn livez() -> Reply<Health> {
    Reply(Health { status: "ok" })
}

/// Check that the server is ready for traffic
///
/// A server with a full queue is ready, because it answers further searches with 503 itself. So is
/// a node that has lost its cluster, because all nodes lose it at once.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "server",
    responses((status = 200, description = "The server is ready.", body = Readiness),
        crate::http::problem::NotReady)
)]
pub(crate) async fn readyz(State(app): State<App>) -> Result<Reply<Readiness>, Problem> {
    match app.not_ready_reason() {
        None => Ok(Reply(Readiness { status: "ready", degraded: app.degraded() })),
        Some(reason) => Err(Problem::not_ready(reason)),
    }
}

/// The reason why the metrics could not be rendered.
#[derive(Debug, thiserror::Error)]
enum RenderError {
    #[error("cannot format the metrics")]
    Format(#[from] fmt::Error),
    #[error("the thread that renders the metrics failed: {0}")]
    Thread(#[from] JoinError),
}

/// Get the metrics
///
/// Returns metrics of requests, queue, searches, evaluation cache, memory and process for
/// Prometheus. The format is OpenMetrics if `Accept` contains `application/openmetrics-text`,
/// otherwise the Prometheus text format 0.0.4. If `metrics.listen` is set, only that address serves
/// them. There the route needs no API key and has no rate limit.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "server",
    responses(
        (
            status = 200,
            description = "The metrics. `docs/operations.md` explains them.",
            content(
                (String = "text/plain; version=0.0.4; charset=utf-8"),
                (String = "application/openmetrics-text; version=1.0.0; charset=utf-8"),
            ),
        ),
    )
)]
pub(crate) async fn metrics(
    State(app): State<App>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let format = TextFormat::negotiate(&headers);
    let text = render_page(app, format).await.map_err(|error| Problem::internal(&error))?;
    Ok(([(CONTENT_TYPE, format.content_type()), (VARY, HeaderValue::from_static("accept"))], text)
        .into_response())
}

async fn render_page(app: App, format: TextFormat) -> Result<String, RenderError> {
    // Blocking: it reads files of the system and samples the transposition table.
    Ok(spawn_blocking(move || render(app.metrics_snapshot(), format)).await??)
}

/// A single-use ticket.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Ticket {
    /// The ticket, valid for one request as the query parameter `ticket`.
    #[schema(schema_with = ticket_text)]
    ticket: String,
    /// The time until the ticket expires, in milliseconds.
    expires_in_ms: u64,
}

/// Issue a ticket
///
/// Browsers can't send an API key with a WebSocket or an `EventSource`. A client with a key
/// requests a ticket and opens `/v1/live?ticket=…` or `/v1/analysis?…&ticket=…` with it once. That
/// request counts for the key. A ticket requested without a key counts for the client's address. A
/// ticket cannot be used to request another one.
#[utoipa::path(
    post,
    path = "/v1/tickets",
    tag = "server",
    responses((status = 200, description = "The ticket.", body = Ticket), NoParametersProblems)
)]
pub(crate) async fn tickets(
    State(app): State<App>,
    caller: Caller,
    Query(NoParameters): Query<NoParameters>,
) -> Result<Response, Problem> {
    let counters = app.counters();
    let issued = app.access_control().issue_ticket(caller.identity(), counters.as_deref()).await;
    let ticket = issued.map_err(|error| match error {
        TicketError::TooMany(after) => Problem::too_many_tickets(after),
        TicketError::Random(error) => Problem::internal(&error),
    })?;
    let reply = Reply(Ticket { ticket, expires_in_ms: whole_ms(TICKET_LIFETIME) });
    Ok(([(CACHE_CONTROL, "no-store")], reply).into_response())
}

fn ticket_text() -> ObjectBuilder {
    varying_text("The ticket, valid for one request as the query parameter `ticket`.")
}
