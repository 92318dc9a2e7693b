//! `GET /v1/live`: a live board over a WebSocket.

mod connection;
mod message;

pub(crate) use message::{Deeper, Go, LiveLine, MultiPv, Ready, SetPosition, Stop};

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::header::{SEC_WEBSOCKET_VERSION, UPGRADE};
use axum::http::{HeaderMap, HeaderValue, Uri};
use axum::response::{IntoResponse, Response};
use tracing::Instrument;

use crate::analysis::AnalysisError;
use crate::http::App;
use crate::http::access::{Caller, disallowed_origin};
use crate::http::json::{NoParameters, Query};
use crate::http::problem::{LiveProblems, Problem};
use connection::LiveConnection;
use message::MAX_MESSAGE_BYTES;

/// The subprotocol, selected if the client requests it.
const SUBPROTOCOL: &str = "kibitzer.v1";

/// A message longer than this fails the socket at once. For a message between the two limits, the
/// server closes the socket with the code 1009. A fragment and the message that it continues may
/// take this much each, which the memory of a connection and of a stream covers.
const HARD_MAX_MESSAGE_BYTES: usize = MAX_MESSAGE_BYTES + (8 << 10);

/// The size of the read buffer. It is small because messages are small.
const READ_BUFFER_BYTES: usize = 4 << 10;

#[utoipa::path(
    get,
    path = "/v1/live",
    tag = "analysis",
    summary = "A live board",
    description = include_str!("live/description.md"),
    params(("ticket" = Option<String>, Query, description = "A ticket from `POST /v1/tickets`, for \
        clients that can't send an API key.")),
    responses(
        (status = 101, description = "The connection is now a WebSocket."),
        LiveProblems,
    )
)]
pub(crate) async fn live(
    State(app): State<App>,
    caller: Caller,
    Query(NoParameters): Query<NoParameters>,
    uri: Uri,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Response> {
    if let Some(origin) = disallowed_origin(&headers, &uri, &app.caps().cors_origins) {
        return Err(Problem::origin_refused(origin, "to open a live board").into_response());
    }
    let upgrade = upgrade.map_err(upgrade_rejected)?;
    if app.is_shutting_down() {
        return Err(Problem::from(AnalysisError::shutting_down()).into_response());
    }
    let permit = app.stream_permit(caller.client()).map_err(IntoResponse::into_response)?;
    let upgrade = upgrade.protocols([SUBPROTOCOL]).read_buffer_size(READ_BUFFER_BYTES);
    let upgrade =
        upgrade.max_message_size(HARD_MAX_MESSAGE_BYTES).max_frame_size(HARD_MAX_MESSAGE_BYTES);
    let service = app.service().await.clone();
    let span = tracing::Span::current();
    Ok(upgrade.on_upgrade(move |socket| {
        async move {
            LiveConnection::new(&app, &service, &caller, socket).run().await;
            drop(permit);
        }
        .instrument(span)
    }))
}

fn upgrade_rejected(rejection: WebSocketUpgradeRejection) -> Response {
    let mut response = Problem::upgrade_required(&rejection.body_text()).into_response();
    response.headers_mut().insert(UPGRADE, HeaderValue::from_static("websocket"));
    response.headers_mut().insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    response
}
