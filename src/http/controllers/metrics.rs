//! `GET /metrics`

use std::fmt;

use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use tokio::task::{JoinError, spawn_blocking};

use crate::http::App;
use crate::http::metrics::{TextFormat, render};
use crate::http::problem::Problem;

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
