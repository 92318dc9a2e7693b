//! `GET /v1/engine`

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use crate::chess::encodings::LAYOUT_VERSION;
use crate::engine::Engine;
use crate::http::App;
use crate::http::dto::whole_ms;
use crate::http::json::Reply;
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
