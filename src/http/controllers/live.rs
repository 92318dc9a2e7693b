//! `GET /v1/live`

mod conversation;
mod ending;
mod message;
mod said;

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::header::{SEC_WEBSOCKET_VERSION, UPGRADE};
use axum::http::{HeaderMap, HeaderValue, Uri};
use axum::response::{IntoResponse, Response};
use tracing::Instrument;

use conversation::Conversation;
pub(crate) use message::{Deeper, Go, MultiPv, SetPosition, Stop};
pub(crate) use said::{LiveLine, Ready};

use crate::analysis::AnalysisError;
use crate::http::App;
use crate::http::access::foreign_origin;
use crate::http::asker::Asker;
use crate::http::openapi::LiveProblems;
use crate::http::problem::Problem;

/// The name of what is spoken on the socket, for clients that ask for one.
const PROTOCOL: &str = "kibitzer.v1";

/// A message may have so many bytes.
const LONGEST_MESSAGE: usize = 64 << 10;

/// What is longer than this is not even read to its end. In between the client hears why it is cut
/// off.
const NEVER_READ: usize = 4 * LONGEST_MESSAGE;

/// Of each read so many bytes are taken: messages are small.
const READ_AT_ONCE: usize = 4 << 10;

#[utoipa::path(
    get,
    path = "/v1/live",
    tag = "analysis",
    summary = "A live board",
    description = include_str!("live/description.md"),
    params(("ticket" = Option<String>, Query, description = "From `POST /v1/tickets`, for those who can't send a key.")),
    responses(
        (status = 101, description = "The board is open: from here on it is a WebSocket."),
        LiveProblems,
    )
)]
pub(crate) async fn live(
    State(app): State<App>,
    asker: Asker,
    uri: Uri,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Response> {
    if let Some(origin) = foreign_origin(&headers, &uri, &app.caps().cors_origins) {
        return Err(Problem::origin_refused(origin).into_response());
    }
    let upgrade = upgrade.map_err(no_upgrade)?;
    if app.is_shutting_down() {
        return Err(Problem::from(AnalysisError::shutting_down()).into_response());
    }
    let place = app.stream_place().map_err(IntoResponse::into_response)?;
    let upgrade = upgrade.protocols([PROTOCOL]).read_buffer_size(READ_AT_ONCE);
    let upgrade = upgrade.max_message_size(NEVER_READ).max_frame_size(NEVER_READ);
    let service = app.service().await.clone();
    let span = tracing::Span::current();
    Ok(upgrade.on_upgrade(move |socket| {
        async move {
            Conversation::new(&app, &service, &asker, socket).hold().await;
            drop(place);
        }
        .instrument(span)
    }))
}

fn no_upgrade(why: WebSocketUpgradeRejection) -> Response {
    let mut response = Problem::upgrade_required(&why.body_text()).into_response();
    response.headers_mut().insert(UPGRADE, HeaderValue::from_static("websocket"));
    response.headers_mut().insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    response
}
