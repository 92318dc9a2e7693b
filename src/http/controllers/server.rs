//! Routes about the server: `GET /v1/engine`, `/livez`, `/readyz` and `/metrics`, and
//! `POST /v1/tickets`.

use std::fmt;

use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tokio::task::{JoinError, spawn_blocking};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use crate::chess::encodings::LAYOUT_VERSION;
use crate::engine::Engine;
use crate::http::App;
use crate::http::access::{Caller, TICKET_LIFETIME, TicketError};
use crate::http::dto::whole_ms;
use crate::http::json::Reply;
use crate::http::metrics::{TextFormat, render};
use crate::http::problem::{Problem, TicketProblems};
use crate::http::schema::{varying, varying_text};

/// What searches.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Engine)]
pub(crate) struct EngineDto {
    /// `kibitzer`.
    name: &'static str,
    /// Of search and evaluation.
    version: &'static str,
    /// What judges quiet positions.
    evaluation: String,
    /// The CPU instructions that the hot paths use.
    #[schema(schema_with = simd_schema)]
    simd: &'static str,
    /// How full the shared transposition table is, in entries per thousand.
    #[schema(maximum = 1000)]
    hash_permille: u32,
    /// Time since the start, in milliseconds.
    #[schema(schema_with = uptime_ms)]
    uptime_ms: u64,
    /// Of the packed form, the keys and the move codes.
    layout_version: u8,
}

/// The engine
///
/// What searches, and how long it has.
#[utoipa::path(
    get,
    path = "/v1/engine",
    tag = "server",
    responses((status = 200, description = "The engine.", body = EngineDto))
)]
pub(crate) async fn engine(State(app): State<App>) -> Reply<EngineDto> {
    let engine = app.engine().await;
    Reply(EngineDto {
        name: env!("CARGO_PKG_NAME"),
        version: Engine::VERSION,
        evaluation: engine.evaluation_name().to_owned(),
        simd: Engine::simd_name(),
        hash_permille: engine.hash_permille(),
        uptime_ms: whole_ms(app.uptime()),
        layout_version: LAYOUT_VERSION,
    })
}

fn simd_schema() -> ObjectBuilder {
    varying_text("The CPU instructions that the hot paths use.")
}

fn uptime_ms() -> ObjectBuilder {
    varying("Time since the start, in milliseconds.")
}

/// That the process runs.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok` from `/livez`, `ready` from `/readyz`.
    status: &'static str,
}

/// Is the process alive?
///
/// 200 while it runs. `kibitzer healthcheck` asks this.
#[utoipa::path(
    get,
    path = "/livez",
    tag = "server",
    responses((status = 200, description = "The process runs.", body = Health))
)]
pub(crate) async fn livez() -> Reply<Health> {
    Reply(Health { status: "ok" })
}

/// Does the server take traffic?
///
/// A full queue is no reason against it: it answers 503 itself.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "server",
    responses((status = 200, description = "It does.", body = Health), crate::http::problem::NotReady)
)]
pub(crate) async fn readyz(State(app): State<App>) -> Result<Reply<Health>, Problem> {
    match app.not_ready_reason() {
        None => Ok(Reply(Health { status: "ready" })),
        Some(reason) => Err(Problem::not_ready(reason)),
    }
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
enum RenderError {
    #[error("the figures cannot be written")]
    Format(#[from] fmt::Error),
    #[error("the thread that wrote the figures broke: {0}")]
    Thread(#[from] JoinError),
}

/// Figures for the operator
///
/// Metrics of requests, queue, searches, memory and process, for Prometheus to scrape: in
/// OpenMetrics where `Accept` names `application/openmetrics-text`, else in Prometheus's text
/// format 0.0.4. Where `metrics.listen` names an address they are there alone. Behind no key and no
/// rate.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "server",
    responses(
        (
            status = 200,
            description = "The metrics. `docs/operations.md` tells what they mean.",
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
    // It looks at files of the system, and samples the table.
    Ok(spawn_blocking(move || render(app.metrics_snapshot(), format)).await??)
}

/// A ticket.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Ticket {
    /// Good for one request, as the parameter `ticket` of its query.
    #[schema(schema_with = ticket_text)]
    ticket: String,
    /// How long it is good, in milliseconds.
    expires_in_ms: u64,
}

/// A ticket
///
/// Browsers send no API key with a WebSocket or an EventSource. Whoever has a key gets a ticket by
/// it, and opens `/v1/live?ticket=…` or `/v1/analysis?…&ticket=…` as the holder of that key, once.
/// Without a key it stands for the address.
#[utoipa::path(
    post,
    path = "/v1/tickets",
    tag = "server",
    responses((status = 200, description = "The ticket.", body = Ticket), TicketProblems)
)]
pub(crate) async fn tickets(State(app): State<App>, caller: Caller) -> Result<Response, Problem> {
    let ticket =
        app.access_control().issue_ticket(caller.identity()).map_err(|error| match error {
            TicketError::TooMany(after) => Problem::rate_limited(after),
            TicketError::Random(error) => Problem::internal(&error),
        })?;
    let reply = Reply(Ticket { ticket, expires_in_ms: whole_ms(TICKET_LIFETIME) });
    Ok(([(CACHE_CONTROL, "no-store")], reply).into_response())
}

fn ticket_text() -> ObjectBuilder {
    varying_text("Good for one request, as the parameter `ticket` of its query.")
}
