//! `GET /livez` and `GET /readyz`

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::http::App;
use crate::http::json::Reply;
use crate::http::problem::Problem;

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
